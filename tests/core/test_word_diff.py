"""How a text became another, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core import word_diff

TEXTS = st.text(alphabet="ab \n", max_size=30)


def test_only_the_words_that_changed_are_marked_as_changed():
    assert word_diff.pieces("port 80 is open", "port 8080 is open") == [
        ("same", "port "), ("gone", "80 "), ("new", "8080 "), ("same", "is open"),
    ]  # fmt: skip
    assert word_diff.pieces("the same", "the same") == [("same", "the same")]
    assert word_diff.pieces("", "new") == [("new", "new")]


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_the_pieces(old, new):
    pieces = word_diff.pieces(old, new)
    assert "".join(words for kind, words in pieces if kind != "new") == old
    assert "".join(words for kind, words in pieces if kind != "gone") == new


def test_where_too_much_has_changed_the_middle_is_one_change():
    old, new = (f"begin {' '.join(f'{letter}{n}' for n in range(1_100))} end" for letter in "ab")
    assert [kind for kind, _ in word_diff.pieces(old, new)] == ["same", "gone", "new", "same"]
