"""Line icons from `resources/icons`, tinted by the theme and sharp at every scale."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from inspector import resources
from inspector.gui import theme

_SIZES = (18, 36, 54)


def icon(name: str, tint: str = "text") -> QIcon:
    """Return an icon in a colour of the theme, greyed where it is disabled."""
    colours = theme.current()
    return _icon(name, getattr(colours, tint), colours.border)


def app_icon() -> QIcon:
    source = resources.path("icons/app.svg").read_text("utf-8")
    made = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        made.addPixmap(_drawn(source, size))
    return made


def pixmap(name: str, size: int, tint: str = "text", ratio: float = 1.0) -> QPixmap:
    return _pixmap(name, size, getattr(theme.current(), tint), ratio)


@cache
def _icon(name: str, tint: str, disabled: str) -> QIcon:
    made = QIcon()
    for size in _SIZES:
        made.addPixmap(_drawn(_source(name, tint), size), QIcon.Mode.Normal)
        made.addPixmap(_drawn(_source(name, disabled), size), QIcon.Mode.Disabled)
    return made


@cache
def _pixmap(name: str, size: int, tint: str, ratio: float) -> QPixmap:
    drawn = _drawn(_source(name, tint), round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    return drawn


def _source(name: str, tint: str) -> str:
    return resources.path(f"icons/{name}.svg").read_text("utf-8").replace("currentColor", tint)


def _drawn(source: str, size: int) -> QPixmap:
    made = QPixmap(QSize(size, size))
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return made
