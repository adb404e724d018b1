"""What is purged is gone from the bytes of the file."""

from __future__ import annotations

from pathlib import Path

from purge_steps import LATER, SECRET, purged_pair
from store_steps import vector


def bytes_on_disk(store) -> bytes:
    """The file, its write-ahead log and its index of it."""
    beside = store.path.parent.glob(store.path.name + "*")
    return b"".join(Path(each).read_bytes() for each in beside)


def test_no_word_of_it_is_left_in_the_file_or_its_log(store):
    purged_pair(store)
    left = bytes_on_disk(store).lower()
    for word in f"{SECRET} {LATER} snicker-snack Bandersnatch Frumious".lower().split():
        assert word.encode() not in left, word
        assert word[:5].encode() not in left, word  # the index compresses what words begin with
    assert vector(0.123, 0.456, 0.789, 0.321).vector not in left
    assert vector(0.9, 0.8, 0.7, 0.6).vector not in left
