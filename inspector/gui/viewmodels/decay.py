"""The viewmodel of Decay: the memories whose curves are drawn, the decay model, and the order at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.model import MemoryId
from core.services import curves
from core.services.curves import Chart as Chart
from core.services.curves import CurveReading as CurveReading
from core.services.curves import Spread as Spread
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets, once
from inspector.gui.viewmodels.open_store import OpenStore

THROTTLE_MS = 40
HALF_LIVES = (7.0, 30.0, 90.0, 365.0)
HORIZONS = (
    (30.0, "30 days ahead"),
    (180.0, "Half a year ahead"),
    (365.0, "A year ahead"),
    (1095.0, "Three years ahead"),
)


class DecayViewModel(QObject):
    """Decay curves of the memories selected in Browse; without a selection, of some memories of all ages."""

    charted = Signal(object)
    cleared = Signal()
    ranked = Signal(object)
    spread_changed = Signal(object)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._charts, self._ranks, self._spreads = Tickets(), Tickets(), Tickets()
        self._selected: tuple[MemoryId, ...] = ()
        self._is_looked_at = False
        self.profile = curves.decay_models()[0].profile
        self.ahead_days = HORIZONS[2][0]
        self.half_lives: tuple[float, ...] = ()
        self.as_if_pinned = False
        self.chart: Chart | None = None
        self.moment: datetime | None = None
        self._throttle = once(self, THROTTLE_MS, self._rank)
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    @staticmethod
    def laws() -> list[tuple[str, str]]:
        return [(law.profile, law.words) for law in curves.decay_models()]

    def look_at(self, ids: Sequence[MemoryId]) -> None:
        """Draw these memories. One or none is no selection, since Browse always has a current row. Nothing is computed
        until the view is shown."""
        selected = tuple(ids) if len(ids) > 1 else ()
        is_first, self._is_looked_at = not self._is_looked_at, True
        if is_first:
            self._reload_spread()
        if is_first or selected != self._selected:
            self._selected = selected
            self.reload()

    def set_profile(self, profile: str) -> None:
        self.profile = profile
        self.reload()
        self._reload_spread()

    def set_ahead(self, days: float) -> None:
        self.ahead_days = days
        self.reload()

    def set_half_lives(self, days: Sequence[float]) -> None:
        self.half_lives = tuple(days)
        self.reload()

    def set_as_if_pinned(self, is_on: bool) -> None:
        self.as_if_pinned = is_on
        self.reload()

    def set_moment(self, moment: datetime) -> None:
        """Set the moment for which the order is shown."""
        self.moment = moment
        if not self._throttle.isActive():
            self._throttle.start()

    def reload(self) -> None:
        selected, profile, ahead = self._selected, self.profile, self.ahead_days
        half_lives, as_if_pinned = self.half_lives, self.as_if_pinned

        def draw(workspace: Workspace) -> Chart:
            ids = selected or curves.examples(workspace)
            return curves.chart(
                workspace, ids, profile, ahead_days=ahead, half_lives=half_lives, as_if_pinned=as_if_pinned
            )

        self._store.read(draw, self._on_chart, wanted=self._charts.take())

    def _reload_spread(self) -> None:
        profile = self.profile
        self._store.read(lambda ws: curves.spread(ws, profile), self.spread_changed.emit, wanted=self._spreads.take())

    def _rank(self) -> None:
        chart, moment, profile = self.chart, self.moment, self.profile
        if chart is None or moment is None:
            return
        ids = [curve.memory.id for curve in chart.curves]
        self._store.read(
            lambda ws: curves.ranked_at(ws, ids, profile, moment), self.ranked.emit, wanted=self._ranks.take()
        )

    def _on_chart(self, chart: Chart) -> None:
        self.chart = chart
        if self.moment is None or not chart.begin <= self.moment <= chart.end:
            self.moment = chart.now
        self.charted.emit(chart)
        self._rank()

    def _on_opened(self) -> None:
        self._selected, self.moment, self._is_looked_at = (), None, False

    def _on_closed(self) -> None:
        for tickets in (self._charts, self._ranks, self._spreads):
            tickets.take()
        self._throttle.stop()
        self.chart = None
        self.cleared.emit()

    def _on_changed(self, changes: Changes | None) -> None:
        if self._is_looked_at and (changes is None or changes.memories):
            self.reload()
            self._reload_spread()
