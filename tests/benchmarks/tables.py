"""Tables, as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import apsw

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: a row of {len(row)} cells below {len(self.columns)} columns")


def markdown(table: Table) -> str:
    lines = [f"### {table.title}", "", _line(table.columns), _line("---" for _ in table.columns)]
    lines += [_line(map(shown, row)) for row in table.rows]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def as_json(tables: Sequence[Table]) -> str:
    return json.dumps({"machine": machine(), "tables": [asdict(table) for table in tables]}, indent=1) + "\n"


def shown(cell: Cell) -> str:
    """Three digits that count, and no more precision than a benchmark has."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell.replace("|", "\\|").replace("\n", " ")
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{cell:,.{digits}f}"


def machine() -> dict[str, Any]:
    """What the numbers were taken on, and how busy it was: more than one process waiting makes them provisional."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "load": busy,
    }


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
