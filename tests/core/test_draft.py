"""Untrusted fields become a valid memory, or one sentence and nothing."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import draft
from core.errors import UserError
from core.model import Importance, Memory, MemoryId, Status

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def test_the_defaults_are_those_of_the_documents():
    memory = draft.memory({"content": "SQLite needs WAL here"}, NOW)
    assert (memory.confidence, memory.strength) == (0.8, 1.0)
    assert (memory.importance, memory.status, memory.pinned) == (Importance.NORMAL, Status.ACTIVE, False)
    assert memory.created_at == memory.updated_at == NOW
    assert memory.last_accessed_at is None


def test_a_draft_is_the_memory_that_the_model_itself_makes_of_its_fields():
    fields = {"content": "a", "uid": "u-1", "tags": ("b",), "pinned": True}
    drafted = draft.memory(fields, NOW)
    assert drafted == Memory(created_at=NOW, updated_at=NOW, **fields)
    assert drafted.provenance is not draft.memory(fields, NOW).provenance


def test_two_memories_never_share_a_uid():
    assert draft.memory({"content": "a"}, NOW).uid != draft.memory({"content": "a"}, NOW).uid


@pytest.mark.parametrize("year", [1969, 1970, 2026, 9999])
def test_uids_of_any_time_are_valid_and_those_of_later_memories_come_after(year):
    moment = datetime(year, 6, 1, tzinfo=UTC)
    made = [draft.memory({"content": "a"}, moment + timedelta(milliseconds=later)).uid for later in (0, 1, 2)]
    assert made == sorted(made)
    assert [draft.changes({"uid": uid})["uid"] for uid in made] == made


def test_tags_lose_repetitions_and_blanks_but_keep_their_order():
    assert draft.memory({"content": "a", "tags": ["b", " a ", "", "b"]}, NOW).tags == ("b", "a")


def test_a_time_without_a_zone_is_utc_and_one_with_a_zone_is_turned_to_utc():
    changes = draft.changes({"created_at": "2026-01-01T10:00:00", "updated_at": "2026-01-01T10:00:00+02:00"})
    assert changes["created_at"] == datetime(2026, 1, 1, 10, tzinfo=UTC)
    assert changes["updated_at"] == datetime(2026, 1, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", ""),
        ("content", " \n\t "),
        ("content", None),
        ("content", 7),
        ("content", "a\0b"),
        ("content", "half \ud800 a character"),
        ("content", "x" * (draft.MAX_CONTENT_CHARS + 1)),
        ("content", "a" + "\u0315\u0300" * 50),
        ("summary", ["a"]),
        ("type", "Not A Word"),
        ("type", ""),
        ("tags", "one"),
        ("tags", ["a", 1]),
        ("tags", ["x"] * (draft.MAX_LIST_ITEMS + 1)),
        ("collection", "  "),
        ("confidence", 1.1),
        ("confidence", -0.1),
        ("confidence", math.nan),
        ("confidence", math.inf),
        ("confidence", "0.5"),
        ("confidence", True),
        ("pinned", 1),
        ("importance", "enormous"),
        ("status", "lost"),
        ("created_at", "yesterday"),
        ("created_at", 5),
        ("created_at", "9999-12-31T23:59:59-23:00"),
        ("access_count", -1),
        ("access_count", 2**63),
        ("access_count", 1.5),
        ("uid", "has space"),
        ("uid", "x" * 101),
        ("context", []),
        ("context", {"n": math.nan}),
        ("context", {"n": 2**63}),
        ("context", {"k": "\ud800"}),
        ("context", {"big": "x" * (draft.MAX_JSON_CHARS + 1)}),
        ("colour", "blue"),
    ],
)
def test_a_field_that_does_not_fit_is_refused_in_one_sentence_that_names_it(field, value):
    with pytest.raises(UserError) as refused:
        draft.memory({"content": "fine", field: value}, NOW)
    sentence = str(refused.value)
    assert field in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 250


def test_context_nested_too_deeply_is_refused():
    deep: dict = {}
    for _ in range(draft.MAX_JSON_DEPTH + 1):
        deep = {"in": deep}
    with pytest.raises(UserError, match="nested deeper"):
        draft.memory({"content": "a", "context": deep}, NOW)


def test_content_at_the_limit_is_kept():
    assert len(draft.memory({"content": "x" * draft.MAX_CONTENT_CHARS}, NOW).content) == draft.MAX_CONTENT_CHARS


def test_a_link_to_itself_is_refused():
    with pytest.raises(UserError, match="itself"):
        draft.link({"kind": "relates"}, MemoryId(1), MemoryId(1), NOW)


@given(st.dictionaries(st.sampled_from(sorted(draft.RULES)), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)))  # fmt: skip
def test_whatever_is_given_either_a_memory_or_a_sentence_comes_back(fields):
    try:
        memory = draft.memory(fields, NOW)
    except UserError as error:
        assert str(error)
    else:
        assert memory.content.strip()
        assert 0 <= memory.confidence <= 1
