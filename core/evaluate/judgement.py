"""Judged queries, and their files: neutral JSON Lines, TREC qrels, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import UserError

MAX_GRADE = 100


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A query with the grade of every judged memory, by uid; above 0 is relevant."""

    id: str
    text: str
    grades: Mapping[str, int] = field(default_factory=dict)
    scope: str = ""
    category: str = ""

    @property
    def is_answerable(self) -> bool:
        return any(grade > 0 for grade in self.grades.values())


def read_jsonl(lines: Iterable[str]) -> list[GoldenQuery]:
    """Read JSON Lines: {id, text, relevant: [uid], grades?: {uid: grade}, scope, category}, one query a line."""
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _object(line, number)
        text = record.get("text")
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"Line {number}: a query needs a text.")
        relevant = record.get("relevant", [])
        if not isinstance(relevant, list):
            raise UserError(f"Line {number}: relevant must be a list of ids.")
        grades = {str(uid): 1 for uid in relevant}
        for uid, grade in _mapping(record.get("grades", {}), number).items():
            grades[uid] = checked_grade(grade, f"Line {number}: ")
        id = str(record.get("id") or f"q{number}")
        found.append(GoldenQuery(id, text, grades, str(record.get("scope") or ""), str(record.get("category") or "")))
    return found


def read_qrels(lines: Iterable[str], topics: Mapping[str, str] | None = None) -> list[GoldenQuery]:
    """Read TREC qrels: `query 0 memory grade`. The text of a query is its topic, or its own id without one."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 4:
            raise UserError(f"Line {number}: qrels have four columns: query, 0, memory, grade.")
        grades.setdefault(parts[0], {})[parts[2]] = checked_grade(parts[3], f"Line {number}: ")
    return [GoldenQuery(id, (topics or {}).get(id, id), graded) for id, graded in grades.items()]


def read_csv(lines: Iterable[str]) -> list[GoldenQuery]:
    """Read CSV with the columns query, memory, grade and optionally category."""
    rows = csv.DictReader(lines)
    if not {"query", "memory", "grade"} <= set(rows.fieldnames or ()):
        raise UserError("A CSV of judgements has the columns query, memory and grade.")
    grades: dict[str, dict[str, int]] = {}
    categories: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        query = (row["query"] or "").strip()
        if not query or not row["memory"]:
            raise UserError(f"Line {number}: the query or the memory is missing.")
        grades.setdefault(query, {})[row["memory"]] = checked_grade(row["grade"], f"Line {number}: ")
        categories[query] = row.get("category") or categories.get(query, "")
    return [GoldenQuery(text, text, graded, category=categories[text]) for text, graded in grades.items()]


def write_jsonl(queries: Iterable[GoldenQuery]) -> Iterator[str]:
    """Yield the lines that `read_jsonl` reads."""
    for each in queries:
        relevant = [uid for uid, grade in each.grades.items() if grade > 0]
        record = {"id": each.id, "text": each.text, "relevant": relevant, "grades": each.grades}
        rest = {"scope": each.scope, "category": each.category}
        yield (
            json.dumps({**record, **{name: value for name, value in rest.items() if value}}, ensure_ascii=False) + "\n"
        )


def write_csv(judgements: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines that `read_csv` reads, followed by judge and time."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(("query", "memory", "grade", "category", "judge", "judged_at"))
    for each in judgements:
        rows.writerow([each[name] for name in ("query", "memory", "grade", "category", "judge", "judged_at")])
    yield text.getvalue()


def checked_grade(value: Any, where: str = "") -> int:
    try:
        grade = int(value)
        if isinstance(value, bool) or grade != float(value) or not 0 <= grade <= MAX_GRADE:
            raise ValueError
    except (TypeError, ValueError, OverflowError) as error:
        said = f"{where}a" if where else "A"
        raise UserError(f"{said} grade is a whole number from 0 to {MAX_GRADE}, not {str(value)[:20]!r}.") from error
    return grade


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"Line {number}: this is not JSON.") from error
    return _mapping(record, number)


def _mapping(value: Any, number: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"Line {number}: this is not a JSON object.")
    return value
