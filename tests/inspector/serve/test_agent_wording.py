"""No sentence tells an agent to run a command: it has tools and no shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import location
from inspector.serve.agent_wording import for_agent

CORE = Path(__file__).parents[3] / "core"
COMMAND = location.command(Path("/data/my list/a.db"), "check")


def sentences() -> Iterator[str]:
    """Yield each text of the core that names a command, with words in place of what is filled in."""
    for path in sorted(CORE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if id(node) in within:
                continue
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            said = [part.value if isinstance(part, ast.Constant) else filled(part) for part in parts]
            if all(isinstance(part, str) for part in said) and "`memory-inspector" in "".join(said):
                yield "".join(said)


def filled(part: ast.AST) -> str | None:
    if not isinstance(part, ast.FormattedValue):
        return None
    is_command = isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") == "command"
    return COMMAND.replace("check", part.value.args[1].value) if is_command else "xyz"


def test_the_core_has_sentences_that_name_commands():
    assert len(set(sentences())) >= 6


@pytest.mark.parametrize("sentence", sorted(set(sentences())))
def test_every_sentence_that_names_a_command_is_said_without_it_to_an_agent(sentence):
    said = for_agent(sentence)
    assert "memory-inspector" not in said
    assert "`" not in said
    assert "/data" not in said, "nor where the store is"


def test_a_command_becomes_the_tool_that_does_the_same():
    assert for_agent("There is no memory '9'; `memory-inspector list` shows what there is.") == (
        "There is no memory '9'; memory_list shows what there is."
    )
    assert for_agent("x is not here yet; `memory-inspector model fetch x` gets it.") == (
        "x is not here yet; a person can fetch it."
    )


def test_a_refusal_and_a_warning_reach_an_agent_in_its_own_words(client):
    assert client.api("GET", "/memories/999").shape["detail"] == (
        "There is no memory '999'; memory_list shows what there is."
    )
    body = {"verdict": "defer"}
    assert "memory_contradictions shows them" in client.api("POST", "/contradictions/99/resolve", body).shape["detail"]
    for path, body in (("/recall", {}), ("/explain", {"memory": 1}), ("/recall", {"detail": "full"})):
        assert "`" not in str(client.api("POST", path, {"query": "pool", **body}).shape["warnings"])
