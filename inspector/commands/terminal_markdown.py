"""The manual's Markdown as text for a terminal: bold headings, tables in columns, links as their text."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

MAX_WIDTH = 110
MIN_COLUMN = 8
ITEM = re.compile(r" {0,8}(?:-|\d{1,3}\.) ")


def rendered(markdown: str, width: int = 0) -> str:
    """Return Markdown laid out in so many columns, by default those of the terminal, at most 110."""
    width = min(width or shutil.get_terminal_size().columns, MAX_WIDTH)
    lines = list[str]()
    for part, block in enumerate(re.split(r"^```\n?", markdown, flags=re.MULTILINE)):
        if part % 2:
            lines += [f"    {line}" for line in block.rstrip("\n").split("\n")]
        else:
            for is_table, group in groupby(block.split("\n"), lambda line: line.startswith("|")):
                lines += (_table if is_table else _prose)(list(group), width)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _prose(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield headings in bold, and paragraphs and items of lists filled anew."""
    paragraph = ""
    for line in (*lines, ""):
        begins = not line or line.startswith("#") or ITEM.match(line) is not None
        if begins and paragraph:
            item = ITEM.match(paragraph)
            yield from _fill(_plain(paragraph), width, " " * len(item[0]) if item else "")
            paragraph = ""
        if line.startswith("#"):
            yield f"\x1b[1m{line.lstrip('#').strip()}\x1b[0m"
        elif line:
            paragraph = f"{paragraph} {line.strip()}" if paragraph else line
        else:
            yield ""


def _fill(text: str, width: int, indent: str = "") -> list[str]:
    filler = textwrap.TextWrapper(width, subsequent_indent=indent, break_on_hyphens=False)
    return filler.wrap(text) or [""]


def _table(rows: Sequence[str], width: int) -> Iterator[str]:
    """Yield a table in aligned columns; cells of those that are too wide are wrapped."""
    cells = [[_plain(cell.strip()) for cell in row.strip().strip("|").split("|")] for row in (rows[0], *rows[2:])]
    widths = [max(len(row[number]) for row in cells) for number in range(len(cells[0]))]
    while sum(widths) + 2 * len(widths) > width and max(widths) > MIN_COLUMN:
        widths[widths.index(max(widths))] -= 1
    for number, row in enumerate(cells):
        columns = [_fill(cell, widths[place]) for place, cell in enumerate(row)]
        for line in range(max(map(len, columns))):
            parts = (column[line] if line < len(column) else "" for column in columns)
            yield "  ".join(f"{part:{widths[place]}}" for place, part in enumerate(parts)).rstrip()
        if number == 0:
            yield "  ".join("-" * each for each in widths)


def _plain(text: str) -> str:
    """Return a line without the signs of links and bold words; code keeps its backquotes."""
    return re.sub(r"\[([^\[\]]{1,200})\]\([^()]{1,200}\)|\*\*", lambda match: match[1] or "", text)
