"""The viewmodel of Graph: the memory in the centre, its neighbourhood, and what a query activates."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import UserError
from core.model import LinkKind, Memory, MemoryId
from core.services import graph
from core.services.graph import MAX_HOPS
from core.services.graph import Neighbourhood as Neighbourhood
from core.services.graph import Node as Node
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets, once
from inspector.gui.viewmodels.open_store import OpenStore

THROTTLE_MS = 120
HOPS = tuple(range(1, MAX_HOPS + 1))


class GraphViewModel(QObject):
    """The graph around one memory. Nothing is computed until the view is shown."""

    candidates_changed = Signal(object)
    shown = Signal(object)
    activated = Signal(object)
    refused = Signal(str)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._lists, self._pictures, self._queries = Tickets(), Tickets(), Tickets()
        self._is_looked_at = False
        self._expanded: tuple[MemoryId, ...] = ()
        self.text = ""
        self.query = ""
        self.centre: MemoryId | None = None
        self.hops = MAX_HOPS
        self.without: frozenset[LinkKind] = frozenset()
        self.found: Neighbourhood | None = None
        self._throttle = once(self, THROTTLE_MS, self._list)
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_opened)
        store.changed.connect(self._on_changed)

    def look(self, id: MemoryId | None) -> None:
        """Load the graph; the first time around the memory that Browse shows."""
        if self._is_looked_at:
            return
        self._is_looked_at = True
        self._list()
        if id is not None:
            self.set_centre(id)

    def search(self, text: str) -> None:
        """List memories to centre on; only the last typed text counts."""
        self.text = text
        self._throttle.start()

    def set_centre(self, id: MemoryId) -> None:
        if id != self.centre:
            self.centre, self._expanded, self.found = id, (), None
            self.reload()

    def expand(self, id: MemoryId) -> None:
        """Add the links of a memory; what is shown keeps about its place."""
        if id not in self._expanded:
            self._expanded = (*self._expanded, id)
            self.reload()

    def set_hops(self, hops: int) -> None:
        self.hops, self._expanded = hops, ()
        self.reload()

    def set_without(self, kind: LinkKind, is_without: bool) -> None:
        self.without = self.without | {kind} if is_without else self.without - {kind}
        self.reload()

    def activate(self, query: str) -> None:
        """Show how far a query spreads over the shown links. Read-only."""
        self.query = query.strip()
        found, text = self.found, self.query
        wanted = self._queries.take()
        if not text or found is None:
            self.activated.emit({})
            return
        self._store.read(
            lambda ws: graph.activated(ws, text, found), self.activated.emit, failed=self._on_refused, wanted=wanted
        )

    def reload(self) -> None:
        centre, hops, without, expanded = self.centre, self.hops, tuple(self.without), self._expanded
        if centre is None:
            return
        known = self.found.nodes if self.found is not None else ()
        places = {node.memory.id: (node.x, node.y) for node in known}

        def draw(workspace: Workspace) -> Neighbourhood:
            return graph.neighbourhood(workspace, centre, hops=hops, without=without, expanded=expanded, places=places)

        self._store.read(draw, self._on_shown, failed=self._on_refused, wanted=self._pictures.take())

    def _list(self) -> None:
        text = self.text
        self._store.read(
            lambda ws: graph.candidates(ws, text), self._on_candidates, failed=self._on_refused,
            wanted=self._lists.take(),
        )  # fmt: skip

    def _on_candidates(self, memories: list[Memory]) -> None:
        self.candidates_changed.emit(memories)
        if self.centre is None and memories:
            self.set_centre(memories[0].id)

    def _on_shown(self, found: Neighbourhood) -> None:
        self.found = found
        self.shown.emit(found)
        if self.query:
            self.activate(self.query)

    def _on_refused(self, error: UserError) -> None:
        self.found = None
        self.refused.emit(str(error))

    def _on_opened(self) -> None:
        for tickets in (self._lists, self._pictures, self._queries):
            tickets.take()
        self._throttle.stop()
        self._is_looked_at, self.centre, self._expanded, self.found = False, None, (), None
        self.candidates_changed.emit([])
        self.refused.emit("")

    def _on_changed(self, changes: Changes | None) -> None:
        if self._is_looked_at and (changes is None or changes.memories or changes.links):
            self._list()
            self.reload()
