"""Activity, Proposals: changes of agents that wait for a person, shown before and after, accepted or refused."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.clock import FixedClock
from core.model import MemoryId
from core.services import curate, proposals
from core.services.proposals import ProposalKind
from core.services.workspace import Workspace
from inspector.gui.widgets.tables import go_to_row
from tests.inspector.gui.conftest import NOW

CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def proposed(qtbot, sample, on_sample):
    """The page with an edit and a deletion that agents proposed while the window was open."""
    on_sample.activity()
    view = on_sample.activity_view
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        fields = {"content": "Wholly another text", "tags": ["new"]}
        proposals.propose(workspace, MemoryId(1), ProposalKind.EDIT, fields, actor="codex", reason="I saw it")
        proposals.propose(workspace, MemoryId(2), ProposalKind.FORGET, actor="cursor")
    qtbot.waitUntil(lambda: view.tabs.tabText(2) == "Proposals (2)")
    view.tabs.setCurrentIndex(2)
    return view.proposals


def memory(store, id):
    with Workspace.open(store, read_only=True) as workspace, workspace.store.read() as reader:
        return reader.memory(MemoryId(id))


def test_what_agents_propose_is_counted_on_the_tab_and_shown_before_and_after(proposed):
    assert [proposed.model.index(row, 2).data() for row in range(2)] == ["codex", "cursor"]
    assert proposed.title.text() == "codex wants to edit #1"
    assert proposed.why.text() == "I saw it"
    shown = proposed.change.toPlainText()
    assert "tags: " in shown
    assert "Wholly another text" in shown


def test_an_accepted_proposal_is_carried_out_and_leaves_the_list(qtbot, sample, proposed):
    proposed.accept.click()
    qtbot.waitUntil(lambda: proposed.model.rowCount() == 1)
    assert memory(sample, 1).content == "Wholly another text"
    assert proposed.note.sentence.text() == "Proposal 1 accepted; Ctrl+Z undoes the change."


def test_a_refused_proposal_changes_nothing_and_leaves_the_list(qtbot, sample, proposed):
    before = memory(sample, 2)
    go_to_row(proposed.table, 1)
    assert proposed.title.text() == "cursor wants to forget #2"
    qtbot.keyClick(proposed.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: proposed.model.rowCount() == 1)
    assert memory(sample, 2) == before


def test_a_proposal_about_a_memory_that_has_changed_since_can_only_be_refused(qtbot, sample, proposed):
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        curate.edit(workspace, [MemoryId(1)], {"summary": "newer"}, actor="person")
    qtbot.waitUntil(lambda: not proposed.accept.isEnabled())
    assert "can only be refused" in proposed.about.text()
    assert proposed.refuse.isEnabled()


def test_a_proposal_shows_its_memory_on_request(qtbot, proposed):
    with qtbot.waitSignal(proposed.memory_wanted) as wanted:
        qtbot.keyClick(proposed.table, Qt.Key.Key_Return)
    assert wanted.args == [1]


def test_the_proposal_that_is_shown_is_the_one_that_is_decided_on(qtbot, sample, proposed):
    table = proposed.table
    for row, keys in ((0, Qt.KeyboardModifier.NoModifier), (1, CONTROL), (1, CONTROL)):
        place = table.visualRect(proposed.model.index(row, 2)).center()
        qtbot.mouseClick(table.viewport(), LEFT, keys, place)
    assert [each.proposal.id for each in proposed.selected()] == [1]
    assert proposed.title.text() == "codex wants to edit #1"


def test_a_selection_of_several_proposals_stays_when_another_arrives(qtbot, sample, proposed):
    proposed.table.selectAll()
    assert proposed.accept.text() == "Accept 2 selected"
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        proposals.propose(workspace, MemoryId(3), ProposalKind.FORGET, actor="cursor")
    qtbot.waitUntil(lambda: proposed.model.rowCount() == 3)
    assert [each.proposal.id for each in proposed.selected()] == [1, 2]


def test_the_name_of_an_agent_cannot_turn_what_is_read(qtbot, sample, proposed):
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        proposals.propose(workspace, MemoryId(3), ProposalKind.FORGET, actor="evil\u202eagent")
    qtbot.waitUntil(lambda: proposed.model.rowCount() == 3)
    go_to_row(proposed.table, 2)
    assert proposed.title.text() == "evil<U+202E>agent wants to forget #3"


def test_what_was_said_of_an_accepted_proposal_goes_with_its_undo(qtbot, on_sample, proposed):
    proposed.accept.click()
    qtbot.waitUntil(lambda: "accepted" in proposed.note.sentence.text())
    on_sample.undo()
    qtbot.waitUntil(lambda: proposed.note.isHidden())
