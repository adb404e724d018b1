"""The parameters of a profile: read from the fields of its steps, set by name, or refused in a sentence."""

from __future__ import annotations

import pytest
from ranking import BM25, profile_of, query_of

from core import profiles
from core.errors import UserError
from core.pipeline.parameters import parameters_of, refuse_overridden, with_parameters
from core.pipeline.stages.cut import TokenBudget


def test_parameters_are_set_by_name_from_text_or_values():
    changed = with_parameters(profiles.profile("oro"), {"decay.half_life_days": "14", "bm25.stemmed": "true"})
    values = {each.path: each.value for each in parameters_of(changed)}
    assert (values["decay.half_life_days"], values["bm25.stemmed"]) == (14.0, True)
    fused = with_parameters(profiles.profile("two-stage"), {"fuse.weights": [1, 1, 0, 0], "fuse.ranks": "ordinal"})
    assert fused.stages[0].weights == (1.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nothing.here", "1"),
        ("decay", "1"),
        ("decay.name", "x"),
        ("decay.half_life_days", "soon"),
        ("decay.half_life_days", "NaN"),
        ("decay.half_life_days", "Infinity"),
        ("bm25.limit", "-1"),
        ("bm25.limit", "0"),
        ("bm25.b", "1.5"),
        ("bm25.k1", "-1"),
        ("decay.half_life_days", "1" + "0" * 400),
        ("bm25.limit", "1.5"),
        ("bm25.limit", "1" + "0" * 30),
        ("bm25.stemmed", "perhaps"),
        ("bm25.content", "true"),
        ("budget.tokens", "[1]"),
    ],
)
def test_an_unknown_parameter_or_a_wrong_value_is_one_sentence(path, value):
    with pytest.raises(UserError) as refused:
        with_parameters(profiles.profile("oro"), {path: value})
    assert path in str(refused.value)


def test_the_parameters_are_the_fields_of_the_steps_in_their_order():
    found = parameters_of(profile_of(BM25, TokenBudget(tokens=7)))
    assert [each.path for each in found][-3:] == ["score.list", "budget.tokens", "budget.stop_at_first"]
    assert [each.value for each in found][-3:] == ["bm25", 7, False]
    assert all(each.field != "name" for each in found)


def test_without_a_change_the_profile_is_the_same():
    profile = profile_of(BM25)
    assert with_parameters(profile, {}) is profile
    assert with_parameters(profile, {"score.list": "vector"}) != profile


def test_a_parameter_that_the_query_overrides_is_refused(store):
    profile = profile_of(BM25, TokenBudget())
    refuse_overridden(profile, ["budget.tokens"], query_of(store))
    with pytest.raises(UserError, match="no effect here"):
        refuse_overridden(profile, ["budget.tokens"], query_of(store, token_budget=10))
