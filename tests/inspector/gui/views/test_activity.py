"""A journey through what agents do: calls as they arrive, one opened and replayed; the journal, and taking back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from browsing import click
from PySide6.QtCore import QItemSelectionModel, Qt

from core.clock import FixedClock
from core.services import audit, curate, query, recorder, remember
from core.services.query import Question
from core.services.recorder import Call, CallOutcome, CallRecord, Recorder
from core.services.workspace import Workspace
from inspector.gui.models.plain_table import PlainTable
from inspector.gui.views.call_detail import NEAR, PLACED, RETURNED
from inspector.gui.views.calls_page import CALLS
from inspector.gui.views.journal_page import OPERATIONS
from inspector.gui.views.touched_panel import TOUCHED
from inspector.gui.widgets.facet_button import FacetButton
from tests.inspector.gui.conftest import NOW

CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def record(store, client, text, *, ago=timedelta(0), **fields):
    """What a server does with a recall: ask, and note it behind the agent's back."""
    with Workspace.open(store, clock=FixedClock(NOW - ago)) as workspace:
        recording = Recorder(workspace)
        answer = query.ask(workspace, Question(text=text, **fields))
        at = Call(at=NOW - ago, client=client, session="s1", tool=audit.RECALL, elapsed_us=2500)
        recording.note(recorder.recall_record(answer, at=at))
        recording.close()
        return answer


def note(store, **fields):
    with Workspace.open(store, clock=FixedClock(NOW)) as workspace:
        recording = Recorder(workspace)
        recording.note(CallRecord(Call(at=NOW, elapsed_us=900, **fields)))
        recording.close()


def write(store, client, *contents):
    with Workspace.open(store, clock=FixedClock(NOW)) as workspace:
        return [remember.remember(workspace, {"content": each}, actor=client).memory.id for each in contents]


def exists(store, id):
    with Workspace.open(store, read_only=True) as workspace, workspace.store.read() as reader:
        return reader.memory(id) is not None


@pytest.fixture
def answer(sample):
    """Three recalls of two clients, one of them in vain and old, and one refusal."""
    record(sample, "cursor", "xylophone", ago=timedelta(days=3))
    record(sample, "codex", "database", ago=timedelta(hours=2))
    answer = record(sample, "claude-code", "why do migrations hang?", k=4, profile="cc-v3-fts")
    note(sample, client="codex", tool="memory_edit", outcome=CallOutcome.REFUSED, complaint="There is no memory 9999.")
    return answer


@pytest.fixture
def view(qtbot, answer, on_sample):
    on_sample.activity()
    qtbot.waitUntil(lambda: on_sample.activity_view.calls.model.rowCount() == 4)
    return on_sample.activity_view


@pytest.fixture
def calls(view):
    return view.calls


@pytest.fixture
def journal(qtbot, sample, on_sample):
    write(sample, "codex", "The lamp in hall 7 blinks", "The door of hall 7 sticks")
    write(sample, "cursor", "Cursor was here")
    on_sample.activity()
    on_sample.activity_view.tabs.setCurrentIndex(1)
    page = on_sample.activity_view.journal
    qtbot.waitUntil(lambda: page.model.rowCount() >= 3)
    return page


def choose(page, *rows):
    page.table.clearSelection()
    for row in rows:
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        page.table.selectionModel().setCurrentIndex(page.model.index(row, 0), flags)


def open_call(qtbot, page, row):
    with qtbot.waitSignal(page._viewmodel.opened):
        page.table.selectRow(row)


@pytest.mark.parametrize("columns", [CALLS, RETURNED, NEAR, PLACED, OPERATIONS, TOUCHED])
def test_every_table_keeps_qts_rules(qtbot, qtmodeltester, columns):
    qtmodeltester.check(PlainTable(columns))


def test_every_filled_table_keeps_qts_rules(qtbot, qtmodeltester, calls):
    open_call(qtbot, calls, 1)
    for model in (calls.model, calls.detail.returned, calls.detail.near):
        assert model.rowCount()
        qtmodeltester.check(model)


def test_calls_are_shown_newest_first_with_the_figures_of_the_core(calls, sample):
    assert [call.client for call in calls.model.rows] == ["codex", "claude-code", "codex", "cursor"]
    with Workspace.open(sample, read_only=True) as workspace:
        total = audit.metrics(workspace).total
    numbers = {name: label.text() for name, label in calls.figures.numbers.items()}
    assert numbers["Calls"] == f"{total.calls}" == "4"
    assert numbers["Recalls"] == f"{total.recalls}" == "3"
    assert numbers["p95 ms"] == f"{total.p95_ms:.1f}" == "2.5"
    assert numbers["No results"] == f"{total.zero_hit_rate:.1%}" == "33.3%"
    assert numbers["Refused"] == "1"


