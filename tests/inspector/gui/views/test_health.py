"""A journey through Health: findings appear, one is mended by key and click, undo brings it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt

from core import draft
from core.changes import Op
from core.model import Status
from core.services import browse
from core.services.inspection import Concern
from core.services.projection import Point
from core.services.workspace import Workspace
from inspector.gui import theme
from inspector.gui.viewmodels.health import ENTRIES as LOOKED_FOR
from inspector.gui.widgets.embedding_map import EmbeddingMap

LEFT = Qt.MouseButton.LeftButton
SECRET = "<b>deploy</b> with the token ghp_" + "a1B2" * 9


def entry(view, concern):
    return next(each for each in view.entries.rows if each.concern is concern)


def choose(view, concern):
    view.list.selectRow([each.concern for each in LOOKED_FOR].index(concern))


@pytest.fixture
def view(qtbot, on_sample):
    on_sample.health()
    view = on_sample.health_view
    qtbot.waitUntil(lambda: all(each.finding is not None for each in view.entries.rows), timeout=20_000)
    return view


def test_nothing_is_checked_until_the_view_is_shown(on_sample):
    assert all(each.finding is None for each in on_sample.health_view.entries.rows)
    assert on_sample.health_view.map is None


def test_models_keep_qts_rules(view, qtmodeltester):
    for model in (view.entries, view.items, view.facts):
        qtmodeltester.check(model)
        assert model.rowCount() > 0


def test_every_finding_is_counted_and_the_first_one_found_is_shown(view):
    counts = {each.concern: each.finding.count for each in view.entries.rows}
    assert counts[Concern.STALE] == 2
    assert counts[Concern.NEVER_RECALLED] > 0
    assert view.list.currentIndex().row() == [each.is_found for each in view.entries.rows].index(True)
    assert view.items.rowCount() > 0
    assert f"of {len(LOOKED_FOR)} checks" in view.state.text()


def test_a_finding_is_archived_as_a_whole_and_undone(qtbot, on_sample, view, sample):
    choose(view, Concern.STALE)
    ids = entry(view, Concern.STALE).finding.ids
    assert view.buttons["archive"].text() == "Archive all 2"
    qtbot.mouseClick(view.buttons["archive"], LEFT)
    qtbot.waitUntil(lambda: entry(view, Concern.STALE).finding.count == 0)
    assert view._stack.currentIndex() == 0
    assert "none found" in view._sound.title.text()
    with Workspace.open(sample, read_only=True) as other:
        assert {browse.find(other, str(id)).status for id in ids} == {Status.ARCHIVED}
    on_sample.undo()
    qtbot.waitUntil(lambda: entry(view, Concern.STALE).finding.count == 2)


def test_only_the_selected_are_mended(qtbot, view):
    choose(view, Concern.NEVER_RECALLED)
    before = entry(view, Concern.NEVER_RECALLED).finding.count
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in (0, 1):
        view.preview.selectionModel().select(view.items.index(row, 0), flags)
    assert view.buttons["forget"].text() == "Forget 2 selected"
    qtbot.mouseClick(view.buttons["forget"], LEFT)
    qtbot.waitUntil(lambda: entry(view, Concern.NEVER_RECALLED).finding.count == before - 2)


def test_a_secret_of_another_process_is_found_shown_without_its_value_and_redacted(qtbot, view, sample):
    with Workspace.open(sample) as other, other.store.transact(Op.IMPORT, "agent") as transaction:
        id = transaction.add_memory(draft.memory({"content": SECRET}, transaction.now)).id
    qtbot.waitUntil(lambda: entry(view, Concern.SECRETS).finding.count == 1, timeout=20_000)
    choose(view, Concern.SECRETS)
    shown = view.items.index(0, 0)
    assert shown.data() == "<b>deploy</b> with the token [redacted GitHub token]"
    assert "&lt;b>" in shown.data(Qt.ItemDataRole.ToolTipRole) or "<b>" not in shown.data(Qt.ItemDataRole.ToolTipRole)
    qtbot.mouseClick(view.buttons["redact"], LEFT)
    qtbot.waitUntil(lambda: entry(view, Concern.SECRETS).finding.count == 0, timeout=20_000)
    with Workspace.open(sample, read_only=True) as other:
        assert "ghp_" not in browse.find(other, str(id)).content


def test_the_statistics_of_the_store_are_shown(qtbot, view):
    qtbot.waitUntil(lambda: view.facts.rowCount() > 10)
    facts = {fact.name: fact.value for fact in view.facts.rows}
    assert facts["memories"] == "110"
    assert facts["active"] == "105"


def test_without_vectors_the_map_says_why_it_is_empty(view):
    assert view._map_stack.currentIndex() == 0
    assert "embedded" in view._no_map.sentence.text()


def test_enter_on_a_memory_opens_it(qtbot, on_sample, view):
    wanted = view.items.row(0).memory.id
    view.preview.activated.emit(view.items.index(0, 0))
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == wanted)


def test_a_check_can_be_stopped_and_asked_for_again(qtbot, on_sample, view):
    viewmodel = on_sample.health_viewmodel
    viewmodel.check()
    with qtbot.waitSignal(viewmodel.checking_changed):
        viewmodel._task.cancel()
    assert view.state.text() == "Not everything was checked since the last change"
    qtbot.mouseClick(view.again, LEFT)
    qtbot.waitUntil(lambda: not viewmodel.is_checking, timeout=20_000)
    assert "Problems in" in view.state.text()


def test_the_map_draws_embedded_memories_by_type_and_age(qtbot, on_sample, view, sample, embedded_sample):
    qtbot.waitUntil(lambda: isinstance(view.map, EmbeddingMap), timeout=20_000)
    assert len(view.map.dots) == embedded_sample
    types = view.legend.accessibleDescription()
    view.colouring.setCurrentIndex(1)
    assert view.legend.accessibleDescription() == "this week, this month, three months, this year, older"
    assert "fact" in types
    dot = view.map.dots[0]
    assert dot.gist[:20] in view.map.tip(dot)
    before = view.map._plot.viewRect().width()
    qtbot.keyClick(view.map, Qt.Key.Key_Plus)
    assert view.map._plot.viewRect().width() < before
    qtbot.keyClick(view.map, Qt.Key.Key_Right)
    qtbot.keyClick(view.map, Qt.Key.Key_0)
    wanted = view.map.dots[3].id
    view.map.memory_wanted.emit(wanted)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == wanted)


@pytest.fixture
def embedded_sample(view, sample):
    """Vectors from another process, without loading a model: what matters here is that they are drawn."""
    import struct

    from core.model import Embedding, MemoryId
    from core.services.embeddings import expected_space

    with Workspace.open(sample) as other:
        space = expected_space(other.model())
        with other.store.transact(Op.EMBED, "test") as transaction:
            for id in range(1, 31):
                vector = [0.0] * space.dimension
                vector[id % 5] = 1.0
                transaction.put_embedding(MemoryId(id), space, Embedding(struct.pack(f"<{len(vector)}f", *vector)))
    return 30


def test_arrows_walk_the_map_from_dot_to_dot_and_enter_opens_one(qtbot):
    places = ((0.0, 0.0), (0.5, 0.05), (0.9, 0.0), (0.0, 0.6), (-0.7, 0.0))
    dots = [Point(id, x, y, "fact", "new", f"memory {id}") for id, (x, y) in enumerate(places, 1)]
    drawn = EmbeddingMap(lambda _: theme.colour("accent"))
    qtbot.addWidget(drawn)
    drawn.resize(600, 400)
    drawn.show()
    drawn.show_dots(dots)
    walked = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(drawn, key)
        walked.append(drawn.current.id)
    assert walked == [1, 2, 3, 3, 2]
    assert "memory 2" in drawn.accessibleDescription()
    with qtbot.waitSignal(drawn.memory_wanted) as reported:
        qtbot.keyClick(drawn, Qt.Key.Key_Return)
    assert reported.args == [2]
