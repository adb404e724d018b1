"""The look at the system that comes before Qt is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from inspector import desktop_needs
from inspector.desktop_needs import Requirement

ROOT = Path(__file__).resolve().parents[2]
PLANTED = Requirement("libnobody-has-this.so.9", "libnobody-has-this9")
CURSOR = Requirement("libxcb-cursor.so.0", "libxcb-cursor0")


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


def test_a_missing_library_is_named_with_its_debian_package():
    assert desktop_needs.absent([PLANTED]) == (Requirement("libnobody-has-this.so.9", "libnobody-has-this9"),)


def test_a_library_for_windows_is_not_missed_offscreen(on_linux, monkeypatch):
    monkeypatch.setattr(desktop_needs, "FOR_X", (PLANTED,))
    assert PLANTED in desktop_needs.missing_libraries(for_window=True)
    assert PLANTED not in desktop_needs.missing_libraries(for_window=False)


def test_a_library_for_offscreen_is_missed_by_windows_too(on_linux, monkeypatch):
    monkeypatch.setattr(desktop_needs, "FOR_OFFSCREEN", (PLANTED,))
    assert PLANTED in desktop_needs.missing_libraries(for_window=True)
    assert desktop_needs.missing_libraries(for_window=False) == (PLANTED,)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_outside_linux_no_library_is_missing_and_there_is_a_display(on_linux, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(desktop_needs, "FOR_X", (PLANTED,))
    assert desktop_needs.missing_libraries(for_window=True) == ()
    assert desktop_needs.has_display()


def test_no_library_is_listed_twice():
    sonames = [need.soname for need in desktop_needs.FOR_OFFSCREEN + desktop_needs.FOR_X]
    assert len(sonames) == len(set(sonames))


def test_linux_has_no_display_unless_a_session_names_one(on_linux):
    assert not desktop_needs.has_display()


def test_an_empty_display_is_no_display(on_linux, monkeypatch):
    monkeypatch.setenv("DISPLAY", "")
    assert not desktop_needs.has_display()


@pytest.mark.parametrize(("variable", "value"), [("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")])
def test_linux_has_a_display_in_an_x_or_wayland_session(on_linux, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    assert desktop_needs.has_display()


def test_the_apt_line_names_each_package_once():
    both_from_one = [
        Requirement("libglib-2.0.so.0", "libglib2.0-0"),
        Requirement("libgthread-2.0.so.0", "libglib2.0-0"),
    ]
    assert desktop_needs.apt_line([*both_from_one, CURSOR]) == (
        "apt-get update && apt-get install -y --no-install-recommends libglib2.0-0 libxcb-cursor0"
    )


def test_the_sentence_names_the_library_the_package_and_the_way_without_a_display():
    sentence = desktop_needs.sentence([CURSOR], display=True)
    assert "libxcb-cursor.so.0" in sentence
    assert desktop_needs.apt_line([CURSOR]) in sentence
    assert "`memory-inspector --serve`" in sentence
    assert "DISPLAY" not in sentence


def test_the_sentence_for_a_missing_display_asks_for_no_package():
    sentence = desktop_needs.sentence([], display=False)
    assert "DISPLAY" in sentence
    assert "apt-get" not in sentence
    assert "`memory-inspector --serve`" in sentence


def test_two_reasons_still_make_one_sentence():
    sentence = desktop_needs.sentence([CURSOR, PLANTED], display=False)
    assert "\n" not in sentence
    assert ". " not in sentence
    assert sentence.endswith(".")
    assert "libxcb-cursor0 libnobody-has-this9" in sentence


def test_there_is_nothing_to_say_when_nothing_hinders():
    assert desktop_needs.sentence([], display=True) == ""


def test_it_can_be_imported_before_anything_is_installed():
    bare = [sys.executable, "-I", "-S", "-c"]  # -S: no site-packages, so the standard library alone
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import inspector.desktop_needs"
    subprocess.run([*bare, script], check=True)