def test_a_call_that_arrives_shows_by_itself_and_the_one_being_read_stays(qtbot, calls, sample):
    open_call(qtbot, calls, 1)
    read = calls.detail.question.toPlainText()
    record(sample, "gemini", "who owns the kiosk?")
    qtbot.waitUntil(lambda: calls.model.rowCount() == 5)
    assert calls.model.rows[0].client == "gemini"
    assert calls.table.currentIndex().row() == 2
    assert calls.detail.question.toPlainText() == read == "why do migrations hang?"


def test_an_opened_call_reports_its_question_its_way_and_what_it_got(qtbot, calls, answer):
    open_call(qtbot, calls, 1)
    detail = calls.detail
    assert detail.question.toPlainText() == "why do migrations hang?"
    assert "k 4" in detail.settings.text()
    assert [got.id for got in detail.returned.rows] == [memory.id for memory in answer.memories]
    assert detail.returned.index(0, 1).data() == (answer.memories[0].summary or answer.memories[0].content)
    assert detail.near.rows
    assert all(got.why for got in detail.near.rows)
    stages = [stage.name for stage in answer.ranking.trace.stages]
    assert all(name in detail.funnel.accessibleDescription() for name in stages)
    assert " ms" in detail.funnel.accessibleDescription()


def test_a_call_that_asked_nothing_says_what_came_of_it(qtbot, calls):
    open_call(qtbot, calls, 1)
    open_call(qtbot, calls, 0)
    assert calls.detail.complaint.text() == "There is no memory 9999."
    assert calls.detail.replay.isHidden()


def test_calls_are_filtered_by_client_tool_time_and_in_vain(qtbot, calls):
    calls.client.list.item(0).setCheckState(Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: {call.client for call in calls.model.rows} == {"codex"})
    assert calls.figures.numbers["Calls"].text() == "2"
    calls.tool.list.item(1).setCheckState(Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: [call.tool for call in calls.model.rows] == ["memory_edit"])
    calls.tool.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    calls.client.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    calls.period.setCurrentIndex(0)
    qtbot.waitUntil(lambda: [call.client for call in calls.model.rows] == ["codex", "claude-code"])
    calls.period.setCurrentIndex(3)
    calls.found_nothing.setChecked(True)
    qtbot.waitUntil(lambda: [call.client for call in calls.model.rows] == ["cursor"])
    calls.period.setCurrentIndex(1)
    qtbot.waitUntil(lambda: calls.stack.currentIndex() == 0)
    assert calls.nothing.title.text() == "No call matches the filter"


def test_a_replay_by_key_shows_places_then_and_now(qtbot, calls, answer, sample):
    first = answer.memories[0].id
    with Workspace.open(sample, clock=FixedClock(NOW + timedelta(minutes=1))) as other:
        curate.forget(other, [first], actor="person")
    open_call(qtbot, calls, 1)
    with qtbot.waitSignal(calls._viewmodel.replayed):
        qtbot.keyClick(calls.table, Qt.Key.Key_R)
    rows = {placed.memory.id: placed for placed in calls.detail.placed.rows}
    assert (rows[first].recorded, rows[first].then, rows[first].now) == (1, 1, None)
    second = answer.memories[1].id
    assert (rows[second].then, rows[second].now, rows[second].move) == (2, 1, 1)
    shown = {calls.detail.placed.index(row, 3).data() for row in range(calls.detail.placed.rowCount())}
    assert {"gone", "▲ 1"} <= shown
    assert "then and now" in calls.detail.note.text()
    assert calls.detail.replay.isEnabled()


def test_what_a_call_returned_leads_to_browse(qtbot, on_sample, calls, answer):
    open_call(qtbot, calls, 1)
    calls.detail.returned_table.activated.emit(calls.detail.returned.index(0, 0))
    assert on_sample.work.currentWidget() is on_sample.browse_view
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == answer.memories[0].id)


def test_without_calls_the_view_says_how_to_connect_an_agent(qtbot, on_sample):
    on_sample.activity()
    page = on_sample.activity_view.calls
    qtbot.waitUntil(lambda: page._viewmodel.calls is not None)
    assert page.stack.currentIndex() == 0
    assert "memory-inspector connect" in page.nothing.sentence.text()


