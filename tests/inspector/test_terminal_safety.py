"""Whatever a command prints, no character of it steers the terminal or hides text; JSON escapes it instead."""

from __future__ import annotations

import json

import pytest

from core.services import evaluate, remember
from core.services.workspace import Workspace
from inspector.cli import main

# ESC with a colour, OSC with a title, one that turns the text round, two of no width, a C1 control, a tag, a filler.
STEERING = "\x1b[31m \x1b]0;owned\x07 \u202egnp.exe \u200b \ufeff \x9b2J \U000e0041 \u3164"
RAW = set(STEERING) - set(" [31m]0;ownedgnp.ex2J")


@pytest.fixture
def db(tmp_path):
    """A store whose every text is hostile."""
    path = tmp_path / "store.db"
    fields = {"content": f"harbour {STEERING}", "summary": STEERING, "tags": [STEERING], "session": STEERING}
    with Workspace.create(path) as workspace:
        made = remember.remember(workspace, {**fields, "context": {STEERING: STEERING}}, actor="agent", reason=STEERING)
        evaluate.judge(workspace, f"set {STEERING}", f"harbour {STEERING}", str(made.memory.id), 1, judge="person")
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        ("recall", "harbour", "--prompt"),
        ("recall", "harbour", "--explain"),
        ("explain", "harbour", "1"),
        ("judgements",),
        ("judge", f"harbour {STEERING}", "1", "1", "--set", f"set {STEERING}"),
        ("get", "1"),
        ("list",),
        ("history", "1"),
        ("contradictions",),
        ("consolidate",),
        ("edit", "1", "--summary", STEERING),
        ("eval", "--set", f"none {STEERING}"),
        ("get", STEERING),
        ("undo",),
        ("info",),
    ],
    ids=lambda command: " ".join(each for each in command if each.isascii()),
)
def test_no_character_that_steers_or_hides_reaches_the_terminal(command, db, capsys):
    main(["--db", db, *command])
    captured = capsys.readouterr()
    assert not RAW & set(captured.out + captured.err)
    main(["--db", db, *command, "--json"])
    captured = capsys.readouterr()
    assert not RAW & set(captured.out + captured.err)


def test_what_was_taken_for_invisible_is_shown_and_the_stored_text_is_as_it_was(db, capsys):
    assert main(["--db", db, "recall", "harbour", "--prompt"]) == 0
    shown = capsys.readouterr().out
    assert r"\x1b[31m \x1b]0;owned\x07 <U+202E>gnp.exe <U+200B> <U+FEFF> \x9b2J <U+E0041> <U+3164>" in shown
    assert main(["--db", db, "judgements"]) == 0
    assert r"set \x1b[31m" in capsys.readouterr().out
    assert main(["--db", db, "get", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["memory"]["content"] == f"harbour {STEERING}"
