"""Curation at the command line, as a journey: change, look at what changed, take it back."""

from __future__ import annotations

import json

import pytest

from inspector.cli import main


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "notes.db"

    def run(*arguments: str):
        code = main(["--db", str(path), *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert run("init")[0] == 0
    for text in ("The pool has 10 connections", "The pool has 25 connections", "Deploys happen on Tuesdays"):
        assert run("remember", text)[0] == 0
    return run


def shape(cli, *arguments):
    code, out, err = cli(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def content(cli, id="1"):
    return shape(cli, "get", id)["memory"]["content"]


def test_an_edit_is_seen_in_the_history_undone_and_done_again(cli):
    assert cli("edit", "1", "--content", "The pool has 30 connections", "--reason", "measured")[0] == 0
    out = cli("history", "1")[1]
    assert "measured" in out
    assert "[-10-] {+30+}" in out
    assert "Undid edit" in cli("undo")[1]
    assert content(cli) == "The pool has 10 connections"
    assert "Redid edit" in cli("redo")[1]
    assert content(cli) == "The pool has 30 connections"
    assert cli("history", "1", "--back-to", "1")[0] == 0
    assert content(cli) == "The pool has 10 connections"


def test_a_stale_edit_is_refused(cli):
    cli("edit", "1", "--confidence", "0.9")
    code, _, err = cli("edit", "1", "--confidence", "0.5", "--version", "1")
    assert code == 2
    assert "read it again" in err


def test_memories_are_pinned_archived_forgotten_and_restored_in_bulk(cli):
    assert cli("pin", "1", "2")[1] == "Pinned 2 memories.\n"
    assert shape(cli, "list", "--pinned")["total"] == 2
    assert cli("pin", "1")[1] == "Nothing to change in memory 1.\n"
    cli("unpin", "1")
    cli("archive", "1")
    cli("forget", "2")
    assert shape(cli, "list", "--status", "active")["total"] == 1
    assert cli("restore", "1", "2")[1] == "Restored 2 memories.\n"
    assert shape(cli, "list", "--status", "active")["total"] == 3


def test_memories_are_linked_merged_superseded_and_split(cli):
    assert shape(cli, "link", "1", "2", "--kind", "contradicts", "--weight", "0.5")["links"][0]["weight"] == 0.5
    assert cli("unlink", "1", "2")[0] == 0
    assert cli("link", "1", "1")[0] == 2
    assert cli("link", "1", "2", "--kind", "loves")[0] == 2
    assert shape(cli, "merge", "1", "2", "--content", "One pool")["memory"]["content"] == "One pool"
    assert len(shape(cli, "split", "3", "Deploys happen", "On Tuesdays")["parts"]) == 2
    assert cli("supersede", "1", "3")[0] == 0
    assert shape(cli, "get", "3")["memory"]["status"] == "superseded"


def test_a_merge_says_how_sure_it_is_and_warns_of_what_is_no_copy(cli):
    merged = shape(cli, "merge", "1", "3", "--dry-run")
    assert not merged["are_duplicates"]
    assert merged["confidence_reason"] == "that of memory 1, whose text it is; they do not say the same"
    out = cli("merge", "1", "3")[1]
    assert "Its confidence is 0.80: that of memory 1" in out
    assert "Warning: These are not near-duplicates of memory 1 (memory 3: overlap" in out


def test_an_operation_is_undone_by_its_number(cli):
    operation = shape(cli, "pin", "1")["operation"]
    cli("pin", "2")
    assert cli("undo", str(operation))[0] == 0
    assert [memory["id"] for memory in shape(cli, "list", "--pinned")["memories"]] == [2]


CHANGES = [
    ("edit", "1", "--confidence", "0.1"),
    ("pin", "1", "2"),
    ("archive", "1", "3"),
    ("forget", "1"),
    ("reinforce", "1"),
    ("link", "1", "2", "3"),
    ("supersede", "2", "1", "3"),
    ("merge", "1", "2"),
    ("split", "1", "first half", "second half"),
    ("undo",),
    ("decay",),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change[0])
def test_a_dry_run_says_what_would_change_and_changes_nothing(cli, tmp_path, change):
    before = shape(cli, "list")
    code, out, err = cli(*change, "--dry-run")
    assert (code, err) == (0, "")
    assert out.endswith("This was a dry run: nothing was changed.\n")
    assert shape(cli, "list") == before
    assert cli(*change)[0] == 0


def test_several_memories_are_linked_unlinked_and_superseded_at_once(cli):
    assert len(shape(cli, "link", "1", "2", "3", "--kind", "supports")["links"]) == 2
    assert "Removed 2 links" in cli("unlink", "1", "2", "3")[1]
    assert cli("supersede", "3", "1", "2")[0] == 0
    assert shape(cli, "list", "--status", "superseded")["total"] == 2
    assert cli("undo")[0] == 0
    assert shape(cli, "list", "--status", "superseded")["total"] == 0


def test_a_purge_shows_first_and_deletes_only_with_apply(cli, tmp_path):
    cli("forget", "1")
    assert "would be deleted permanently" in cli("purge")[1]
    assert shape(cli, "list")["total"] == 3
    assert "Deleted permanently: 1 memory." in cli("purge", "--apply")[1]
    assert shape(cli, "list")["total"] == 2
    assert b"10 connections" not in (tmp_path / "notes.db").read_bytes()
    code, _, err = cli("purge", "2", "--apply")
    assert (code, err) == (2, "Memory 2 is active; only what was forgotten before can be purged.\n")


def test_consolidation_is_a_dry_run_until_it_is_applied_and_one_undo_takes_it_back(cli):
    cli("remember", "Deploys happen on Tuesdays.", "--duplicates", "keep", "--confidence", "0.4")
    assert "1 to merge, 0 to archive. Nothing was changed." in cli("consolidate")[1]
    assert shape(cli, "consolidate", "--apply")["applied"] is True
    assert shape(cli, "list", "--status", "superseded")["total"] == 1
    assert "Undid consolidate" in cli("undo")[1]
    assert shape(cli, "list", "--status", "superseded")["total"] == 0
    code, _, err = cli("consolidate", "--half-life", "soon")
    assert (code, err) == (2, "--half-life must be a number, not 'soon'.\n")


def test_the_former_name_of_an_option_works_and_is_named_in_no_help(cli, capsys):
    cli("remember", "Deploys happen on Fridays.", "--confidence", "0.4")
    for option in ("--min-retention", "--least"):
        assert "0 to merge, 4 to archive" in cli("consolidate", option, "0.9")[1]
    with pytest.raises(SystemExit):
        main(["consolidate", "--help"])
    shown = capsys.readouterr().out
    assert "--min-retention" in shown
    assert "--least" not in shown
