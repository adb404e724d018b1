"""The command line as people use it: answers, JSON, exit codes, and one sentence when something is wrong."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli import main
from inspector.command_table import COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch):
    """Run a command in this process; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def db(cli, tmp_path):
    path = tmp_path / "notes.db"
    assert cli("--db", path, "init")[0] == 0
    return path


def answer(cli, *arguments):
    code, out, err = cli(*arguments, "--json")
    assert code in (0, 1), err
    return json.loads(out)


def test_a_memory_goes_in_and_comes_out(cli, db):
    kept = answer(
        cli, "--db", db, "remember", "Migrations need a lock timeout", "--type", "gotcha", "--tag", "postgres",
        "--tag", "deploy", "--confidence", "0.9", "--importance", "high", "--pin", "--entity", "Alembic",
        "--file", "db/migrate.py", "--context", '{"task": {"success": true}}', "--reason", "it hung twice",
    )  # fmt: skip
    memory = answer(cli, "--db", db, "get", kept["memory"]["uid"])["memory"]
    assert memory == kept["memory"]
    assert (memory["type"], memory["tags"], memory["confidence"]) == ("gotcha", ["postgres", "deploy"], 0.9)
    assert (memory["pinned"], memory["importance"], memory["context"]) == (True, "high", {"task": {"success": True}})
    code, out, _ = cli("--db", db, "get", "1")
    assert code == 0
    assert "Migrations need a lock timeout" in out


