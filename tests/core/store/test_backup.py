"""Backups are whole, thinned with age, and can be put back, which this file rehearses."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from core import draft
from core.changes import Op
from core.errors import CannotOpen, Fault, UserError
from core.store.sqlite import backup
from core.store.store import Store


def add(store: Store, content: str) -> None:
    with store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": content}, store.clock.now()))


def contents(path: Path) -> list[str]:
    with Store.open(path, backups=path.parent / "backups", read_only=True) as store, store.read() as reader:
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
        Store.open(store.path, backups=tmp_path / "backups")
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


def test_stores_of_the_same_name_do_not_share_backups(store, tmp_path):
    store.back_up("asked")
    with Store.create(tmp_path / "sub" / "store.db", backups=store.backups) as other:
        assert backup.backups(other.path, store.backups) == []


def _folder(store: Store) -> Path:
    return backup.backups(store.path, store.backups)[0].path.parent
