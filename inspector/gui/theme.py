"""Every colour, size and space of the desktop; light and dark, by choice or as the system is."""

from __future__ import annotations

import string
from dataclasses import asdict, dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from inspector import resources

# The spacing scale: nothing in between is used.
TIGHT, SMALL, MEDIUM, LARGE, HUGE = 4, 8, 12, 16, 32
ROW_HEIGHT = 30
RADIUS = 6


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of one theme. `series` are those of the parts of a score and of chart lines, always in this order."""

    is_dark: bool
    window: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    selection: str
    hover: str
    good: str
    warning: str
    danger: str
    good_back: str
    warning_back: str
    danger_back: str
    series: tuple[str, ...]


LIGHT = Colours(
    is_dark=False,
    window="#F4F5F8",
    surface="#FFFFFF",
    raised="#FAFBFC",
    border="#DCE0E8",
    text="#1A1E27",
    muted="#596273",
    accent="#3A57D0",
    accent_hover="#2E47B4",
    on_accent="#FFFFFF",
    selection="#E3E9FD",
    hover="#EEF1F7",
    good="#17704A",
    warning="#855300",
    danger="#AE2036",
    good_back="#E1F3EA",
    warning_back="#FBF0DA",
    danger_back="#FCE7E9",
    series=("#3A57D0", "#0B7F86", "#B4530F", "#8A3DB0", "#55720F", "#AE215E"),
)

DARK = Colours(
    is_dark=True,
    window="#14171D",
    surface="#1A1E26",
    raised="#20252F",
    border="#313947",
    text="#E5E8EE",
    muted="#9CA6B6",
    accent="#8CA5FF",
    accent_hover="#A6BAFF",
    on_accent="#10141C",
    selection="#2A3558",
    hover="#232A36",
    good="#62CB93",
    warning="#E2B465",
    danger="#FF8F99",
    good_back="#1B3329",
    warning_back="#382D18",
    danger_back="#40232A",
    series=("#8CA5FF", "#4CC4C7", "#F0A266", "#C79AF0", "#A8C658", "#F48DB5"),
)

_current = LIGHT


def current() -> Colours:
    """Return the current colours. Painters call it for every paint, so that a change of theme reaches them."""
    return _current


def colour(name: str) -> QColor:
    return QColor(getattr(_current, name))


def series(number: int) -> QColor:
    return QColor(_current.series[number % len(_current.series)])


def series_of_many(number: int) -> QColor:
    """Return a colour of the series; after the last it starts again, paler."""
    made = series(number)
    if number >= len(_current.series):
        made.setAlpha(110)
    return made


def between(name: str, other: str, share: float) -> QColor:
    """Return a colour between two others."""
    a, b = colour(name), colour(other)
    parts = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(first + (second - first) * share) for first, second in parts))


def system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


def choose(choice: str) -> None:
    """Set the current colours: `light`, `dark` or `system`."""
    global _current
    is_dark = choice == "dark" or (choice == "system" and system_is_dark())
    _current = DARK if is_dark else LIGHT


def apply(app: QApplication, choice: str) -> None:
    """Set the current colours, and give the application their palette and style sheet."""
    choose(choice)
    sheet = style_sheet(_current)
    if app.styleSheet() != sheet:  # it lays out every widget again
        app.setPalette(palette(_current))
        app.setStyleSheet(sheet)


def set_up(app: QApplication) -> None:
    """Set style and font, once. Fusion looks the same on every system and uses the whole palette."""
    app.setStyle("Fusion")
    for name in ("Regular", "Medium", "SemiBold"):
        QFontDatabase.addApplicationFont(str(resources.path(f"fonts/Inter-{name}.otf")))
    font = QFont("Inter")
    font.setPixelSize(13)
    app.setFont(font)


def font(*, size: int = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    made = QFont("Inter")
    made.setPixelSize(size)
    made.setWeight(weight)
    return made


def monospace() -> QFont:
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    made.setPixelSize(12)
    return made


def palette(colours: Colours) -> QPalette:
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: colours.window,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.Base: colours.surface,
        QPalette.ColorRole.AlternateBase: colours.raised,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.Button: colours.surface,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.BrightText: colours.danger,
        QPalette.ColorRole.ToolTipBase: colours.raised,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.muted,
        QPalette.ColorRole.Highlight: colours.selection,
        QPalette.ColorRole.HighlightedText: colours.text,
        QPalette.ColorRole.Accent: colours.accent,
        QPalette.ColorRole.Link: colours.accent,
        QPalette.ColorRole.Light: colours.raised,
        QPalette.ColorRole.Midlight: colours.hover,
        QPalette.ColorRole.Mid: colours.border,
        QPalette.ColorRole.Dark: colours.border,
        QPalette.ColorRole.Shadow: colours.border,
    }
    for role, name in roles.items():
        made.setColor(role, QColor(name))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.muted))
    return made


def style_sheet(colours: Colours) -> str:
    names = {name: value for name, value in asdict(colours).items() if isinstance(value, str)}
    icons = resources.path("icons").as_posix()
    template = resources.path("themes/desktop.qss").read_text("utf-8")
    shade = "dark" if colours.is_dark else "light"
    return string.Template(template).substitute(names, radius=f"{RADIUS}px", icons=icons, shade=shade)
