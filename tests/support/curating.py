"""Steps that the tests of core.curate share: one operation is one transaction on a real store."""

from __future__ import annotations

from store_steps import add

from core.changes import Op


def act(store, work, *arguments, op=Op.EDIT, actor="person", **named):
    """Run one operation of core.curate in a transaction of its own, and return its result."""
    with store.transact(op, actor) as transaction:
        return work(transaction, *arguments, **named)


def now(store, memory):
    with store.read() as reader:
        return reader.memory(memory.id)


def links(store):
    with store.read() as reader:
        ids = reader.memory_ids()
        return {(link.source_id, link.target_id, link.kind) for id in ids for link in reader.links_from(id)}


def three_memories(store):
    return [
        add(store, "The pool has 10 connections", tags=["db"], confidence=0.7, uid="a"),
        add(store, "The pool has 25 connections", tags=["pool"], entities=["PgBouncer"], confidence=0.9, uid="b"),
        add(store, "Deploys happen on Tuesdays", uid="c"),
    ]
