"""The query lab: a query, its answer with every setting, explanations, comparisons and why not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inspector.gui.viewmodels.profiles import Profiles
from inspector.gui.viewmodels.query_lab import QueryLabViewModel
from tests.inspector.gui.conftest import NOW

ASKED = "why do migrations hang"


@pytest.fixture
def viewmodel(after, opened):
    made = QueryLabViewModel(opened, Profiles(opened, opened))
    after(made.answered, lambda: made.set_text(ASKED))
    return made


def ids(shown):
    return [memory.id for memory in shown.answer.memories]


def test_a_query_is_answered_with_its_trace(viewmodel):
    assert viewmodel.shown.answer.query.text == ASKED
    assert [result.memory.id for result in viewmodel.shown.results] == ids(viewmodel.shown)
    assert viewmodel.shown.funnel
    assert viewmodel.now() == NOW


def test_an_empty_query_empties_the_answer(after, viewmodel):
    after(viewmodel.emptied, lambda: viewmodel.set_text("  "))
    assert viewmodel.shown is None
    assert viewmodel.now() is None


def test_only_the_last_of_many_queries_is_answered(qtbot, viewmodel):
    answers = []
    viewmodel.answered.connect(lambda shown: answers.append(shown.answer.query.text))
    for text in ("database", "pool", "deploy"):
        viewmodel.set_text(text)
    qtbot.waitUntil(lambda: answers != [])
    assert answers == ["deploy"]


def test_fewer_results_and_another_moment_change_the_answer(after, viewmodel):
    first = ids(viewmodel.shown)
    assert ids(after(viewmodel.answered, lambda: viewmodel.set_k(2))) == first[:2]
    shown = after(viewmodel.answered, lambda: viewmodel.set_as_of(NOW - timedelta(days=30)))
    assert shown.answer.query.now == NOW - timedelta(days=30)


def test_a_parameter_is_set_and_reset_to_the_profiles_own_value(after, viewmodel):
    parameter = next(each for each in viewmodel.profile_parameters() if isinstance(each.value, float))
    viewmodel.set_parameter(parameter.path, parameter.value / 2)
    assert viewmodel.question().parameters == {parameter.path: parameter.value / 2}
    viewmodel.set_parameter(parameter.path, parameter.value)
    assert viewmodel.question().parameters == {}
    viewmodel.set_parameter(parameter.path, parameter.value / 2)
    viewmodel.reset()
    assert viewmodel.parameters == {}


def test_another_profile_has_its_own_parameters(after, viewmodel):
    parameter = viewmodel.profile_parameters()[0]
    viewmodel.set_parameter(parameter.path, parameter.value)
    parameters = after(viewmodel.profile_parameters_changed, lambda: viewmodel.set_profile("oro"))
    assert [each.path for each in parameters] == [each.path for each in viewmodel.profile_parameters()]
    assert viewmodel.parameters == {}


def test_a_wrong_value_is_refused_with_a_sentence(after, viewmodel):
    assert after(viewmodel.refused, lambda: viewmodel.set_parameter("no.such.parameter", 1))


def test_a_result_is_explained(after, viewmodel):
    first = ids(viewmodel.shown)[0]
    assert after(viewmodel.explained, lambda: viewmodel.explain(first)).memory.id == first


def test_two_settings_are_compared(after, viewmodel):
    same = after(viewmodel.compared, viewmodel.use_as_a)
    other = after(viewmodel.compared, lambda: viewmodel.compare_with("oro"))
    assert same != other
    assert after(viewmodel.kept_changed, lambda: viewmodel.compare_with("oro")) == "oro"


def test_memories_are_found_to_ask_why_not_of(after, viewmodel):
    found = after(viewmodel.found, lambda: viewmodel.find("migration"))
    assert found
    first = ids(viewmodel.shown)[0]
    assert after(viewmodel.why_not_found, lambda: viewmodel.why_not(first)) is not None


def test_without_a_query_there_is_no_why_not(after, viewmodel):
    viewmodel.set_text("")
    assert after(viewmodel.refused, lambda: viewmodel.why_not(ids(viewmodel.shown)[0]))


def test_a_closed_store_answers_nothing(after, viewmodel, opened):
    after(viewmodel.emptied, opened.close)
    assert viewmodel.shown is None
