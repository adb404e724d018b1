"""CSV for spreadsheets: one memory a row, lists and objects as JSON in their cell, and no formulas.

Spreadsheets run a cell that begins with = + - @, a tab or a carriage return as a formula, so it is written with an
apostrophe before it (OWASP ASVS 1.2.10), which reading removes. Links are not exported.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from core import draft
from core.errors import UserError
from core.exchange import fields
from core.model import Memory

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "'")


def write(memories: Iterable[Memory]) -> Iterator[str]:
    """Yield the lines of a table, its header first."""
    yield _line(list(fields.NAMES))
    for memory in memories:
        plain = fields.plain(memory)
        yield _line([_cell(name, plain[name]) for name in fields.NAMES])


def read(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and fields of each row; UserError if the header has other columns."""
    csv.field_size_limit(draft.MAX_CONTENT_CHARS * 4)
    reader = csv.reader(lines, strict=True)
    try:
        names = next(reader, [])
        if "content" not in names or set(names) - set(fields.NAMES):
            raise UserError(
                "This is not a table of memories: its first line must name their fields, content among them."
            )
        for cells in reader:
            if cells:
                row = dict(zip(names, cells, strict=False))
                yield reader.line_num, {name: _value(name, cell) for name, cell in row.items() if cell != ""}
    except csv.Error as error:
        raise UserError(f"Line {reader.line_num} is not CSV: {error}.") from error


def _cell(name: str, value: Any) -> str:
    if name in (*fields.LISTS, *fields.OBJECTS):
        text = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, bool):
        text = "true" if value else "false"
    else:
        text = "" if value is None else str(value) if not isinstance(value, float) else repr(value)
    return f"'{text}" if text.startswith(_DANGEROUS) else text


def _value(name: str, cell: str) -> Any:
    text = cell[1:] if cell.startswith("'") else cell
    if name in (*fields.LISTS, *fields.OBJECTS, *fields.NUMBERS, *fields.COUNTS, "pinned"):
        try:
            return json.loads(text)
        except ValueError:
            return text  # the rule of the field raises the error
    return text


def _line(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(cells)  # else a lone \\r would end a row
    return line.getvalue()
