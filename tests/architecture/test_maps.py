"""A package's docstring is the map of its folder: where it names modules, it names every one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = [path for top in ("core", "inspector") for path in sorted((ROOT / top).rglob("__init__.py"))]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_map_leaves_no_module_out_and_names_none_that_is_not_there(path):
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    assert said, "a package opens with what it is for"
    there = {each.stem for each in path.parent.glob("*.py")} - {"__init__", "__main__"}
    there |= {each.parent.name for each in path.parent.glob("*/__init__.py")}
    if not any(re.split(r"\W", line.strip())[0] in there for line in said.split("\n")):
        return  # sentences, no map
    assert there - set(re.findall(r"\w+", said)) == set()
    assert set(re.findall(r"(\w+)\.py\b", said)) <= there
