"""What an agent is told at the start of a session, before it has asked anything."""

from __future__ import annotations

from core.model import Filter, Memory, MemoryId, Status
from core.pipeline import render
from core.search_types import Order, Selection, SortColumn
from core.services.workspace import Workspace

MAX_MEMORIES = 50


def briefing(workspace: Workspace, collection: str = "", budget: int | None = None) -> str:
    """Return a section with the pinned memories, then those that recalls returned most often, newest first among
    equals; of one collection, unless it is empty. Looking counts as no access."""
    collections = (collection,) if collection else ()
    pinned = _listed(workspace, Filter(collections=collections, statuses=(Status.ACTIVE,), pinned=True), None)
    others = Filter(collections=collections, statuses=(Status.ACTIVE,), pinned=False)
    found = [*pinned, *_listed(workspace, others, Order(SortColumn.RETURNS, descending=True))][:MAX_MEMORIES]
    return render.prompt_section(found, workspace.store.clock.now(), budget=budget)


def _listed(workspace: Workspace, wanted: Filter, order: Order | None) -> list[Memory]:
    with workspace.store.read() as reader:
        if order is None:
            return reader.page(wanted, before=None, limit=MAX_MEMORIES)
        listed = reader.list_ids(Selection(filter=wanted), order, workspace.store.clock.now(), MAX_MEMORIES)
        ids = [MemoryId(id) for id in listed]
        known = reader.memories(ids)
    return [known[id] for id in ids if id in known]
