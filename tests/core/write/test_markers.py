"""Memories marked in an agent's text are kept, and a marker that cannot be read is reported."""

from __future__ import annotations

import json

from core.services import remember
from core.write import markers
from inspector.cli import main

TEXT = """I looked into the hanging deploy.
[MEMORY type=gotcha tags=postgres,locks confidence=0.9] Migrations need a
lock timeout of three seconds.

Then I tried again.
[MEMORY] Deploys happen on Tuesdays
[MEMORY type="decision"; tags=ci] Use two runners
[MEMORY confidence=high] not a number
[MEMORY colour=red] unknown
[MEMORY type=fact]

[MEMORY type=fact broken bracket
[MEMORY type=Bad] wrong type
"""


def test_content_type_tags_and_confidence_are_read():
    found = list(markers.parse(TEXT))
    assert found[0].fields == {
        "content": "Migrations need a lock timeout of three seconds.",
        "type": "gotcha",
        "tags": ["postgres", "locks"],
        "confidence": 0.9,
    }
    assert found[1].fields == {"content": "Deploys happen on Tuesdays"}
    assert found[2].fields == {"content": "Use two runners", "type": "decision", "tags": ["ci"]}


def test_every_marker_that_cannot_be_read_is_reported_with_its_line_and_the_others_are_kept(workspace):
    kept, complaints = remember.remember_marked(workspace, TEXT, actor="codex", fields={"session": "s1"})
    assert [each.memory.type for each in kept] == ["gotcha", "fact", "decision"]
    assert {each.memory.session for each in kept} == {"s1"}
    assert (kept[1].memory.confidence, kept[0].memory.confidence) == (0.8, 0.9)
    for line, part in ((8, "not a number"), (9, "colour"), (10, "no text"), (12, "not closed"), (13, "type must be")):
        assert any(f"line {line} " in complaint and part in complaint for complaint in complaints), (line, complaints)


def test_a_text_without_markers_holds_none(workspace):
    assert remember.remember_marked(workspace, "[MEMORYLESS] and [memory] are not markers", actor="x") == ([], [])


def test_markers_are_kept_from_the_command_line(capsys, tmp_path, monkeypatch):
    db = str(tmp_path / "notes.db")
    assert main(["--db", db, "init"]) == 0
    capsys.readouterr()
    assert main(["--db", db, "remember", "--markers", TEXT, "--json"]) == 1
    shape = json.loads(capsys.readouterr().out)
    assert (len(shape["remembered"]), len(shape["complaints"])) == (3, 5)
