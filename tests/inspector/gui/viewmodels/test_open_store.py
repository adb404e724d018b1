"""The open store: opened, refused, closed; reads and writes in the background, undo, import and export."""

from __future__ import annotations

import pytest

from core.errors import Fault, UserError
from core.services import curate
from inspector.gui.viewmodels.open_store import PERSON


def count(workspace):
    with workspace.store.read() as reader:
        return reader.count()


def test_a_store_is_opened_and_its_status_follows(after, store, sample):
    status = after(store.status_changed, lambda: store.open(sample))
    assert (store.is_open, store.is_writable, store.path) == (True, True, sample)
    assert (status.path, status.memories, status.read_only_because) == (sample, 110, "")


def test_a_store_that_is_open_read_only_is_not_writable(after, store, sample):
    after(store.opened, lambda: store.open_read_only(sample))
    assert store.is_open
    assert not store.is_writable


def test_a_file_that_is_no_store_is_refused_with_its_fault(after, store, tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("These are no memories. " * 500)
    refusal = after(store.refused, lambda: store.open(path))
    assert (refusal.path, refusal.fault, refusal.backups) == (path, Fault.NOT_A_DATABASE, ())
    assert not store.is_open


def test_a_closed_store_is_not_read_any_more(after, opened):
    after(opened.closed, opened.close)
    assert (opened.is_open, opened.path) == (False, None)
    opened.read(count, lambda _: pytest.fail("a closed store was read"))
    assert opened.long("Counting", lambda ws, _: count(ws), lambda _: None) is None


def test_a_write_reports_what_it_changed_and_one_undo_reverts_it(after, opened):
    def pin(workspace):
        return None, curate.pin(workspace, [1, 2], actor=PERSON)

    assert after(opened.changed, lambda: opened.write(pin)).memories == {1, 2}
    assert after(opened.changed, opened.undo).memories == {1, 2}
    assert after(opened.changed, opened.redo).memories == {1, 2}


def test_an_error_of_a_read_is_a_sentence_for_the_window_or_the_caller(qtbot, after, opened):
    def refuse(_):
        raise UserError("There is no such thing.")

    assert after(opened.failed, lambda: opened.read(refuse, lambda _: None)) == "There is no such thing."
    caught = []
    opened.read(refuse, lambda _: None, failed=caught.append)
    qtbot.waitUntil(lambda: caught != [])
    assert str(caught[0]) == "There is no such thing."


def test_while_a_long_write_is_under_way_nothing_is_undone(qtbot, after, opened):
    def pin(workspace, progress):
        while True:
            progress("waiting", 0, 1)

    task = opened.long_write("Pinning", pin, lambda _: None)
    assert "Pinning is under way" in after(opened.failed, opened.undo)
    after(opened.work_ended, task.cancel)
    after(opened.changed, lambda: opened.remember("Pelle sings on Fridays", "fact"))
    assert after(opened.changed, opened.undo).memories


def test_what_is_known_already_is_not_added_again(after, opened):
    after(opened.message, lambda: opened.remember("Pelle sings on Fridays", "fact"))
    assert "Known already" in after(opened.message, lambda: opened.remember("Pelle sings on Fridays", "fact"))


def test_a_store_is_exported_and_imported_into_a_new_one(qtbot, after, opened, tmp_path):
    path = tmp_path / "all.jsonl"
    after(opened.message, lambda: opened.export_file(path))
    after(opened.opened, lambda: opened.create(tmp_path / "new.db"))
    plans = []
    opened.plan_import(path, plans.append)
    qtbot.waitUntil(lambda: plans != [])
    changes = after(opened.changed, lambda: opened.import_file(path))
    assert len(changes.memories) == 110
