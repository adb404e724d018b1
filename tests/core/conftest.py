"""Stores of tests that are about one kind of search."""

from __future__ import annotations

import pytest

from core.store.sqlite import engine as store_module


@pytest.fixture
def cached_store(store, monkeypatch):
    """A store that is searched through the cache however small it is."""
    monkeypatch.setattr(store_module, "MIN_CACHED", 0)
    monkeypatch.setattr(store_module, "MIN_LARGE", 0)
    return store
