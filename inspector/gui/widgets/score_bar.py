"""A score as a stacked bar: a segment for each part, and an outline for what was lost."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.pipeline import run_report
from core.pipeline.run_report import Breakdown, RankedResult
from inspector.gui import theme
from inspector.gui.models.plain_table import VALUE_ROLE
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import PADDING, paint_background
from inspector.gui.widgets.flow import FlowLayout

Index = QModelIndex | QPersistentModelIndex
HEIGHT = 12

# The parts of the default profile's scores, which have the same colours in every answer.
_USUAL = ("words", "meaning", "named", "beside", "time")


class ScoreBars(QStyledItemDelegate):
    """Paints the bars of all rows to one scale, so that their lengths can be compared."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._longest = 0.0
        self._numbers: dict[str, int] = {}

    def show_results(self, results: tuple[RankedResult, ...]) -> None:
        self._longest = max((result.breakdown.before for result in results), default=0.0)
        names = dict.fromkeys(share.name for result in results for share in result.breakdown.shares)
        known = () if names.keys().isdisjoint(_USUAL) else _USUAL
        numbered = enumerate(dict.fromkeys((*known, *names)))
        self._numbers = {name: number for number, name in numbered if name in names}

    @property
    def numbers(self) -> Mapping[str, int]:
        """Return the number in the colour series of each shown part."""
        return self._numbers

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        paint_background(painter, option)
        result = index.data(VALUE_ROLE)
        if not isinstance(result, RankedResult) or self._longest <= 0:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect.adjusted(PADDING, 0, -PADDING, 0))
        self._paint(painter, area, result.breakdown)
        painter.restore()

    def _paint(self, painter: QPainter, area: QRectF, parts: Breakdown) -> None:
        scale = area.width() / self._longest
        top = area.center().y() - HEIGHT / 2
        whole = QRectF(area.x(), top, max(parts.before * scale, 2), HEIGHT)
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.setBrush(theme.colour("hover"))
        painter.drawRoundedRect(whole, 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        x = area.x()
        for share in parts.shares:
            width = share.value * scale
            if width > 0:
                painter.setBrush(theme.series(self._numbers.get(share.name, 0)))
                painter.drawRoundedRect(QRectF(x, top, max(width - 1, 1), HEIGHT), 2, 2)
                x += width


class Legend(QWidget):
    """The colours of the parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, space=theme.MEDIUM)

    def show_parts(self, numbers: Mapping[str, int]) -> None:
        layout.clear(self._flow)
        for name, number in numbers.items():
            self._flow.addWidget(_Key(run_report.label(name), number))
        if numbers:
            self._flow.addWidget(_Key("lost to confidence, decay …", -1))


class _Key(QWidget):
    def __init__(self, name: str, number: int) -> None:
        super().__init__()
        self._number = number
        self.setLayout(layout.row(layout.label(name, "muted"), margins=(15, 0, 0, 0)))

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._number < 0:
            painter.setPen(QPen(theme.colour("muted"), 1))
            painter.setBrush(theme.colour("hover"))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.series(self._number))
        painter.drawRoundedRect(QRectF(0.5, self.height() / 2 - 5, 10, 10), 2, 2)
        painter.end()


def parts_tip(result: RankedResult) -> str:
    """Return every part and every loss in numbers."""
    lines = [f"{run_report.label(share.name)}  {run_report.number(share.value)}" for share in result.breakdown.shares]
    lines += [f"− {run_report.label(loss.name)}  {run_report.number(loss.value)}" for loss in result.breakdown.losses]
    return "\n".join([f"score  {result.score:.6g}", *lines])
