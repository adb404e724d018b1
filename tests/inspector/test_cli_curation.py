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


def test_an_edit_is_seen_in_the_history_taken_back_and_done_again(cli):
    assert cli("edit", "1", "--content", "The pool has 30 connections", "--reason", "measured")[0] == 0
    out = cli("history", "1")[1]
    assert "measured" in out
    assert "[-10-] {+30+}" in out
    assert "Took back edit" in cli("undo")[1]
    assert content(cli) == "The pool has 10 connections"
    assert "Did again edit" in cli("redo")[1]
    assert content(cli) == "The pool has 30 connections"
    assert cli("history", "1", "--back-to", "1")[0] == 0
    assert content(cli) == "The pool has 10 connections"


def test_a_stale_edit_is_refused(cli):
    cli("edit", "1", "--confidence", "0.9")
    code, _, err = cli("edit", "1", "--confidence", "0.5", "--version", "1")
    assert code == 2
    assert "look at it again" in err


def test_memories_are_pinned_archived_forgotten_and_restored_in_bulk(cli):
    assert cli("pin", "1", "2")[1] == "Pinned 2 memories.\n"
    assert shape(cli, "list", "--pinned")["total"] == 2
    assert cli("pin", "1")[1] == "Nothing was to be changed about memory 1.\n"
    cli("unpin", "1")
    cli("archive", "1")
    cli("forget", "2")
    assert shape(cli, "list", "--status", "active")["total"] == 1
    assert cli("restore", "1", "2")[1] == "Restored 2 memories.\n"
    assert shape(cli, "list", "--status", "active")["total"] == 3


def test_memories_are_linked_merged_superseded_and_split(cli):
    assert shape(cli, "link", "1", "2", "--kind", "contradicts", "--weight", "0.5")["link"]["weight"] == 0.5
    assert cli("unlink", "1", "2")[0] == 0
    assert cli("link", "1", "1")[0] == 2
    assert cli("link", "1", "2", "--kind", "loves")[0] == 2
    assert shape(cli, "merge", "1", "2", "--content", "One pool")["memory"]["content"] == "One pool"
    assert len(shape(cli, "split", "3", "Deploys happen", "On Tuesdays")["parts"]) == 2
    assert cli("supersede", "1", "3")[0] == 0
    assert shape(cli, "get", "3")["memory"]["status"] == "superseded"


def test_an_operation_is_undone_by_its_number(cli):
    operation = shape(cli, "pin", "1")["operation"]
    cli("pin", "2")
    assert cli("undo", str(operation))[0] == 0
    assert [memory["id"] for memory in shape(cli, "list", "--pinned")["memories"]] == [2]
