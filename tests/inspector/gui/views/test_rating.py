"""A journey through rating: results into a golden set by click and key, what was not returned too, and back again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt

from core.services import evaluate, profiles, ratings
from core.services.workspace import Workspace

LEFT = Qt.MouseButton.LeftButton
ASKED = "why do migrations hang"
GRADE = 6  # the column


@pytest.fixture
def lab(qtbot, on_sample):
    on_sample.query_lab()
    view, viewmodel = on_sample.query_view, on_sample.query_viewmodel
    with qtbot.waitSignal(on_sample.rating_viewmodel.rated):
        view.ask(ASKED)
    qtbot.waitUntil(lambda: viewmodel.shown is not None and not viewmodel._throttle.isActive())
    return view


@pytest.fixture
def rating(on_sample):
    return on_sample.rating_viewmodel


def rated(qtbot, rating, do):
    with qtbot.waitSignal(rating.rated):
        do()
    qtbot.waitUntil(lambda: not rating._under_way)


def click_mark(qtbot, table, model, row, number):
    index = model.index(row, model.columnCount() - 1)
    table.scrollTo(index)
    area = QRectF(table.visualRect(index))
    place = table.itemDelegateForIndex(index).mark(area, number).center().toPoint()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)


def kept(path, golden_set="golden"):
    with Workspace.open(path, read_only=True) as other:
        return {uid: each.grade for uid, each in ratings.judgements_of_query(other, golden_set, ASKED).items()}


def test_a_click_rates_a_second_one_takes_it_back(qtbot, lab, rating, sample):
    uid = lab.results.row(0).memory.uid
    rated(qtbot, rating, lambda: click_mark(qtbot, lab.table, lab.results, 0, 1))
    assert lab.results.index(0, GRADE).data() == "relevant"
    assert kept(sample) == {uid: 1}
    assert "nDCG@10 1.000" in lab.rating.note.text()
    assert "1 of 1 relevant returned" in lab.rating.note.text()
    assert "by person" in lab.results.index(0, GRADE).data(Qt.ItemDataRole.ToolTipRole)
    rated(qtbot, rating, lambda: click_mark(qtbot, lab.table, lab.results, 0, 1))
    assert kept(sample) == {}
    assert lab.rating.note.text() == "This query is not rated yet"


def test_keys_rate_the_selected_result_and_undo_takes_the_rating_back_not_something_else(
    qtbot, on_sample, lab, rating, sample
):
    table, first = lab.table, lab.results.row(0).memory.uid
    table.setFocus()
    rated(qtbot, rating, lambda: qtbot.keyClick(table, Qt.Key.Key_2))
    assert kept(sample) == {first: 2}
    rated(qtbot, rating, lambda: qtbot.keyClick(table, Qt.Key.Key_0))
    assert kept(sample) == {first: 0}
    assert lab.rating.note.text() == "Nothing is rated relevant yet"
    rated(qtbot, rating, on_sample.undo)
    assert kept(sample) == {first: 2}
    rated(qtbot, rating, on_sample.redo)
    assert kept(sample) == {first: 0}
    rated(qtbot, rating, lambda: qtbot.keyClick(table, Qt.Key.Key_Backspace))
    assert kept(sample) == {}
    total = on_sample.browse_viewmodel.table.total
    for grades in ({first: 0}, {first: 2}, {}):
        rated(qtbot, rating, on_sample.undo)
        assert kept(sample) == grades
    assert on_sample.browse_viewmodel.table.total == total


def test_once_a_memory_is_changed_undo_is_of_that_change_again(qtbot, on_sample, lab, rating, sample):
    rated(qtbot, rating, lambda: lab.rate(1))
    total = on_sample.browse_viewmodel.table.total
    on_sample.store.remember("Pelle sings on Fridays", "fact")
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.table.total == total + 1)
    on_sample.undo()
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.table.total == total)
    assert len(kept(sample)) == 1


def test_rating_touches_no_memory_and_asks_nothing_again(qtbot, on_sample, lab, rating, sample):
    answers = []
    on_sample.query_viewmodel.answered.connect(answers.append)
    with Workspace.open(sample, read_only=True) as other, other.store.read() as reader:
        before = reader.state(), reader.journal_entries(limit=1)
    rated(qtbot, rating, lambda: lab.rate(1))
    with Workspace.open(sample, read_only=True) as other, other.store.read() as reader:
        assert (reader.state(), reader.journal_entries(limit=1)) == before
    assert answers == []
    assert lab.badge.text() == "Read-only: queries here do not change the store"
    assert "Rating a result writes that judgement" in lab.badge.toolTip()


def test_a_new_set_is_named_and_the_old_ratings_come_back_with_the_old_one(qtbot, lab, rating, sample):
    rated(qtbot, rating, lambda: lab.rate(1))
    field = lab.rating.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "support")
    rated(qtbot, rating, lambda: qtbot.keyClick(field, Qt.Key.Key_Return))
    assert lab.results.index(0, GRADE).data() == ""
    with qtbot.waitSignal(rating.sets_changed):
        lab.rate(0)
    qtbot.waitUntil(lambda: len(kept(sample, "support")) == 1)
    assert {lab.rating.golden_set.itemText(row) for row in range(lab.rating.golden_set.count())} == {
        "golden",
        "support",
    }
    rated(qtbot, rating, lambda: rating.select_set("golden"))
    qtbot.waitUntil(lambda: lab.results.index(0, GRADE).data() == "relevant")


def test_what_was_not_returned_is_rated_where_it_was_dropped_and_in_why_not(qtbot, on_sample, lab, rating, sample):
    rated(qtbot, rating, lambda: lab.rate(1))
    lab.show_page("dropped")
    lost = lab.lost.model.row(0).memory
    lab.lost.table.setFocus()
    lab.lost.table.selectRow(0)
    rated(qtbot, rating, lambda: qtbot.keyClick(lab.lost.table, Qt.Key.Key_1))
    assert "1 of 2 relevant returned" in lab.rating.note.text()
    lab.show_page("why-not")
    with qtbot.waitSignal(on_sample.query_viewmodel.why_not_found, timeout=20_000):
        lab.why_not.ask(lost.id)
    buttons = lab.why_not.grades.buttons
    assert buttons[1].isChecked()
    rated(qtbot, rating, lambda: qtbot.mouseClick(buttons[2], LEFT))
    assert kept(sample)[lost.uid] == 2
    rated(qtbot, rating, lambda: qtbot.mouseClick(buttons[2], LEFT))
    assert lost.uid not in kept(sample)
    assert not any(button.isChecked() for button in buttons.values())


def test_ratings_of_another_process_show_by_themselves(qtbot, lab, rating, sample):
    uid = lab.results.row(1).memory.uid
    with Workspace.open(sample) as other:
        evaluate.judge(other, "golden", ASKED, uid, 2, judge="mara")
    qtbot.waitUntil(lambda: lab.results.index(1, GRADE).data() == "highly relevant")


def test_the_windows_keys_rate_in_the_query_lab_only(qtbot, on_sample, lab, rating, sample):
    rated(qtbot, rating, on_sample.rate_highly_relevant)
    assert list(kept(sample).values()) == [2]
    on_sample.browse()
    on_sample.unrate()
    assert "Query Lab" in on_sample.status.message.text()
    on_sample.query_lab()
    rated(qtbot, rating, on_sample.unrate)
    assert kept(sample) == {}


def test_a_store_for_reading_takes_no_rating_and_says_so(qtbot, window, sample):
    before = sample.read_bytes()
    window.store.open_read_only(sample)
    qtbot.waitUntil(lambda: window.status.read_only.isVisible())
    window.query_lab()
    with qtbot.waitSignal(window.rating_viewmodel.rated):
        window.query_view.ask(ASKED)
    qtbot.waitUntil(lambda: window.query_viewmodel.shown is not None)
    with qtbot.waitSignal(window.store.failed) as reported:
        window.query_view.rate(1)
    assert "reading only" in reported.args[0]
    assert sample.read_bytes() == before


def test_a_saved_profile_can_be_selected_until_it_is_undone(qtbot, on_sample, lab, sample):
    with Workspace.open(sample) as other:
        profiles.save(other, "sharp", "oro-hybrid", {"fuse.k": 7.0}, actor="person")
    for picker in (lab.profile, lab.compare.profile):
        qtbot.waitUntil(lambda picker=picker: picker.findText("sharp") > 0)
    lab.profile.setCurrentText("sharp")
    assert lab.form.control("fuse.k").text() == "7"
    viewmodel = on_sample.query_viewmodel
    qtbot.waitUntil(lambda: viewmodel.shown.answer.profile.name == "sharp")
    on_sample.store.undo()
    qtbot.waitUntil(lambda: lab.profile.findText("sharp") < 0)
    assert lab.profile.currentText() == viewmodel.profile == "inspector"


def test_the_column_keeps_qts_rules(lab, qtmodeltester):
    for model in (lab.results, lab.lost.model):
        qtmodeltester.check(model)
        assert model.rowCount() > 0
