"""The embedding map: alike lies together, it is the same every time, and it never draws more than it should."""

from __future__ import annotations

import math
import struct
from datetime import timedelta
from itertools import pairwise

import pytest

from core import draft
from core.changes import Op
from core.model import Embedding
from core.services import projection
from core.services.embeddings import expected_space

CLUSTERS = 2


@pytest.fixture
def embedded(workspace, clock):
    """Forty memories in two tight groups, one day apart."""
    space = expected_space(workspace.model())
    assert space is not None
    for number in range(40):
        with workspace.store.transact(Op.IMPORT, "test") as transaction:
            kind = "fact" if number % CLUSTERS else "decision"
            memory = transaction.add_memory(
                draft.memory({"content": f"<b>note</b> {number}", "type": kind}, transaction.now)
            )
            vector = [0.0] * space.dimension
            vector[number % CLUSTERS] = 1.0
            vector[2] = 0.05 * math.sin(number)
            transaction.put_embedding(memory.id, space, Embedding(struct.pack(f"<{len(vector)}f", *vector)))
        clock.advance(timedelta(days=1))
    return workspace


def test_what_is_alike_lies_together(embedded):
    drawn = projection.embedding_map(embedded)
    assert drawn.embedded == len(drawn.points) == 40
    assert drawn.explained == pytest.approx(1.0)
    sides = {kind: {point.x > 0 for point in drawn.points if point.type == kind} for kind in ("fact", "decision")}
    assert sorted(map(sorted, sides.values())) == [[False], [True]]
    assert max(abs(point.x) for point in drawn.points) == pytest.approx(1.0)


def test_the_map_is_the_same_every_time_and_a_sample_is_spread_evenly(embedded):
    assert projection.embedding_map(embedded) == projection.embedding_map(embedded)
    sample = projection.embedding_map(embedded, most=10)
    ids = [point.id for point in sample.points]
    assert (len(ids), sample.embedded) == (10, 40)
    assert {after - before for before, after in pairwise(ids)} == {4}


def test_ages_are_named(embedded):
    assert {point.age for point in projection.embedding_map(embedded).points} == {
        "this week", "this month", "three months",
    }  # fmt: skip
    assert projection.age_band(4000) == "older"


def test_without_vectors_there_is_nothing_to_draw(workspace):
    assert projection.embedding_map(workspace).points == ()
