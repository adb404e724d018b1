"""What agents propose: listed when it arrives, accepted or refused, and undone."""

from __future__ import annotations

import pytest

from core.changes import Op
from core.clock import FixedClock
from core.model import MemoryId
from core.services import browse, proposals
from core.services.proposals import ProposalKind
from core.services.workspace import Workspace
from inspector.gui.viewmodels.proposals import ProposalsViewModel
from tests.inspector.gui.conftest import NOW


@pytest.fixture
def viewmodel(store):
    return ProposalsViewModel(store)


@pytest.fixture
def waiting(after, viewmodel, store, sample):
    """An edit and a deletion that wait when the store is opened."""
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        proposals.propose(workspace, MemoryId(1), ProposalKind.EDIT, {"content": "Another text"}, actor="codex")
        proposals.propose(workspace, MemoryId(2), ProposalKind.FORGET, actor="cursor")
    return after(viewmodel.listed, lambda: store.open(sample))


def content(path, id):
    with Workspace.open(path, read_only=True) as workspace:
        return browse.find(workspace, str(id)).content


def test_what_waits_is_listed_when_the_store_is_opened(viewmodel, waiting):
    assert [each.proposal.kind for each in waiting] == [ProposalKind.EDIT, ProposalKind.FORGET]
    assert viewmodel.is_writable


def test_an_accepted_proposal_is_carried_out_and_an_undo_clears_the_message(
    qtbot, after, viewmodel, store, waiting, sample
):
    before = content(sample, 1)
    assert "accepted" in after(viewmodel.message, lambda: viewmodel.accept(waiting[:1]))
    assert content(sample, 1) == "Another text"
    with qtbot.waitSignal(store.changed, check_params_cb=lambda changes: changes.op is Op.UNDO):
        assert after(viewmodel.message, store.undo) == ""
    assert content(sample, 1) == before


def test_refused_proposals_change_nothing_and_leave_the_list(qtbot, after, viewmodel, waiting, sample):
    before = content(sample, 1)
    with qtbot.waitSignal(viewmodel.listed, check_params_cb=lambda listed: listed == []):
        after(viewmodel.message, lambda: viewmodel.refuse(waiting))
    assert content(sample, 1) == before


def test_a_proposal_that_was_decided_already_is_refused_with_a_sentence(after, viewmodel, waiting):
    after(viewmodel.message, lambda: viewmodel.refuse(waiting[:1]))
    assert "Nothing was changed." in after(viewmodel.message, lambda: viewmodel.accept(waiting[:1]))


def test_without_a_selection_it_asks_for_one(after, viewmodel, waiting):
    assert after(viewmodel.message, lambda: viewmodel.accept([])) == "Select a proposal first."


def test_a_closed_store_proposes_nothing(after, viewmodel, store, waiting):
    assert after(viewmodel.listed, store.close) == []
