"""Keeping the conversation's links: each new memory when it is remembered, imported ones when asked."""

from __future__ import annotations

from core.changes import Op
from core.errors import Unavailable
from core.model import Filter, Link, Memory, MemoryId
from core.progress import Progress, silent
from core.search import TextSearch
from core.services.workspace import Workspace
from core.store.sqlite.reader import Reader
from core.store.sqlite.transaction import Transaction
from core.write import weave

CANDIDATES = 20
BATCH = 50
_UP_TO = "woven_up_to"


def weave_in(transaction: Transaction, memory: Memory) -> list[Link]:
    """Link a memory that was just saved, in the same operation, so that taking it back takes its links along."""
    similar = _similar(transaction.read, memory)
    predecessor = transaction.read.predecessor(memory)
    known = {(link.source_id, link.target_id, link.kind) for link in transaction.read.links_of(memory.id)}
    wanted = weave.links(memory, predecessor, similar, transaction.now)
    return [transaction.add_link(link) for link in wanted if (link.source_id, link.target_id, link.kind) not in known]


def catch_up(workspace: Workspace, *, actor: str, progress: Progress = silent) -> int:
    """Link the memories that came in other ways (imports, other versions); says how many links were made."""
    store = workspace.store
    made = 0
    with store.read() as reader:
        total = reader.count()
    done = 0
    while True:
        with store.transact(Op.LINK, actor, "woven by session, topic and reference") as transaction:
            after = MemoryId(transaction.read.setting(_UP_TO) or 0)
            batch = transaction.read.next_memories(after, BATCH)
            for memory in batch:
                made += len(weave_in(transaction, memory))
            if batch:
                transaction.set_setting(_UP_TO, batch[-1].id)
        if not batch:
            return made
        done += len(batch)
        progress("linking", done, max(total, done))


def _similar(reader: Reader, memory: Memory) -> list[Memory]:
    words = tuple(weave.keywords(memory))
    if not words:
        return []
    search = TextSearch(words, False, {"content": 1.0, "summary": 0.0, "entities": 0.0, "files": 0.0, "tags": 0.0})
    try:
        found = reader.search_text(search, Filter(collections=(memory.collection,)), CANDIDATES + 1)
    except Unavailable:  # an index that cannot answer must not stop a memory from being kept
        return []
    ids = [id for id, _ in found if id != memory.id]
    memories = reader.memories(ids)
    return [memories[id] for id in ids]
