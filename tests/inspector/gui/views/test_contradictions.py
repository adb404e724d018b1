"""A journey through a contradiction: look at both sides, try a verdict, commit it by key, take it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from core.model import Status
from core.services import browse, contradictions, remember
from core.services.workspace import Workspace

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot, on_sample):
    on_sample.contradictions()
    qtbot.waitUntil(lambda: on_sample.contradictions_view.cases.rowCount() == 2)
    return on_sample.contradictions_view


@pytest.fixture
def viewmodel(on_sample):
    return on_sample.contradictions_viewmodel


def status(sample, id):
    with Workspace.open(sample, read_only=True) as workspace:
        return browse.find(workspace, str(id)).status


def test_both_sides_are_shown_with_what_speaks_for_each(view, viewmodel):
    case = viewmodel.case
    assert view.a.text.toPlainText() == case.a.memory.content
    assert view.b.text.toPlainText() == case.b.memory.content
    assert case.a.effective == pytest.approx(case.a.strength * case.a.confidence * case.a.recency)
    assert f"= {case.a.effective:.3f}" in view.a.effective.text()
    assert view.rule.text().startswith("Rule: negation, 90% sure")
    assert "written" in view.timeline.accessibleDescription()


def test_a_verdict_is_tried_before_it_is_committed_by_key_and_undone(qtbot, on_sample, view, viewmodel, sample):
    loser = viewmodel.case.b.memory.id
    assert not view.commit.isEnabled()
    with qtbot.waitSignal(viewmodel.previewed):
        qtbot.keyClick(view.list, Qt.Key.Key_1)
    assert view.buttons["keep-a"].isChecked()
    assert "It would change the top results of" in view.note.text()
    assert any(effect.changes for effect in view.effects.rows)
    assert status(sample, loser) is Status.ACTIVE
    qtbot.keyClicks(view.reason, "seen at Kanal 3")
    qtbot.keyClick(view.list, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: view.cases.rowCount() == 1)
    assert status(sample, loser) is Status.CONTRADICTED
    on_sample.undo()
    qtbot.waitUntil(lambda: view.cases.rowCount() == 2)
    assert status(sample, loser) is Status.ACTIVE


def test_both_valid_asks_for_the_scope(qtbot, view, viewmodel):
    qtbot.mouseClick(view.buttons["both-valid"], LEFT)
    dialog = view.findChild(QInputDialog)
    dialog.setTextValue("A for new cabinets, B for old ones")
    with qtbot.waitSignal(viewmodel.previewed):
        dialog.accept()
    assert viewmodel.scope == "A for new cabinets, B for old ones"
    qtbot.mouseClick(view.commit, LEFT)
    qtbot.waitUntil(lambda: view.cases.rowCount() == 1)


def test_without_a_scope_both_cannot_be_valid(qtbot, view, viewmodel):
    with qtbot.waitSignal(viewmodel.refused):
        viewmodel.preview(contradictions.Resolution.BOTH_VALID, scope="")
    assert "name the scope" in view.note.text()
    assert not view.commit.isEnabled()


def test_a_new_contradiction_of_another_process_appears(qtbot, view, sample):
    with Workspace.open(sample) as other:
        remember.remember(other, {"content": "The kiosk boots in 40 seconds"}, actor="codex")
        remember.remember(other, {"content": "The kiosk boots in 95 seconds"}, actor="cursor")
    qtbot.waitUntil(lambda: view.cases.rowCount() == 3)


def test_when_all_is_decided_the_view_says_so(qtbot, view, viewmodel):
    for left in (1, 0):
        with qtbot.waitSignal(viewmodel.previewed):
            viewmodel.preview(contradictions.Resolution.NOT_A_CONTRADICTION)
        viewmodel.decide()
        qtbot.waitUntil(lambda left=left: view.cases.rowCount() == left)
    qtbot.waitUntil(lambda: view._stack.currentIndex() == 0)


def test_a_side_leads_to_browse(qtbot, on_sample, view, viewmodel):
    wanted = viewmodel.case.a.memory.id
    view.a._open()
    assert on_sample.work.currentWidget() is on_sample.browse_view
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == wanted)
