"""A grade as a word, an icon and a colour, and the table column that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.gui.models.plain_table import TableColumn


@dataclass(frozen=True, slots=True)
class Grade:
    value: int
    word: str
    icon: str
    tint: str
    key: str


GRADES = (
    Grade(0, "not relevant", "close", "danger", "0"),
    Grade(1, "relevant", "check", "good", "1"),
    Grade(2, "highly relevant", "star", "good", "2"),
)
WIDTH = 92


def grade_of(value: int | None) -> Grade | None:
    """Return the nearest of the three grades: an imported 3 is highly relevant too."""
    return None if value is None else GRADES[min(value, len(GRADES) - 1)]


def word(value: int | None) -> str:
    grade = grade_of(value)
    return "" if grade is None else grade.word


def rated_column(value_of: Callable[[Any], int | None], tip: Callable[[Any], str] | None = None) -> TableColumn[Any]:
    return TableColumn("Rated", lambda row: word(value_of(row)), width=WIDTH, tip=tip)
