"""Names of version 0.1: accepted for parameters, and used for the hash of a run."""

from __future__ import annotations

import pytest

from core import profiles
from core.pipeline import former_names
from core.pipeline.parameters import parameters_of, with_parameters


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("bm25.times_k", "bm25.limit_per_k"),
        ("conflict.factor", "contradiction.factor"),
        ("threshold.least", "threshold.min"),
        ("normalise.most", "normalise.max"),
        ("bm25.limit", "bm25.limit"),
        ("conflict", "contradiction"),
        ("", ""),
    ],
)
def test_a_former_path_leads_to_the_present_parameter(former, present):
    assert former_names.present_path(former) == present


def test_a_parameter_is_set_by_its_former_name():
    changed = with_parameters(profiles.profile("openmem"), {"bm25.times_k": 7, "conflict.factor": 0.5})
    values = {each.path: each.value for each in parameters_of(changed)}
    assert (values["bm25.limit_per_k"], values["contradiction.factor"]) == (7, 0.5)


def test_a_steps_parameters_and_class_have_one_former_name_each():
    assert former_names.with_former_names({"limit_per_k": 2, "limit": 50}) == {"times_k": 2, "limit": 50}
    assert former_names.former_kind("LexicalEvidence") == "Words"
    assert former_names.former_kind("FullText") == "FullText"
    assert len(set(former_names.PARAMETERS.values())) == len(former_names.PARAMETERS)
