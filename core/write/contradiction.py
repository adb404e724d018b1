"""Do two statements contradict each other? Pure rules, each explainable, tuned for precision first.

A false contradiction that retires a true fact is the worst failure known in this field, so a suspicion never changes
anything by itself: it becomes an open link with its evidence, for a person to decide. Two statements are compared only
where they are about the same thing (most of the words of the shorter one are in the other); then one of these speaks:

    update            one says that something is no longer so, or was switched from the other's value
    negation          one denies what the other says
    different value   the same words but for a number, a version or a time
    antonyms          one says a word, the other its opposite
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core import text, wording
from core.write.duplicate import NEGATIONS, WITH_DIGIT

# How much of the shorter statement the other must share before a rule may speak, and how sure the rule then is:
# the share of true contradictions among its finds on labelled pairs.
LEAST_SHARED = {"update": 0.5, "negation": 0.75, "different value": 0.75, "antonyms": 0.75}
PRECISION = {"update": 0.7, "negation": 0.9, "different value": 0.7, "antonyms": 0.8}

LEAST_WORDS = 2

_UPDATE = re.compile(rf"{wording.SAYS_UPDATE}|\bused to\b", re.IGNORECASE)

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


ANTONYMS = {
    frozenset(map(text.rough_stem, pair.split())) for pair in re.split(r"[|\n]", _OPPOSITES) if len(pair.split()) == 2
}


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Two statements that may not both be true: by which rule, how sure, and the parts that speak for it."""

    rule: str
    probability: float
    parts: Mapping[str, Any] = field(default_factory=dict)


def judge(new: str, known: str) -> Suspicion | None:
    """Whether a new text speaks against a known one, sentence by sentence; the surest suspicion counts."""
    pairs = ((mine, theirs) for mine in text.sentences(new) for theirs in text.sentences(known))
    found = [suspicion for pair in pairs if (suspicion := _compare(*pair)) is not None]
    return max(found, key=lambda each: each.probability, default=None)


def _compare(new: str, known: str) -> Suspicion | None:
    own, other = _words(new), _words(known)
    if min(len(own), len(other)) < LEAST_WORDS:
        return None
    shared = len(own & other) / min(len(own), len(other))
    for rule, parts in _rules(new, known, own, other):
        if shared >= LEAST_SHARED[rule]:
            return Suspicion(rule, round(PRECISION[rule] * shared, 3), {**parts, "shared": round(shared, 3)})
    return None


def _rules(new: str, known: str, own: set[str], other: set[str]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    said = _UPDATE.search(new)
    if said and own - other:
        found.append(("update", {"said": said[0]}))
    mine, theirs = NEGATIONS.findall(new), NEGATIONS.findall(known)
    if len(mine) % 2 != len(theirs) % 2:
        found.append(("negation", {"denied_by": "the new one" if len(mine) > len(theirs) else "the known one"}))
    values, others = set(WITH_DIGIT.findall(new)), set(WITH_DIGIT.findall(known))
    if (
        values
        and others
        and values != others
        and len(values ^ others) <= 4
        and own == other
        and not (_names_its_subject(new, values - others) or _names_its_subject(known, others - values))
    ):
        found.append(("different value", {"new": sorted(values - others), "known": sorted(others - values)}))
    for word in sorted(own - other):
        for opposite in sorted(other - own):
            if frozenset((word, opposite)) in ANTONYMS:
                found.append(("antonyms", {"new": word, "known": opposite}))
    return found


def _names_its_subject(statement: str, values: set[str]) -> bool:
    """Whether a number says which thing is spoken of (`Invoice 17 …`, `Sprint 14 …`) and not what is said of it."""
    return any(value in word for word in statement.split()[:2] for value in values)


def _words(statement: str) -> set[str]:
    """What a statement is about: its words without numbers, denials and the words that say nothing."""
    plain = NEGATIONS.sub(" ", WITH_DIGIT.sub(" ", statement))
    return {text.rough_stem(word) for word in text.query_words(plain)}
