"""Evaluation: a golden set measured with several profiles, one query followed, sets from files and to them."""

from __future__ import annotations

import pytest

from core.services import evaluate
from core.services.workspace import Workspace
from inspector import sample as samples
from inspector.gui.viewmodels.evaluation import EvaluationViewModel
from inspector.gui.viewmodels.profiles import Profiles

QUERIES = 4
PAIR = ("inspector", "recursive-light")


@pytest.fixture
def judged(sample, tmp_path):
    """A few judged queries in a file, and in the sample as the set `few`."""
    path = tmp_path / "few.jsonl"
    lines = samples.judged_queries().read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:QUERIES]), "utf-8")
    with Workspace.open(sample) as workspace:
        evaluate.import_judgements(workspace, path, "few", judge="person")
    return path


@pytest.fixture
def viewmodel(after, judged, opened):
    made = EvaluationViewModel(opened, Profiles(opened, opened))
    after(made.sets_changed, made.look)
    return made


@pytest.fixture
def report(after, viewmodel):
    viewmodel.select_profiles(PAIR)
    return after(viewmodel.reported, viewmodel.run)


def test_a_store_without_a_golden_set_offers_that_of_the_sample(after, opened):
    viewmodel = EvaluationViewModel(opened, Profiles(opened, opened))
    assert after(viewmodel.sets_changed, viewmodel.look) == {}
    assert viewmodel.offers_sample


def test_the_golden_sets_are_listed_with_their_queries(viewmodel):
    assert {name: queries for name, (queries, _) in viewmodel.sets.items()} == {"few": QUERIES}
    assert (viewmodel.golden_set, viewmodel.can_write) == ("few", True)
    viewmodel.select_set("none of this name")
    assert viewmodel.golden_set == "few"


def test_profiles_are_measured_on_the_set_and_the_first_is_compared_with_none(viewmodel, report):
    assert [(line.profile, line.queries, line.difference is None) for line in report.lines] == [
        (PAIR[0], QUERIES, True),
        (PAIR[1], QUERIES, False),
    ]
    assert viewmodel.measured is report.measured
    assert not viewmodel.is_outdated


def test_another_metric_is_compared_without_measuring_again(after, viewmodel, report):
    other = after(viewmodel.reported, lambda: viewmodel.set_metric("mrr"))
    assert (other.metric, other.measured) == ("mrr", report.measured)


def test_one_query_is_followed_into_both_answers_and_a_memory_explained(after, viewmodel, report):
    listed = after(viewmodel.listed, lambda: viewmodel.compare(*PAIR))
    assert len(listed) == QUERIES
    sides = after(viewmodel.sides_shown, lambda: viewmodel.show_query(listed[0], *PAIR))
    assert [side.profile for side in sides] == list(PAIR)
    memory = sides[0].places[0].memory
    explained = after(viewmodel.explained, lambda: viewmodel.explain(memory.id))
    assert [each.memory.id for each in explained] == [memory.id, memory.id]


def test_fewer_than_two_profiles_are_refused(after, viewmodel):
    viewmodel.select_profiles(PAIR[:1])
    after(viewmodel.refused, viewmodel.run)
    assert not viewmodel.is_running


def test_a_change_of_the_store_marks_the_result_as_outdated(after, viewmodel, report, opened):
    after(viewmodel.running_changed, lambda: opened.remember("Pelle sings on Fridays", "fact"))
    assert viewmodel.is_outdated


def test_a_golden_set_goes_to_a_file_and_comes_from_one(after, viewmodel, opened, judged, tmp_path):
    path = tmp_path / "again.jsonl"
    after(opened.message, lambda: viewmodel.export_file(path))
    sets = after(viewmodel.sets_changed, lambda: viewmodel.import_file(path))
    assert sets["again"] == sets["few"]
    assert viewmodel.golden_set == "again"
