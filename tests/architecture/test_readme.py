"""The README is short, and the paths, commands and links it names exist."""

from __future__ import annotations

import re
from pathlib import Path

from inspector.command_table import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short():
    assert len(README.splitlines()) <= 130


def test_no_command_is_named_that_does_not_exist():
    known = {command.name for command in COMMANDS} | {"model", "token"}
    for name in re.findall(r"memory-inspector ([a-z]+)", README):
        assert name in known, name


def test_every_path_and_picture_that_is_named_exists():
    named = re.findall(r"\]\(((?!http)[^)#]+)", README)
    assert len(named) > 10
    tree = re.search(r"```\n(core/ .*?)```", README, re.DOTALL)[1]
    parent = ""
    for line in tree.splitlines():
        name = line.split()[0]
        parent = name if not line.startswith(" ") else parent
        named.append(name if name == parent else parent + name)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_topic_of_the_manual_is_linked():
    topics = {path.name for path in (ROOT / "resources" / "docs").glob("*.md")}
    assert set(re.findall(r"resources/docs/([\w-]+\.md)", README)) == topics