def test_content_may_come_from_standard_input(cli, db, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe\nsecond line"))
    assert answer(cli, "--db", db, "remember", "-")["memory"]["content"] == "from a pipe\nsecond line"


def test_options_stand_before_or_after_the_command(cli, db):
    assert cli("--db", db, "info")[1] == cli("info", "--db", db)[1]
    assert json.loads(cli("--json", "--db", db, "list")[1]) == json.loads(cli("list", "--db", db, "--json")[1])


def test_the_store_may_be_named_by_the_environment(cli, db, monkeypatch):
    monkeypatch.setenv("MEMORY_INSPECTOR_DB", str(db))
    assert answer(cli, "info")["path"] == str(db)


def test_the_default_store_is_made_in_the_users_data_folder_for_its_owner_alone(cli, home):
    assert cli("init")[0] == 0
    assert stat.S_IMODE((home / "memories.db").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_list_is_filtered_and_paged(cli, db):
    for n in range(5):
        cli("--db", db, "remember", f"memory {n}", "--type", "fact" if n % 2 else "plan")
    page = answer(cli, "--db", db, "list", "--type", "plan", "--limit", "2")
    assert ([memory["content"] for memory in page["memories"]], page["total"]) == (["memory 4", "memory 2"], 3)
    rest = answer(cli, "--db", db, "list", "--type", "plan", "--limit", "2", "--before", str(page["before"]))
    assert ([memory["content"] for memory in rest["memories"]], rest["before"]) == (["memory 0"], None)
    assert cli("--db", db, "list", "--tag", "nothing")[1] == "No memory matches.\n"


def test_the_sample_is_made_on_first_use_and_then_kept(cli):
    assert answer(cli, "--sample", "info")["memories"] > 80
    cli("--sample", "remember", "one more")
    assert answer(cli, "--sample", "list", "--limit", "1")["memories"][0]["content"] == "one more"


def test_a_sound_store_passes_its_check_and_a_drifted_one_fails_it_until_repaired(cli, db):
    cli("--db", db, "remember", "words")
    assert cli("--db", db, "check")[0] == 0
    vandalise(db, "delete from fulltext")
    code, out, _ = cli("--db", db, "check")
    assert code == 1
    assert "disagree" in out
    assert "check --repair" in out
    shape = answer(cli, "--db", db, "check", "--repair")
    assert shape["ok"]
    assert [finding["problem"] for finding in shape["repaired"]] == ["fulltext_drift"]
    assert Path(shape["backup"]).exists()


def test_a_damaged_store_fails_its_check_and_names_the_backup(cli, db):
    cli("--db", db, "remember", "words")
    assert cli("--db", db, "backup")[0] == 0
    content = bytearray(db.read_bytes())
    content[8192:12288] = b"\x5a" * 4096  # of the memories, so that full text is found to disagree with them, too
    db.write_bytes(content)
    code, out, err = cli("--db", db, "check")
    assert code == 1, err
    assert "restores the newest backup" in out
    assert "check --repair" in out
    assert cli("--db", db, "restore")[0] == 0
    assert cli("--db", db, "check")[0] == 0
    assert answer(cli, "--db", db, "list")["total"] == 1


def test_a_backup_is_made_listed_and_restored(cli, db, tmp_path):
    cli("--db", db, "remember", "before")
    kept = answer(cli, "--db", db, "backup")["backup"]
    cli("--db", db, "remember", "after")
    assert [each["path"] for each in answer(cli, "--db", db, "backup", "--list")["backups"]] == [kept]
    restored = answer(cli, "--db", db, "restore", kept)
    assert [memory["content"] for memory in answer(cli, "--db", db, "list")["memories"]] == ["before"]
    assert Path(restored["replaced_kept_in"]).exists()
    copy = answer(cli, "--db", db, "backup", "--to", tmp_path / "copy.db")["backup"]
    assert answer(cli, "--db", copy, "list")["total"] == 1


def test_a_model_is_used_and_everything_embedded(cli, db, models):
    cli("--db", db, "remember", "the dog runs outside")
    used = answer(cli, "--db", db, "model", "use", "snowflake-arctic-embed-s")
    assert used["embedding"]["waiting"] == 0
    assert answer(cli, "--db", db, "get", "1")["embedded"]
    assert answer(cli, "--db", db, "info")["spaces"][0]["vectors"] == 1


def test_models_are_listed_and_described(cli, models):
    listed = answer(cli, "model", "list")["models"]
    assert [model["name"] for model in listed if model["default"]] == ["snowflake/snowflake-arctic-embed-s"]
    assert answer(cli, "model", "info", "all-minilm-l6-v2")["dimension"] == 384
    assert "nothing to do" in cli("model", "fetch")[1]


WRONG = [
    (["nonsense"], "nonsense"),
    (["get"], "memory"),
    (["--db"], "--db"),
    (["list", "--limit", "many"], "--limit must be a whole number"),
    (["list", "--limit", "0"], "A page holds from 1"),
    (["list", "--limit", "9" * 40], "--limit must be a whole number"),
    (["list", "--status", "lost"], "--status must be one of"),
    (["get", "99"], "no memory '99'"),
    (["remember", ""], "content is empty"),
    (["remember", "a\0b"], "NUL"),
    (["remember", "half \ud800"], "lone surrogate"),
    (["remember", "x" * 200_001], "at most 200,000"),
    (["remember", "x", "--confidence", "high"], "confidence must be a number"),
    (["remember", "x", "--confidence", "nan"], "confidence must be from 0 to 1"),
    (["remember", "x", "--confidence", "2"], "confidence must be from 0 to 1"),
    (["remember", "x", "--type", "Bad Type"], "type must be"),
    (["remember", "x", "--context", "{"], "context must be a JSON object"),
    (["remember", "x", "--context", "[]"], "context must be a JSON object"),
    (["model", "use", "word2vec"], "There is no model"),
    (["model"], "COMMAND"),
    (["restore"], "There is no backup"),
    (["restore", "nowhere.db"], "no backup at"),
    (["restore", "99"], "no memory '99'"),
    (["edit", "1"], "no memory '1'"),
    (["undo"], "nothing to undo"),
    (["redo"], "nothing to redo"),
    (["undo", "7"], "no operation 7"),
    (["undo", "--client", "codex"], "--client and --since go together"),
    (["undo", "--client", "codex", "--since", "2020-01-01"], "has done nothing since"),
    (["init"], "already exists"),
    (["list", "--tag", "\udcff"], "not text in UTF-8"),
    (["remember", "x", "--reason", "\udcff"], "half a character"),
    (["backup", "--to", "~nosuchuser/x.db"], "home folder that is not known"),
    (["backup", "--to", "x" * 300], "File name too long"),
    (["backup", "--to", ""], "--to needs the path"),
    (["restore", "~nosuchuser/x.db"], "home folder that is not known"),
    (["--sample", "list"], "give one"),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=lambda value: str(value)[:40].replace("\0", ""))
def test_wrong_use_gets_one_sentence_exit_code_2_and_changes_nothing(cli, db, arguments, sentence):
    before = db.read_bytes()
    code, out, err = cli("--db", db, *arguments) if arguments != ["--db"] else cli(*arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert db.read_bytes() == before
    assert answer(cli, "--db", db, "info")["memories"] == 0


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("", "--db needs the path"),
        ("~nosuchuser/x", "not known"),
        ("\udcff.db", "UTF-8"),
        ("loop", "circle of symbolic"),
    ],
)
def test_a_store_that_cannot_be_meant_is_one_sentence(cli, tmp_path, named, sentence):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    code, out, err = cli("--db", named, "list")
    assert (code, out) == (2, "")
    assert sentence in err


def test_advice_names_the_very_store_and_model(cli, tmp_path):
    path = tmp_path / "my notes.db"
    assert f"--db '{path}' init" in cli("--db", path, "list")[2]
    cli("--db", path, "init")
    vandalise(path, "insert into fulltext_state values (99, x'00')")
    assert f"--db '{path}' check --repair" in cli("--db", path, "check")[1]
    assert "model fetch BAAI/bge-small-en-v1.5" in cli("--db", path, "model", "use", "bge-small-en-v1.5")[2]


def test_a_store_too_damaged_to_open_fails_its_check(cli, db):
    content = bytearray(db.read_bytes())
    content[100:4096] = b"\x5a" * 3996
    db.write_bytes(content)
    code, out, _ = cli("--db", db, "check")
    assert code == 1
    assert "cannot be opened" in out


def test_memories_that_wait_are_embedded_when_asked(cli, db, models, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORY_INSPECTOR_CACHE", str(tmp_path / "empty"))
    code, out, _ = cli("--db", db, "remember", "the dog runs outside")
    assert (code, "Not embedded yet" in out) == (0, True)
    assert "1 waiting" in cli("--db", db, "info")[1]
    monkeypatch.setenv("MEMORY_INSPECTOR_CACHE", str(tmp_path / "cache"))
    assert answer(cli, "--db", db, "embed")["embedded"] == 1
    assert "none waiting" in cli("--db", db, "info")[1]


def test_the_model_is_used_from_a_folder_that_cannot_be_written(cli, db, models):
    kept = answer(cli, "--db", db, "remember", "the dog runs outside")
    assert kept["embedded"]


@pytest.mark.parametrize("kill_after", ["create", "fill"])
def test_a_sample_is_complete_or_not_there(home, kill_after):
    program = f"""
import os, sys
from core.services import exchange, link_inference
from inspector.cli import main
def die(*arguments, **named):
    os._exit(9)
if {kill_after!r} == "create":
    exchange.import_file = die
else:
    link_inference.catch_up = die
main(["--sample", "list"])
"""
    environment = {**os.environ, "MEMORY_INSPECTOR_HOME": str(home)}
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=False).returncode == 9
    assert not (home / "sample.db").exists()


def test_what_stands_in_a_name_cannot_steer_the_terminal(cli, db):
    cli("--db", db, "remember", "x\u009b31m", "--collection", "\x1b]0;pwned\x07evil")
    assert "\x1b" not in cli("--db", db, "info")[1]
    shape = cli("--db", db, "list", "--json")[1]
    assert "\u009b" not in shape
    assert json.loads(shape)["memories"][0]["content"] == "x\u009b31m"


def test_a_full_disk_is_a_sentence_and_reading_goes_on(db, tmp_path):
    program = f'"{sys.executable}" -m inspector --db "{db}"'
    script = f"ulimit -f 1; {program} remember 'more than fits'; echo code $?; {program} list; echo code $?"
    environment = {**os.environ, "MEMORY_INSPECTOR_CACHE": str(tmp_path / "none")}
    run = subprocess.run(["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "This is a bug" not in run.stderr + run.stdout
    assert run.stdout.splitlines()[0] == "code 2", run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "code 0", run.stdout + run.stderr


def test_an_error_is_json_too_when_json_is_asked_for(cli, db):
    code, out, err = cli("--db", db, "get", "99", "--json")
    assert code == 2
    assert json.loads(out)["error"] == err.strip()


MAKE_A_STORE_OR_NEED_NONE = (
    "init", "restore", "model list", "model info", "model fetch", "profiles", "connect", "hook", "token show",
    "token list", "token add", "token change", "token rotate", "token remove", "completion", "help", "man",
)  # fmt: skip


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.name not in MAKE_A_STORE_OR_NEED_NONE])
def test_a_missing_store_is_never_made_by_another_command(cli, tmp_path, command):
    one, two = ["1"], ["1", "2"]
    needed = {
        "get": one, "edit": one, "pin": one, "unpin": one, "archive": one, "forget": one, "reinforce": one,
        "history": one, "link": two, "unlink": two, "supersede": two, "merge": two, "remember": ["x"],
        "recall": ["x"], "explain": ["x", "1"], "split": ["1", "a", "b"], "resolve": ["1", "defer"],
        "accept": one, "refuse": one,
        "import": ["in.jsonl"], "export": ["out.jsonl"],
        "model use": ["all-MiniLM-L6-v2"], "judge": ["x", "1", "1"], "eval": ["--set", "s"], "tune": ["--set", "s"],
    }  # fmt: skip
    code, _, err = cli("--db", tmp_path / "none.db", *command.name.split(), *needed.get(command.name, []))
    assert code == 2
    assert "There is no store at" in err
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself_with_an_example(capsys, command):
    with pytest.raises(SystemExit) as left:
        main([*command.name.split(), "--help"])
    assert left.value.code == 0
    assert command.example in capsys.readouterr().out


def test_a_bug_is_a_sentence_and_its_traceback_is_kept(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("inspector.commands.store.info", lambda options: 1 / 0)
    code, _, err = cli("info")
    assert code == 70
    assert "This is a bug in Memory Inspector (ZeroDivisionError" in err
    assert "Traceback" not in err
    assert "Traceback" in (tmp_path / "cache" / "last-bug.txt").read_text()


def test_nothing_in_a_memory_can_steer_the_terminal(cli, db):
    cli("--db", db, "remember", "red \x1b[31m alarm \u202e reversed \x07")
    for command in (["list"], ["get", "1"]):
        out = cli("--db", db, *command)[1]
        assert not set(out) & {"\x1b", "\u202e", "\x07"}


@pytest.mark.parametrize(
    "program", [[sys.executable, "-m", "inspector"], [str(Path(sys.executable).with_name("memory-inspector"))]]
)
def test_the_program_runs_as_a_command_and_as_a_module(program, tmp_path):
    environment = {**os.environ, "MEMORY_INSPECTOR_HOME": str(tmp_path)}
    answered = subprocess.run(
        [*program, "--version"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout.startswith("memory-inspector ")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    environment = {**os.environ, "MEMORY_INSPECTOR_HOME": str(tmp_path), "MEMORY_INSPECTOR_CACHE": str(tmp_path)}
    program = f'"{sys.executable}" -m inspector --sample list --limit 500 | head -n 1'
    answered = subprocess.run(
        program, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert answered.stderr == ""
    assert answered.stdout.count("\n") == 1


def vandalise(path: Path, sql: str) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def test_ctrl_c_while_modules_are_loaded_is_a_word_and_no_traceback():
    stopped = """
import sys
from inspector.__main__ import main

class Stopped:
    def find_spec(self, name, *_):
        if name.startswith("core"):
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stopped())
sys.exit(main())
"""
    ended = subprocess.run([sys.executable, "-c", stopped], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Stopped.\n")
