"""Whether two texts contradict each other: pure rules, each explainable, tuned for precision first.

A false contradiction that retires a true fact is the worst known failure of such systems, so a possible contradiction
changes nothing by itself: it becomes an open link with its evidence, for a person to decide. Two sentences are compared
only if they share a subject (most words of the shorter one are in the other); then the first matching rule counts:

    update            one says that something is no longer so, or was switched from the other's value
    negation          one denies what the other says
    different value   the same words except for a number, a version or a time
    antonyms          one has a word, the other its opposite
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from core import text, update_phrases
from core.write import particulars
from core.write.duplicate import MAX_JUDGED_CHARS, NEGATIONS

# The share of the shorter sentence that the other must have before a rule applies, and the precision of the rule:
# the share of true contradictions among its finds on labelled pairs.
MIN_SHARED = {"update": 0.5, "negation": 0.75, "different value": 0.75, "antonyms": 0.75}
PRECISION = {"update": 0.7, "negation": 0.9, "different value": 0.7, "antonyms": 0.8}

MIN_WORDS = 2

_UPDATE = re.compile(rf"{update_phrases.SAYS_UPDATE}|\bused to\b", re.IGNORECASE)

_OPPOSITES = """
    always never|all none|everybody nobody|everyone nobody|enable disable|enabled disabled|allow forbid
    allowed forbidden|allow deny|allowed denied|accept reject|accepted rejected|increase decrease|start stop
    increased decreased|started stopped|open close|open closed|opened closed|on off|up down|true false
    success failure|succeeds fails|works fails|works broken|works refused|safe unsafe|sync async|required optional
    synchronous asynchronous|mandatory optional|public private|required forbidden|present absent|include exclude
    included excluded|before after|first last|old new|fast slow|hot cold|warm cold|high low|long short
    same different|mutable immutable|internal external|left right|inside outside|indoors outdoors|empty full
    dirty clean|wet dry|awake asleep|loud quiet|light dark|happy sad|love hate|loves hates|like dislike
    likes dislikes|prefer avoid|prefers avoids|more less|manual automatic|blocking nonblocking|online offline
    local remote|stable unstable|add remove|added removed
"""


def _opposites() -> dict[str, frozenset[str]]:
    """Return the stems of the opposites of each word, by its stem."""
    found: dict[str, set[str]] = {}
    for pair in re.split(r"[|\n]", _OPPOSITES):
        if len(words := [text.rough_stem(word) for word in pair.split()]) == 2:
            for word, opposite in (words, reversed(words)):
                found.setdefault(word, set()).add(opposite)
    return {word: frozenset(opposites) for word, opposites in found.items()}


ANTONYMS = _opposites()


@dataclass(frozen=True, slots=True)
class PossibleContradiction:
    """Two sentences that may not both be true: the rule, its probability, and the words that it is based on."""

    rule: str
    probability: float
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence with everything that the rules need, parsed once, since it is compared with many others.

    `words` are the stems of its words without numbers, negations and stop words.
    """

    text: str
    words: frozenset[str]
    values: frozenset[str]
    denials: int
    update: str


def parse_sentences(content: str) -> list[ParsedSentence]:
    """Return the first sentences of a text, parsed; one that is cut off at MAX_JUDGED_CHARS is left out."""
    sentences = text.sentences(content[:MAX_JUDGED_CHARS])
    is_cut = len(content) > MAX_JUDGED_CHARS and len(sentences) < text.MAX_SENTENCES
    return [_parse_sentence(sentence) for sentence in (sentences[:-1] if is_cut else sentences)]


def _parse_sentence(sentence: str) -> ParsedSentence:
    update = _UPDATE.search(sentence)
    return ParsedSentence(
        text=sentence,
        words=frozenset(
            text.rough_stem(word)
            for word in text.query_words(NEGATIONS.sub(" ", particulars.without_numbers(sentence)))
        ),
        values=frozenset(particulars.numbers(sentence)),
        denials=len(NEGATIONS.findall(sentence)),
        update=update[0] if update else "",
    )


def judge(new: str, known: str) -> PossibleContradiction | None:
    """Return the most probable contradiction between the sentences of two texts, None if there is none."""
    return compare(parse_sentences(new), parse_sentences(known))


def compare(new: Sequence[ParsedSentence], known: Sequence[ParsedSentence]) -> PossibleContradiction | None:
    """Return the most probable contradiction between two lists of parsed sentences, None if there is none."""
    pairs = ((mine, theirs) for mine in new for theirs in known)
    found = [each for pair in pairs if (each := _compare(*pair)) is not None]
    return max(found, key=lambda each: each.probability, default=None)


def _compare(new: ParsedSentence, known: ParsedSentence) -> PossibleContradiction | None:
    if min(len(new.words), len(known.words)) < MIN_WORDS:
        return None
    shared = len(new.words & known.words) / min(len(new.words), len(known.words))
    if shared < min(MIN_SHARED.values()):
        return None
    for rule, parts in _rules(new, known):
        if shared >= MIN_SHARED[rule]:
            return PossibleContradiction(
                rule, round(PRECISION[rule] * shared, 3), {**parts, "shared": round(shared, 3)}
            )
    return None


def _rules(new: ParsedSentence, known: ParsedSentence) -> Iterator[tuple[str, dict[str, Any]]]:
    own, other = new.words - known.words, known.words - new.words
    if new.update and own:
        yield "update", {"said": new.update}
    if new.denials % 2 != known.denials % 2:
        yield "negation", {"denied_by": "the new one" if new.denials > known.denials else "the known one"}
    mine, theirs = new.values - known.values, known.values - new.values
    if (
        new.values
        and known.values
        and 0 < len(mine) + len(theirs) <= 4
        and new.words == known.words
        and not (_names_its_subject(new, mine) or _names_its_subject(known, theirs))
    ):
        yield "different value", {"new": sorted(mine), "known": sorted(theirs)}
    for word in sorted(own & ANTONYMS.keys()):
        for opposite in sorted(ANTONYMS[word] & other):
            yield "antonyms", {"new": word, "known": opposite}


def _names_its_subject(sentence: ParsedSentence, values: AbstractSet[str]) -> bool:
    """Return whether a number is part of the subject (`Invoice 17 …`, `Sprint 14 …`) and not a value stated of it."""
    return any(value in word for word in sentence.text.split(None, 2)[:2] for value in values)
