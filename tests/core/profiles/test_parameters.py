"""Each profile has the parameters of its document, and each can be set, or is refused in a sentence."""

from __future__ import annotations

import pytest

from core import profiles
from core.errors import UserError
from core.pipeline.parameters import parameters_of, with_parameters


def test_every_document_parameter_is_what_the_issue_says():
    values = {(p.name, each.path): each.value for p in profiles.PROFILES for each in parameters_of(p)}
    assert values["oro", "normalise.divisor"] == 25
    assert values["oro", "decay.half_life_days"] == 30
    assert values["oro", "budget.tokens"] == 500
    assert values["oro-hybrid", "fuse.k"] == 60
    assert values["oro-hybrid", "threshold.least"] == 0.01
    assert values["two-stage", "bm25.limit"] == 50
    assert values["two-stage", "recent.limit"] == 200
    assert values["two-stage", "fuse.ranks"] == "dense"
    assert values["recursive-light", "bm25.k1"] == 1.5
    assert values["recursive-light", "bm25.stemmed"] is True
    assert values["recursive-light-semantic", "bm25.limit"] == values["recursive-light-semantic", "vector.limit"] == 10
    assert profiles.profile("robotmem").most_k == 100


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


def test_an_unknown_profile_names_the_known():
    with pytest.raises(UserError, match="there are inspector, oro"):
        profiles.profile("google")
