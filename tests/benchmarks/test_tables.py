"""Tables say the same in Markdown and in JSON, and numbers are shown as precisely as they were measured."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.tables import Table, as_json, markdown, shown
from tests.benchmarks.timing import interleaved, p50, p95, ratio


def test_a_table_is_written_as_markdown():
    table = Table("Recall", ("who", "p50 ms"), [("ours", 1.234), ("a | b", None)], "A note.")
    assert markdown(table) == (
        "### Recall\n\n| who | p50 ms |\n| --- | --- |\n| ours | 1.23 |\n| a \\| b |  |\n\nA note.\n"
    )


def test_the_json_holds_every_digit_and_the_machine():
    reported = json.loads(as_json([Table("Recall", ("who", "p50 ms"), [("ours", 1.23456)])]))
    assert reported["tables"] == [
        {"title": "Recall", "columns": ["who", "p50 ms"], "rows": [["ours", 1.23456]], "note": ""}
    ]
    assert reported["machine"]["cores"] >= 1


@pytest.mark.parametrize(
    ("value", "text"), [(1234.5, "1,234"), (99.96, "100.0"), (12.34, "12.3"), (0.0456, "0.046"), (1000000, "1,000,000")]
)
def test_a_number_has_about_three_digits(value, text):
    assert shown(value) == text


def test_a_row_that_does_not_fit_its_columns_is_refused():
    with pytest.raises(ValueError, match="a row of 1 cells below 2 columns"):
        Table("Recall", ("who", "p50 ms"), [("ours",)])


def test_95_of_100_times_are_at_most_the_p95_and_the_median_is_the_middle():
    times = [float(number) for number in range(100, 0, -1)]
    assert p95(times) == 95
    assert p50(times) == 50.5
    assert p95([3.0]) == 3


def test_a_ratio_counts_only_the_turns_that_both_have_had():
    assert ratio([2.0, 2.0], [1.0, 1.0, 50.0, 50.0, 50.0]) == 2


def test_variants_take_turns_and_another_begins_each_time():
    order = []
    variants = {name: lambda turn, name=name: order.append((turn, name)) for name in "ab"}
    times = interleaved(variants, range(3))
    assert order == [(0, "a"), (0, "b"), (1, "b"), (1, "a"), (2, "a"), (2, "b")]
    assert {name: len(taken) for name, taken in times.items()} == {"a": 3, "b": 3}


def test_a_variant_whose_time_is_used_up_drops_out_once_it_has_had_a_few_turns():
    asked = []
    times = interleaved({"slow": asked.append}, range(50), seconds=0.0)
    assert len(times["slow"]) == len(asked) == 10
