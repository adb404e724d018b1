"""The program uses the terms of the field: no name that was given up returns, and one name stands for one thing."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for top in ("core", "inspector", "packaging") for path in (ROOT / top).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

FORMER_MODULES = {
    "bulk", "course", "door", "fading", "from_memory", "guide", "kept_filters", "past", "quick", "telling",
    "trial_readers", "walls", "weave", "wording",
}  # fmt: skip
FORMER_NAMES = {
    "Asked", "Beside", "Door", "Gathered", "Later", "Meaning", "NamedEntity", "NamedTime", "NewerFirst", "NotInMemory",
    "PoolCosine", "PoolText", "Quick", "Said", "Semantic", "Session", "Signs", "SoFar", "Told", "Unread", "Untold",
    "Whole", "Words", "told", "untold",
}  # fmt: skip
A_PERSON = re.compile(r"\b(?:somebody|someone|whoever|nobody|everybody|everyone|anybody|anyone)\b", re.IGNORECASE)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _definitions(path: Path) -> list[ast.ClassDef | ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def _prose(path: Path) -> str:
    """Return the comments and the docstrings of a module."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    documented = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    return "\n".join([*comments, *(ast.get_docstring(node) or "" for node in documented)])


def test_no_module_has_a_name_that_was_given_up():
    assert [_name(path) for path in SOURCES if {path.stem, path.parent.name} & FORMER_MODULES] == []


def test_no_class_or_function_has_a_name_that_was_given_up():
    assert [
        f"{_name(path)}: {node.name}"
        for path in SOURCES + TESTS
        for node in _definitions(path)
        if node.name in FORMER_NAMES
    ] == []


def test_a_class_name_stands_for_one_thing():
    places = defaultdict(list)
    for path in SOURCES:
        for node in _definitions(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(_name(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_a_limit_is_called_max_or_min():
    pattern = re.compile(r"\b_?(?:MOST|LEAST)_[A-Z_]+\b")
    assert [
        _name(path) for path in SOURCES + TESTS if path != Path(__file__) and pattern.search(path.read_text())
    ] == []


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_no_comment_or_docstring_calls_a_memory_or_a_caller_somebody(path):
    assert A_PERSON.findall(_prose(path)) == []
