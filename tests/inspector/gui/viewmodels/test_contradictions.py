"""Contradictions: cases of the open store, a resolution tried before it is carried out, and undone."""

from __future__ import annotations

import pytest

from core.model import Status
from core.services import browse
from core.services.contradictions import Resolution
from core.services.workspace import Workspace
from inspector.gui.viewmodels.contradictions import RESOLUTIONS, ContradictionsViewModel


@pytest.fixture
def viewmodel(after, store, sample):
    made = ContradictionsViewModel(store)
    after(made.listed, lambda: store.open(sample))
    return made


def status(path, memory):
    with Workspace.open(path, read_only=True) as workspace:
        return browse.find(workspace, str(memory.id)).status


def decide(after, viewmodel, resolution, **named):
    after(viewmodel.previewed, lambda: viewmodel.preview(resolution, **named))
    return after(viewmodel.listed, viewmodel.decide)


def test_every_open_case_is_listed_and_the_first_is_looked_at(viewmodel):
    assert len(viewmodel.cases) == 2
    case = viewmodel.case
    assert case is viewmodel.cases[0]
    assert (case.a.memory.id, case.b.memory.id) == (case.link.source_id, case.link.target_id)
    assert case.a.effective == pytest.approx(case.a.strength * case.a.confidence * case.a.recency)
    assert [event.at for event in case.events] == sorted(event.at for event in case.events)
    assert {event.what for event in case.events} >= {"written", "noticed"}


def test_every_resolution_can_be_selected_by_a_key_of_its_own(viewmodel):
    assert {each.on for each in RESOLUTIONS} == set(Resolution)
    assert len({each.key for each in RESOLUTIONS}) == len(RESOLUTIONS)


def test_a_preview_shows_the_effect_and_changes_nothing(after, viewmodel, sample):
    effects = after(viewmodel.previewed, lambda: viewmodel.preview(Resolution.KEEP_A))
    assert any(each.changes for each in effects)
    assert viewmodel.case.b.memory.content in {each.now for each in effects if each.changes}
    assert status(sample, viewmodel.case.b.memory) is Status.ACTIVE


def test_a_resolution_is_carried_out_and_undone(after, viewmodel, store, sample):
    loser = viewmodel.case.b.memory
    assert len(decide(after, viewmodel, Resolution.KEEP_A)) == 1
    assert status(sample, loser) is Status.CONTRADICTED
    assert len(after(viewmodel.listed, store.undo)) == 2
    assert status(sample, loser) is Status.ACTIVE


def test_without_a_preview_nothing_is_decided(qtbot, viewmodel, store):
    with qtbot.assertNotEmitted(store.writing):
        viewmodel.decide()


def test_both_valid_without_a_scope_is_refused(after, viewmodel):
    assert "name the scope" in after(viewmodel.refused, lambda: viewmodel.preview(Resolution.BOTH_VALID))


def test_a_merge_is_looked_at_first(after, viewmodel):
    case = viewmodel.case
    preview = after(viewmodel.merge_previewed, viewmodel.preview_merge)
    assert [memory.id for memory in preview.memories] == [case.a.memory.id, case.b.memory.id]


def test_the_case_that_is_looked_at_stays_when_the_list_is_read_again(after, viewmodel):
    second = viewmodel.cases[1].link.id
    viewmodel.look_at(1)
    after(viewmodel.listed, viewmodel.reload)
    assert viewmodel.case.link.id == second


def test_a_closed_store_has_no_case(after, viewmodel, store):
    after(viewmodel.listed, store.close)
    assert (viewmodel.cases, viewmodel.case) == ((), None)
