"""Consolidation: which memories are superfluous or have faded, what is protected, and a plan carried out whole."""

from __future__ import annotations

from datetime import timedelta

import pytest
from curating import act, now
from store_steps import add

from core.changes import Op
from core.curate import consolidate, operations
from core.curate.consolidate import HALF_LIFE_DAYS, MIN_RETENTION, Archival, ConsolidationPlan, Merge
from core.errors import StaleEdit
from core.model import Status
from core.write.duplicate import DuplicateVerdict


def same_as(*pairs):
    """A judge for which each first memory says the same as the others after it, in that order."""
    known = {memory.id: others for memory, *others in pairs}

    def judge(memory):
        return [DuplicateVerdict(other, "overlap", 0.8, 0.7) for other in known.get(memory.id, [])]

    return judge


def merges(found):
    return [(each.memory.id, each.verdict.memory.id) for each in found]


def carry_out(store, plan):
    act(store, consolidate.apply, plan, op=Op.CONSOLIDATE)


def test_pinned_and_important_memories_are_protected(store):
    assert consolidate.is_protected(add(store, pinned=True))
    assert consolidate.is_protected(add(store, importance="high"))
    assert not consolidate.is_protected(add(store))


def test_retention_is_confidence_halved_for_every_half_life_since_the_last_use(store, clock):
    memory = add(store, confidence=0.8)
    start = clock.now()
    clock.advance(timedelta(days=60))
    assert consolidate.retention(memory, clock.now(), 30) == (pytest.approx(0.2), 60)
    used = memory._replace(last_accessed_at=start + timedelta(days=30))
    assert consolidate.retention(used, clock.now(), 30) == (pytest.approx(0.4), 30)


def test_what_has_faded_is_named_the_most_faded_first_and_what_is_protected_is_not(store, clock):
    sure, unsure = add(store, "sure"), add(store, "unsure", confidence=0.2)
    protected = [add(store, "pinned", pinned=True), add(store, "high", importance="high")]
    clock.advance(timedelta(days=130))
    late = add(store, "late")
    found = consolidate.decayed_memories([sure, unsure, late, *protected], clock.now(), HALF_LIFE_DAYS, MIN_RETENTION)
    assert [each.memory.id for each in found] == [unsure.id, sure.id]
    assert found[1].retention == pytest.approx(0.8 * 0.5 ** (130 / 30))
    assert found[1].days == pytest.approx(130)
    assert consolidate.decayed_memories([sure], clock.now(), HALF_LIFE_DAYS, 0.01) == []


def test_the_weaker_of_two_copies_goes_into_the_stronger(store):
    weak, sure = add(store, "weak", confidence=0.5), add(store, "sure", confidence=0.9)
    judge = same_as((weak, sure), (sure, weak))
    assert merges(consolidate.redundant_memories([sure, weak], judge)) == [(weak.id, sure.id)]


def test_of_equally_sure_copies_the_less_used_and_then_the_newer_goes(store):
    old, new, used = add(store, "old"), add(store, "new"), add(store, "used", access_count=3)
    judge = same_as((old, new), (new, old))
    assert merges(consolidate.redundant_memories([old, new], judge)) == [(new.id, old.id)]
    judge = same_as((old, used), (used, old))
    assert merges(consolidate.redundant_memories([used, old], judge)) == [(old.id, used.id)]


def test_a_protected_memory_may_be_merged_into_but_never_away(store):
    pinned, plain = add(store, "pinned", confidence=0.1, pinned=True), add(store, "plain", confidence=0.9)
    judge = same_as((pinned, plain), (plain, pinned))
    assert merges(consolidate.redundant_memories([pinned, plain], judge)) == [(plain.id, pinned.id)]


def test_no_text_is_lost_through_a_chain_of_likenesses(store):
    first, second, third = (add(store, f"text {n}", confidence=0.3 + n / 10) for n in range(3))
    judge = same_as((first, second), (second, third, first), (third, second))
    found = consolidate.redundant_memories([first, second, third], judge)
    away, into = {gone for gone, _ in merges(found)}, {stays for _, stays in merges(found)}
    assert away == {first.id, third.id}
    assert not away & into


def test_a_plan_is_carried_out_whole(store):
    weak, weaker, sure = add(store, "a", confidence=0.5), add(store, "b", confidence=0.4), add(store, "c", tags=["x"])
    old = add(store, "d")
    verdict = DuplicateVerdict(sure, "overlap", 0.8, 0.7)
    carry_out(store, ConsolidationPlan([Merge(weak, verdict), Merge(weaker, verdict)], [Archival(old, 0.01, 200)]))
    assert [now(store, each).status for each in (weak, weaker, sure, old)] == [
        Status.SUPERSEDED,
        Status.SUPERSEDED,
        Status.ACTIVE,
        Status.ARCHIVED,
    ]
    assert now(store, sure).confidence == 0.8, "copies become as sure as the surest"


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_a_plan_that_is_out_of_date_is_refused_whole(store, changed):
    three = [add(store, text) for text in "abc"]
    plan = ConsolidationPlan(
        [Merge(three[0], DuplicateVerdict(three[1], "overlap", 0.8, 0.7))], [Archival(three[2], 0.01, 200)]
    )
    act(store, operations.edit, three[changed].id, {"content": "Something else entirely"}, "codex")
    with pytest.raises(StaleEdit, match="changed since this was planned"):
        carry_out(store, plan)
    assert {now(store, each).status for each in three} == {Status.ACTIVE}
