"""A profile: its hash, its parameters, and the lists that its stages rank by."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ranking import BM25, profile_of

from core import profiles
from core.errors import UserError
from core.pipeline.stages.cut import TopK
from core.pipeline.stages.filter import MinimumScore
from core.pipeline.stages.fuse import ReciprocalRankFusion


def test_a_hash_is_of_the_parameters_and_the_name():
    one = profile_of(BM25, TopK())
    assert one.parameters_hash == replace(one, about="another text").parameters_hash
    other = profile_of(BM25, MinimumScore(min=0.1)), profile_of(BM25, TopK(), name="other")
    assert len({each.parameters_hash for each in (one, *other)}) == 3


every_profile = pytest.mark.parametrize("profile_name", [profile.name for profile in profiles.PROFILES])


@every_profile
def test_other_parameters_have_another_hash(profile_name):
    profile = profiles.profile(profile_name)
    assert profile.parameters_hash == replace(profile).parameters_hash
    assert len({each.parameters_hash for each in profiles.PROFILES}) == len(profiles.PROFILES)


def test_the_parameters_of_each_step_are_there_by_its_name():
    assert profile_of(BM25, MinimumScore(min=0.1)).parameters["threshold"] == {"min": 0.1}


def test_a_stage_that_ranks_by_a_list_that_no_source_makes_is_refused():
    profile_of(ReciprocalRankFusion(lists=("bm25", "recency", "access"), weights=(1, 1, 1))).refuse_unknown_lists()
    with pytest.raises(UserError, match="The stage fuse uses a list 'vector'; there are access, bm25, recency"):
        profile_of(ReciprocalRankFusion()).refuse_unknown_lists()
