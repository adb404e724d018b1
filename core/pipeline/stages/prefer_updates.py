"""Of two memories of which one updates the other, the newer is ranked first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, filterfalse
from typing import Any, NamedTuple

import numpy as np

from core import text, update_phrases
from core.formulas import similarity
from core.formulas.numbers import Constant
from core.model import Memory
from core.pipeline.expr import SCORE_AFTER, Expr, largest, where
from core.pipeline.pool import Candidates, Pool, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between

# A word that begins with a capital where no sentence begins.
_CAPITALISED = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z]\w*")

# How much of a query or a memory is read: a longer text makes more than one statement.
MAX_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class PreferUpdates(Stage):
    """Among the best, a later memory that updates an earlier one is lifted just above it.

    What speaks for an update is counted in overlap (words of both / words of either, without names) and must reach
    `overlap`: `change` more if the newer announces a change where it speaks of the same, `adjacent` more if no other
    memory stands between the two in the ranking. Those that are not adjacent must score alike, at least `ratio`.

    And both must answer the question. The newer holds all that the question is about and the older holds; it may do
    without if it announces a change (but for names and numbers) or recalls a name that the older gave. One that does
    both need not score alike. A question of an event (`what did …`) counts overlap alone; one of the past lifts
    nothing. Within a session what follows goes on rather than updates, unless it announces a change.
    """

    name: str = "newer"
    overlap: float = between(0.4, 0, 1)
    change: float = between(0.2, 0, 1)
    adjacent: float = between(0.2, 0, 1)
    ratio: float = between(0.6, 0, 1)
    among: int = between(20, 0, 1_000)
    lift: float = between(1.001, 1, 2)

    def idle_parameters(self) -> dict[str, str]:
        compared = ("overlap", "change", "adjacent", "ratio", "lift")
        return {} if self.among > 1 else dict.fromkeys(compared, f"{self.name}.among above 1")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        question = query.text[:MAX_CHARS]
        if update_phrases.asks_about_past(question):
            return Step(notes=("The question is of the past: nothing is lifted for being newer.",))
        pool, head = candidates.pool, candidates.first(self.among)
        earlier_of = _earlier(pool, head)
        if not earlier_of:  # then no text is read
            return Step()
        asked = _asked(question)
        statements = {
            row: _Statement(rank, row, candidates.score.at(row), memory)
            for rank, (row, memory) in enumerate(zip(head, pool.read(head), strict=True))
        }
        scores = {row: each.score for row, each in statements.items()}
        latest = {row: row for row in head}  # of each row, the last that updates it so far
        lifted: dict[int, int] = {}  # above which other row
        facts: dict[int, dict[str, Any]] = {}
        # From the oldest on: the third version is then lifted above where the second has come to stand.
        for row, earlier in earlier_of.items():
            newer = statements[row]
            best: int | None = None
            for other in map(statements.__getitem__, earlier):
                if other.memory.user != newer.memory.user:
                    continue
                top = latest[other.row]
                if scores[top] < newer.score or (best is not None and scores[top] <= scores[best]):
                    continue
                found = self._update(asked, other, newer)
                if found is not None:
                    best = top
                    facts[newer.row] = {"newer_than": pool.ids[top], "updates": other.memory.id, **found}
            if best is not None:
                latest.update((row, newer.row) for row, last in latest.items() if last == best)
                lifted[newer.row] = best
                scores[newer.row] = max(newer.score, scores[best] * self.lift)
        if not lifted:
            return Step()
        return Step(self._lifted(candidates, lifted, scores, facts), facts=lambda row: facts.get(row, {}))

    def _lifted(
        self,
        candidates: Candidates,
        lifted: Mapping[int, int],
        scores: Mapping[int, float],
        facts: Mapping[int, Mapping[str, Any]],
    ) -> Expr:
        """Return the score, of each lifted row at least just above the other's."""
        pool, rows = candidates.pool, list(lifted)
        older = np.zeros(len(pool))
        older[rows] = [scores[other] for other in lifted.values()]
        is_lifted = np.zeros(len(pool), dtype=bool)
        is_lifted[rows] = True
        of_older = Expr("score of the older", older, facts=lambda row: {"memory": pool.ids[lifted[row]]})
        above = (of_older * Constant("lift", self.lift)).named("just above the older")
        return where(
            is_lifted,
            largest(f"{SCORE_AFTER}{self.name}", candidates.score, above, facts.__getitem__),
            candidates.score,
        )

    def _update(self, asked: _QueryTerms, older: _Statement, newer: _Statement) -> dict[str, Any] | None:
        """Return what speaks for an update, if it is enough."""
        if older.score <= 0:
            return None
        before, after = (_said(_content(each), each.memory.entities) for each in (older, newer))
        is_adjacent = abs(older.rank - newer.rank) == 1
        in_session = older.memory.session != "" and older.memory.session == newer.memory.session
        counts_adjacent = is_adjacent and not in_session
        overlap = similarity.overlap(before.content, after.content)
        if overlap + self.change + self.adjacent * counts_adjacent < self.overlap:
            return None  # whatever else it says
        held = asked.words & before.words
        shared, missing = held & after.words, held - after.words
        again = (_names(_content(older)) & after.words) - asked.words - before.about
        recalled = frozenset(filter(_is_name, again))
        if held.isdisjoint(asked.subject):  # found by meaning alone
            answers = overlap >= self.overlap
        else:
            answers = _names_something(shared & asked.subject) and missing.isdisjoint(asked.names)
        if not (answers or recalled):
            return None
        scores_alike = is_adjacent or newer.score >= self.ratio * older.score
        if asked.is_of_an_event:
            return {"overlap": overlap} if overlap >= self.overlap and scores_alike and not missing else None
        change = _update_phrase(_content(older), _content(newer), shared | recalled)
        if (
            overlap + self.change * bool(change) + self.adjacent * counts_adjacent < self.overlap
            or (in_session and not change)
            or not (scores_alike or (change and recalled))
            or not (change or recalled or missing.isdisjoint(asked.subject))
            or update_phrases.is_about_other_aspect(held, after.words)
            or _is_of_a_relative(_content(newer), asked.words | before.words)
        ):
            return None
        return {"overlap": overlap, "adjacent": counts_adjacent, "change": change}


