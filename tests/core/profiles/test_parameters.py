"""Each profile has the parameters of its document, and each can be set, or is refused in a sentence."""

from __future__ import annotations

import pytest

from core import profiles
from core.errors import UserError
from core.pipeline.parameters import parameters_of


def test_every_document_parameter_is_what_the_issue_says():
    values = {(p.name, each.path): each.value for p in profiles.PROFILES for each in parameters_of(p)}
    assert values["oro", "normalise.divisor"] == 25
    assert values["oro", "decay.half_life_days"] == 30
    assert values["oro", "budget.tokens"] == 500
    assert values["oro-hybrid", "fuse.k"] == 60
    assert values["oro-hybrid", "threshold.min"] == 0.01
    assert values["two-stage", "bm25.limit"] == 50
    assert values["two-stage", "recent.limit"] == 200
    assert values["two-stage", "fuse.ranks"] == "dense"
    assert values["recursive-light", "bm25.k1"] == 1.5
    assert values["recursive-light", "bm25.stemmed"] is True
    assert values["recursive-light-semantic", "bm25.limit"] == values["recursive-light-semantic", "vector.limit"] == 10
    assert profiles.profile("robotmem").max_k == 100


def test_an_unknown_profile_names_the_known():
    with pytest.raises(UserError, match="there are inspector, oro"):
        profiles.profile("google")
