"""The manual: pages opened, links followed, back and forward, and search."""

from __future__ import annotations

import pytest

from inspector import help_topics
from inspector.gui.viewmodels.manual import ManualViewModel

FIRST = next(iter(help_topics.TOPICS))


@pytest.fixture
def viewmodel(qtbot):
    return ManualViewModel()


def test_a_page_is_opened_at_its_beginning_or_at_a_section(after, viewmodel):
    assert viewmodel.location == ""
    page = after(viewmodel.opened, lambda: viewmodel.open("profiles"))
    assert (page.topic.name, page.heading) == ("profiles", 0)
    page = after(viewmodel.opened, lambda: viewmodel.open("profiles#oro"))
    anchors = [each.anchor for each in help_topics.sections("profiles")]
    assert (page.topic.name, anchors[page.heading]) == ("profiles", "oro")
    assert after(viewmodel.opened, lambda: viewmodel.open("profiles#no-such-section")).heading == 0


def test_the_list_has_every_topic_and_the_sections_of_the_open_one(after, viewmodel):
    listed = after(viewmodel.listed, lambda: viewmodel.open("profiles"))
    assert [each.location for each in listed if not each.is_section] == list(help_topics.TOPICS)
    assert {each.location.partition("#")[0] for each in listed if each.is_section} == {"profiles"}
    assert "profiles#oro" in [each.location for each in listed]


def test_links_lead_to_other_pages_and_sections_and_out_of_the_manual_to_nothing(viewmodel):
    viewmodel.open(FIRST)
    viewmodel.follow("profiles.md#oro")
    assert viewmodel.location == "profiles#oro"
    viewmodel.follow("#none")
    assert viewmodel.location == "profiles#none"
    viewmodel.follow("https://example.org/")
    assert viewmodel.location == "profiles#none"


def test_back_and_forward_return_until_another_page_is_opened(viewmodel):
    viewmodel.back()
    for location in (FIRST, "profiles", "glossary"):
        viewmodel.open(location)
    viewmodel.open("glossary")
    viewmodel.back()
    viewmodel.back()
    assert (viewmodel.location, viewmodel.can_go_back, viewmodel.can_go_forward) == (FIRST, False, True)
    viewmodel.forward()
    assert viewmodel.location == "profiles"
    viewmodel.open("cli")
    assert not viewmodel.can_go_forward
    viewmodel.forward()
    assert viewmodel.location == "cli"


def test_a_search_lists_sections_of_all_topics_and_an_empty_one_the_topics_again(after, viewmodel):
    found = after(viewmodel.listed, lambda: viewmodel.search(" half-life "))
    assert {each.location.partition("#")[0] for each in found} >= {"cli", "profiles", "glossary"}
    assert all(each.about for each in found)
    assert after(viewmodel.listed, lambda: viewmodel.search("zzzz")) == []
    assert [each.location for each in after(viewmodel.listed, lambda: viewmodel.search(""))] == list(help_topics.TOPICS)
