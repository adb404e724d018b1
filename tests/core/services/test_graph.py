"""The neighbourhood of a memory: hops, room, filters, and a layout that is always the same."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import draft
from core.changes import Op
from core.errors import NotFound
from core.model import Link, LinkKind, LinkStatus, MemoryId
from core.services import curate, graph


def keep(workspace, count):
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        for number in range(count):
            transaction.add_memory(draft.memory({"content": f"harbour note {number + 1}"}, transaction.now))


def link(workspace, source, target, kind=LinkKind.RELATES, weight=1.0, status=LinkStatus.ACCEPTED):
    with workspace.store.transact(Op.LINK, "test") as transaction:
        transaction.add_link(
            Link(source_id=MemoryId(source), target_id=MemoryId(target), kind=kind, weight=weight, status=status,
                 created_at=transaction.now)
        )  # fmt: skip


@pytest.fixture
def chain(workspace):
    """1 - 2 - 3 - 4 - 5, and 6 which supports 1."""
    keep(workspace, 7)
    for number in range(1, 5):
        link(workspace, number, number + 1)
    link(workspace, 6, 1, LinkKind.SUPPORTS, 0.4)
    return workspace


def hops(found):
    return {node.memory.id: node.hop for node in found.nodes}


def test_two_hops_are_reached_both_ways_along_a_link(chain):
    found = graph.neighbourhood(chain, MemoryId(1))
    assert hops(found) == {1: 0, 2: 1, 6: 1, 3: 2}
    assert found.kinds == {LinkKind.RELATES: 2, LinkKind.SUPPORTS: 1}
    assert {node.memory.id: node.hidden for node in found.nodes} == {1: 0, 2: 0, 6: 0, 3: 1}
    assert hops(graph.neighbourhood(chain, MemoryId(1), hops=1)) == {1: 0, 2: 1, 6: 1}


def test_expanding_a_memory_shows_one_hop_more(chain):
    assert hops(graph.neighbourhood(chain, MemoryId(1), expanded=[MemoryId(3)])) == {1: 0, 2: 1, 6: 1, 3: 2, 4: 3}


def test_a_kind_that_is_filtered_out_leads_nowhere(chain):
    found = graph.neighbourhood(chain, MemoryId(1), without=[LinkKind.RELATES])
    assert hops(found) == {1: 0, 6: 1}
    assert {each.kind for each in found.links} == {LinkKind.SUPPORTS}


def test_there_is_room_for_the_strongest_and_the_rest_is_counted(workspace):
    keep(workspace, 12)
    for number in range(2, 13):
        link(workspace, 1, number, weight=number / 12)
    found = graph.neighbourhood(workspace, MemoryId(1), most=5)
    assert set(hops(found)) == {1, 12, 11, 10, 9}
    assert found.left_out == 7


def test_what_was_dismissed_or_forgotten_is_not_shown(chain):
    link(chain, 1, 7, LinkKind.CONTRADICTS, status=LinkStatus.DISMISSED)
    curate.forget(chain, [MemoryId(6)], actor="person")
    assert hops(graph.neighbourhood(chain, MemoryId(1))) == {1: 0, 2: 1, 3: 2}
    with pytest.raises(NotFound):
        graph.neighbourhood(chain, MemoryId(99))


def test_candidates_are_the_most_linked_or_those_that_hold_the_words(chain):
    assert [memory.id for memory in graph.candidates(chain)][:4] == [1, 2, 3, 4]
    assert [memory.id for memory in graph.candidates(chain, "note 7")] == [7]


def test_a_query_activates_what_it_finds_and_what_that_is_linked_to(chain):
    found = graph.neighbourhood(chain, MemoryId(1))
    before = graph.candidates(chain)
    active = graph.activated(chain, "harbour", found)
    assert set(active) == set(hops(found))
    assert all(0 < value <= 1 for value in active.values())
    assert graph.candidates(chain) == before
    assert graph.activated(chain, "zeppelin", found) == {}


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 25),
    st.lists(st.tuples(st.integers(1, 25), st.integers(1, 25), st.floats(0, 1)), max_size=60),
)
def test_a_layout_is_finite_the_same_every_time_and_keeps_the_first_in_the_middle(count, edges):
    ids = [MemoryId(number) for number in range(1, count + 1)]
    inside = [(a, b, weight) for a, b, weight in edges if max(a, b) <= count]
    laid = graph.layout(ids, inside, {})
    assert laid == graph.layout(ids, inside, {})
    assert list(laid) == ids
    assert laid[MemoryId(1)] == (0.0, 0.0)
    assert all(math.isfinite(part) for place in laid.values() for part in place)


def test_linked_memories_lie_closer_than_those_that_are_not(chain):
    places = {node.memory.id: (node.x, node.y) for node in graph.neighbourhood(chain, MemoryId(1)).nodes}
    assert math.dist(places[1], places[2]) < math.dist(places[1], places[3])


def test_what_was_laid_before_stays_and_what_is_new_lies_beside_what_it_is_linked_to(chain):
    first = graph.neighbourhood(chain, MemoryId(1))
    places = {node.memory.id: (node.x, node.y) for node in first.nodes}
    more = graph.neighbourhood(chain, MemoryId(1), expanded=[MemoryId(3)], places=places)
    laid = {node.memory.id: (node.x, node.y) for node in more.nodes}
    assert {id: laid[id] for id in places} == places
    ways = {id: math.dist(laid[4], laid[id]) for id in places}
    assert min(ways, key=ways.get) == 3
