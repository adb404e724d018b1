"""Several memories as one operation: compared with the store and with each other, each refused or kept by itself."""

from __future__ import annotations

import pytest

from core.changes import PERSON
from core.errors import UserError
from core.services import curate, remember


def several(workspace, *rows, **more):
    return remember.remember_several(workspace, rows, actor="codex", **more)


def test_a_text_that_is_repeated_in_one_call_is_kept_once_with_the_highest_confidence(workspace):
    rows = [{"content": "Tea is at four", "confidence": sure} for sure in (0.5, 0.9, 0.7)]
    first, *others = several(workspace, *rows)
    assert first.duplicate is None
    assert [each.duplicate.memory.id for each in others] == [first.memory.id] * 2
    with workspace.store.read() as reader:
        assert (reader.count(), reader.memory(first.memory.id).confidence) == (1, 0.9)


def test_memories_of_one_call_that_contradict_each_other_are_linked_for_a_person(workspace):
    short, long = several(workspace, {"content": "The build takes 4 minutes"}, {"content": "The build takes 9 minutes"})
    assert [id for id, _ in long.contradictions] == [short.memory.id]
    with workspace.store.read() as reader:
        kinds = {(link.source_id, link.target_id, link.status) for link in reader.links_of(long.memory.id)}
    assert (long.memory.id, short.memory.id, "open") in kinds


def test_the_same_text_in_two_collections_or_of_two_users_is_two_memories(workspace):
    done = several(
        workspace,
        {"content": "Tea is at four"},
        {"content": "Tea is at four", "collection": "other"},
        {"content": "Tea is at four", "user": "ada"},
    )
    assert [each.duplicate for each in done] == [None, None, None]


def test_a_refused_memory_keeps_no_other_out_and_all_are_one_operation(workspace):
    bad, good, other = several(workspace, {"content": " "}, {"content": "Tea is at four"}, {"content": "Nine is late"})
    assert isinstance(bad, UserError)
    assert good.changes.seq == other.changes.seq
    curate.undo_operation(workspace, good.changes.seq, actor=PERSON)
    with workspace.store.read() as reader:
        assert reader.count() == 0


def test_nothing_is_written_where_every_memory_is_refused(workspace):
    with workspace.store.read() as reader:
        before = reader.journal_entries(limit=1)
    assert all(isinstance(each, UserError) for each in several(workspace, {"content": ""}, {"content": "\x00"}))
    with workspace.store.read() as reader:
        assert reader.journal_entries(limit=1) == before


def test_what_the_store_knows_is_refused_with_its_text_and_reason_in_the_journal(workspace):
    remember.remember(workspace, {"content": "Tea is at four"}, actor=PERSON)
    known, new = several(
        workspace, {"content": "Tea is at four"}, {"content": "Coffee is at nine"}, reason="the minutes"
    )
    assert known.duplicate is not None
    assert new.duplicate is None
    with workspace.store.read() as reader:
        (entry,) = reader.journal_entries(limit=1)
    assert "Not stored: Tea is at four" in entry.reason
    assert entry.reason.endswith("Reason given: the minutes")


@pytest.mark.parametrize("seconds", [0.0])
def test_without_time_to_compare_everything_new_is_stored(workspace, seconds):
    rows = [{"content": "The build takes 4 minutes"}, {"content": "The build takes 9 minutes"}]
    done = several(workspace, *rows, max_judging_seconds=seconds)
    assert [each.duplicate for each in done] == [None, None]
    assert done[1].not_compared == 1
