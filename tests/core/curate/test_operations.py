"""The operations of curation: each does what it says within one transaction, and is refused when it must be."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from curating import act, links, now, three_memories
from store_steps import add

from core.changes import Op
from core.curate import operations
from core.errors import NotFound, UserError
from core.model import Importance, LinkKind, MemoryId, Status


@pytest.fixture
def three(store):
    return three_memories(store)


def test_an_edit_changes_the_named_fields_only(store, three):
    edited = act(store, operations.edit, three[0].id, {"tags": ["x"], "importance": "high"})
    assert (edited.tags, edited.importance) == (("x",), Importance.HIGH)
    assert (edited.content, edited.confidence) == (three[0].content, 0.7)
    assert now(store, three[0]) == edited


def test_a_new_text_is_signed_by_its_author(store, three):
    by_agent = act(store, operations.edit, three[0].id, {"content": "The pool has 12 connections"}, "codex")
    assert (by_agent.source, by_agent.agent) == ("agent", "codex")
    by_person = act(store, operations.edit, three[0].id, {"content": "The pool has 13 connections"})
    assert by_person.source == "person"


def test_what_an_agent_changes_of_a_pinned_memory_is_no_longer_pinned(store, three):
    act(store, operations.pin, three[0].id)
    assert not act(store, operations.edit, three[0].id, {"confidence": 0.1}, "codex").pinned


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"uid": "x"},
        {"created_at": "2020-01-01"},
        {"access_count": 5},
        {"status": "deleted"},
        {"confidence": 2},
        {"colour": 1},
    ],
)
def test_what_is_not_edited_by_hand_is_refused(store, three, fields):
    with pytest.raises(UserError):
        act(store, operations.edit, three[0].id, fields)
    assert now(store, three[0]) == three[0]


def test_a_pin_is_set_and_removed(store, three):
    assert act(store, operations.pin, three[0].id).pinned
    assert not act(store, operations.pin, three[0].id, pinned=False).pinned


def test_restoring_makes_any_other_status_active_and_is_refused_for_an_active_memory(store, three):
    for status in (Status.ARCHIVED, Status.DELETED, Status.SUPERSEDED, Status.CONTRADICTED):
        act(store, operations.set_status, three[0].id, status)
        assert act(store, operations.restore, three[0].id).status is Status.ACTIVE
    with pytest.raises(UserError, match="active already"):
        act(store, operations.restore, three[0].id)


def test_nothing_but_restoring_brings_back_what_is_forgotten(store, three):
    a, b, c = three
    act(store, operations.set_status, a.id, Status.DELETED)
    for attempt in (
        lambda: act(store, operations.set_status, a.id, Status.ARCHIVED),
        lambda: act(store, operations.supersede, b.id, a.id),
        lambda: act(store, operations.merge, [a.id, c.id]),
        lambda: act(store, operations.merge, [c.id, a.id]),
    ):
        with pytest.raises(UserError, match="restore it first"):
            attempt()
    assert now(store, a).status is Status.DELETED
    assert now(store, c).status is Status.ACTIVE


def test_only_forgotten_memories_may_be_purged(store, three):
    a, b, _ = three
    act(store, operations.set_status, a.id, Status.DELETED)
    with store.read() as reader:
        assert [memory.id for memory in operations.purge_candidates(reader, [])] == [a.id]
        assert [memory.id for memory in operations.purge_candidates(reader, [a.id])] == [a.id]
        with pytest.raises(UserError, match="only what was forgotten"):
            operations.purge_candidates(reader, [a.id, b.id])
        with pytest.raises(NotFound, match="no memory 99"):
            operations.purge_candidates(reader, [MemoryId(99)])


def test_reinforcement_is_a_tenth_and_stops_at_one(store):
    memory = add(store, "a", strength=0.85)
    assert act(store, operations.reinforce, memory.id).strength == pytest.approx(0.95)
    assert act(store, operations.reinforce, memory.id).strength == 1.0


def test_strength_decays_once_for_the_time_that_passed_however_often_it_is_asked(store, clock):
    memory, pinned = add(store, "a", strength=0.8), add(store, "b", strength=0.8, pinned=True)
    assert act(store, operations.decay_all, op=Op.DECAY) == 0
    clock.advance(timedelta(days=10))
    assert act(store, operations.decay_all, op=Op.DECAY) == 1
    assert act(store, operations.decay_all, op=Op.DECAY) == 0
    clock.advance(timedelta(days=5))
    act(store, operations.decay_all, op=Op.DECAY)
    assert now(store, memory).strength == pytest.approx(0.8 * math.exp(-0.01 * 15))
    assert now(store, pinned).strength == 0.8
    clock.advance(timedelta(days=-30))
    assert act(store, operations.decay_all, op=Op.DECAY) == 0


def test_a_new_memory_fades_only_from_its_first_day_on(store, three, clock):
    act(store, operations.decay_all, op=Op.DECAY)
    clock.advance(timedelta(days=100))
    late = add(store, "Something learnt just now")
    act(store, operations.decay_all, op=Op.DECAY)
    assert now(store, late).strength == 1.0
    assert now(store, three[0]).strength == pytest.approx(math.exp(-0.01 * 100))


def test_supersession_never_goes_in_a_circle(store, three):
    a, b, c = three
    act(store, operations.supersede, b.id, a.id)
    act(store, operations.supersede, c.id, b.id)
    assert now(store, a).status is now(store, b).status is Status.SUPERSEDED
    for new, old in ((a, c), (a, b), (a, a)):
        with pytest.raises(UserError):
            act(store, operations.supersede, new.id, old.id)
        with pytest.raises(UserError):
            act(store, operations.link, new.id, old.id, {"kind": "supersedes"})


def test_a_restored_memory_is_superseded_again_by_the_same_link(store, three):
    a, b, _ = three
    first = act(store, operations.supersede, b.id, a.id)
    act(store, operations.restore, a.id)
    assert act(store, operations.supersede, b.id, a.id) == first
    assert now(store, a).status is Status.SUPERSEDED
    assert links(store) == {(b.id, a.id, LinkKind.SUPERSEDES)}


def test_a_merged_memory_has_the_selected_text_all_tags_and_every_link(store, three):
    a, b, c = three
    act(store, operations.link, b.id, c.id, {"kind": "supports"})
    act(store, operations.link, a.id, b.id, {"kind": "contradicts"})
    kept = act(store, operations.merge, [a.id, b.id], "The pool has 25 connections now")
    assert (kept.content, kept.tags, kept.entities) == (
        "The pool has 25 connections now",
        ("db", "pool"),
        ("PgBouncer",),
    )
    assert kept.confidence == 0.7, "they say different things, so the text is no surer than the least sure of them"
    assert (a.id, c.id, LinkKind.SUPPORTS) in links(store)
    assert (a.id, b.id, LinkKind.SUPERSEDES) in links(store)
    assert not any(kind is LinkKind.CONTRADICTS for _, _, kind in links(store))
    assert now(store, b).status is Status.SUPERSEDED
    with pytest.raises(UserError, match="at least two"):
        act(store, operations.merge, [a.id, a.id])


def test_a_merge_moves_no_link_into_a_circle_and_keeps_what_is_important(store, three):
    a, b, c = three
    act(store, operations.edit, b.id, {"importance": "high"})
    act(store, operations.supersede, b.id, c.id)
    act(store, operations.supersede, c.id, a.id)
    with pytest.raises(UserError, match="restore it first"):
        act(store, operations.merge, [a.id, b.id])
    act(store, operations.restore, a.id)
    with store.read() as reader:
        before = {id: reader.superseded_by(id) for id in (a.id, b.id, c.id)}
    assert before[b.id] == {c.id, a.id}
    kept = act(store, operations.merge, [b.id, a.id])
    assert kept.importance is Importance.HIGH
    with store.read() as reader:
        assert all(id not in reader.superseded_by(id) for id in (a.id, b.id, c.id))


def test_a_split_memory_becomes_its_parts(store):
    whole = add(store, "Deploy on Tuesdays. Pool has 10.", tags=["x"], importance="high", pinned=True)
    parts = act(store, operations.split, whole.id, ["Deploy on Tuesdays.", "Pool has 10."])
    assert [part.content for part in parts] == ["Deploy on Tuesdays.", "Pool has 10."]
    assert all((part.tags, part.importance, part.pinned) == (("x",), Importance.HIGH, True) for part in parts)
    assert now(store, whole).status is Status.ARCHIVED
    assert all((part.id, whole.id, LinkKind.REFERENCE) in links(store) for part in parts)
    for wrong in ([], ["one"], ["one", ""]):
        with pytest.raises(UserError):
            act(store, operations.split, whole.id, wrong)


def test_unlinking_takes_one_kind_or_all(store, three):
    a, b, _ = three
    for kind in ("supports", "relates"):
        act(store, operations.link, a.id, b.id, {"kind": kind})
    assert act(store, operations.unlink, a.id, b.id, LinkKind.SUPPORTS) == 1
    assert {kind for source, _, kind in links(store) if source == a.id} == {LinkKind.RELATES}
    assert act(store, operations.unlink, a.id, b.id) == 1
    with pytest.raises(UserError, match="no such link"):
        act(store, operations.unlink, a.id, b.id)
