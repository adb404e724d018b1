"""What a source and a stage share: parameters from fields, weights for lists, and what was gathered."""

from __future__ import annotations

import pytest

from core.errors import UserError
from core.model import MemoryId
from core.pipeline.stage import GatherState, SourceResult, parameters, weighted
from core.pipeline.stages.cut import TokenBudget


def test_the_parameters_of_a_step_are_its_fields_without_the_name():
    assert parameters(TokenBudget(name="mine", tokens=7)) == {"tokens": 7, "stop_at_first": False}


def test_every_list_has_its_weight():
    assert weighted("fuse", ("bm25", "vector"), (0.7, 0.3)) == (("bm25", 0.7), ("vector", 0.3))
    with pytest.raises(UserError, match=r"fuse\.weights must be 2 numbers, one for each list: bm25, vector"):
        weighted("fuse", ("bm25", "vector"), (1.0,))


def test_what_sources_find_adds_up_by_name():
    first = SourceResult(scores={MemoryId(1): 2.0})
    second = SourceResult(also=frozenset({MemoryId(2)}))
    state = GatherState().with_list("bm25", first).with_list("links", second)
    assert state.ids == {1, 2}
    assert dict(state.lists) == {"bm25": first, "links": second}
    assert GatherState().ids == frozenset()


def test_a_whole_number_is_the_same_parameter_as_the_number_it_equals():
    from core.pipeline.stages.fuse import ReciprocalRankFusion

    whole = parameters(ReciprocalRankFusion(k=61))
    assert (whole["k"], type(whole["k"])) == (61.0, float)
    assert repr(parameters(ReciprocalRankFusion(k=61.0))) == repr(whole)
