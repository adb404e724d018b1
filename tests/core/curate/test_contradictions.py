"""Contradictions: clusters with the strength of each side, verdicts that are kept, and when one is raised again."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from curating import act, now
from store_steps import add, link

from core.changes import Op
from core.clock import to_iso
from core.curate import contradictions, operations
from core.curate.contradictions import Resolution
from core.errors import NotFound, UserError
from core.model import LinkId, LinkStatus, Status


@pytest.fixture
def pair(store, clock):
    """Two statements about the pool, the newer contradicting the older."""
    old = add(store, "The API pool has 10 connections")
    clock.advance(timedelta(days=10))
    new = add(store, "The API pool has 25 connections")
    return old, new, link(store, new, old, "contradicts", status="open")


def clusters(store, **options):
    with store.read() as reader:
        return contradictions.clusters(reader, store.clock.now(), **options)


def resolve(store, link, verdict, **named):
    return act(store, contradictions.resolve, link.id, verdict, op=Op.RESOLVE, **named)


def kept(store, link):
    with store.read() as reader:
        return reader.link(link.id)


def test_a_cluster_shows_each_sides_strength_confidence_and_recency(store, pair):
    old, new, found = pair
    (cluster,) = clusters(store)
    assert [side.memory.id for side in cluster.sides] == [new.id, old.id]
    assert cluster.sides[1].recency == pytest.approx(math.exp(-0.05 * 10))
    assert cluster.sides[1].effective == pytest.approx(1.0 * 0.8 * math.exp(-0.05 * 10))
    assert cluster.links == (found,)


def test_a_pinned_side_keeps_its_recency(store, pair):
    act(store, operations.pin, pair[0].id)
    assert {side.recency for cluster in clusters(store) for side in cluster.sides} == {1.0}


def test_memories_that_contradict_through_others_are_one_cluster_and_the_newest_link_comes_first(store, pair):
    other = [add(store, f"Deploys on Friday are {word}") for word in ("allowed", "forbidden")]
    third = add(store, "The API pool has 40 connections")
    link(store, *other, "contradicts", status="open")
    assert [len(cluster.sides) for cluster in clusters(store)] == [2, 2]
    link(store, third, pair[0], "contradicts", status="open")
    assert [{side.memory.id for side in cluster.sides} for cluster in clusters(store)] == [
        {pair[0].id, pair[1].id, third.id},
        {each.id for each in other},
    ]


def test_other_kinds_of_link_and_dismissed_ones_make_no_cluster(store, pair):
    resolve(store, pair[2], Resolution.NOT_A_CONTRADICTION)
    link(store, pair[0], pair[1], "relates", status="open")
    assert clusters(store, open_only=False) == []


def test_a_forgotten_side_contradicts_nothing_any_more(store, pair):
    old, _, found = pair
    act(store, operations.set_status, old.id, Status.DELETED, op=Op.FORGET)
    assert clusters(store) == []
    with pytest.raises(UserError, match="restore it first"):
        resolve(store, found, Resolution.KEEP_A)
    assert now(store, old).status is Status.DELETED


@pytest.mark.parametrize(("verdict", "loser"), [(Resolution.KEEP_A, 0), (Resolution.KEEP_B, 1)])
def test_keeping_one_marks_the_other_contradicted_and_records_the_decision(store, pair, verdict, loser):
    *both, found = pair
    resolved = resolve(store, found, verdict, reason="measured on Monday")
    assert now(store, both[loser]).status is Status.CONTRADICTED
    assert now(store, both[1 - loser]).status is Status.ACTIVE
    assert resolved.status is LinkStatus.ACCEPTED
    assert resolved.evidence["decision"] == {
        "verdict": str(verdict),
        "reason": "measured on Monday",
        "decided_at": to_iso(store.clock.now()),
    }
    assert kept(store, found) == resolved
    assert clusters(store) == []
    assert len(clusters(store, open_only=False)) == 1


def test_both_valid_needs_the_scope_that_makes_both_true(store, pair):
    with pytest.raises(UserError, match="name the scope"):
        resolve(store, pair[2], Resolution.BOTH_VALID, scope=" ")
    scope = "10 in staging, 25 in production"
    resolved = resolve(store, pair[2], Resolution.BOTH_VALID, scope=scope)
    assert (resolved.status, resolved.evidence["decision"]["scope"]) == (LinkStatus.DISMISSED, scope)


def test_a_deferred_one_stays_open_and_a_merged_one_is_gone(store, pair):
    old, new, found = pair
    assert resolve(store, found, Resolution.DEFER, reason="ask Mara").status is LinkStatus.OPEN
    assert resolve(store, found, Resolution.MERGE, content="The API pool has 25 connections since November") is None
    assert clusters(store, open_only=False) == []
    assert now(store, old).status is Status.SUPERSEDED
    assert now(store, new).content == "The API pool has 25 connections since November"


def test_what_is_no_contradiction_cannot_be_decided(store, pair):
    related = link(store, pair[0], pair[1], "relates")
    for id in (LinkId(999), related.id):
        with pytest.raises(NotFound):
            act(store, contradictions.resolve, id, Resolution.KEEP_A, op=Op.RESOLVE)


def test_another_verdict_on_the_same_two_takes_the_earlier_one_back_first(store, pair):
    old, new, found = pair
    resolve(store, found, Resolution.KEEP_A)
    assert now(store, old).status is Status.CONTRADICTED
    resolve(store, found, Resolution.KEEP_B)
    assert (now(store, old).status, now(store, new).status) == (Status.ACTIVE, Status.CONTRADICTED)
    resolve(store, found, Resolution.NOT_A_CONTRADICTION)
    assert (now(store, old).status, now(store, new).status) == (Status.ACTIVE, Status.ACTIVE)


def test_an_earlier_loser_that_was_forgotten_since_stays_forgotten(store, pair):
    old, _, found = pair
    resolve(store, found, Resolution.KEEP_A)
    act(store, operations.set_status, old.id, Status.DELETED, op=Op.FORGET)
    resolve(store, found, Resolution.NOT_A_CONTRADICTION)
    assert now(store, old).status is Status.DELETED


def test_a_dismissed_pair_is_raised_again_only_when_its_texts_still_contradict(store, pair):
    _, new, found = pair
    resolve(store, found, Resolution.NOT_A_CONTRADICTION)
    for content, status in (
        ("The pool of the scheduler is something else", LinkStatus.DISMISSED),
        ("The API pool has 30 connections", LinkStatus.OPEN),
    ):
        act(store, operations.edit, new.id, {"content": content})
        act(store, contradictions.reopen, new.id)
        assert kept(store, found).status is status


def test_an_accepted_contradiction_is_not_raised_again(store, pair):
    _, new, found = pair
    resolve(store, found, Resolution.KEEP_A)
    act(store, contradictions.reopen, new.id)
    assert kept(store, found).status is LinkStatus.ACCEPTED
