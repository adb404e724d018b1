"""The time machine: a store as it stood at a moment, rebuilt from the journal, to look at and to ask."""

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
    """Return every memory, link and setting as it stood at a moment."""
    with workspace.store.read() as reader:
        return reader.state_at(moment)


@contextmanager
def as_it_stood(workspace: Workspace, moment: datetime) -> Iterator[Workspace]:
    """A store of its own, in a folder that goes away afterwards, in which it is that moment now: ids, full text,
    vectors and all, so that any question runs there as it ran then. Nothing done in it reaches the real one."""
    with (
        tempfile.TemporaryDirectory(prefix="memory-inspector-") as folder,
        engines.create_store(Path(folder) / "past.db", backups=Path(folder), clock=FixedClock(moment)) as store,
    ):
        with workspace.store.read() as reader, store.transact(Op.IMPORT, "past") as transaction:
            state = reader.state_at(moment)
            transaction.lay_down(state)
            for id, space, embedding in reader.vectors_at(moment, state):
                transaction.put_embedding(id, space, embedding)
        yield Workspace(store, workspace.models, workspace.embeddings)
