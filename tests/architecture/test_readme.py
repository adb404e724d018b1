"""The README names what exists, and leaves out nothing that does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from core.embed.catalogue import MODELS
from core.profiles import PROFILES
from inspector.command_table import COMMANDS
from inspector.serve.tools import TOOLS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_named(command):
    assert re.search(rf"memory-inspector (\w+ \| |--)?{command.name}\b|; {command.name}\n", README)


def test_no_command_is_named_that_does_not_exist():
    known = {command.name for command in COMMANDS} | {"model", "token"}
    for name in re.findall(r"memory-inspector ([a-z]+)", README):
        assert name in known or any(each.startswith(name) for each in known), name


def test_every_dependency_is_named_with_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for dependency in project["dependencies"]:
        assert f"| `{re.match(r'[A-Za-z0-9-]+', dependency)[0]}`" in README


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_is_named(model):
    assert f"`{model.name}`" in README


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_profile_is_named_with_its_formula(profile):
    assert f"| `{profile.name}` |" in README


def test_every_path_that_is_named_exists():
    named = re.findall(r"`((?:core|inspector|tests|packaging|resources)/[\w./-]*)`", README)
    tree = re.search(r"```\n(core/ .*?)```", README, re.DOTALL)[1]
    parent = ""
    for line in tree.splitlines():
        name = line.split()[0]
        parent = name if not line.startswith(" ") else parent
        named.append(name if name == parent else parent + name)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_make_target_is_named():
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for target in set(targets) - {"help", "clean"}:
        assert f"make {target}" in README


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_named_with_its_route_and_scope(tool):
    assert f"| `{tool.name}` | {tool.method} {tool.path} | {tool.scope} |" in README


def test_no_tool_is_named_that_does_not_exist():
    assert set(re.findall(r"`(memory_\w+)`", README)) <= {tool.name for tool in TOOLS}
