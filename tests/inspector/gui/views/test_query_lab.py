"""A journey through the query lab: ask, set parameters, read why, compare; and nothing in the store changes."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from core.services import curate, query
from core.services import lab as lab_service
from core.services.query import Question
from core.services.workspace import Workspace
from inspector.gui.models import plain_text

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def lab(on_sample):
    on_sample.query_lab()
    return on_sample.query_view


@pytest.fixture
def viewmodel(on_sample):
    return on_sample.query_viewmodel


def asked(qtbot, lab, viewmodel, text="why do migrations hang"):
    with qtbot.waitSignal(viewmodel.explained):
        qtbot.keyClicks(lab.query, text)
        qtbot.keyClick(lab.query, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: viewmodel.shown is not None and viewmodel.shown.answer.question.text == text)
    qtbot.waitUntil(lambda: not viewmodel._throttle.isActive())


def answered_anew(qtbot, viewmodel, do):
    do()
    qtbot.waitUntil(lambda: viewmodel.shown.answer.question == viewmodel.question())


def test_results_appear_during_typing_without_enter(qtbot, lab, viewmodel):
    with qtbot.waitSignal(viewmodel.answered):
        qtbot.keyClicks(lab.query, "postgres")
    qtbot.waitUntil(lambda: viewmodel.shown.answer.question.text == "postgres")
    assert lab.results.rowCount() == len(viewmodel.shown.results) > 3
    answered_anew(qtbot, viewmodel, lambda: qtbot.keyClicks(lab.query, " x"))
    lab.query.clear()
    qtbot.waitUntil(lambda: lab.results.rowCount() == 0)


def test_the_window_ranks_as_the_service_does(qtbot, lab, viewmodel, sample, clock):
    asked(qtbot, lab, viewmodel)
    with Workspace.open(sample, read_only=True) as workspace:
        question = Question(text="why do migrations hang", as_of=viewmodel.shown.answer.query.now)
        expected = [(result.id, result.value) for result in query.ask(workspace, question).ranking.results]
    assert [(row.memory.id, row.score) for row in lab.results.rows] == expected


def test_looking_changes_not_a_byte(qtbot, lab, viewmodel, on_sample, sample):
    qtbot.waitUntil(lambda: on_sample.status.memories.text() != "")
    before = sample.read_bytes()
    asked(qtbot, lab, viewmodel)
    lab.show_page("why-not")
    with qtbot.waitSignal(viewmodel.why_not_found, timeout=20_000):
        viewmodel.why_not(viewmodel.shown.lost[0].memory.id)
    assert sample.read_bytes() == before
    assert lab.badge.isVisible()
    assert lab.badge.text() == "Read-only: queries here do not change the store"


def test_the_selected_result_is_explained_down_to_its_words(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    tree = lab.explanation.tree_model
    assert tree.index(0, 0).data() == "score after decay"
    assert lab.explanation.title.text().startswith("Rank 1:")
    with qtbot.waitSignal(viewmodel.explained):
        lab.table.setFocus()
        qtbot.keyClick(lab.table, Qt.Key.Key_Down)
    assert lab.explanation.title.text().startswith("Rank 2:")
    names = [tree.index(row, 0).data() for row in range(tree.rowCount())]
    assert "BM25" in names


def test_a_profile_brings_its_own_knobs(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    answered_anew(qtbot, viewmodel, lambda: lab.profile.setCurrentText("oro"))
    assert viewmodel.shown.answer.profile.name == "oro"
    assert lab.form.control("decay.half_life_days").text() == "30"
    assert lab.form.control("min_score.least" if "min_score.least" in lab.form._controls else "normalise.divisor")


def test_every_knob_of_every_profile_has_a_control_with_its_default(qtbot, lab, viewmodel):
    for name, _ in viewmodel.profiles():
        lab.profile.setCurrentText(name)
        for parameter in viewmodel.profile_parameters():
            assert lab.form.control(parameter.path).accessibleName() == parameter.path
    assert viewmodel.parameters == {}


def test_a_turned_knob_changes_the_answer_and_goes_back(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    answered_anew(qtbot, viewmodel, lambda: lab.profile.setCurrentText("cc-v3"))
    before = [row.score for row in lab.results.rows]
    control = lab.form.control("fuse.k")
    answered_anew(qtbot, viewmodel, lambda: control.setValue(10.0))
    assert viewmodel.parameters == {"fuse.k": 10.0}
    assert [row.score for row in lab.results.rows] != before
    assert lab.reset_all.isEnabled()
    assert lab.form._resets["fuse.k"].isVisible()
    answered_anew(qtbot, viewmodel, lambda: qtbot.mouseClick(lab.form._resets["fuse.k"], LEFT))
    assert viewmodel.parameters == {}
    assert [row.score for row in lab.results.rows] == before
    assert not lab.reset_all.isEnabled()


def test_a_value_that_cannot_be_is_refused_with_a_sentence(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    line = lab.form.control("words.weights")
    line.setText("not a list")
    with qtbot.waitSignal(viewmodel.refused):
        line.editingFinished.emit()
    assert "words.weights must be" in lab.warning.text()
    answered_anew(qtbot, viewmodel, lambda: qtbot.mouseClick(lab.reset_all, LEFT))
    assert lab.form.control("words.weights").text() == "[0.7, 0.3]"


def test_as_of_another_day_ages_are_of_that_day(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    now = viewmodel.shown.answer.query.now
    answered_anew(qtbot, viewmodel, lambda: lab.as_of_on.setChecked(True))
    assert lab.as_of.isVisible()
    answered_anew(qtbot, viewmodel, lambda: lab.as_of.setDateTime(lab.as_of.dateTime().addDays(400)))
    assert (viewmodel.shown.answer.query.now - now).days in (399, 400)
    answered_anew(qtbot, viewmodel, lambda: lab.as_of_on.setChecked(False))
    assert viewmodel.shown.answer.query.now == now


@pytest.fixture
def in_tokyo(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_as_of_is_a_moment_in_the_users_own_zone_as_every_moment_shown(qtbot, in_tokyo, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    now = viewmodel.shown.answer.query.now
    answered_anew(qtbot, viewmodel, lambda: lab.as_of_on.setChecked(True))
    assert lab.as_of.text() == plain_text.minute(now)
    assert viewmodel.shown.answer.query.now == now.replace(microsecond=0)


def test_fewer_results_drop_the_others_with_a_reason(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    answered_anew(qtbot, viewmodel, lambda: lab.k.setValue(2))
    assert lab.results.rowCount() == 2
    assert lab.lost.model.rowCount() == viewmodel.shown.lost_in_all > 0
    assert lab.lost.model.row(0).reason.kind == "outranked"
    assert "outranked" in lab.funnel.accessibleDescription()
    lab.show_page("dropped")
    with qtbot.waitSignal(viewmodel.why_not_found, timeout=20_000):
        lab.lost.table.activated.emit(lab.lost.model.index(0, 0))
    assert lab.tabs.currentWidget() is lab.why_not
    assert "would return it at rank" in lab.why_not.changes.toPlainText()


def test_why_not_is_asked_of_any_memory_that_is_found(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    lab.show_page("why-not")
    with qtbot.waitSignal(viewmodel.found):
        qtbot.keyClicks(lab.why_not.field, "emoji")
    qtbot.waitUntil(lambda: lab.why_not.found.rowCount() == 1)
    with qtbot.waitSignal(viewmodel.why_not_found, timeout=20_000):
        lab.why_not.list.clicked.emit(lab.why_not.found.index(0, 0))
    assert lab.why_not.sentence.text().startswith("Dropped at")


def test_two_settings_are_compared_with_every_change_of_rank(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    lab.show_page("compare")
    with qtbot.waitSignal(viewmodel.compared):
        qtbot.mouseClick(lab.compare.keep, LEFT)
    assert lab.compare.kept.text() == "A is inspector; B is the current settings."
    assert {row.move for row in lab.compare.model.rows} == {0}
    with qtbot.waitSignal(viewmodel.compared):
        lab.profile.setCurrentText("recursive-light")
    assert any(row.move or row.rank_a is None or row.rank_b is None for row in lab.compare.model.rows)
    shown = {lab.compare.model.index(row, 2).data() for row in range(lab.compare.model.rowCount())}
    assert shown - {"="}
    with qtbot.waitSignal(viewmodel.compared):
        lab.compare.profile.setCurrentText("oro")
        lab.compare.profile.textActivated.emit("oro")
    assert lab.compare.kept.text() == "A is oro; B is the current settings."


def test_the_prompt_is_the_one_an_agent_would_get_with_its_budget(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    assert lab.prompt.text.toPlainText() == viewmodel.shown.answer.prompt
    assert "of 2,000" in lab.prompt.tokens.text()
    answered_anew(qtbot, viewmodel, lambda: lab.budget.setValue(120))
    assert "of 120" in lab.prompt.tokens.text()
    assert lab.prompt.bar.maximum() == 120


def test_a_line_of_the_flow_is_lit_and_leads_to_its_memory(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    lab.show_page("flow")
    chart = lab.flow
    line = chart._flow.lines[0]
    at = chart._points(line)[-1]
    move = QMouseEvent(
        QMouseEvent.Type.MouseMove, at, QPointF(), Qt.MouseButton.NoButton, Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    chart.mouseMoveEvent(move)
    assert chart._near is line
    with qtbot.waitSignal(chart.memory_wanted) as wanted:
        qtbot.mouseClick(chart, LEFT, pos=at.toPoint())
    assert wanted.args == [line.id]


def test_the_bars_of_all_results_are_of_one_scale(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    assert lab._bars.numbers
    assert lab._bars._longest == max(row.breakdown.before for row in lab.results.rows)
    assert lab.results.index(0, 1).data(Qt.ItemDataRole.ToolTipRole).startswith("<qt>score")


def test_a_part_of_the_score_keeps_its_colour_from_question_to_question(qtbot, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    first = dict(lab._bars.numbers)
    assert first["words"] == 0
    assert len(set(first.values())) == len(first) > 1
    answered_anew(qtbot, viewmodel, lambda: viewmodel.set_text("what runs at Linden Court in November"))
    second = lab._bars.numbers
    assert second.keys() != first.keys()
    assert {name: second[name] for name in second.keys() & first} == {
        name: first[name] for name in second.keys() & first
    }


def test_enter_on_a_result_opens_it_in_browse(qtbot, lab, viewmodel, on_sample):
    asked(qtbot, lab, viewmodel)
    wanted = lab.results.row(1).memory.id
    lab.table.selectRow(1)
    lab.table.activated.emit(lab.results.index(1, 0))
    assert on_sample.work.currentWidget() is on_sample.browse_view
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == wanted)


def test_only_the_last_of_many_questions_is_answered(qtbot, lab, viewmodel):
    texts = []
    viewmodel.answered.connect(lambda shown: texts.append(shown.answer.question.text))
    for text in ("a", "postgres", "redis", "lockers"):
        viewmodel.text = text
        viewmodel.ask_now()
    qtbot.waitUntil(lambda: texts != [])
    assert texts == ["lockers"]


def test_the_explanation_is_of_the_very_answer_that_the_table_shows(qtbot, on_sample, lab, viewmodel, sample):
    asked(qtbot, lab, viewmodel)
    shown, last = viewmodel.shown, lab.results.row(lab.results.rowCount() - 1)
    first = lab.results.row(0).memory.id
    with Workspace.open(sample) as other:  # the store moves on before the explanation is asked for
        curate.forget(other, [first], actor="agent")
    explained = lab_service.explain(on_sample.store._workspace, shown, last.memory.id)
    assert (explained.rank, explained.score.value) == (last.rank, last.score)
    assert explained.answer is shown.answer


def test_ctrl_a_in_the_results_chooses_them_and_leaves_browse_alone(qtbot, on_sample, lab, viewmodel):
    asked(qtbot, lab, viewmodel)
    lab.table.setFocus()
    qtbot.waitUntil(lab.table.hasFocus)
    on_sample.do("select_all")
    assert on_sample.work.currentWidget() is lab
    assert not on_sample.browse_viewmodel.is_all_selected
    assert lab.targets().ids == tuple(row.memory.id for row in lab.results.rows)
