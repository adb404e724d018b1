"""The periods that a query names."""

from __future__ import annotations

from datetime import date

import pytest

from core.pipeline.periods import time_spans


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("on 7 May 2023", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("on May 7th, 2023", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("the 7th of May", [(date(2022, 5, 7), date(2022, 5, 7)), (date(2023, 5, 7), date(2023, 5, 7))]),
        ("May 2023", [(date(2023, 5, 1), date(2023, 5, 31))]),
        ("in February", [(date(y, 2, 1), date(y, 2, 28)) for y in (2022, 2023)]),
        ("since 2023-05-07", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("all of 2024-02", [(date(2024, 2, 1), date(2024, 2, 29))]),
        ("may I march?", []),
        ("31 June 2023, 2023-13-01", []),
    ],
)
def test_the_periods_a_question_names(asked, expected):
    assert [(each.first, each.last) for each in time_spans(asked, lambda: [2023, 2022, 2023])] == expected


def test_a_period_keeps_the_words_it_was_written_in():
    assert [each.written for each in time_spans("in May 2023 or 2024-02-29", lambda: [])] == [
        "2024-02-29",
        "in May 2023",
    ]


def test_a_month_without_a_year_is_in_no_year_that_is_not_there():
    assert time_spans("in February", lambda: []) == []
