"""Steps that the tests of the store share."""

from __future__ import annotations

import struct

from core import draft
from core.changes import Op
from core.model import Embedding, Space

SPACE = Space("test/four", "1", 4, "abc", "content")
OTHER_SPACE = Space("test/two", "1", 2, "def", "content")


def vector(*numbers: float) -> Embedding:
    return Embedding(struct.pack(f"<{len(numbers)}f", *numbers))


def add(store, content="a memory", embeddings=None, **fields):
    with store.transact(Op.REMEMBER, "test") as transaction:
        return transaction.add_memory(draft.memory({"content": content, **fields}, store.clock.now()), embeddings)


def link(store, source, target, kind="relates", **fields):
    with store.transact(Op.LINK, "test") as transaction:
        made = draft.link({"kind": kind, **fields}, source.id, target.id, store.clock.now())
        return transaction.add_link(made)


def found(store, query, **options):
    with store.read() as reader:
        return [id for id, _ in reader.matching(query, **options)]


def in_step(store):
    """Whether the engine's own check finds nothing; an engine without maintenance has nothing to be out of step."""
    return store.maintenance is None or store.maintenance.check() == []
