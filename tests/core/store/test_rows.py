"""What is written into a row as JSON, and how rows are asked for by their ids."""

from __future__ import annotations

import json

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.sqlite.rows import among, from_json, strings, to_json

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


@given(st.lists(st.integers(-3, 9) | st.sampled_from([2**63, 2**70])))
def test_some_ids_are_found_and_no_others_whether_side_by_side_given_twice_or_none(ids):
    connection = apsw.Connection(":memory:")
    connection.execute("create table rows (id integer primary key)")
    connection.executemany("insert into rows values (?)", ((id,) for id in range(-2, 8)))
    condition, bindings = among("id", ids)
    found = {id for (id,) in connection.execute(f"select id from rows where {condition}", bindings)}
    assert found == set(ids) & set(range(-2, 8))


@given(st.lists(st.text()))
def test_a_list_of_texts_comes_back_however_long_and_as_often_as_it_is_asked_for(texts):
    assert strings(to_json(texts)) == strings(to_json(texts)) == tuple(texts)