def test_the_journal_says_who_what_and_which_memories(qtbot, journal):
    newest = journal.model.rows[0]
    assert (newest.entry.actor, str(newest.entry.op), newest.touched) == ("cursor", "remember", 1)
    qtbot.waitUntil(lambda: journal.touched.model.rowCount() == 1)
    assert journal.touched.model.index(0, 1).data() == "Cursor was here"
    assert journal.title.text() == "remember by cursor"


def test_the_journal_of_one_actor(qtbot, journal):
    journal.who.setCurrentIndex(journal.who.findData("codex"))
    journal.who.activated.emit(journal.who.currentIndex())
    qtbot.waitUntil(lambda: {deed.entry.actor for deed in journal.model.rows} == {"codex"})
    assert journal.who.currentData() == "codex"


def test_one_entry_is_undone_by_key_after_a_question(qtbot, journal, sample):
    qtbot.waitUntil(lambda: journal.touched.model.rowCount() == 1)
    id = journal.touched.model.row(0)[0]
    qtbot.keyClick(journal.table, Qt.Key.Key_U)
    assert journal.confirm.is_asking
    assert "(remember by cursor)" in journal.confirm.sentence.text()
    assert exists(sample, id)
    qtbot.keyClick(journal.table, Qt.Key.Key_Escape)
    assert journal.confirm.isHidden()
    qtbot.keyClick(journal.table, Qt.Key.Key_U)
    with qtbot.waitSignal(journal._viewmodel.settled):
        qtbot.keyClick(journal.table, Qt.Key.Key_Return, CONTROL)
    assert "Undid 1 × remember" in journal.confirm.sentence.text()
    assert not exists(sample, id)
    qtbot.waitUntil(lambda: any(deed.is_undone for deed in journal.model.rows))


def test_several_entries_are_undone_together(qtbot, journal):
    choose(journal, 1, 2)
    assert journal.undo.text() == "Undo 2 selected"
    qtbot.mouseClick(journal.undo, LEFT)
    assert "2 operations (2 × remember)" in journal.confirm.sentence.text()
    with qtbot.waitSignal(journal._viewmodel.settled):
        qtbot.mouseClick(journal.confirm.yes, LEFT)
    qtbot.waitUntil(lambda: sum(deed.is_undone for deed in journal.model.rows) == 2)


def test_everything_a_client_did_is_undone(qtbot, journal):
    journal.whose.setCurrentIndex(journal.whose.findData("codex"))
    journal.since.setCurrentIndex(1)
    with qtbot.waitSignal(journal._viewmodel.asked):
        qtbot.mouseClick(journal.undo_since, LEFT)
    assert "everything codex did" in journal.confirm.sentence.text()
    with qtbot.waitSignal(journal._viewmodel.settled):
        qtbot.mouseClick(journal.confirm.yes, LEFT)
    qtbot.waitUntil(lambda: sum(deed.is_undone for deed in journal.model.rows) == 2)
    assert {deed.entry.actor for deed in journal.model.rows if deed.is_undone} == {"codex"}


def test_what_has_moved_on_is_refused_with_a_sentence(qtbot, journal, sample):
    qtbot.waitUntil(lambda: journal.touched.model.rowCount() == 1)
    id = journal.touched.model.row(0)[0]
    with Workspace.open(sample, clock=FixedClock(NOW)) as other:
        curate.edit(other, [id], {"content": "Cursor is still here"}, actor="codex")
    qtbot.waitUntil(lambda: str(journal.model.rows[0].entry.op) == "edit")
    choose(journal, 1)
    qtbot.keyClick(journal.table, Qt.Key.Key_U)
    with qtbot.waitSignal(journal._viewmodel.refused):
        qtbot.keyClick(journal.table, Qt.Key.Key_Return, CONTROL)
    assert journal.confirm.sentence.text().startswith("Nothing was changed. ")
    assert exists(sample, id)


def test_a_client_that_did_nothing_is_refused(qtbot, journal, on_sample):
    with qtbot.waitSignal(journal._viewmodel.refused):
        journal._viewmodel.ask_undo_since("nobody", NOW)
    assert journal.confirm.sentence.text() == "nobody has done nothing since then that could be undone."
    assert not journal.confirm.is_asking


def test_a_filter_list_that_is_open_stays_as_it_is_while_calls_arrive(qtbot):
    client = FacetButton("Client")
    qtbot.addWidget(client)
    client.show()
    client.set_choices({"codex": 3, "cursor": 1})
    client.open_list()
    first = client.list.item(0)
    client.set_choices({"cursor": 9, "codex": 3, "claude": 1})
    assert client.list.item(0) is first
    assert client.list.count() == 2
    first.setCheckState(Qt.CheckState.Checked)
    assert client.ticked == ("codex",)
    client._popup.hide()
    client.open_list()
    assert [client.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(3)] == ["cursor", "codex", "claude"]
    assert client.list.item(1).checkState() is Qt.CheckState.Checked


