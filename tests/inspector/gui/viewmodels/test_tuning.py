"""Tuning: values to try, the best ones found, and a profile saved from them."""

from __future__ import annotations

import pytest

from core.services import evaluate, profiles
from core.services.workspace import Workspace
from inspector import sample as samples
from inspector.gui.viewmodels.evaluation import EvaluationViewModel
from inspector.gui.viewmodels.profiles import Profiles
from inspector.gui.viewmodels.tuning import TuningViewModel

QUERIES = 4


@pytest.fixture
def viewmodel(after, sample, opened, tmp_path):
    path = tmp_path / "few.jsonl"
    lines = samples.judged_queries().read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:QUERIES]), "utf-8")
    with Workspace.open(sample) as workspace:
        evaluate.import_judgements(workspace, path, "few", judge="person")
    known = Profiles(opened, opened)
    evaluation = EvaluationViewModel(opened, known, opened)
    after(evaluation.sets_changed, evaluation.look)
    made = TuningViewModel(opened, known, evaluation)
    made.set_base("recursive-light")
    return made


@pytest.fixture
def parameter(viewmodel):
    return next(each for each in viewmodel.parameters() if isinstance(each.value, float))


def test_only_published_profiles_are_tuned_and_each_has_parameters_of_its_own(viewmodel, parameter):
    assert viewmodel.profiles() == [each.name for each in profiles.published()]
    (oro,) = (each for each in profiles.published() if each.name == "oro")
    assert parameter.path in {each.path for each in viewmodel.parameters()}
    viewmodel.set_base("oro")
    assert {each.path for each in viewmodel.parameters()} == {each.path for each in profiles.parameters(oro)}


def test_values_are_checked_before_anything_runs(after, viewmodel, parameter):
    assert after(viewmodel.space_changed, lambda: viewmodel.vary(parameter.path, "0.1, 0.2")) == {
        parameter.path: [0.1, 0.2]
    }
    for path, written in ((parameter.path, "words"), ("no.such.parameter", "1"), (parameter.path, " , ")):
        after(viewmodel.refused, lambda path=path, written=written: viewmodel.vary(path, written))
    assert viewmodel.space == {parameter.path: [0.1, 0.2]}


def test_a_parameter_is_left_alone_again_and_another_base_begins_anew(after, viewmodel, parameter):
    after(viewmodel.space_changed, lambda: viewmodel.vary(parameter.path, "0.1"))
    assert after(viewmodel.space_changed, lambda: viewmodel.remove(parameter.path)) == {}
    after(viewmodel.space_changed, lambda: viewmodel.vary(parameter.path, "0.1"))
    assert after(viewmodel.space_changed, lambda: viewmodel.set_base("oro")) == {}


def test_the_best_values_are_found_saved_as_a_profile_and_undone(after, viewmodel, parameter, opened, sample):
    after(viewmodel.space_changed, lambda: viewmodel.vary(parameter.path, "0.1, 0.2"))
    tuning = after(viewmodel.found, viewmodel.run)
    assert tuning.best.values[parameter.path] in (0.1, 0.2)
    assert viewmodel.can_save
    assert after(viewmodel.saved, lambda: viewmodel.save("mine")) == "mine"
    with Workspace.open(sample, read_only=True) as workspace:
        assert [each.name for each in profiles.saved(workspace)] == ["mine"]
    after(viewmodel.refused, lambda: viewmodel.save("Not A Name"))
    after(opened.changed, opened.undo)
    with Workspace.open(sample, read_only=True) as workspace:
        assert profiles.saved(workspace) == []


def test_nothing_to_try_is_refused(after, viewmodel):
    after(viewmodel.refused, viewmodel.run)
    assert viewmodel.tuned is None
