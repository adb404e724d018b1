"""The tour takes a picture of every view in both themes, and the desktop says what it lacks."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage

from inspector.cli import WRONG_USE, main
from inspector.gui import tour


def test_the_tour_saves_every_view_in_both_themes(qtbot, window, home, tmp_path, monkeypatch):
    monkeypatch.setattr(tour, "SETTLE_MS", 5)
    saved = tour.visit(window, tmp_path / "pictures")
    names = {path.name for path in saved}
    assert {"first-page-light.png", "browse-light.png", "browse-dark.png", "query-lab-dark.png"} <= names
    assert {"manual-light.png", "manual-dark.png"} <= names
    for path in (path for path in saved if not path.name.startswith("manual")):  # which is a window of its own
        picture = QImage(str(path))
        assert (picture.width(), picture.height()) == (1440, 900)
    light, dark = (QImage(str(tmp_path / "pictures" / f"browse-{shade}.png")) for shade in ("light", "dark"))
    assert light.pixelColor(700, 500).lightness() > 200
    assert dark.pixelColor(700, 500).lightness() < 80


def test_without_a_display_a_sentence_says_what_to_do(monkeypatch, capsys):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main([]) == WRONG_USE
    assert "memory-inspector --serve" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--tour", ""], ["--tour", "a\0b"]])
def test_a_tour_needs_a_folder(arguments, capsys):
    assert main(arguments) == WRONG_USE
    assert "--tour needs the path of a file" in capsys.readouterr().err
