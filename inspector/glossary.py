"""The terms of the manual's glossary, and where the manual explains a term.

An entry is one line of `resources/docs/glossary.md`; what stands there in bold are its names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from core.pipeline import run_report
from core.pipeline.expr import SCORE_AFTER
from inspector import help_topics

TOPIC = "glossary"
EXPLANATION = f"{TOPIC}#explanation"

# Numbers of an explanation whose own name means something else in the glossary, or nothing.
_NUMBERS = {"source": "provenance", "fused": "rank fusion", "score": "explanation"}


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """One line. `anchor` is what a link to it names, `text` the line without Markdown's signs."""

    anchor: str
    text: str
    section: help_topics.Section


@cache
def entries() -> Mapping[str, GlossaryEntry]:
    """Return every entry by each of its names, in small letters and without hyphens."""
    found: dict[str, GlossaryEntry] = {}
    for section in help_topics.sections(TOPIC)[1:]:
        for line in section.text.splitlines():
            names = [name for bold in re.findall(r"\*\*(.+?)\*\*", line) for name in _names(bold)]
            if names:
                text = re.sub(r"\*\*|`", "", line.removeprefix("- "))
                entry = GlossaryEntry(help_topics.anchor(names[0]), text, section)
                found.update({_key(name): entry for name in names if _key(name) not in found})
    return found


def find(name: str) -> GlossaryEntry | None:
    """Return the entry of a term, by one of its names or its anchor."""
    return entries().get(_key(name))


def location(*names: str) -> str:
    """Return where the manual explains the first of the names that the glossary has; its first page if it has none."""
    found = next((entry for entry in map(find, names) if entry is not None), None)
    return TOPIC if found is None else f"{TOPIC}#{found.anchor}"


def location_of_number(*names: str) -> str:
    """Return where the manual explains a number of an explanation. `names` are its own and those of the numbers it is
    part of, innermost first: `k1` is explained where BM25 is."""
    wanted = (name.removeprefix(SCORE_AFTER) for name in names)
    found = location(*(_NUMBERS.get(name, run_report.label(name)) for name in wanted))
    return EXPLANATION if found == TOPIC else found


def _names(bold: str) -> list[str]:
    """Return the names in a bold text: `Reciprocal rank fusion (RRF)` has two, so has `Vector, embedding`."""
    return [name.strip() for name in re.split(r"[,()]", bold) if name.strip()]


def _key(name: str) -> str:
    return name.lower().replace("-", " ")
