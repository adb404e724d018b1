"""The manual names what exists and leaves out nothing that does; every link between its pages leads to a heading."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from core.embed.catalogue import MODELS
from core.profiles import PROFILES
from inspector import help_topics, manual
from inspector.command_table import COMMANDS
from inspector.gui.actions import ACTIONS
from inspector.serve import tools_markdown
from inspector.serve.tools import TOOLS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "resources" / "docs"
PAGES = {path.stem: path.read_text("utf-8") for path in DOCS.glob("*.md")}


def test_every_page_is_a_topic_and_every_topic_a_page():
    assert set(help_topics.TOPICS) == set(PAGES)
    assert all(each.title and each.about.endswith(".") for each in help_topics.topics())


@pytest.mark.parametrize(("page", "made"), [("cli", manual.reference()), ("agents", tools_markdown.markdown())])
def test_what_is_generated_is_up_to_date(page, made):
    assert made in PAGES[page], "`make docs` writes it anew"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_described_with_its_example(command):
    assert command.example in help_topics.section("cli", help_topics.anchor(command.name)).text


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_no_command_is_named_that_does_not_exist(name):
    known = {command.name for command in COMMANDS} | {"model", "token"}
    for named in re.findall(r"memory-inspector ([a-z][a-z-]*)", PAGES[name]):
        assert named in known, named


def test_every_dependency_is_named_with_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for dependency in project["dependencies"]:
        assert f"| `{re.match(r'[A-Za-z0-9-]+', dependency)[0]}`" in PAGES["architecture"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_is_named(model):
    assert f"`{model.name}`" in PAGES["models"]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_profile_is_named_with_its_formula_and_has_a_section(profile):
    assert f"| `{profile.name}` |" in PAGES["profiles"]
    assert help_topics.section("profiles", profile.name).text


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_named_with_its_route_and_scope(tool):
    assert f"| `{tool.name}` | {tool.method} {tool.path} | {tool.scope} |" in PAGES["agents"]


def test_no_tool_is_named_that_does_not_exist():
    named = {name for page in PAGES.values() for name in re.findall(r"`(memory_\w+)`", page)}
    assert named <= {tool.name for tool in TOOLS}


@pytest.mark.parametrize("view", [action for action in ACTIONS if action.is_view], ids=lambda view: view.name)
def test_every_view_has_a_section(view):
    assert help_topics.section("desktop", help_topics.anchor(view.text)).text


def test_every_make_target_is_named():
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for target in set(targets) - {"help", "clean"}:
        assert f"make {target}" in PAGES["contributing"]


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_every_path_that_is_named_exists(name):
    named = set(re.findall(r"`((?:core|inspector|tests|packaging|resources)/[\w./-]*)`", PAGES[name]))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_name_that_architecture_places_in_a_file_is_in_it():
    placed = re.findall(r"`([A-Za-z_]+)`\s+in\s+`((?:core|inspector|tests)/[\w./-]+\.py)`", PAGES["architecture"])
    assert len(placed) >= 4
    assert [name for name, path in placed if name not in (ROOT / path).read_text("utf-8")] == []


def test_every_path_of_the_map_exists():
    tree = re.search(r"```\n(core/ .*?)```", PAGES["architecture"], re.DOTALL)[1]
    parent, named = "", set()
    for line in tree.splitlines():
        name = line.split()[0]
        parent = name if not line.startswith(" ") else parent
        named.add(name if name == parent else parent + name)
    assert len(named) > 40
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_map_names_every_package_and_module_at_the_top_of_the_core_and_the_program():
    tree = PAGES["architecture"]
    for top in ("core", "inspector"):
        for path in (ROOT / top).iterdir():
            if not path.name.startswith("__"):
                assert re.search(rf"^  {path.name}\b", tree, re.MULTILINE), path


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_every_link_leads_to_a_page_and_a_heading(name):
    for page, anchor in re.findall(r"\]\(([\w-]*)(?:\.md)?(?:#([\w-]*))?\)", PAGES[name]):
        assert help_topics.topic(page or name)
        if anchor:
            assert help_topics.section(page or name, anchor)
    assert not re.search(r"\]\(https?:", PAGES[name]), "the manual is read offline"


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_headings_of_a_page_have_different_anchors(name):
    anchors = [each.anchor for each in help_topics.sections(name)]
    assert len(anchors) == len(set(anchors))


def test_lines_of_prose_are_at_most_120_characters_long():
    long = [
        (name, line)
        for name, page in PAGES.items()
        for line in page.splitlines()
        if len(line) > 120 and not line.startswith(("|", "- `", "memory-inspector"))
    ]
    assert long == []
