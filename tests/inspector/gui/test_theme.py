"""Both themes meet WCAG AA for contrast, computed from the very colours in use."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QToolButton

from core.errors import Fault
from inspector import resources
from inspector.gui import app, icons, theme
from inspector.gui.viewmodels.open_store import Refusal
from inspector.gui.widgets.empty import EmptyState

THEMES = [theme.LIGHT, theme.DARK]
SURFACES = ("window", "surface", "raised", "hover", "selection")
WORDS = 4.5  # WCAG 2.2, 1.4.3: text
SHAPES = 3.0  # WCAG 2.2, 1.4.11: parts of charts and controls


def shades(colours):
    return "dark" if colours.is_dark else "light"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21. Source: WCAG 2.2, relative luminance."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(name: str) -> float:
    parts = QColor(name)
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (parts.redF(), parts.greenF(), parts.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", THEMES, ids=shades)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", ["text", "muted"])
def test_text_can_be_read_on_every_surface(colours, surface, text):
    assert contrast(getattr(colours, text), getattr(colours, surface)) >= WORDS


@pytest.mark.parametrize("colours", THEMES, ids=shades)
@pytest.mark.parametrize("name", ["good", "warning", "danger"])
def test_a_badge_can_be_read_on_its_own_ground_and_on_the_surface(colours, name):
    assert contrast(getattr(colours, name), getattr(colours, f"{name}_back")) >= WORDS
    assert contrast(getattr(colours, name), colours.surface) >= WORDS


@pytest.mark.parametrize("colours", THEMES, ids=shades)
def test_what_stands_on_the_accent_can_be_read(colours):
    assert contrast(colours.on_accent, colours.accent) >= WORDS
    assert contrast(colours.on_accent, colours.accent_hover) >= WORDS
    assert contrast(colours.accent, colours.surface) >= WORDS


@pytest.mark.parametrize("colours", THEMES, ids=shades)
def test_every_part_of_a_chart_stands_out_from_its_ground(colours):
    for tint in colours.series:
        assert contrast(tint, colours.surface) >= SHAPES


def test_the_measure_of_contrast_is_the_published_one():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize(("choice", "is_dark"), [("light", False), ("dark", True)])
def test_a_selected_theme_reaches_the_palette_and_the_style_sheet(qapp, choice, is_dark):
    theme.apply(qapp, choice)
    colours = theme.current()
    assert colours.is_dark is is_dark
    assert qapp.palette().color(QPalette.ColorRole.Base).name().upper() == colours.surface
    assert colours.accent in qapp.styleSheet()
    assert "$" not in qapp.styleSheet()


def test_every_icon_is_drawn_in_the_colour_of_the_theme(qapp):
    app.application()
    for path in sorted(resources.path("icons").glob("*.svg")):
        if "-light" in path.stem or "-dark" in path.stem or path.stem == "app":
            continue
        drawn = icons.pixmap(path.stem, 96, "accent").toImage()
        pixels = [drawn.pixelColor(x, y) for x in range(96) for y in range(96)]
        painted = [(each.red(), each.green(), each.blue()) for each in pixels if each.alpha() == 255]
        accent = QColor(theme.current().accent)
        wanted = (accent.red(), accent.green(), accent.blue())
        # Where strokes meet, what shines through is rounded: by one at most.
        assert painted, path.stem
        assert max(abs(a - b) for each in painted for a, b in zip(each, wanted, strict=True)) <= 1, path.stem


def test_a_window_starts_in_the_theme_that_was_selected_last(qtbot, settings):
    settings.set_text("theme", "dark")
    made = app.window(settings, with_model=False)
    assert theme.current() is theme.DARK
    assert app.application().styleSheet() == theme.style_sheet(theme.DARK)
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.apply(app.application(), "light")


def test_another_theme_reaches_every_icon_wherever_it_is_shown(qtbot, on_sample):
    def drawn():
        empties = [each._picture.pixmap().toImage() for each in on_sample.findChildren(EmptyState)]
        chips = on_sample.browse_view.detail.tags.findChildren(QToolButton)
        fault = on_sample.fault_page._picture.pixmap().toImage()
        return [fault, *empties, *(chip.icon().pixmap(16).toImage() for chip in chips)]

    on_sample.fault_page.show_refusal(Refusal(Path("no.db"), Fault.CORRUPT, "It is damaged.", ()))
    light = drawn()
    assert len(light) > 20
    on_sample.appearance.apply_theme("dark")
    assert not any(before == after for before, after in zip(light, drawn(), strict=True))
