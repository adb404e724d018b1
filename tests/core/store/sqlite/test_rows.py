"""How rows are asked for by their ids."""

from __future__ import annotations

import apsw
from hypothesis import given
from hypothesis import strategies as st

from core.store.sqlite.rows import among


@given(st.lists(st.integers(-3, 9) | st.sampled_from([2**63, 2**70])))
def test_some_ids_are_found_and_no_others_whether_side_by_side_given_twice_or_none(ids):
    connection = apsw.Connection(":memory:")
    connection.execute("create table rows (id integer primary key)")
    connection.executemany("insert into rows values (?)", ((id,) for id in range(-2, 8)))
    condition, bindings = among("id", ids)
    found = {id for (id,) in connection.execute(f"select id from rows where {condition}", bindings)}
    assert found == set(ids) & set(range(-2, 8))
