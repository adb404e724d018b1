"""The description of a filter's fields: it is complete, converts both ways, and agrees with the engine's condition."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pytest

from core import filters
from core.changes import PERSON
from core.errors import UserError
from core.filter_fields import FIELDS
from core.model import Filter, Memory, Status
from core.services import browse, curate, remember


def test_every_field_of_a_filter_is_described_and_names_an_attribute_of_a_memory():
    assert set(filters.BY_NAME) == {field.name for field in fields(Filter)}
    assert {field.attribute for field in FIELDS} <= set(Memory._fields)


def test_plain_values_and_a_filter_convert_into_each_other():
    values = {"types": ["gotcha"], "statuses": ["archived", "active"], "pinned": True, "users": None}
    wanted = filters.from_values(values)
    assert wanted == Filter(types=("gotcha",), statuses=(Status.ARCHIVED, Status.ACTIVE), pinned=True)
    assert filters.from_values(filters.to_values(wanted)) == wanted


def test_a_moment_is_a_time_or_an_age_and_anything_else_is_refused_in_one_sentence():
    now = datetime(2026, 11, 15, 18, 30, 59, tzinfo=UTC)
    wanted = filters.from_values({"since": "2d", "until": "2026-11-15T12:00:00Z"}, now)
    assert wanted.since == datetime(2026, 11, 13, 18, 30, tzinfo=UTC)
    assert wanted.until == datetime(2026, 11, 15, 12, tzinfo=UTC)
    assert filters.from_values(filters.to_values(wanted)) == wanted
    assert filters.from_values({"since": "999999w"}, now).since.year == 1
    with pytest.raises(UserError, match="since is not an ISO 8601 time such as .*, nor an age such as 7d: 'soon'"):
        filters.from_values({"since": "soon"}, now)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"types": ["fact"]},
        {"tags": ["db", "none"]},
        {"statuses": ["archived"]},
        {"sessions": ["s1"], "users": ["ada"]},
        {"agents": ["codex"], "collections": ["default"]},
        {"pinned": True},
        {"pinned": False, "sources": ["person"]},
        {"since": "2026-11-15T12:00:01Z"},
        {"until": "2026-11-15T12:00:01Z", "types": ["fact"]},
        {"since": "2026-11-15T12:00:00Z", "until": "2026-11-15T18:00:01Z"},
    ],
)
def test_the_engine_lists_exactly_the_memories_that_match(workspace, clock, values):
    rows = [
        {"content": "one", "tags": ["db"], "session": "s1", "user": "ada"},
        {"content": "two", "type": "gotcha", "tags": ["ui"], "collection": "other"},
        {"content": "three", "type": "decision", "session": "s2", "user": "ada"},
    ]
    ids = [remember.remember(workspace, row, actor=PERSON).memory.id for row in rows]
    clock.advance(timedelta(seconds=2))
    remember.remember(workspace, {"content": "four"}, actor="codex")
    curate.pin(workspace, ids[:1], actor=PERSON)
    curate.archive(workspace, ids[1:2], actor=PERSON)
    wanted = filters.from_values(values)
    everything = browse.all_memories(workspace, Filter())
    assert len(everything) == 4
    matching = [memory for memory in everything if filters.matches(wanted, memory)]
    assert browse.all_memories(workspace, wanted) == matching
