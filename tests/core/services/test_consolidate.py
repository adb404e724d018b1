"""Consolidation: a plan that says why, protects what it must, and is reverted by one undo."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.changes import PERSON
from core.errors import StaleEdit, UserError
from core.model import Status
from core.services import consolidate, curate, remember
from core.services.remember import Policy

TEXT = "Alembic migrations wait for the lock that a long transaction holds"
LONGER = "Alembic migrations wait for the lock that a long transaction holds on the table"


def keep(workspace, content, **fields):
    return remember.remember(workspace, {"content": content, **fields}, actor=PERSON, duplicates=Policy.KEEP).memory


def statuses(workspace):
    with workspace.store.read() as reader:
        return {memory.id: memory.status for memory in reader.memories(reader.memory_ids()).values()}


def merges(plan):
    return [(each.memory.id, each.verdict.memory.id) for each in plan.merges]


@pytest.fixture
def filled(workspace):
    for n in range(20):
        keep(workspace, f"Statement {n} about subject{n * 3} and object{n * 7}")
    return workspace


def test_near_duplicates_are_merged_into_the_surer_one_and_say_by_which_rule(filled):
    weak, sure = keep(filled, TEXT, confidence=0.5, tags=["a"]), keep(filled, LONGER, confidence=0.9, tags=["b"])
    plan = consolidate.plan(filled)
    assert merges(plan) == [(weak.id, sure.id)]
    assert (plan.merges[0].verdict.rule, plan.merges[0].verdict.number > 0.7) == ("overlap", True)
    assert set(statuses(filled).values()) == {Status.ACTIVE}, "a plan changes nothing"
    consolidate.apply(filled, plan, actor=PERSON)
    assert statuses(filled)[weak.id] is Status.SUPERSEDED
    with filled.store.read() as reader:
        assert set(reader.memory(sure.id).tags) == {"a", "b"}
    assert merges(consolidate.plan(filled)) == []


def test_what_contradicts_or_differs_in_a_number_is_not_merged(filled):
    keep(filled, "The pool of the billing service holds 10 connections")
    keep(filled, "The pool of the billing service holds 25 connections")
    keep(filled, "Backups of the billing database are enabled")
    keep(filled, "Backups of the billing database are disabled")
    assert merges(consolidate.plan(filled)) == []


def test_what_a_person_has_judged_or_named_differently_is_not_merged(filled):
    a, b = keep(filled, TEXT, confidence=0.5), keep(filled, LONGER, confidence=0.9)
    curate.link(filled, a.id, [b.id], {"kind": "contradicts", "status": "dismissed"}, actor=PERSON)
    keep(filled, "Restart of the worker fixes it for a day", entities=["mail-service"])
    keep(filled, "Restart of the worker fixes it for a day", entities=["auth-service"])
    keep(filled, "Prefers dark mode in the editor", user="alice")
    keep(filled, "Prefers dark mode in the editor", user="bob")
    assert merges(consolidate.plan(filled)) == []


def test_what_has_faded_is_archived_and_what_was_used_or_is_protected_is_not(filled):
    start = filled.store.clock.now()
    faded = keep(filled, "Nobody asks for this any more")
    used = keep(filled, "This one is asked for every day")
    pinned = keep(filled, "Pinned wisdom of the elders", pinned=True)
    high = keep(filled, "Important wisdom of the youngsters", importance="high")
    filled.store.clock.advance(timedelta(days=130))
    curate.edit(filled, [used.id], {"confidence": 0.9}, actor=PERSON)
    with filled.store.transact(curate.Op.TOUCH, PERSON) as transaction:
        transaction.update_memory(used.id, {"last_accessed_at": filled.store.clock.now()})
    plan = consolidate.plan(filled)
    archived = {each.memory.id: each for each in plan.archivals}
    assert faded.id in archived
    assert not {used.id, pinned.id, high.id} & archived.keys()
    assert archived[faded.id].retention == pytest.approx(0.8 * 0.5 ** (130 / 30))
    assert archived[faded.id].days == pytest.approx((filled.store.clock.now() - start).days)
    assert consolidate.plan(filled, min_retention=0.01).archivals == []
    assert plan.protected == 2


def test_a_protected_memory_may_be_merged_into_but_never_away(filled):
    pinned = keep(filled, LONGER, pinned=True, confidence=0.1)
    plain = keep(filled, TEXT, confidence=0.9)
    assert merges(consolidate.plan(filled)) == [(plain.id, pinned.id)]
    curate.edit(filled, [plain.id], {"importance": "high"}, actor=PERSON)
    assert merges(consolidate.plan(filled)) == []


def test_no_text_is_lost_through_a_chain_of_likenesses(filled):
    first = keep(filled, TEXT, confidence=0.3)
    second = keep(filled, TEXT + " sometimes", confidence=0.4)
    third = keep(filled, TEXT + " always", confidence=0.5)
    plan = consolidate.plan(filled)
    away, into = {gone for gone, _ in merges(plan)}, {kept for _, kept in merges(plan)}
    assert not away & into
    assert {first.id, second.id, third.id} >= away


def test_one_undo_takes_the_whole_plan_back(filled):
    keep(filled, TEXT, confidence=0.5)
    keep(filled, LONGER, confidence=0.9)
    filled.store.clock.advance(timedelta(days=200))
    before = statuses(filled)
    consolidate.apply(filled, consolidate.plan(filled), actor=PERSON)
    assert statuses(filled) != before
    curate.undo_last(filled, actor=PERSON)
    assert statuses(filled) == before
    assert filled.store.check() == []


def test_a_plan_that_is_out_of_date_is_refused_whole(filled):
    keep(filled, TEXT, confidence=0.5)
    sure = keep(filled, LONGER, confidence=0.9)
    plan = consolidate.plan(filled)
    curate.edit(filled, [sure.id], {"content": "Something else entirely"}, actor="codex")
    before = statuses(filled)
    with pytest.raises(StaleEdit, match="changed since this was planned"):
        consolidate.apply(filled, plan, actor=PERSON)
    assert statuses(filled) == before


@pytest.mark.parametrize("wrong", [{"half_life_days": 0.0}, {"half_life_days": float("nan")}, {"min_retention": 2.0}])
def test_a_wrong_measure_is_refused(workspace, wrong):
    with pytest.raises(UserError):
        consolidate.plan(workspace, **wrong)
