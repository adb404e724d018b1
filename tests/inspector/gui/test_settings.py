"""What is remembered between two starts."""

from __future__ import annotations

from inspector.gui.settings import MAX_RECENT, Settings


def test_values_survive_a_restart(settings, tmp_path):
    settings.set_text("theme", "dark")
    settings.set_data("columns", ["type", "tags"])
    settings.save()
    again = Settings(tmp_path / "desktop.ini")
    assert again.text("theme") == "dark"
    assert again.data("columns") == ["type", "tags"]


def test_what_cannot_be_read_is_as_if_it_had_never_been_written(settings):
    settings.set_text("columns", "{not json")
    assert settings.data("columns", []) == []
    settings.set_data("recent", {"not": "a list"})
    assert settings.recent_stores() == []
    assert settings.state("window").isEmpty()


def test_recent_stores_are_the_last_ones_each_once(settings, tmp_path):
    paths = [tmp_path / f"{number}.db" for number in range(MAX_RECENT + 2)]
    for path in [*paths, paths[5]]:
        settings.remember_store(path)
    assert settings.recent_stores()[0] == paths[5]
    assert len(settings.recent_stores()) == MAX_RECENT


def test_they_are_kept_in_the_data_folder(home):
    home.mkdir()
    settings = Settings()
    settings.set_text("a", "b")
    settings.save()
    assert (home / "desktop.ini").exists()
