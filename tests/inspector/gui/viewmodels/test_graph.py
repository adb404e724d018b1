"""The graph: a memory in the centre, what is around it, filtered by kind, and activated by a query."""

from __future__ import annotations

import pytest

from core.services import graph
from inspector.gui.viewmodels.graph import GraphViewModel


@pytest.fixture
def viewmodel(after, opened):
    """The most linked memory in the centre."""
    made = GraphViewModel(opened)
    after(made.shown, lambda: made.look(None))
    return made


def shown_ids(viewmodel):
    return {node.memory.id for node in viewmodel.found.nodes}


def test_nothing_is_computed_until_it_is_looked_at(qtbot, opened):
    made = GraphViewModel(opened)
    with qtbot.assertNotEmitted(made.shown):
        opened.changed.emit(None)
    assert made.found is None


def test_a_memory_that_is_named_comes_into_the_centre(after, opened):
    made = GraphViewModel(opened)
    assert after(made.shown, lambda: made.look(7)).centre == 7


def test_without_one_the_most_linked_memory_is_in_the_centre(after, viewmodel):
    candidates = after(viewmodel.candidates_changed, lambda: viewmodel.search(""))
    assert viewmodel.found.centre == viewmodel.centre == candidates[0].id
    assert max(node.hop for node in viewmodel.found.nodes) <= viewmodel.hops


def test_a_search_lists_memories_to_select_the_centre_from(after, viewmodel):
    found = after(viewmodel.candidates_changed, lambda: viewmodel.search("migration"))
    assert "migration" in found[0].content.lower()
    assert after(viewmodel.candidates_changed, lambda: viewmodel.search("zzzz")) == []


def test_fewer_hops_show_fewer_and_an_expansion_more(after, viewmodel):
    everything = shown_ids(viewmodel)
    after(viewmodel.shown, lambda: viewmodel.set_hops(1))
    near = shown_ids(viewmodel)
    assert near < everything
    further = next(node.memory.id for node in viewmodel.found.nodes if node.hidden)
    after(viewmodel.shown, lambda: viewmodel.expand(further))
    assert near < shown_ids(viewmodel)


def test_a_kind_of_link_is_filtered_out_and_back_in(after, viewmodel):
    kind = viewmodel.found.links[0].kind
    before = {link.id for link in viewmodel.found.links}
    after(viewmodel.shown, lambda: viewmodel.set_without(kind, True))
    assert all(link.kind is not kind for link in viewmodel.found.links)
    after(viewmodel.shown, lambda: viewmodel.set_without(kind, False))
    assert {link.id for link in viewmodel.found.links} == before


def test_a_query_activates_memories_of_the_picture_and_an_empty_one_none(after, viewmodel):
    text = viewmodel.found.nodes[0].memory.content
    activated = after(viewmodel.activated, lambda: viewmodel.activate(text))
    assert activated
    assert set(activated) <= shown_ids(viewmodel)
    assert after(viewmodel.activated, lambda: viewmodel.activate("  ")) == {}


def test_a_memory_that_is_gone_is_refused_with_a_sentence(after, viewmodel):
    assert "9999" in after(viewmodel.refused, lambda: viewmodel.set_centre(9999))
    assert viewmodel.found is None


def test_a_closed_store_has_no_picture(after, viewmodel, opened):
    assert after(viewmodel.candidates_changed, opened.close) == []
    assert (viewmodel.found, viewmodel.centre) == (None, None)
    assert viewmodel.hops <= graph.MAX_HOPS
