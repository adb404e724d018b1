"""A memory beside the list: read, edited, saved and undone; its chips, links, versions and context."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from browsing import settled
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit

from core.services import browse, curate
from core.services.workspace import Workspace

NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(on_sample):
    return on_sample.browse_view


def stored(sample, id):
    with Workspace.open(sample, read_only=True) as workspace:
        return browse.find(workspace, str(id))


def test_a_memory_is_edited_saved_and_undone(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    before = stored(sample, id)
    detail = view.detail
    assert not detail.save.isVisible()
    detail.content.setFocus()
    qtbot.keyClick(detail.content, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(detail.content, " Really.")
    qtbot.keyClicks(detail.tags.field, "checked")
    qtbot.keyClick(detail.tags.field, Qt.Key.Key_Return)
    detail.confidence.setValue(42)
    detail.importance.setCurrentText("high")
    assert detail.save.isVisible()
    qtbot.keyClick(on_sample, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not on_sample.detail_viewmodel.is_dirty)
    after = stored(sample, id)
    assert after.content == before.content + " Really."
    assert after.tags == (*before.tags, "checked")
    assert (after.confidence, after.importance) == (0.42, "high")
    on_sample.undo()
    qtbot.waitUntil(lambda: detail.content.toPlainText() == before.content)
    assert stored(sample, id).content == before.content


def test_chips_are_taken_away_by_a_click_or_by_backspace(qtbot, on_sample, view):
    tags = view.detail.tags
    count = len(tags.items)
    assert count >= 2
    qtbot.keyClick(tags.field, Qt.Key.Key_Backspace)
    assert len(tags.items) == count - 1
    tags.remove(tags.items[0])
    assert len(tags.items) == count - 2
    qtbot.mouseClick(view.detail.revert, LEFT)
    assert len(tags.items) == count
    assert not on_sample.detail_viewmodel.is_dirty


def test_a_stale_edit_is_refused_and_kept_in_the_form(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    qtbot.keyClicks(view.detail.summary, "mine")
    with Workspace.open(sample) as other:
        curate.edit(other, [id], {"summary": "theirs"}, actor="agent")
    with qtbot.waitSignal(on_sample.detail_viewmodel.refused):
        qtbot.mouseClick(view.detail.save, LEFT)
    assert stored(sample, id).summary == "theirs"
    assert view.detail.summary.text() == "mine"
    qtbot.mouseClick(view.detail.revert, LEFT)


def test_a_click_elsewhere_loses_no_edit(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    qtbot.keyClicks(view.detail.summary, "typed and left")
    view.table.setCurrentIndex(view.table.model().index(3, 0))
    qtbot.waitUntil(lambda: stored(sample, id).summary == "typed and left")


def saved(qtbot, window, text):
    """Wait until a save has landed and the memory is read anew."""
    qtbot.waitUntil(lambda: (now := window.detail_viewmodel.memory) is not None and now.content == text)
    qtbot.waitUntil(lambda: window.browse_view.detail.versions.rowCount() > 1)


def test_what_is_typed_while_a_save_is_on_its_way_stays_with_its_cursor_and_is_saved_next(
    qtbot, on_sample, view, sample
):
    id, before = on_sample.detail_viewmodel.memory.id, on_sample.detail_viewmodel.memory.content
    content = view.detail.content
    qtbot.keyClicks(content, "AAA")
    on_sample.save()
    qtbot.keyClicks(content, "BB")
    saved(qtbot, on_sample, f"AAA{before}")
    assert content.toPlainText() == f"AAABB{before}"
    assert content.textCursor().position() == 5
    assert on_sample.detail_viewmodel.is_dirty
    assert view.detail.save.isVisible()
    on_sample.save()
    qtbot.waitUntil(lambda: not on_sample.detail_viewmodel.is_dirty)
    assert stored(sample, id).content == f"AAABB{before}"


def test_typing_reverted_while_its_save_is_on_its_way_is_an_edit_of_the_new_version(qtbot, on_sample, view, sample):
    before = on_sample.detail_viewmodel.memory.content
    view.detail.content.setPlainText("Another text")
    on_sample.save()
    view.detail.content.setPlainText(before)
    saved(qtbot, on_sample, "Another text")
    assert view.detail.content.toPlainText() == before
    assert on_sample.detail_viewmodel.is_dirty
    view.detail.content.setPlainText("Another text")
    assert not on_sample.detail_viewmodel.is_dirty


def test_a_second_save_and_a_click_elsewhere_before_the_first_has_landed_lose_nothing(qtbot, on_sample, view, sample):
    id, before = on_sample.detail_viewmodel.memory.id, on_sample.detail_viewmodel.memory.content
    refused = []
    on_sample.detail_viewmodel.refused.connect(refused.append)
    for typed in "ABC":
        qtbot.keyClicks(view.detail.content, typed)
        on_sample.save()
        on_sample.save()
    qtbot.keyClicks(view.detail.content, "D")
    view.table.setCurrentIndex(view.table.model().index(3, 0))
    qtbot.waitUntil(lambda: stored(sample, id).content == f"ABCD{before}")
    assert refused == []


def test_an_edit_of_another_process_between_two_saves_is_not_overwritten(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    with Workspace.open(sample) as other:
        curate.edit(other, [id], {"summary": "theirs"}, actor="agent")
    qtbot.keyClicks(view.detail.content, "A")
    on_sample.save()
    qtbot.keyClicks(view.detail.content, "B")
    with qtbot.waitSignals([on_sample.detail_viewmodel.refused] * 2):
        on_sample.save()
    assert "AB" not in stored(sample, id).content
    assert view.detail.content.toPlainText().startswith("AB")
    view.detail.revert.click()


def test_the_cursor_of_a_line_stays_where_it_is_when_a_save_lands(qtbot, on_sample, view):
    summary = view.detail.summary
    qtbot.keyClicks(summary, "halls")
    summary.setCursorPosition(2)
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        on_sample.save()
    assert summary.cursorPosition() == 2


def test_versions_show_what_changed_word_by_word_and_lead_back(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    before = stored(sample, id).content
    view.detail.content.setPlainText("Completely different now")
    on_sample.save()
    qtbot.waitUntil(lambda: view.detail.versions.rowCount() == 2)
    view.detail.tabs.setCurrentIndex(2)
    kinds = {kind for kind, _ in view.detail.versions.row(0).diff}
    assert {"gone", "new"} <= kinds
    assert "Completely" in view.detail._diff.toPlainText()
    view.detail._versions_view.selectRow(1)
    qtbot.mouseClick(view.detail._back, LEFT)
    qtbot.waitUntil(lambda: stored(sample, id).content == before)


def test_a_change_of_tags_shows_in_versions_as_before_and_after(qtbot, on_sample, view, sample):
    before = on_sample.detail_viewmodel.memory.tags
    view.detail.tags.edited.emit((*before, "hall-7"))
    on_sample.save()
    qtbot.waitUntil(lambda: view.detail.versions.rowCount() == 2)
    view.detail.tabs.setCurrentIndex(2)
    shown = ", ".join(before) or "none"
    assert view.detail._diff.toPlainText().strip() == f"tags: {shown} → {', '.join((*before, 'hall-7'))}"


def test_a_link_leads_to_the_memory_at_its_other_end(qtbot, on_sample, view):
    qtbot.waitUntil(lambda: view.detail.links.rowCount() > 0)
    other = view.detail.links.row(0).other
    view.detail.tabs.setCurrentIndex(1)
    view.detail._links_view.activated.emit(view.detail.links.index(0, 0))
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == other.id)


def test_the_context_is_edited_in_its_tree(qtbot, on_sample, view, sample):
    qtbot.keyClicks(view.search, "dummy parcel slipped")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory == view.table.model().row(0).memory)
    memory = on_sample.detail_viewmodel.memory
    assert memory.context
    tree = view.detail.context.model
    parent = tree.index(0, 0)
    leaf = tree.index(0, 1, parent) if tree.rowCount(parent) else tree.index(0, 1)
    while tree.rowCount(leaf.siblingAtColumn(0)):
        leaf = tree.index(0, 1, leaf.siblingAtColumn(0))
    tree.setData(leaf, "77")
    on_sample.save()
    qtbot.waitUntil(lambda: stored(sample, memory.id).context != memory.context)


def test_memory_text_is_shown_as_plain_text_whatever_it_says(qtbot, on_sample, view):
    qtbot.keyClicks(view.search, "xss courier")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory == view.table.model().row(0).memory)
    assert view.detail.content.toPlainText() == on_sample.detail_viewmodel.memory.content
    assert "<" in view.detail.content.toPlainText()


def test_tab_after_a_new_key_goes_to_its_value_and_back(qtbot, on_sample, view):
    view.detail.tabs.setCurrentWidget(view.detail.context)
    tree, model = view.detail.context.tree, view.detail.context.model
    rows = model.rowCount()
    qtbot.mouseClick(view.detail.context.add, LEFT)

    def typed(text, key, modifier=Qt.KeyboardModifier.NoModifier):
        editor = tree.indexWidget(tree.currentIndex())
        assert isinstance(editor, QLineEdit)
        editor.selectAll()
        qtbot.keyClicks(editor, text)
        qtbot.keyClick(editor, key, modifier)

    typed("hall", Qt.Key.Key_Tab)
    typed("seven", Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    typed("building", Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: model.index(rows, 0).data() == "building")
    assert model.index(rows, 1).data() == "seven"


def test_ctrl_z_in_the_editor_undoes_typing_until_it_is_saved_and_then_what_was_saved(qtbot, on_sample, view, sample):
    on_sample.activateWindow()
    qtbot.waitUntil(lambda: on_sample.isActiveWindow())
    content = view.detail.content
    before, id = content.toPlainText(), on_sample.browse_viewmodel.current
    content.setFocus()
    qtbot.keyClicks(content, "X")
    qtbot.keyClick(content, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert content.toPlainText() == before
    assert not on_sample.detail_viewmodel.is_dirty
    qtbot.keyClicks(content, "X")
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        on_sample.save()
    assert stored(sample, id).content == f"X{before}"
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        qtbot.keyClick(content, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert stored(sample, id).content == before
    qtbot.waitUntil(lambda: content.toPlainText() == before)


def test_a_key_is_added_to_the_context_named_and_taken_away_again(qtbot, on_sample, view, sample):
    id = on_sample.browse_viewmodel.current
    before = stored(sample, id).context
    page = view.detail.context
    view.detail.tabs.setCurrentWidget(page)
    page.tree.setCurrentIndex(QModelIndex())
    qtbot.mouseClick(page.add, LEFT)
    page.model.setData(page.tree.currentIndex(), "checked by")
    page.model.setData(page.tree.currentIndex().siblingAtColumn(1), "Mara")
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        on_sample.save()
    assert stored(sample, id).context == {**before, "checked by": "Mara"}
    row = page.model.rowCount() - 1
    page.tree.setCurrentIndex(page.model.index(row, 0))
    qtbot.mouseClick(page.remove, LEFT)
    on_sample.save()
    qtbot.waitUntil(lambda: stored(sample, id).context == before)
