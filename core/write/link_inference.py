"""Links inferred from a conversation: the previous message, a shared topic, a reference.

Source: Recursive Light, rank 3, graph construction. There every pair of turns is compared, which is quadratic; here a
new memory is compared with a bounded number of candidates (its predecessor, and the full-text hits for its keywords),
so that the cost of a memory does not grow with the store.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from core import text
from core.model import Link, LinkKind, LinkStatus, Memory

# The numbers of the document: a topic is two shared words of more than three letters.
MIN_WORD_CHARS = 4
MIN_SHARED = 2
# Our limits: keywords searched for, topics linked, and uids looked up for one memory.
MAX_KEYWORDS = 32
MAX_TOPICS = 5
MAX_NAMED = 20

_UID_LIKE = re.compile(r"(?<![\w.:-])[A-Za-z0-9][A-Za-z0-9._:-]{2,99}")

_REFERRING = re.compile(
    r"\b(as|like) (we|i|you) (said|discussed|agreed|decided|noted|mentioned)\b|\b(earlier|last (week|time|month))\b"
    r"|\bas (mentioned|discussed|noted|agreed|decided)\b|\bsee above\b|\bprevious(ly)?\b",
    re.IGNORECASE,
)


def keywords(memory: Memory) -> list[str]:
    words = text.query_words(memory.content)
    return [word for word in words if len(word) >= MIN_WORD_CHARS or text.is_cjk(word)][:MAX_KEYWORDS]


def mentioned_uids(content: str) -> list[str]:
    """Return the words that may be another memory's uid: at least four characters, with a digit or a hyphen."""
    words = (word.rstrip(".:-_") for word in _UID_LIKE.findall(content))
    return [word for word in dict.fromkeys(words) if len(word) >= 4 and re.search(r"[\d-]", word)][:MAX_NAMED]


def inferred_links(
    memory: Memory,
    predecessor: Memory | None,
    similar: Sequence[Memory],
    named: Sequence[Memory],
    now: datetime,
) -> list[Link]:
    """Return the links of a saved memory; `similar` are the full-text hits for its keywords, best first, and `named`
    the memories whose uid it mentions."""
    found = []
    if predecessor is not None:
        found.append(_link(predecessor, memory, LinkKind.TEMPORAL, 1.0, {"session": memory.session}, now))
    own = set(keywords(memory))
    topics = []
    for other in similar:
        others = set(keywords(other))
        shared = sorted(own & others)
        if len(shared) >= MIN_SHARED:
            topics.append((len(shared) / max(len(own), len(others)), other, shared))
    topics.sort(key=lambda topic: (-topic[0], topic[1].id))
    for weight, other, shared in topics[:MAX_TOPICS]:
        found.append(_link(memory, other, LinkKind.TOPIC, weight, {"shared": shared[:10]}, now))
    found += [
        _link(memory, other, LinkKind.REFERENCE, 1.0, {"said": said}, now)
        for other, said in _referred(memory, similar, named)
    ]
    return found


def _referred(memory: Memory, similar: Sequence[Memory], named: Sequence[Memory]) -> list[tuple[Memory, str]]:
    """Return the memories mentioned by uid; without any, and if the text refers to something earlier, the most similar
    earlier memory."""
    said = _REFERRING.search(memory.content)
    earlier = [other for other in similar if other.created_at <= memory.created_at]
    if not named and said and earlier:
        return [(earlier[0], said[0])]
    return [(other, other.uid) for other in named]


def _link(source: Memory, target: Memory, kind: LinkKind, weight: float, why: dict[str, object], now: datetime) -> Link:
    return Link(
        source_id=source.id,
        target_id=target.id,
        kind=kind,
        weight=weight,
        status=LinkStatus.ACCEPTED,
        evidence={"woven": True, **why},
        created_at=now,
    )
