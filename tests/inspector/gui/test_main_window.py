"""The frame: every action is reachable, keys work, faults get a page, other processes' changes show by themselves."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import apsw
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit

from core.errors import Fault
from core.search_types import Order, SortColumn
from core.services import browse, remember
from core.services.workspace import Workspace
from inspector.gui import app
from inspector.gui.actions import ACTIONS, Requires, shown_keys
from inspector.gui.main_window import MainWindow
from inspector.gui.viewmodels.browse import BrowseViewModel
from inspector.gui.viewmodels.open_store import OpenStore
from inspector.gui.views.appearance import Appearance
from inspector.gui.views.curation import Curation
from inspector.gui.views.dialogs import RememberDialog
from inspector.gui.views.files import Files
from inspector.gui.views.help import Help
from inspector.gui.views.palette import CommandPalette, ShortcutSheet
from inspector.gui.widgets.empty import EmptyState


def test_every_action_is_a_method_of_the_window_or_of_one_of_its_owners_of_actions_and_of_one_only():
    for action in ACTIONS:
        assert [action.name in vars(owner) for owner in (MainWindow, Files, Appearance, Curation, Help)].count(
            True
        ) == 1, action.name


def test_no_two_actions_share_a_key_or_a_name():
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


def test_menus_toolbar_palette_and_sheet_are_made_from_the_one_table(qtbot, window):
    in_menus = {
        action.objectName() for menu in window.menuBar().actions() for action in menu.menu().actions() if action.text()
    }
    assert {action.name for action in ACTIONS} <= in_menus
    on_bar = {action.objectName() for action in window.toolbar.actions()}
    assert on_bar == {action.name for action in ACTIONS if action.on_toolbar}
    window.shortcuts()
    sheet = window.findChild(ShortcutSheet)
    words = {label.text() for label in sheet.findChildren(type(window.status.store))}
    assert {shown_keys(action) for action in ACTIONS if action.keys} <= words
    sheet.close()


def test_the_first_page_offers_the_sample_and_actions_wait_for_a_store(qtbot, window):
    assert window.pages.currentWidget() is window.first_page
    assert window.first_page.buttons["open_sample"].isVisible()
    for action in ACTIONS:
        assert window.actions_by_name[action.name].isEnabled() is (action.needs is Requires.NOTHING)


def test_the_sample_is_made_and_opened_with_a_click(qtbot, window):
    with qtbot.waitSignal(window.store.opened, timeout=20_000):
        qtbot.mouseClick(window.first_page.buttons["open_sample"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.browse_viewmodel.table.total > 100)
    assert window.store.path.name == "sample.db"


def test_every_control_has_a_name_for_a_screen_reader(qtbot, on_sample):
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QAbstractItemView)
    nameless = []
    for widget in (each for kind in kinds for each in on_sample.findChildren(kind)):
        classes = widget.metaObject().className(), widget.parent().metaObject().className()
        is_qts_own = widget.objectName().startswith("qt_") or any(
            name in " ".join(classes) for name in ("QTableCornerButton", "QHeaderView", "QComboBoxPrivate", "QTabBar")
        )
        is_inner = isinstance(widget.parent(), (QComboBox, QLineEdit))
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if not (is_qts_own or is_inner or widget.accessibleName() or text):
            nameless.append((*classes, widget.objectName()))
    assert nameless == []


def test_the_palette_finds_an_action_by_a_few_letters_and_does_it(qtbot, on_sample):
    on_sample.palette()
    palette = on_sample.findChild(CommandPalette)
    qtbot.keyClicks(palette.field, "query lab")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert on_sample.work.currentWidget() is on_sample.query_view


def test_keys_go_to_views_and_to_the_search(qtbot, on_sample):
    on_sample.activateWindow()
    qtbot.waitActive(on_sample)
    qtbot.keyClick(on_sample, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert on_sample.work.currentWidget() is on_sample.query_view
    qtbot.keyClick(on_sample, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert on_sample.work.currentWidget() is on_sample.browse_view
    assert on_sample.focusWidget() is on_sample.browse_view.search


def test_a_change_by_another_process_shows_by_itself(qtbot, on_sample, sample):
    before = on_sample.browse_viewmodel.table.total
    with Workspace.open(sample) as other:
        remember.remember(other, {"content": "Written by somebody else meanwhile"}, actor="agent")
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.table.total == before + 1)


def test_a_new_memory_is_kept_undone_and_done_again(qtbot, on_sample):
    table = on_sample.browse_viewmodel.table
    before = table.total
    on_sample.remember()
    dialog = on_sample.findChild(RememberDialog)
    assert not dialog.keep.isEnabled()
    qtbot.keyClicks(dialog.content, "Pelle sings on Fridays")
    qtbot.mouseClick(dialog.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: table.total == before + 1)
    on_sample.undo()
    qtbot.waitUntil(lambda: table.total == before)
    assert "Undid your addition of" in on_sample.status.message.text()
    on_sample.redo()
    qtbot.waitUntil(lambda: table.total == before + 1)


def refused(qtbot, window, path):
    with qtbot.waitSignal(window.store.refused) as reported:
        window.store.open(path)
    assert window.pages.currentWidget() is window.fault_page
    return reported.args[0]


def test_a_missing_store_gets_a_page_that_can_make_one(qtbot, window, tmp_path):
    path = tmp_path / "none.db"
    assert refused(qtbot, window, path).fault is Fault.MISSING
    assert not window.fault_page.retry.isVisible()
    with qtbot.waitSignal(window.store.opened):
        qtbot.mouseClick(window.fault_page.make, Qt.MouseButton.LeftButton)
    assert path.exists()


def test_a_damaged_store_is_not_touched_and_its_backup_can_be_put_back(qtbot, window, sample):
    with Workspace.open(sample) as workspace:
        total = browse.page(workspace, browse.Filter()).total
        workspace.store.back_up("asked")
    sample.write_bytes(sample.read_bytes()[:4096])
    damaged = sample.read_bytes()
    assert refused(qtbot, window, sample).fault is Fault.TRUNCATED
    assert sample.read_bytes() == damaged
    assert "newest backup is from" in window.fault_page.advice.text()
    with qtbot.waitSignal(window.store.opened):
        qtbot.mouseClick(window.fault_page.restore, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.status.memories.text() == f"{total:,} memories")


def test_a_store_whose_memories_cannot_be_read_shows_no_row_of_the_one_before(qtbot, on_sample, sample, tmp_path):
    other = Path(shutil.copy(sample, tmp_path / "other.db"))
    connection = apsw.Connection(str(other))
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    size = connection.execute("pragma page_size").get
    root = connection.execute("select rootpage from sqlite_master where name = 'memories'").get
    connection.close()
    content = bytearray(other.read_bytes())
    content[(root - 1) * size : root * size] = b"\xff" * size
    other.write_bytes(content)
    assert refused(qtbot, on_sample, other).fault is Fault.CORRUPT
    assert on_sample.browse_viewmodel.table.total == 0
    assert on_sample.browse_view.filters.count.text() != "looking…"
    assert on_sample.windowTitle() == "Memory Inspector"
    assert on_sample.status.store.text() == "No store is open"


def test_a_store_of_a_newer_version_is_left_as_it_is(qtbot, window, sample):
    with apsw.Connection(str(sample)) as connection:
        connection.execute("pragma user_version = 99")
    connection.close()
    before = sample.read_bytes()
    assert refused(qtbot, window, sample).fault is Fault.NEWER
    assert sample.read_bytes() == before
    assert "Update" in window.fault_page.advice.text()


def test_a_locked_store_can_be_tried_again(qtbot, window, sample, monkeypatch):
    monkeypatch.setattr("core.store.sqlite.opening.OPENING_TIMEOUT_MS", 10)
    holder = apsw.Connection(str(sample))
    holder.execute("pragma locking_mode = exclusive").fetchall()
    holder.execute("begin exclusive")
    assert refused(qtbot, window, sample).fault is Fault.LOCKED
    holder.close()
    with qtbot.waitSignal(window.store.opened):
        qtbot.mouseClick(window.fault_page.retry, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\nxx", b"just words, no database at all" * 9])
def test_a_file_that_is_no_store_is_left_alone_and_said_so(qtbot, window, tmp_path, content):
    path = tmp_path / "what.db"
    path.write_bytes(content)
    refused(qtbot, window, path)
    assert "not a memory store" in window.fault_page.title.text()
    assert path.read_bytes() == content


def test_a_store_opened_for_reading_says_so_and_offers_no_change(qtbot, window, sample):
    window.store.open_read_only(sample)
    qtbot.waitUntil(lambda: window.status.read_only.isVisible())
    assert "reading only" in window._banner.text.text()
    assert not window.actions_by_name["undo"].isEnabled()
    assert not window.actions_by_name["import_file"].isEnabled()
    assert window.actions_by_name["export_file"].isEnabled()
    qtbot.waitUntil(lambda: window.detail_viewmodel.memory is not None)
    assert window.browse_view.detail.content.isReadOnly()


def test_a_store_that_vanishes_while_it_is_open_gets_a_page(qtbot, on_sample, sample):
    with qtbot.waitSignal(on_sample.store.refused) as reported:
        sample.rename(sample.with_name("elsewhere.db"))
    assert reported.args[0].fault is Fault.REPLACED


def drop(window, path: Path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.dropEvent(
        QDropEvent(
            QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_a_dropped_file_shows_what_it_holds_and_comes_in(qtbot, on_sample, tmp_path):
    file = tmp_path / "more.jsonl"
    file.write_text('{"kind":"memory","content":"Dropped in","uid":"dropped"}\n')
    before = on_sample.browse_viewmodel.table.total
    drop(on_sample, file)
    qtbot.waitUntil(lambda: _dialog(on_sample, "Import more.jsonl") is not None)
    dialog = _dialog(on_sample, "Import more.jsonl")
    assert "1 new memories" in {label.text() for label in dialog.findChildren(type(on_sample.status.store))}
    dialog.accept()
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.table.total == before + 1)


def test_a_dropped_store_is_opened(qtbot, window, sample):
    with qtbot.waitSignal(window.store.opened):
        drop(window, sample)


def _dialog(window, title):
    from PySide6.QtWidgets import QDialog

    return next((each for each in window.findChildren(QDialog) if each.windowTitle() == title), None)


def test_the_window_comes_back_as_it_was_left(qtbot, on_sample, settings, sample):
    on_sample.resize(790, 650)
    on_sample.appearance.theme_dark()
    on_sample.close()
    assert settings.text("theme") == "dark"
    assert settings.recent_stores() == [sample]
    again = MainWindow(type(on_sample.store)(with_model=False), settings)
    assert again.height() == 650
    again.close()
    again.deleteLater()


def test_columns_come_back_as_they_were_left_with_what_was_sorted_by(qtbot, on_sample, settings):
    header = on_sample.browse_view.table.horizontalHeader()
    header.moveSection(header.visualIndex(4), 1)
    header.resizeSection(2, 233)
    calls = on_sample.activity_view.calls.table.horizontalHeader()
    calls.resizeSection(1, 177)
    on_sample.browse_viewmodel.sort(SortColumn.CONFIDENCE, descending=True)
    on_sample.close()
    again = MainWindow(OpenStore(with_model=False), settings)
    header = again.browse_view.table.horizontalHeader()
    assert (header.visualIndex(4), header.sectionSize(2)) == (1, 233)
    assert again.activity_view.calls.table.horizontalHeader().sectionSize(1) == 177
    assert again.browse_viewmodel.order == Order(SortColumn.CONFIDENCE, descending=True)
    assert again.browse_viewmodel.table.headerData(4, Qt.Orientation.Horizontal) == "Confidence ↓"
    again.close()
    again.deleteLater()


@pytest.mark.parametrize("kept", [None, "rubbish", ["confidence"], ["no such column", True], ["confidence", "yes"]])
def test_a_kept_order_that_is_not_understood_is_newest_first(store, settings, kept):
    settings.set_data("browse/sorted", kept)
    assert BrowseViewModel(store, settings).order == Order()


def test_export_writes_every_memory(qtbot, on_sample, tmp_path):
    target = tmp_path / "all.jsonl"
    with qtbot.waitSignal(on_sample.store.message):
        on_sample.store.export_file(target)
    assert target.read_text("utf-8").count('"kind": "memory"') or target.read_text("utf-8").count('"kind":"memory"')


def test_an_empty_store_says_what_to_do_first_in_every_view(qtbot, window, tmp_path):
    window.store.create(tmp_path / "mine.db")
    qtbot.waitUntil(lambda: window.browse_view.nothing.title.text() == "No memories yet")
    assert "Ctrl+M" in window.browse_view.nothing.sentence.text()
    window.decay()
    qtbot.waitUntil(window.decay_view.nothing.isVisible)
    for name in window.views:
        window.do(name)
        qtbot.waitUntil(lambda name=name: any(each.isVisible() for each in window.views[name].findChildren(EmptyState)))
    window.store.remember("The first one", "fact")
    qtbot.waitUntil(lambda: window.browse_view.nothing.title.text() == "No matching memories")
    qtbot.waitUntil(lambda: window.decay_view.stack.currentWidget() is window.decay_view.split)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_as_its_user_would_and_saves_what_was_typed(qtbot, on_sample, sample, number):
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    id = on_sample.browse_viewmodel.current
    qtbot.keyClicks(on_sample.browse_view.detail.content, "Typed: ")
    try:
        app.close_on_signals(on_sample)
        signal.raise_signal(number)
        qtbot.waitUntil(lambda: not on_sample.isVisible())
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    with Workspace.open(sample, read_only=True) as workspace:
        assert browse.find(workspace, str(id)).content.startswith("Typed: ")
