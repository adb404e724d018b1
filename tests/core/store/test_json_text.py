"""What a store keeps as JSON comes back as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.json_text import from_json, strings, to_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(VALUES)
def test_every_value_is_compact_json_and_comes_back(value):
    assert to_json(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert from_json(to_json(value)) == value


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_json_has_no_number_for_is_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        to_json(value)


@given(st.lists(st.text()))
def test_a_list_of_texts_comes_back_however_long_and_as_often_as_it_is_asked_for(texts):
    assert strings(to_json(texts)) == strings(to_json(texts)) == tuple(texts)