class _QueryTerms(NamedTuple):
    """A question's words, those of them it is about, and the names and numbers among these."""

    words: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]
    is_of_an_event: bool


class _MemoryTerms(NamedTuple):
    """A memory's words, those of them that count in an overlap, and the names of whom it is about."""

    words: frozenset[str]
    content: frozenset[str]
    about: frozenset[str]


class _Statement(NamedTuple):
    """One of the best: its rank, its row, the score it came with, and the memory."""

    rank: int
    row: int
    score: float
    memory: Memory


def _content(statement: _Statement) -> str:
    return statement.memory.content[:MAX_CHARS]


def _earlier(pool: Pool, rows: Sequence[int]) -> dict[int, list[int]]:
    """Return for each of some rows, oldest first, the earlier ones that are not named for other things; of rows that
    have any."""
    created = dict(zip(rows, pool.facts.created[rows].tolist(), strict=True))
    named = {row: frozenset(entities) for row, entities in zip(rows, pool.facts.entities[rows].tolist(), strict=True)}
    oldest_first = sorted(rows, key=lambda row: (created[row], row))
    found: dict[int, list[int]] = {}
    for at, row in enumerate(oldest_first):
        own = named[row]
        earlier = [
            other
            for other in oldest_first[:at]
            if not (own and (theirs := named[other]) and own.isdisjoint(theirs)) and created[other] < created[row]
        ]
        if earlier:
            found[row] = earlier
    return found


def _asked(question: str) -> _QueryTerms:
    words = _roots(_words(question))
    # Where nothing is named (`who is on call?`), the words asked by are all there is.
    subject = words - update_phrases.ASKING or words
    return _QueryTerms(words, subject, _names(question) & subject, update_phrases.asks_about_event(question))


# Kept, since the same memories come up again and again; apart, since most are asked for their words alone.
_kept = lru_cache(maxsize=8192)


@_kept
def _said(content: str, entities: tuple[str, ...]) -> _MemoryTerms:
    words = _words(content)
    about = {word for entity in entities for word in text.query_words(entity)}
    said = _roots(words)
    if content.isascii() and about.isdisjoint(words):  # as most are, and the roots of all words count
        return _MemoryTerms(said, said, _roots(about))
    return _MemoryTerms(said, frozenset(map(text.root, filterfalse(about.__contains__, words))), _roots(about))


@_kept
def _names(content: str) -> frozenset[str]:
    """Words with a digit or a capital that begins no sentence."""
    written = text.normalise(content)
    capitalised = {found[0].lower() for found in _CAPITALISED.finditer(written) if found[0][0].isupper()}
    return _roots(word for word in _words(written) if word in capitalised or not word.isalpha())


@_kept
def _changes(content: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each update phrase, with the words of its sentence."""
    sentences = text.sentences(content)
    return tuple((phrase, _roots(_words(each))) for each in sentences if (phrase := update_phrases.update_phrase(each)))


def _update_phrase(older: str, newer: str, about: frozenset[str]) -> str:
    """Return the phrase by which the newer text announces a change of the same thing, unless the older has it too."""
    changes = [phrase for phrase, words in _changes(newer) if words & about]
    known = [phrase for phrase, _ in _changes(older)] if changes else []
    return next((phrase for phrase in changes if phrase not in known), "")


def _is_of_a_relative(statement: str, known: frozenset[str]) -> bool:
    """Whether it is about a brother or neighbour of whom neither the question nor the older statement speaks."""
    relative = update_phrases.relative(statement)
    return relative != "" and text.root(relative) not in known


def _words(content: str) -> list[str]:
    return [word for word in text.query_words(content) if word not in update_phrases.FUNCTION_WORDS]


def _roots(words: Iterable[str]) -> frozenset[str]:
    """What to compare with a question: roots, and single characters where no spaces part words."""
    compared = list(words)
    if "".join(compared).isascii():
        return frozenset(map(text.root, compared))
    return frozenset(chain.from_iterable(map(_compared, compared)))


@lru_cache(maxsize=65536)
def _compared(word: str) -> Sequence[str]:
    return word if text.is_cjk(word) else (text.root(word),)


def _is_name(word: str) -> bool:
    """Return whether a word is a name; a number or a unit (`40`, `MB`) recurs by chance."""
    return len(word) > 2 and not word.isdigit()


def _names_something(words: frozenset[str]) -> bool:
    """A single character names nothing, be it a digit or half of a Chinese name."""
    return len(words) > 1 or any(len(word) > 1 for word in words)
