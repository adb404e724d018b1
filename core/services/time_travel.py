"""The store at a past moment, rebuilt from the journal, to read and to query."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from core.changes import Op
from core.clock import FixedClock
from core.services.workspace import Workspace
from core.store import engines
from core.store.records import StoreState as StoreState


def state_at(workspace: Workspace, moment: datetime) -> StoreState:
    """Return every memory, link and setting at a moment."""
    with workspace.store.read() as reader:
        return reader.state_at(moment)


@contextmanager
def workspace_at(workspace: Workspace, moment: datetime) -> Iterator[Workspace]:
    """Open a temporary store with the state of a moment, in which it is that moment now: ids, full text and vectors
    included, so that a query runs as it ran then. Nothing done in it changes the real store."""
    with (
        tempfile.TemporaryDirectory(prefix="memory-inspector-") as folder,
        engines.create_store(Path(folder) / "past.db", backups=Path(folder), clock=FixedClock(moment)) as store,
    ):
        with workspace.store.read() as reader, store.transact(Op.IMPORT, "past") as transaction:
            state = reader.state_at(moment)
            transaction.fill_empty(state)
            for id, space, embedding in reader.vectors_at(moment, state):
                transaction.put_embedding(id, space, embedding)
        yield Workspace(store, workspace.models, workspace.embeddings)
