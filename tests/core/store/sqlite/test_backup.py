"""Backups are whole, thinned with age, and can be put back, which this file rehearses."""

from __future__ import annotations

import contextlib
import shutil
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from core import draft
from core.changes import Op
from core.errors import CannotOpen, Fault, UserError
from core.model import Filter
from core.store.sqlite import backup, opening
from core.store.sqlite.engine import SqliteStore


def add(store: SqliteStore, content: str) -> None:
    with store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": content}, store.clock.now()))


def contents(path: Path) -> list[str]:
    with SqliteStore.open(path, backups=path.parent / "backups", read_only=True) as store, store.read() as reader:
        assert store.check() == []
        return [reader.memory(id).content for id, _ in reader.matching("memory")]


def test_a_backup_taken_while_the_store_is_open_holds_all_that_was_committed(store):
    add(store, "memory one")
    with store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "memory two, not committed yet"}, store.clock.now()))
        kept = store.back_up("asked")
    assert contents(kept) == ["memory one"]
    assert kept.stat().st_mode & 0o777 == 0o600
    assert sorted(file.name for file in kept.parent.iterdir()) == [kept.name]


def test_a_restored_store_equals_its_backup_and_what_it_replaced_is_kept(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    add(store, "memory two")
    clock.advance(timedelta(minutes=1))
    replaced = backup.restore(kept, store.path, tmp_path / "backups", clock.now())
    assert contents(store.path) == ["memory one"]
    assert sorted(contents(replaced)) == ["memory one", "memory two"]


def test_a_process_that_has_the_store_open_sees_the_restored_one(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    add(store, "memory two")
    clock.advance(timedelta(minutes=1))
    backup.restore(kept, store.path, tmp_path / "backups", clock.now())
    with store.read() as reader:
        assert reader.count() == 1
    add(store, "memory three")
    with store.read() as reader:
        assert reader.count() == 2


def test_a_damaged_store_is_moved_aside_with_its_stale_wal_before_the_backup_takes_its_place(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    store.close()
    store.path.write_bytes(store.path.read_bytes()[:5000])
    Path(f"{store.path}-wal").write_bytes(b"a stale log" * 100)
    with pytest.raises(CannotOpen):
        SqliteStore.open(store.path, backups=tmp_path / "backups")
    aside = backup.restore(kept, store.path, tmp_path / "backups", clock.now())
    assert contents(store.path) == ["memory one"]
    assert aside.stat().st_size == 5000
    assert Path(f"{aside}-wal").exists()


def test_a_missing_store_is_made_from_the_backup(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    store.close()
    store.path.unlink()
    assert backup.restore(kept, store.path, tmp_path / "backups", clock.now()) is None
    assert contents(store.path) == ["memory one"]


def test_a_stale_log_never_meets_a_new_or_a_restored_store(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    add(store, "memory two")
    log = Path(f"{store.path}-wal").read_bytes()
    store.close()
    store.path.unlink()
    Path(f"{store.path}-wal").write_bytes(log)
    with pytest.raises(CannotOpen, match="left of an earlier store"):
        SqliteStore.create(store.path, backups=tmp_path / "backups")
    backup.restore(kept, store.path, tmp_path / "backups", clock.now())
    assert contents(store.path) == ["memory one"]
    assert list((tmp_path / "backups").rglob("*-wal"))


def test_a_damaged_store_larger_than_what_is_checked_at_opening_is_restored_too(store, tmp_path, clock, monkeypatch):
    with store.transact(Op.REMEMBER, "test") as transaction:
        for n in range(500):
            transaction.add_memory(draft.memory({"content": f"memory {n} " * 20}, store.clock.now()))
    kept = store.back_up("asked")
    store.close()
    monkeypatch.setattr(opening, "QUICK_CHECK_BYTES", 0)
    content = bytearray(store.path.read_bytes())
    content[40_000:200_000] = b"\x5a" * 160_000
    store.path.write_bytes(content)
    aside = backup.restore(kept, store.path, tmp_path / "backups", clock.now())
    assert len(contents(store.path)) == 100
    assert aside.read_bytes() == bytes(content)


def test_what_was_set_aside_is_never_taken_for_a_backup(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    store.close()
    for _ in range(2):
        clock.advance(timedelta(minutes=1))
        store.path.write_bytes(store.path.read_bytes()[:5000])
        backup.restore(
            backup.backups(store.path, tmp_path / "backups")[0].path, store.path, tmp_path / "backups", clock.now()
        )
        assert contents(store.path) == ["memory one"]
    assert [each.path for each in backup.backups(store.path, tmp_path / "backups")] == [kept]


def test_a_restore_that_fails_leaves_the_store_where_it_was(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    store.close()
    damaged = store.path.read_bytes()[:5000]
    store.path.write_bytes(damaged)
    (tmp_path / "not-a-folder").write_text("so nothing can be set aside")
    with pytest.raises(UserError, match="Nothing was restored"):
        backup.restore(kept, store.path, tmp_path / "not-a-folder", clock.now())
    assert store.path.read_bytes() == damaged
    assert not list(tmp_path.glob(".*.new*"))


def test_no_acknowledged_write_falls_between_the_copy_and_the_replacement(store, tmp_path, clock):
    add(store, "memory one")
    kept = store.back_up("asked")
    stop, acknowledged = threading.Event(), []

    def write() -> None:
        while not stop.is_set():
            add(store, f"memory {len(acknowledged)}")
            acknowledged.append(len(acknowledged))
            stop.wait(0.002)

    replaced = []
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(3):
            with contextlib.suppress(UserError):  # being asked to stop the writer is fine; losing its writes is not
                replaced.append(
                    backup.restore(kept, store.path, tmp_path / "backups", clock.now() + timedelta(hours=n + 1))
                )
    finally:
        stop.set()
        writer.join()
    seen = set()
    for path in [store.path, *replaced]:
        with SqliteStore.open(path, backups=tmp_path / "x", read_only=True) as each, each.read() as reader:
            seen |= {memory.content for memory in reader.page(Filter(), limit=100_000)}
    assert {f"memory {n}" for n in acknowledged} <= seen


def test_a_backup_ends_while_another_process_keeps_writing(store):
    with store.transact(Op.REMEMBER, "test") as transaction:
        for n in range(3000):
            transaction.add_memory(draft.memory({"content": f"memory {n} " * 30}, store.clock.now()))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            add(store, "memory more")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        kept = store.back_up("busy")
    finally:
        stop.set()
        writer.join()
    assert kept.exists()


def test_the_copy_just_made_is_kept_even_when_the_clock_was_set_back(store, clock):
    for _ in range(40):
        clock.advance(timedelta(minutes=30))
        store.back_up("often")
    clock.advance(timedelta(days=-7))
    assert store.back_up("set back").exists()
    assert backup.backups(store.path, store.backups)[0].reason == "set-back"


def test_many_new_copies_do_not_push_out_the_daily_and_weekly_ones(store, clock):
    start = clock.now()
    for days in (60, 30, 10, 5, 3):
        clock.at = start - timedelta(days=days)
        store.back_up("old")
    for n in range(60):
        clock.at = start - timedelta(hours=40) + timedelta(minutes=30 * n)
        store.back_up("new")
    kept = [each.reason for each in backup.backups(store.path, store.backups)]
    assert kept.count("old") == 5
    assert kept.count("new") <= backup.MAX_RECENT + 3


def test_another_programs_file_is_never_moved_aside(store, tmp_path, clock):
    kept = store.back_up("asked")
    picture = tmp_path / "holiday.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n and so on")
    with pytest.raises(CannotOpen) as refused:
        backup.restore(kept, picture, tmp_path / "backups", clock.now())
    assert refused.value.fault is Fault.PICTURE
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_nothing_is_restored_from_a_file_that_is_no_backup_or_from_itself(store, tmp_path, clock):
    add(store, "memory one")
    other = tmp_path / "other.db"
    other.write_text("not a database, but long enough to look at" * 10)
    for source in (other, tmp_path / "missing.db", store.path):
        with pytest.raises(UserError):
            backup.restore(source, store.path, tmp_path / "backups", clock.now())
    assert contents(store.path) == ["memory one"]


def test_old_backups_are_thinned_to_days_and_weeks_and_the_newest_stays(store, clock):
    start = clock.now()
    for hour in range(0, 24 * 40, 6):
        clock.at = start + timedelta(hours=hour)
        store.back_up("often") if hour % 24 == 0 else shutil.copy(
            store.path, _folder(store) / f"{clock.now():%Y%m%dT%H%M%S%f}Z-often.db"
        )
    backup.thin(store.path, store.backups, clock.now())
    ages = [(clock.now() - kept.at).total_seconds() / 86400 for kept in backup.backups(store.path, store.backups)]
    assert ages[0] == 0
    assert sum(age <= 2 for age in ages) == 9
    assert 11 <= sum(2 < age <= 14 for age in ages) <= 13
    assert 3 <= sum(age > 14 for age in ages) <= 5


def test_the_newest_backup_stays_however_old_it_is(store, clock):
    kept = store.back_up("only")
    clock.advance(timedelta(days=4000))
    backup.thin(store.path, store.backups, clock.now())
    assert kept.exists()


@pytest.mark.parametrize("years", [10, 1, -10])
def test_a_clock_that_jumped_deletes_no_earlier_copy(store, clock, years):
    for _ in range(12):
        clock.advance(timedelta(days=1))
        store.back_up("daily")
    clock.advance(timedelta(days=365 * years))
    for _ in range(3):
        clock.advance(timedelta(minutes=5))
        store.back_up("jumped")
    clock.advance(timedelta(days=-365 * years))
    store.back_up("mended")
    kept = [each.reason for each in backup.backups(store.path, store.backups)]
    assert kept == ["mended", *["jumped"] * 3, *["daily"] * 12]


def test_the_newest_five_stay_however_they_are_dated(store, clock):
    for _ in range(30):
        clock.advance(timedelta(days=-20))
        store.back_up("set back")
    for _ in range(8):
        clock.advance(timedelta(days=29, hours=23))
        store.back_up("rare")
    newest = [each.path for each in backup.backups(store.path, store.backups)][:5]
    clock.advance(timedelta(days=29))
    backup.thin(store.path, store.backups, clock.now())
    assert [each.path for each in backup.backups(store.path, store.backups)][:5] == newest


def test_copies_that_rest_on_no_clock_are_thinned_by_their_number(store, clock):
    folder = store.back_up("first").parent
    for n in range(90):
        at = clock.now() + timedelta(days=400 * n)
        shutil.copy(store.path, folder / f"{at:%Y%m%dT%H%M%S%f}Z-s{n + 2:06d}-jumping.db")
    backup.thin(store.path, store.backups, clock.now())
    kept = backup.backups(store.path, store.backups)
    assert len(kept) == backup.MAX_TOTAL
    assert kept[0].path.name.endswith("-s000091-jumping.db")


def test_stores_of_the_same_name_do_not_share_backups(store, tmp_path):
    store.back_up("asked")
    with SqliteStore.create(tmp_path / "sub" / "store.db", backups=store.backups) as other:
        assert backup.backups(other.path, store.backups) == []


def _folder(store: SqliteStore) -> Path:
    return backup.backups(store.path, store.backups)[0].path.parent
