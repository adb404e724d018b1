"""Searches by the cache and by the file, which must give the same answers."""

from __future__ import annotations

import struct
from contextlib import contextmanager

from core.model import Embedding, Filter, Space, Status
from core.search_types import FIELDS
from core.store.sqlite.connection import connect

SPACE = Space("test/eight", "1", 8, "abc", "content")
WEIGHTS = (dict.fromkeys(FIELDS, 1.0), {**dict.fromkeys(FIELDS, 0.0), "content": 1.0, "tags": 0.3})
ACTIVE = Filter(statuses=(Status.ACTIVE,))


def numbers(rng):
    return Embedding(struct.pack("<8f", *(rng.uniform(-1, 1) for _ in range(8))))


@contextmanager
def writing_by_hand(store):
    """What no operation of ours would do to a file."""
    connection = connect(store.path, writable=True)
    try:
        yield connection
    finally:
        connection.close()


def same_text(store, search, wanted=ACTIVE, limit=100):
    """Return what the cache finds, which must be what the file finds."""
    with store.read() as reader:
        found = reader.search_text(search, wanted, limit)
    with store.read(exact=True) as reader:
        assert found == reader.search_text(search, wanted, limit)
    return found


def matches(store, search):
    with store.read() as reader:
        return reader.search_text(search, ACTIVE, 100)


def same_vectors(store, vector, space, wanted=ACTIVE, limit=5):
    """Return the nearest that the cache finds, which must be those of the file."""
    with store.read() as reader:
        reader.search_vectors(vector, space, wanted, limit)
    store.wait_for_search_cache()
    with store.read() as reader:
        found = reader.search_vectors(vector, space, wanted, limit)
    with store.read(exact=True) as reader:
        assert found == reader.search_vectors(vector, space, wanted, limit)
    return found
