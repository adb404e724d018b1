"""The tour: a small card that goes through the views step by step, next to what it explains."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QFrame, QMainWindow, QWidget

from inspector.gui import theme
from inspector.gui.views.onboarding_steps import QUESTION, STEPS
from inspector.gui.widgets import layout

WIDTH = 360


class Onboarding(QFrame):
    """The tour's card, over the window, which stays usable. `do` shows a view by its action's name.

    Enter or → goes to the next step, ← to the previous one, Esc ends the tour.
    """

    def __init__(self, do: Callable[[str], None], window: QMainWindow) -> None:
        super().__init__(window)
        self._do, self._window, self.number = do, window, 0
        self.setObjectName("onboarding")
        self.setFixedWidth(WIDTH)
        self._frame = QFrame(window)
        self._frame.setObjectName("onboarding-frame")
        self._frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title = layout.label("", "heading", wraps=True)
        self.text = layout.label("", wraps=True)
        self.count = layout.label("", "muted")
        self.back = layout.button("Back", lambda: self.go(-1), about="The step before (←)")
        self.next = layout.button("Next", lambda: self.go(1), kind="primary", about="The next step (→)")
        self.leave = layout.button("End the tour", self.end, kind="quiet", about="Esc")
        self.setLayout(
            layout.column(
                self.title, self.text, layout.row(self.leave, 1, self.count, self.back, self.next),
                space=theme.MEDIUM, margins=theme.LARGE,
            )
        )  # fmt: skip
        for key, step in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, -1)):
            layout.shortcut(self, key, partial(self.go, step))
        layout.shortcut(self, Qt.Key.Key_Escape, self.end)
        window.installEventFilter(self)
        self.end()

    def start(self) -> None:
        self.number = 0
        self.show()
        self._show_step()

    def go(self, step: int) -> None:
        if not 0 <= self.number + step < len(STEPS):
            if step > 0:
                self.end()
            return
        self.number += step
        self._show_step()

    def end(self) -> None:
        self.hide()
        self._frame.hide()

    def _show_step(self) -> None:
        step = STEPS[self.number]
        self._do(step.view)
        if step.asks and not self._target("query_view.query").text():
            self._target("query_view").ask(QUESTION)
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.count.setText(f"{self.number + 1} of {len(STEPS)}")
        self.back.setEnabled(self.number > 0)
        self.next.setText("Next" if self.number + 1 < len(STEPS) else "Done")
        self.setAccessibleName(f"Tour, step {self.number + 1} of {len(STEPS)}: {step.title}")
        self.setAccessibleDescription(step.text)
        self._place()
        self.next.setFocus()

    def _target(self, path: str) -> Any:
        return reduce(getattr, path.split("."), self._window)

    def _place(self) -> None:
        """Move the frame around the explained widget, and the card into the corner that covers least of it."""
        inside = self.layout()
        assert inside is not None
        target: QWidget = self._target(STEPS[self.number].target)
        framed = self._within_window(target)
        self._frame.setGeometry(framed)
        self._frame.setVisible(target.isVisible())
        self._frame.raise_()
        height = inside.totalHeightForWidth(WIDTH)
        room = self._within_window(self._target("pages")) - QMargins(*(theme.HUGE,) * 4)
        size = QSize(WIDTH, height)
        corners = [QRect(QPoint(), size) for _ in range(4)]
        corners[0].moveBottomRight(room.bottomRight())
        corners[1].moveTopRight(room.topRight())
        corners[2].moveBottomLeft(room.bottomLeft())
        corners[3].moveTopLeft(room.topLeft())
        self.setGeometry(min(corners, key=lambda corner: _area(corner & framed)))
        self.raise_()

    def _within_window(self, widget: QWidget) -> QRect:
        return QRect(widget.mapTo(self._window, QPoint()), widget.size()) & self._window.rect()

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)


def _area(rectangle: QRect) -> int:
    return rectangle.width() * rectangle.height() if rectangle.isValid() else 0
