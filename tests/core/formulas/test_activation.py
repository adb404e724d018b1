"""Activation that spreads over links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import activation


def test_activation_spreads_as_it_is_drawn():
    arrivals = activation.spread({1: 0.80}, [(1, 2, 0.6), (2, 3, 0.5)], max_hops=2, decay_per_hop=0.5)
    values = {node: found[-1].value for node, found in arrivals.items()}
    assert values == {1: 0.80, 2: pytest.approx(0.24), 3: pytest.approx(0.06)}


def test_activation_goes_both_ways_stops_at_its_hops_and_keeps_the_best_path():
    edges = [(2, 1, 0.6), (3, 2, 0.5), (1, 3, 0.9), (4, 3, 1.0)]
    one = activation.spread({1: 1.0}, edges, max_hops=1, decay_per_hop=0.5)
    assert {node: found[-1].value for node, found in one.items()} == {1: 1.0, 2: 0.3, 3: 0.45}
    two = activation.spread({1: 1.0}, edges, max_hops=2, decay_per_hop=0.5)
    assert two[3][-1].value == 0.45
    assert two[4][-1].value == pytest.approx(0.225)


@given(
    st.dictionaries(st.integers(1, 8), st.floats(0, 1), min_size=1),
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8), st.floats(0, 1)), max_size=20),
    st.integers(0, 4),
)
def test_activation_never_exceeds_the_strongest_seed_nor_loses_a_seed(seeds, edges, hops):
    arrivals = activation.spread(seeds, edges, hops, 0.5)
    for node, value in seeds.items():
        assert arrivals[node][-1].value >= value
    assert max(found[-1].value for found in arrivals.values()) <= max(seeds.values())
