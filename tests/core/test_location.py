"""A store is a file; a URL is refused by name, and without what it may hold of a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import CannotOpen, Fault
from core.location import StoreLocation
from core.store import engines


@pytest.mark.parametrize("named", ["store.db", "/tmp/a b/store.db", "C:/stores/store.db", "odd:name.db", "~/store.db"])
def test_a_path_is_the_location_of_a_file(named):
    assert StoreLocation(named).scheme == ""
    assert StoreLocation(named).file == named
    assert StoreLocation(named).path == Path(named)
    assert str(StoreLocation(named)) == named


def test_a_url_is_shown_by_its_scheme_alone():
    assert str(StoreLocation("postgresql://person:hunter2@host/memories")) == "postgresql://…"


@pytest.mark.parametrize("scheme", ["postgresql", "PostgreSQL", "mysql", "file", "sqlite+x"])
def test_a_url_is_refused_in_one_sentence_that_shows_nothing_but_its_scheme(scheme, tmp_path):
    url = f"{scheme}://person:hunter2@host/memories"
    for attempt in (
        lambda: engines.open_store(url, backups=tmp_path),
        lambda: engines.create_store(url, backups=tmp_path),
        lambda: engines.create_filled(url, lambda store: None, backups=tmp_path),
    ):
        with pytest.raises(CannotOpen, match="only files can be opened by this version") as refused:
            attempt()
        assert refused.value.fault is Fault.NOT_A_FILE
        assert str(refused.value).startswith(f"A store at {scheme.lower()}://")
        assert "hunter2" not in str(refused.value)
    assert list(tmp_path.glob("**/*.db")) == []
