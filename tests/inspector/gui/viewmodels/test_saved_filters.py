"""Filters that outlast the program: saved by name, and the last one of each store."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.model import Filter, Status
from core.search_types import Selection
from inspector.gui.settings import MAX_RECENT, Settings
from inspector.gui.viewmodels.saved_filters import DEFAULT_SELECTION, LEFT, SAVED, SavedFilters

WANTED = Selection(
    filter=Filter(types=("fact", "decision"), statuses=(Status.ARCHIVED,), tags=("db",)), text="pool",
    min_confidence=0.5, max_age_days=30.0, never_recalled=True,
)  # fmt: skip


@pytest.fixture
def filters(settings):
    return SavedFilters(settings)


def test_a_saved_filter_is_read_back_by_another_run_of_the_program(settings, tmp_path):
    SavedFilters(settings).save("mine", WANTED)
    settings.save()
    assert SavedFilters(Settings(tmp_path / "desktop.ini")).saved() == {"mine": WANTED}


def test_a_filter_of_the_same_name_replaces_the_first_and_one_is_removed_by_name(filters):
    filters.save("one", WANTED)
    filters.save("two", DEFAULT_SELECTION)
    filters.save("one", DEFAULT_SELECTION)
    assert filters.saved() == {"one": DEFAULT_SELECTION, "two": DEFAULT_SELECTION}
    filters.forget("two")
    filters.forget("never saved")
    assert list(filters.saved()) == ["one"]


def test_each_store_has_its_own_last_filter_and_a_new_one_shows_active_memories(filters):
    filters.leave(Path("a.db"), WANTED)
    assert filters.left_with(Path("a.db")) == WANTED
    assert filters.left_with(Path("b.db")) == DEFAULT_SELECTION


def test_only_the_latest_stores_are_kept(filters):
    for number in range(MAX_RECENT + 1):
        filters.leave(Path(f"{number}.db"), WANTED)
    assert filters.left_with(Path("0.db")) == DEFAULT_SELECTION
    assert filters.left_with(Path("1.db")) == WANTED


@pytest.mark.parametrize("kept", [None, "text", [1], {"a": "text", "b": {}, "c": {"text": "x"}, "d": None}])
def test_what_cannot_be_read_is_as_if_it_was_never_saved(settings, filters, kept):
    settings.set_data(SAVED, kept)
    settings.set_data(LEFT, kept)
    assert filters.saved() == {}
    assert filters.left_with(Path("a")) == DEFAULT_SELECTION
