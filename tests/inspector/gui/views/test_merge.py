"""A merge shows the memory that it would make before it is made, warns of what is no copy, and then shows it."""

from __future__ import annotations

import pytest
from browsing import settled
from PySide6.QtCore import QItemSelectionModel, Qt

from core.model import Status
from core.services import browse
from core.services.workspace import Workspace
from inspector.gui.views.merge_dialog import MergeDialog
from inspector.gui.widgets.tables import go_to_row

LEFT = Qt.MouseButton.LeftButton


def stored(path, id):
    with Workspace.open(path, read_only=True) as workspace:
        return browse.find(workspace, str(id))


def choose(table, *rows):
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().clearSelection()
    for row in rows:
        table.selectionModel().select(table.model().index(row, 0), flags)


@pytest.fixture
def dialog(qtbot):
    def of(window):
        qtbot.waitUntil(lambda: window.findChild(MergeDialog) is not None)
        return window.findChild(MergeDialog)

    return of


@pytest.fixture
def two(on_sample, sample):
    """The ids of two unrelated memories, chosen in Browse: the second is surer than the first."""
    table = on_sample.browse_view.table
    ids = [table.model().memory_id(row) for row in range(table.model().rowCount())]
    sure = {id: stored(sample, id).confidence for id in ids[:40]}
    first = min(sure, key=lambda id: sure[id])
    second = max(sure, key=lambda id: sure[id])
    assert sure[first] < sure[second]
    choose(table, ids.index(first), ids.index(second))
    return on_sample.browse_viewmodel.targets.ids


def test_nothing_is_merged_until_the_preview_is_accepted(qtbot, on_sample, sample, two, dialog):
    before = [stored(sample, id) for id in two]
    on_sample.do("merge")
    shown = dialog(on_sample)
    assert shown.content.toPlainText() == before[0].content
    for tag in (*before[0].tags, *before[1].tags):
        assert tag in shown.others.text()
    shown.reject()
    assert [stored(sample, id) for id in two] == before


def test_unrelated_memories_get_a_warning_and_no_higher_confidence(qtbot, on_sample, sample, two, dialog):
    first, second = (stored(sample, id) for id in two)
    on_sample.do("merge")
    shown = dialog(on_sample)
    assert shown.warning.isVisible()
    assert f"not near-duplicates of memory {first.id}" in shown.warning.text()
    assert shown.confidence.text().startswith(f"Confidence {first.confidence:.2f}: that of memory {first.id}")
    shown.content.setPlainText("Something new of both")
    lowest = min(first.confidence, second.confidence)
    assert shown.confidence.text().startswith(f"Confidence {lowest:.2f}: the lowest of")
    shown.content.clear()
    assert not shown.merge.isEnabled()
    shown.content.setPlainText("Something new of both")
    qtbot.mouseClick(shown.merge, LEFT)
    qtbot.waitUntil(lambda: stored(sample, second.id).status is Status.SUPERSEDED)
    assert stored(sample, first.id).content == "Something new of both"
    assert stored(sample, first.id).confidence == lowest


def test_after_a_merge_the_merged_memory_is_shown_and_selected(qtbot, on_sample, sample, two, dialog):
    on_sample.do("merge")
    dialog(on_sample).accept()
    qtbot.waitUntil(lambda: f"Merged 2 memories into #{two[0]}" in on_sample.status.message.text())
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory is not None)
    table = on_sample.browse_view.table
    qtbot.waitUntil(lambda: len(table.selectionModel().selectedRows()) == 1)
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.current == two[0])
    marked = table.selectionModel().selectedRows()[0].row()
    qtbot.waitUntil(lambda: table.model().memory_id(marked) == two[0])  # rows are read in the background
    assert on_sample.detail_viewmodel.memory.id == two[0]
    assert on_sample.browse_viewmodel.targets.ids == (two[0],)
    on_sample.undo()
    qtbot.waitUntil(lambda: stored(sample, two[1]).status is Status.ACTIVE)


def test_in_the_query_lab_the_merged_memory_is_selected_too(qtbot, on_sample, dialog):
    on_sample.query_lab()
    with qtbot.waitSignal(on_sample.query_viewmodel.answered):
        on_sample.query_view.ask("why do migrations hang?")
    table = on_sample.query_view.table
    go_to_row(table, 3)
    choose(table, 1, 3)
    first, _ = on_sample.query_view.targets().ids
    on_sample.do("merge")
    with qtbot.waitSignal(on_sample.query_viewmodel.answered):
        dialog(on_sample).accept()
    qtbot.waitUntil(lambda: on_sample.query_view.targets().ids == (first,))


def test_one_memory_alone_cannot_be_merged_and_a_sentence_says_so(qtbot, on_sample):
    on_sample.do("merge")
    qtbot.waitUntil(lambda: "at least two" in on_sample.status.message.text())


def test_a_contradiction_is_merged_with_the_text_that_was_seen(qtbot, on_sample, sample, dialog):
    on_sample.contradictions()
    view, viewmodel = on_sample.contradictions_view, on_sample.contradictions_viewmodel
    qtbot.waitUntil(lambda: view.cases.rowCount() == 2)
    a, b = viewmodel.case.a.memory, viewmodel.case.b.memory
    qtbot.mouseClick(view.buttons["merge"], LEFT)
    shown = dialog(view)
    assert shown.warning.isVisible()
    shown.content.setPlainText("Both, in other words")
    with qtbot.waitSignal(viewmodel.previewed):
        shown.accept()
    assert stored(sample, b.id).status is Status.ACTIVE
    qtbot.mouseClick(view.commit, LEFT)
    qtbot.waitUntil(lambda: stored(sample, b.id).status is Status.SUPERSEDED)
    assert stored(sample, a.id).content == "Both, in other words"
    assert stored(sample, a.id).confidence == min(a.confidence, b.confidence)
