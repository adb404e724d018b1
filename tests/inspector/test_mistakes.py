"""What a newcomer types wrongly gets one sentence that says what to do next, and changes nothing."""

from __future__ import annotations

import pytest

from core.errors import suggestion
from core.services.workspace import Workspace
from inspector.cli import OTHER_NAMES, WRONG_USE, main
from inspector.command_table import COMMANDS


@pytest.fixture
def db(tmp_path) -> str:
    path = tmp_path / "store.db"
    Workspace.create(path).close()
    return str(path)


@pytest.mark.parametrize(
    ("typed", "next_step"),
    [
        ("recal x", "perhaps recall?"),
        ("search x", "perhaps `recall`?"),
        ("hepl", "`memory-inspector --help` lists them all"),
        ("model lst", "perhaps list?"),
        ("model", "`memory-inspector model --help`"),
        ("recall", 'as in `memory-inspector recall "why'),
        ("recall why do migrations hang", "text of several words goes into quotes"),
        ("recall x --porfile oro", "perhaps --profile?"),
        ("recall x --profile or0", "perhaps oro?"),
        ("recall x --profile Inspector", "perhaps inspector?"),
        ("recall x --set decay.halflife=3", "decay.half_life_days"),
        ("recall x --as-of yesterday", "such as 2026-"),
        ("profiles openmen", "perhaps openmem?"),
        ("model info snowflake-artic", "perhaps snowflake-arctic-embed-s?"),
        ("connect claude", "perhaps claude-code?"),
        ("completion tcsh", "bash, zsh, fish"),
        ("get 99", "`memory-inspector list` shows"),
        ("edit 1", "There is no memory"),
        ("undo 99", "show their numbers"),
        ("restore none.db", "backup --list` lists"),
        ("eval", "Name a golden set with --set"),
        ("eval --set none", "judging what a query returns makes one"),
        ("export memories.pdf", "use .jsonl, .csv or .md, or name its format"),
        ("export /dev/null --format csv", "name another file"),
        ("backup --to /dev/null", "name another file"),
        ("restore /dev", "is a folder, not a store; `memory-inspector --db"),
        ("infer-links now", "'now' was not expected; `memory-inspector infer-links --help`"),
        ("--tour /dev/null", "needs a folder"),
        ("-x", "`memory-inspector --help`"),
    ],
)
def test_a_mistake_gets_a_sentence_with_the_next_step(capsys, db, typed, next_step):
    assert main(["--db", db, *typed.split()]) == WRONG_USE
    out, err = capsys.readouterr()
    assert next_step in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_gets_a_sentence(capsys, db, query):
    assert main(["--db", db, "recall", query]) == WRONG_USE
    assert "The query is empty; say what to look for" in capsys.readouterr().err
    assert main(["--db", db, "judge", query, "1", "1"]) == WRONG_USE
    assert "The query is empty; give the question" in capsys.readouterr().err


def test_without_a_store_a_short_sentence_says_how_to_create_one(capsys, home):
    assert main(["list"]) == WRONG_USE
    err = capsys.readouterr().err
    assert "`memory-inspector init` creates one, --db FILE names another" in err
    assert str(home) not in err
    assert main(["init"]) == 0
    assert main(["list"]) == 0


def test_what_is_no_store_gets_a_sentence_with_how_to_create_one(capsys, tmp_path):
    (tmp_path / "text.db").write_text("not a database, but long enough to be looked at")
    (tmp_path / "empty.db").touch()
    for name in ("text.db", "empty.db", "."):
        assert main(["--db", str(tmp_path / name), "list"]) == WRONG_USE
        assert "make one with `memory-inspector --db FILE init`" in capsys.readouterr().err


def test_a_store_that_is_there_is_not_made_again(capsys, db):
    assert main(["--db", db, "init"]) == WRONG_USE
    assert "name another file with --db" in capsys.readouterr().err


def test_a_folder_without_memories_gets_a_sentence(capsys, db, tmp_path):
    (tmp_path / "nothing").mkdir()
    assert main(["--db", db, "import", str(tmp_path / "nothing")]) == 0
    assert "contains no memories" in capsys.readouterr().out


def test_other_names_lead_to_commands_that_there_are():
    known = {command.name for command in COMMANDS} | {"--serve", "--sample"}
    assert set(OTHER_NAMES.values()) <= known
    assert not set(OTHER_NAMES) & known


def test_only_a_near_name_is_suggested():
    assert suggestion("RECAL", ["recall", "remember"]) == " (perhaps recall?)"
    assert suggestion("xyz", ["recall"]) == suggestion("", ["recall"]) == ""


def test_a_store_alone_is_opened_in_the_window_as_a_file_manager_does_it(capsys, db, monkeypatch):
    opened = []
    monkeypatch.setattr("inspector.commands.desktop.open_window", lambda options: opened.append(options.db) or 0)
    assert main([db]) == 0
    assert opened == [db]
    assert main([db + ".none"]) == WRONG_USE
    assert "There is no command" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["init"], ["--sample", "list"], ["--serve", "--port", "0"], ["--serve", "--stdio"]]
)
def test_a_folder_that_cannot_be_written_is_named_with_the_way_round_it(capsys, tmp_path, monkeypatch, command):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORY_INSPECTOR_HOME", str(tmp_path / "file" / "home"))
    assert main(command) == WRONG_USE
    assert "another data folder with MEMORY_INSPECTOR_HOME" in capsys.readouterr().err


def test_a_token_or_a_client_that_cannot_be_written_is_named(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORY_INSPECTOR_HOME", str(tmp_path / "file" / "home"))
    assert main(["token", "add", "reader"]) == WRONG_USE
    assert "tokens.json cannot be written: Not a directory; MEMORY_INSPECTOR_HOME" in capsys.readouterr().err
    (tmp_path / ".cursor").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["connect", "cursor", "--write"]) == WRONG_USE
    assert "mcp.json cannot be written: File exists; without --write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "reported"),
    [
        ("--host 0.0.0.0", "--allow-remote allows it"),
        ("--host nowhere.invalid --allow-remote", "Nothing can listen at nowhere.invalid"),
        ("--port 70000", "a number from 0 to 65,535"),
        ("--port http", "--port must be a whole number"),
        ("--compat referense", "--compat must be one of reference"),
        ("--stdio --compat referense", "--compat must be one of reference"),
        ("--stdio --scope all", "A scope is one of read, write, curate"),
        ("--scope read", "--scope goes with --stdio"),
        ("--keep-calls=-1", "--keep-calls must be 0 or more"),
    ],
)
def test_a_server_that_is_refused_makes_neither_a_store_nor_a_token(capsys, home, typed, reported):
    assert main(["--serve", *typed.split()]) == WRONG_USE
    assert reported in capsys.readouterr().err
    assert not home.exists()


def test_a_server_whose_tokens_cannot_be_read_makes_no_store(capsys, home):
    home.mkdir()
    (home / "tokens.json").write_text("{")
    assert main(["--serve", "--port", "0"]) == WRONG_USE
    assert "move it away and new ones are made" in capsys.readouterr().err
    assert [each.name for each in home.iterdir()] == ["tokens.json"]


def test_the_url_of_a_server_is_refused_and_its_password_is_not_shown(capsys):
    assert main(["--db", "postgresql://me:hunter2@host/memories", "list"]) == WRONG_USE
    shown = capsys.readouterr().err
    assert "only files can be opened by this version" in shown
    assert "hunter2" not in shown