def test_a_call_that_stored_shows_the_memory_that_it_wrote(qtbot, sample, calls):
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        kept = remember.remember(workspace, {"content": "The crane of hall 9 is rented"}, actor="codex")
    note(sample, client="codex", tool="memory_store", operation=kept.changes.seq)
    qtbot.waitUntil(lambda: calls.model.row(0).tool == "memory_store")
    open_call(qtbot, calls, 0)
    detail = calls.detail
    assert detail.below.currentWidget() is detail.wrote
    assert detail.wrote.model.row(0)[0] == kept.memory.id
    qtbot.waitUntil(lambda: detail.wrote.change.toPlainText() == "The crane of hall 9 is rented")
    with qtbot.waitSignal(calls.memory_wanted) as wanted:
        detail.wrote.table.activated.emit(detail.wrote.model.index(0, 0))
    assert wanted.args == [kept.memory.id]


def test_a_refused_call_says_why_and_that_it_changed_nothing(qtbot, calls):
    open_call(qtbot, calls, 1)
    open_call(qtbot, calls, 0)
    detail = calls.detail
    assert detail.complaint.isVisible()
    assert detail.complaint.text() == "There is no memory 9999."
    assert detail.complaint.height() >= detail.complaint.heightForWidth(detail.complaint.width())
    assert detail.did_nothing.isVisible()
    assert detail.did_nothing.title.text() == "It was refused and changed nothing"


def test_an_agents_edit_shows_before_and_after_in_the_journal(qtbot, sample, journal):
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        fields = {"content": "The gate opens at 7", "tags": ["gate"]}
        memory = remember.remember(workspace, fields, actor="codex").memory
        changed = {"content": "The gate opens at 8", "tags": ["gate", "hours"]}
        curate.edit(workspace, [memory.id], changed, actor="codex")
    qtbot.waitUntil(lambda: str(journal.model.row(0).entry.op) == "edit")
    choose(journal, 0)
    qtbot.waitUntil(lambda: "→" in journal.touched.change.toPlainText())
    assert journal.touched.change.toPlainText() == "tags: gate → gate, hours\nThe gate opens at 78"


def test_an_entry_that_only_linked_says_so(qtbot, sample, journal):
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        curate.link(workspace, 1, [2], {"kind": "supports"}, actor="codex")
    qtbot.waitUntil(lambda: str(journal.model.row(0).entry.op) == "link")
    choose(journal, 0)
    qtbot.waitUntil(lambda: "only its links changed" in journal.touched.change.toPlainText())


def test_the_journal_shows_the_entry_that_is_selected_and_would_be_undone(qtbot, journal):
    first, second = (f"Operation {journal.model.row(row).entry.seq} " for row in (0, 1))
    click(qtbot, journal, 0)
    click(qtbot, journal, 1, CONTROL)
    qtbot.waitUntil(lambda: journal.about.text().startswith(second))
    click(qtbot, journal, 1, CONTROL)
    qtbot.waitUntil(lambda: journal.about.text().startswith(first))
    qtbot.keyClick(journal.table, Qt.Key.Key_U)
    assert first.lower() in journal.confirm.sentence.text()


def test_where_no_entry_of_the_journal_is_selected_none_is_shown(qtbot, journal):
    qtbot.waitUntil(lambda: journal.touched.model.rowCount() == 1)
    click(qtbot, journal, 0, CONTROL)
    assert journal.selected() == []
    assert (journal.title.text(), journal.about.text(), journal.why.text()) == ("", "", "")
    assert journal.touched.model.rowCount() == 0
    assert journal.touched.count.text() == ""
    journal.since.setCurrentIndex(journal.since.findData("selected"))
    qtbot.mouseClick(journal.undo_since, LEFT)
    assert not journal.confirm.is_asking
    click(qtbot, journal, 0, CONTROL)
    qtbot.waitUntil(lambda: journal.touched.model.rowCount() == 1)


def test_select_all_chooses_every_entry_of_the_journal_and_nothing_elsewhere(qtbot, on_sample, journal):
    journal.table.setFocus()
    qtbot.keyClick(on_sample, Qt.Key.Key_A, CONTROL)
    assert len(journal.selected()) == journal.model.rowCount() > 1
    assert on_sample.work.currentWidget() is on_sample.activity_view
    assert not on_sample.browse_viewmodel.is_all_selected
