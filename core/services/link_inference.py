"""Inferring links of a conversation: for each new memory when it is added, for imported ones on request."""

from __future__ import annotations

from collections.abc import Sequence

from core.changes import Op
from core.errors import Unavailable
from core.model import UNSAVED, Filter, Link, LinkKind, Memory, MemoryId, Setting, Uid
from core.progress import Progress, silent
from core.search_types import TextSearch, Vocabulary
from core.services.workspace import Workspace
from core.store.protocol import Reader
from core.store.transaction import Transaction
from core.write import link_inference

CANDIDATES = 20
RAREST = 6
BATCH = 50


def add_inferred_links(transaction: Transaction, memory: Memory, similar_memories: Sequence[MemoryId]) -> list[Link]:
    """Link a memory that was just saved, in the same operation, so that one undo reverts both."""
    there = transaction.reader().memories(similar_memories)
    similar, named = [there[id] for id in similar_memories if id in there], _named(transaction.reader(), memory)
    predecessor = transaction.reader().predecessor(memory)
    known = {_key(link) for link in transaction.reader().links_of(memory.id)}
    wanted = link_inference.inferred_links(memory, predecessor, similar, named, transaction.now)
    return [transaction.add_link(link) for link in wanted if _key(link) not in known]


def similar_memories(reader: Reader, memory: Memory, vocabulary: Vocabulary | None = None) -> list[MemoryId]:
    """Return the full-text hits for a memory, best first, by its rarest keywords: these are the most specific and the
    cheapest, since common words match a third of the store. Only earlier memories: of two memories the later one is
    linked to the earlier."""
    words = link_inference.keywords(memory)
    if not words:
        return []
    try:
        rarest = (vocabulary or reader.vocabulary(words)).rarest(RAREST, words)
        wanted = Filter(collections=(memory.collection,))
        found = reader.search_text(TextSearch.of_content(rarest), wanted, CANDIDATES + 1)
    except Unavailable:  # an unavailable index must not prevent storing a memory
        return []
    return [id for id, _ in found if memory.id == UNSAVED or id < memory.id][:CANDIDATES]


def catch_up(workspace: Workspace, *, actor: str, progress: Progress = silent) -> int:
    """Infer the links of memories that were added without (imports, other versions); return how many links were
    added."""
    store = workspace.store
    made = 0
    with store.read() as reader:
        total = reader.count()
    done = 0
    while True:
        with store.transact(Op.LINK, actor, "links inferred from session, topic and reference") as transaction:
            after = MemoryId(transaction.reader().setting(Setting.WOVEN_UP_TO) or 0)
            batch = transaction.reader().next_memories(after, BATCH)
            for memory in batch:
                made += len(add_inferred_links(transaction, memory, similar_memories(transaction.reader(), memory)))
            if batch:
                transaction.set_setting(Setting.WOVEN_UP_TO, batch[-1].id)
        if not batch:
            return made
        done += len(batch)
        progress("linking", done, max(total, done))


def _named(reader: Reader, memory: Memory) -> list[Memory]:
    """Return the memories whose uid the text mentions."""
    found = (reader.memory_by_uid(Uid(uid)) for uid in link_inference.mentioned_uids(memory.content))
    return [other for other in found if other is not None and other.id != memory.id]


def _key(link: Link) -> tuple[object, ...]:
    """Return what identifies a link; a shared topic has no direction."""
    ends = (link.source_id, link.target_id)
    return (link.kind, *(sorted(ends) if link.kind is LinkKind.TOPIC else ends))
