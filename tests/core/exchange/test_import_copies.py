"""An import keeps nothing twice: rows are judged like any write, unless copies are wanted or it is our own export."""

from __future__ import annotations

import json

import pytest

from core.changes import PERSON
from core.model import Filter
from core.services import browse, exchange, remember
from core.services.exchange import Policy
from core.services.workspace import Workspace
from inspector.cli import main


def written(path, rows):
    path.write_text("\n".join(json.dumps(row if isinstance(row, dict) else {"content": row}) for row in rows))
    return path


def contents(workspace):
    with workspace.store.read() as reader:
        return [reader.memory(id).content for id in reader.memory_ids()]


def test_three_equal_lines_add_one_memory_and_say_so(workspace, tmp_path):
    file = written(tmp_path / "notes.jsonl", ["Redis evicts any key", "redis evicts any key", "Redis  evicts any key"])
    plan = exchange.plan(workspace, file)
    assert (len(plan.new), len(plan.duplicate)) == (1, 2)
    done = exchange.import_file(workspace, file, actor=PERSON)
    assert (done.memories, len(done.plan.duplicate)) == (1, 2)
    assert contents(workspace) == ["Redis evicts any key"]


def test_a_row_is_judged_by_the_rules_of_remembering(workspace, tmp_path):
    fillers = [f"Shelf {n} of hall {n * 7 % 31} holds {n * 3} boxes of part {n * 11}" for n in range(40)]
    known = "Deploys of the whole platform happen on Tuesdays"
    remember.remember(workspace, {"content": known}, actor=PERSON)
    rows = [
        *fillers,
        "On Tuesdays deploys of the whole platform happen",  # a copy of what is known
        "Migrations on the orders table need a lock timeout of three seconds",
        "The orders table migrations need a lock timeout, three seconds",  # a copy of the row before
        "In repo alpha, run tests of alpha with pytest and never with tox",
        "In repo beta, run tests of beta with pytest and never with tox",
        {"content": "Prefers dark mode in the editor", "user": "alice"},
        {"content": "Prefers dark mode in the editor", "user": "bob"},
        {"content": "Prefers dark mode in the editor", "user": "bob", "collection": "other"},
    ]
    done = exchange.import_file(workspace, written(tmp_path / "notes.jsonl", rows), actor=PERSON)
    assert [each.content for each in done.plan.duplicate] == [rows[40], rows[42]]
    assert done.memories == len(rows) - 2


def test_copies_are_kept_where_they_are_wanted(workspace, tmp_path, capsys):
    file = written(tmp_path / "notes.jsonl", ["Redis evicts any key"] * 3)
    assert exchange.import_file(workspace, file, actor=PERSON, duplicates=Policy.KEEP).memories == 3
    db = str(tmp_path / "other.db")
    assert main(["--db", db, "init"]) == 0
    capsys.readouterr()
    assert main(["--db", db, "import", str(file), "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("new 1, known 2,")
    assert main(["--db", db, "import", str(file)]) == 0
    assert capsys.readouterr().out.startswith("Added 1 memory and 0 links; 2 known already.")
    assert main(["--db", db, "import", str(file), "--duplicates", "keep"]) == 0
    assert capsys.readouterr().out.startswith("Added 3 memories and 0 links; 0 known already.")
    assert main(["--db", db, "import", str(file), "--duplicates", "oro"]) == 2
    assert "--duplicates must be one of judge, keep" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["export.jsonl", "export.csv", "export"])
@pytest.mark.parametrize("bare", [True, False])
def test_what_we_have_exported_comes_back_whole_with_what_was_kept_twice_on_purpose(workspace, tmp_path, name, bare):
    for _ in range(2):
        remember.remember(workspace, {"content": "Redis evicts any key"}, actor=PERSON, duplicates=Policy.KEEP)
    exchange.export(workspace, tmp_path / name, bare=bare)
    with Workspace.create(tmp_path / "second.db") as second:
        assert exchange.import_file(second, tmp_path / name, actor=PERSON).memories == 2
        uids = {memory.uid for memory in browse.all_memories(second, Filter())}
    assert uids == {memory.uid for memory in browse.all_memories(workspace, Filter())}


def test_links_of_a_copy_lead_to_the_row_that_was_kept(workspace, tmp_path):
    rows = [
        {"uid": "first", "content": "Redis evicts any key"},
        {"uid": "copy", "content": "redis evicts any key"},
        {"uid": "other", "content": "The on-call phone lives in the blue drawer"},
        {"kind": "link", "source": "copy", "target": "other", "kind_of_link": "relates"},
        {"kind": "link", "source": "copy", "target": "first", "kind_of_link": "relates"},
    ]
    done = exchange.import_file(workspace, written(tmp_path / "notes.jsonl", rows), actor=PERSON)
    assert (done.memories, done.links) == (2, 1)
    with workspace.store.read() as reader:
        (link,) = reader.links_of(reader.memory_by_uid("first").id)
        assert link.target_id == reader.memory_by_uid("other").id


def test_rows_of_one_form_are_all_kept_and_compared_with_few_others(workspace, tmp_path):
    rows = [f"Sensor {n} in hall {n % 17} reads {20 + n % 9} degrees at noon" for n in range(600)]
    done = exchange.import_file(workspace, written(tmp_path / "notes.jsonl", rows), actor=PERSON)
    assert done.memories == 600
