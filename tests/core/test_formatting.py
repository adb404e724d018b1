"""Numbers are written as one would say them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core import formatting


def test_one_is_written_as_one_and_many_with_commas():
    assert [formatting.counted(count, "link") for count in (0, 1, 2_000)] == ["0 links", "1 link", "2,000 links"]
    assert [formatting.memories(count) for count in (1, 1_000_000)] == ["1 memory", "1,000,000 memories"]
    assert formatting.golden_set(1, 12) == "1 query, 12 judgements"


def test_a_size_is_written_in_a_suitable_unit():
    assert [formatting.size(each) for each in (999, 2_200_000, 3 * 10**12)] == ["999 bytes", "2.2 MB", "3000.0 GB"]


@pytest.mark.parametrize(
    ("elapsed", "phrase"),
    [
        (timedelta(seconds=40), "just now"),
        (timedelta(seconds=-40), "just now"),
        (timedelta(minutes=3), "3 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=29), "29 d ago"),
        (timedelta(days=100), "3 mo ago"),
        (timedelta(days=800), "2 y ago"),
        (timedelta(days=-2), "in 2 d"),
    ],
)
def test_how_long_ago_is_one_short_phrase(elapsed, phrase):
    now = datetime(2026, 11, 15, tzinfo=UTC)
    assert formatting.ago(now - elapsed, now) == phrase
