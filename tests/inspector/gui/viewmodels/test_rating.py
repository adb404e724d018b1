"""Rating results: grades into a golden set, undone here first, and nothing else written."""

from __future__ import annotations

import pytest

from core.services import ratings
from core.services.workspace import Workspace
from inspector.gui.viewmodels.profiles import Profiles
from inspector.gui.viewmodels.query_lab import QueryLabViewModel
from inspector.gui.viewmodels.rating import RatingViewModel

ASKED = "why do migrations hang"


@pytest.fixture
def lab(opened):
    return QueryLabViewModel(opened, Profiles(opened, opened), opened)


@pytest.fixture
def viewmodel(qtbot, opened, lab):
    made = RatingViewModel(opened, lab)
    with qtbot.waitSignals([lab.answered, made.rated]):
        lab.set_text(ASKED)
    return made


@pytest.fixture
def first(viewmodel, lab):
    return lab.shown.answer.memories[0]


def grades(path, golden_set="golden"):
    with Workspace.open(path, read_only=True) as workspace:
        return {uid: each.grade for uid, each in ratings.judgements_of_query(workspace, golden_set, ASKED).items()}


def rate(after, viewmodel, memory, grade):
    return after(viewmodel.rated, lambda: viewmodel.rate(memory, grade))


def test_a_grade_is_shown_at_once_and_written(after, viewmodel, first, sample):
    progress = rate(after, viewmodel, first, 2)
    assert (viewmodel.grade(first), grades(sample)) == (2, {first.uid: 2})
    assert (progress.judged, progress.relevant, progress.missed) == (1, 1, 0)
    rate(after, viewmodel, first, None)
    assert (viewmodel.grade(first), grades(sample)) == (None, {})


def test_undo_and_redo_are_of_the_last_rating(after, viewmodel, first, sample):
    assert (viewmodel.undo(), viewmodel.redo()) == (False, False)
    rate(after, viewmodel, first, 1)
    rate(after, viewmodel, first, 2)
    after(viewmodel.rated, viewmodel.undo)
    assert grades(sample) == {first.uid: 1}
    after(viewmodel.rated, viewmodel.redo)
    assert grades(sample) == {first.uid: 2}


def test_after_another_change_undo_is_not_of_a_rating(after, viewmodel, first, opened):
    rate(after, viewmodel, first, 1)
    after(opened.changed, lambda: opened.remember("Pelle sings on Fridays", "fact"))
    assert not viewmodel.undo()


def test_each_set_has_its_own_grades(qtbot, after, viewmodel, first, sample):
    rate(after, viewmodel, first, 1)
    after(viewmodel.rated, lambda: viewmodel.select_set(" support "))
    assert (viewmodel.golden_set, viewmodel.grade(first)) == ("support", None)
    viewmodel.rate(first, 2)
    qtbot.waitUntil(lambda: grades(sample, "support") == {first.uid: 2})
    assert grades(sample) == {first.uid: 1}


def test_without_an_answer_or_a_writable_store_nothing_is_rated(after, viewmodel, first, lab, opened, sample):
    after(lab.emptied, lambda: lab.set_text(""))
    assert not viewmodel.can_rate
    after(opened.failed, lambda: viewmodel.rate(first, 1))
    after(opened.opened, lambda: opened.open_read_only(sample))
    after(opened.failed, lambda: viewmodel.rate(first, 1))
    assert grades(sample) == {}
