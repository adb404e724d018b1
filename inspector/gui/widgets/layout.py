"""Helpers that build forms and panels on one spacing scale and name every control for a screen reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme

L = TypeVar("L", bound=QBoxLayout)


def column(
    *items: QWidget | QLayout | int, space: int = theme.SMALL, margins: int | tuple[int, ...] = 0
) -> QVBoxLayout:
    return _filled(QVBoxLayout(), items, space, margins)


def row(*items: QWidget | QLayout | int, space: int = theme.SMALL, margins: int | tuple[int, ...] = 0) -> QHBoxLayout:
    return _filled(QHBoxLayout(), items, space, margins)


def _filled(layout: L, items: tuple[QWidget | QLayout | int, ...], space: int, margins: int | tuple[int, ...]) -> L:
    layout.setSpacing(space)
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    for item in items:
        if isinstance(item, QWidget):
            layout.addWidget(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addStretch(item)
    return layout


def clear(layout: QLayout) -> None:
    """Remove and delete every widget of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def label(text: str = "", kind: str = "", *, wraps: bool = False, selectable: bool = False) -> QLabel:
    """Return a label of plain text: markup is shown as it is."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    made.setWordWrap(wraps)
    if kind:
        made.setProperty("kind", kind)
    if kind.startswith("badge"):
        made.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def set_kind(widget: QWidget, kind: str) -> None:
    """Give a widget another kind of the style sheet."""
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def button(text: str, do: Callable[[], object], *, kind: str = "", icon: str = "", about: str = "") -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(text or about)
    made.setToolTip(about)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    if kind:
        made.setProperty("kind", kind)
    if icon:
        give_icon(made, icon, "on_accent" if kind == "primary" else "text", 16)
    made.clicked.connect(lambda: do())
    return made


def shortcut(widget: QWidget, keys: str | Qt.Key, do: Callable[[], object]) -> None:
    """Add keys that work while the widget, or one inside it, has the focus."""
    made = QShortcut(QKeySequence(keys), widget)
    made.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.activated.connect(do)


def pad_number_field(spin: QAbstractSpinBox) -> None:
    """Give a number field room that the style sheet's padding does not reach; keys and the wheel step it."""
    spin.lineEdit().setTextMargins(6, 0, 6, 0)


def quiet_button(icon: str, about: str, do: Callable[[], object], *, size: int = 16) -> QToolButton:
    """Return a button with an icon only; its accessible name is what it does."""
    made = QToolButton()
    give_icon(made, icon, "muted", size)
    made.setAccessibleName(about)
    made.setToolTip(about)
    made.setProperty("kind", "quiet")
    made.clicked.connect(lambda: do())
    return made


def give_icon(button: QAbstractButton, icon: str, tint: str, size: int) -> None:
    button.setIconSize(QSize(size, size))
    button.setProperty("icon_name", icon)
    button.setProperty("tint", tint)
    button.setIcon(icons.icon(icon, tint))


def retint(root: QWidget) -> None:
    """Recolour a widget and all below it: every button with an icon, and every widget with a `retint` of its own."""
    for widget in root.findChildren(QWidget):
        name = widget.property("icon_name")
        if isinstance(widget, QAbstractButton) and isinstance(name, str):
            widget.setIcon(icons.icon(name, widget.property("tint")))
        if hasattr(widget, "retint"):
            widget.retint()


def card(*items: QWidget | QLayout | int, space: int = theme.SMALL) -> QFrame:
    made = QFrame()
    made.setObjectName("card")
    made.setLayout(column(*items, space=space, margins=theme.LARGE))
    return made


def panel(layout: QLayout) -> QFrame:
    made = QFrame()
    made.setObjectName("panel")
    made.setLayout(layout)
    return made


def scrolled(widget: QWidget) -> QScrollArea:
    """Return a widget in a scroll area: as large as the room, scrolled where it needs more."""
    made = QScrollArea()
    made.setWidgetResizable(True)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setWidget(widget)
    return made


def line() -> QFrame:
    made = QFrame()
    made.setObjectName("line")
    made.setFixedHeight(1)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return made
