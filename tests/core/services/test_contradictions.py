"""Contradictions: clusters with what speaks for each side, verdicts that are kept and reversible, a true preview."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from core.model import LinkStatus, Status
from core.services import contradictions, curate, query, remember
from core.services.contradictions import Resolution
from core.services.query import Question


@pytest.fixture
def pair(workspace, clock):
    """Two statements about the pool, the newer contradicting the older."""
    old = remember.remember(workspace, {"content": "The API pool has 10 connections"}, actor="codex").memory
    clock.advance(timedelta(days=10))
    new = remember.remember(workspace, {"content": "The API pool has 25 connections"}, actor="cursor").memory
    ((link,),) = [cluster.links for cluster in contradictions.clusters(workspace)]
    return old, new, link


def status(workspace, memory):
    with workspace.store.read() as reader:
        return reader.memory(memory.id).status


def decided(workspace, link):
    with workspace.store.read() as reader:
        return reader.link(link.id)


def test_a_cluster_shows_each_sides_strength_confidence_and_recency(workspace, pair):
    old, new, link = pair
    (cluster,) = contradictions.clusters(workspace)
    assert [side.memory.id for side in cluster.sides] == [new.id, old.id]
    assert cluster.sides[1].recency == pytest.approx(math.exp(-0.05 * 10))
    assert cluster.sides[1].effective == pytest.approx(1.0 * 0.8 * math.exp(-0.05 * 10))
    assert link.evidence["rule"] == "different value"


@pytest.mark.parametrize(("verdict", "loser"), [(Resolution.KEEP_A, 0), (Resolution.KEEP_B, 1)])
def test_keeping_one_marks_the_other_contradicted_and_undo_takes_the_verdict_back(workspace, pair, verdict, loser):
    *both, link = pair
    contradictions.resolve(workspace, link.id, verdict, actor="person", reason="measured on Monday")
    assert status(workspace, both[loser]) is Status.CONTRADICTED
    assert status(workspace, both[1 - loser]) is Status.ACTIVE
    found = decided(workspace, link)
    assert found.status is LinkStatus.ACCEPTED
    assert found.evidence["decision"]["verdict"] == verdict
    assert found.evidence["decision"]["reason"] == "measured on Monday"
    assert contradictions.clusters(workspace) == []
    assert len(contradictions.clusters(workspace, open_only=False)) == 1
    curate.undo_last(workspace, actor="person")
    assert status(workspace, both[loser]) is Status.ACTIVE
    assert decided(workspace, link) == link


def test_a_dismissed_pair_is_raised_again_only_when_a_text_changes_and_still_contradicts(workspace, pair):
    old, new, link = pair
    contradictions.resolve(workspace, link.id, Resolution.NOT_A_CONTRADICTION, actor="person")
    curate.edit(workspace, [new.id], {"confidence": 0.9}, actor="person")
    assert decided(workspace, link).status is LinkStatus.DISMISSED
    curate.edit(workspace, [new.id], {"content": "The pool of the scheduler is something else"}, actor="person")
    assert decided(workspace, link).status is LinkStatus.DISMISSED
    curate.edit(workspace, [new.id], {"content": "The API pool has 30 connections"}, actor="person")
    assert decided(workspace, link).status is LinkStatus.OPEN
    assert status(workspace, old) is Status.ACTIVE


def test_the_preview_says_what_would_change_and_changes_nothing(workspace, pair):
    old, _, link = pair
    questions = [Question(text="API pool connections"), Question(text="Tuesdays")]
    before = workspace.store.path.read_bytes()
    impacts = contradictions.preview(workspace, link.id, Resolution.KEEP_A, questions=questions)
    assert [impact.changes for impact in impacts] == [True, False]
    assert old.id in impacts[0].before
    assert old.id not in impacts[0].after
    assert status(workspace, old) is Status.ACTIVE
    assert workspace.store.path.read_bytes() == before
    contradictions.resolve(workspace, link.id, Resolution.KEEP_A, actor="person")
    answer = query.ask(workspace, questions[0])
    assert tuple(memory.id for memory in answer.memories[:5]) == impacts[0].after


def test_an_edit_that_leaves_the_text_as_it_is_raises_nothing_again(workspace, pair):
    old, _, link = pair
    contradictions.resolve(workspace, link.id, Resolution.NOT_A_CONTRADICTION, actor="person")
    curate.edit(workspace, [old.id], {"content": old.content, "confidence": 0.9}, actor="person")
    assert decided(workspace, link).status is LinkStatus.DISMISSED
