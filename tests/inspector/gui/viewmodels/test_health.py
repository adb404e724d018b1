"""The health of the store: findings, statistics, and repairs that one undo reverts."""

from __future__ import annotations

import pytest

from core import draft
from core.changes import Op
from core.clock import FixedClock
from core.model import Status
from core.services import browse
from core.services.inspection import Concern, Repair
from core.services.workspace import Workspace
from inspector.gui.viewmodels.health import ENTRIES, NO_MAP, HealthViewModel
from tests.inspector.gui.conftest import NOW

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def viewmodel(qtbot, store, sample):
    """The sample with a secret in a text, checked."""
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace, workspace.store.transact(Op.REMEMBER, "x") as made:
        made.add_memory(draft.memory({"content": f"deploy with the token {SECRET}"}, NOW))
    with qtbot.waitSignal(store.opened):
        store.open(sample)
    viewmodel = HealthViewModel(store)
    viewmodel.look()
    settle(qtbot, viewmodel)
    return viewmodel


def settle(qtbot, viewmodel):
    qtbot.waitUntil(lambda: not viewmodel.is_checking and all(each.finding is not None for each in viewmodel.entries))


def entry(viewmodel, concern):
    return next(each for each in viewmodel.entries if each.concern is concern)


def test_nothing_is_checked_until_it_is_looked_at(opened):
    viewmodel = HealthViewModel(opened)
    assert viewmodel.entries == ENTRIES
    assert not viewmodel.is_checking
    assert {each.count for each in viewmodel.entries} == {"–"}


def test_every_concern_is_counted(viewmodel):
    assert [each.concern for each in viewmodel.entries] == [each.concern for each in ENTRIES]
    assert {each.concern for each in viewmodel.entries} == set(Concern)
    assert entry(viewmodel, Concern.SECRETS).count == "1"
    assert entry(viewmodel, Concern.SECRETS).is_found
    assert not entry(viewmodel, Concern.DRIFT).is_found


def test_the_value_of_a_secret_is_never_shown(viewmodel):
    assert SECRET not in repr([item.why for item in entry(viewmodel, Concern.SECRETS).finding.items])


def test_a_repair_mends_what_was_found_and_one_undo_reverts_it(qtbot, after, viewmodel, store, sample):
    found = entry(viewmodel, Concern.SECRETS)
    (id,) = found.finding.ids
    after(store.changed, lambda: viewmodel.repair(found, Repair.REDACT))
    with Workspace.open(sample, read_only=True) as workspace:
        assert SECRET not in browse.find(workspace, str(id)).content
    qtbot.waitUntil(lambda: not viewmodel.is_checking and not entry(viewmodel, Concern.SECRETS).is_found)
    after(store.changed, store.undo)
    qtbot.waitUntil(lambda: not viewmodel.is_checking and entry(viewmodel, Concern.SECRETS).is_found)


def test_only_the_selected_are_mended(qtbot, after, viewmodel, store, sample):
    found = entry(viewmodel, Concern.NEVER_RECALLED)
    one, other = found.finding.ids[:2]
    after(store.changed, lambda: viewmodel.repair(found, Repair.ARCHIVE, [one]))
    with Workspace.open(sample, read_only=True) as workspace:
        assert [browse.find(workspace, str(id)).status for id in (one, other)] == [Status.ARCHIVED, Status.ACTIVE]


def test_the_statistics_count_every_memory(qtbot, after, viewmodel, store):
    facts = after(viewmodel.facts_changed, lambda: store.remember("Pelle sings on Fridays", "fact"))
    numbers = {each.name: each.value for each in facts}
    assert numbers["memories"] == "112"
    assert [each.group for each in facts].count("Status") == 1


def test_a_closed_store_has_no_findings(after, viewmodel, store):
    assert after(viewmodel.mapped, store.close) == NO_MAP
    assert viewmodel.entries == ENTRIES
