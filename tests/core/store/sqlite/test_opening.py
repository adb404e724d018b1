"""Opening: each fault its own sentence, nothing overwritten, reading wherever reading is possible."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from core import draft
from core.changes import Op
from core.errors import CannotOpen, Fault, ReadOnly
from core.store.sqlite import migrate, opening
from core.store.sqlite.engine import SqliteStore

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 200


def open_store(path: Path) -> SqliteStore:
    return SqliteStore.open(path, backups=path.parent / "backups")


@pytest.fixture
def filled(store) -> Path:
    """A closed store with a few hundred rows."""
    with store.transact(Op.REMEMBER, "test") as transaction:
        for n in range(300):
            transaction.add_memory(draft.memory({"content": f"memory number {n} " * 10}, store.clock.now()))
    store.close()
    return store.path


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and for the length of the test no more rights than any user has."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        shutil.chown(folder, 65534)
        os.seteuid(65534)
        yield folder
        os.seteuid(0)
    else:
        yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)


def refusal(path: Path) -> CannotOpen:
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(CannotOpen) as refused:
        open_store(path)
    assert (path.read_bytes() if path.is_file() else None) == before, "a refused file must not change"
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    return refused.value


def test_a_missing_store_is_not_made_unasked(tmp_path):
    assert refusal(tmp_path / "none.db").fault is Fault.MISSING
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", Fault.EMPTY),
        (PNG, Fault.PICTURE),
        (b"\xff\xd8\xff\xe0 picture", Fault.PICTURE),
        (b"just some text, much longer than a database header would be" * 10, Fault.NOT_A_DATABASE),
        (b"SQLite format 3\0", Fault.TRUNCATED),
    ],
)
def test_what_is_no_store_is_distinguished_and_left_as_it_is(tmp_path, content, fault):
    path = tmp_path / "thing.db"
    path.write_bytes(content)
    assert refusal(path).fault is fault


def test_a_folder_is_not_a_store(tmp_path):
    assert refusal(tmp_path).fault is Fault.NOT_A_FILE


def test_a_store_that_was_cut_short_says_how_much_is_there(filled):
    size = filled.stat().st_size
    with filled.open("r+b") as file:
        file.truncate(size // 2)
    error = refusal(filled)
    assert error.fault is Fault.TRUNCATED
    assert f"{size // 2:,} of {size:,}" in str(error)


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "theirs.db"
    connection = apsw.Connection(str(path))
    connection.execute("create table notes (text)")
    connection.close()
    assert refusal(path).fault is Fault.FOREIGN


def test_a_store_of_a_newer_version_is_refused_untouched(filled):
    connection = apsw.Connection(str(filled))
    connection.execute(f"pragma user_version = {migrate.newest_version() + 1}")
    connection.close()
    error = refusal(filled)
    assert error.fault is Fault.NEWER
    assert "update the program" in str(error)


def test_a_store_with_two_names_is_refused(filled, tmp_path):
    os.link(filled, tmp_path / "second-name.db")
    assert refusal(filled).fault is Fault.HARD_LINKED


def test_a_creation_killed_between_its_two_names_is_finished_by_the_next_opening(filled, tmp_path):
    os.link(filled, tmp_path / f".{filled.name}.0123abcd.new")
    with open_store(filled) as store, store.read() as reader:
        assert reader.count() == 300
    assert filled.stat().st_nlink == 1


def test_what_killed_processes_left_behind_long_ago_is_swept(tmp_path):
    for name, age in (("old", 3 * 24 * 3600), ("young", 60)):
        left = tmp_path / f".store.db.{name}.new"
        left.write_text("half")
        os.utime(left, (left.stat().st_mtime - age,) * 2)
    make_store(tmp_path / "store.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".store.db.young.new", "store.db"]


def test_a_file_that_bears_our_mark_but_holds_nothing_of_ours_is_called_damaged(tmp_path):
    path = tmp_path / "store.db"
    connection = apsw.Connection(str(path))
    connection.execute(f"pragma application_id = {opening.APPLICATION_ID}")
    connection.execute("pragma user_version = 1")
    connection.execute("create table other (x)")
    connection.close()
    assert refusal(path).fault is Fault.CORRUPT


def test_a_symbolic_link_leads_to_the_store_itself(filled, tmp_path):
    (tmp_path / "link.db").symlink_to(filled)
    with open_store(tmp_path / "link.db") as store:
        assert store.path == filled


def test_a_store_another_program_holds_alone_is_said_to_be_locked(filled):
    holder = apsw.Connection(str(filled))
    holder.execute("pragma locking_mode = exclusive").fetchall()
    holder.execute("begin exclusive")
    try:
        assert refusal(filled).fault is Fault.LOCKED
    finally:
        holder.close()


def test_a_damaged_page_leaves_the_rest_readable_and_nothing_writable(filled):
    spoil_a_page_of("tags_by_tag", filled)
    spoiled = filled.read_bytes()
    with open_store(filled) as store:
        assert "is damaged" in store.read_only_because
        with store.read() as reader:
            assert reader.count() == 300
        with pytest.raises(ReadOnly, match="is damaged"), store.transact(Op.REMEMBER, "test"):
            pass
    assert filled.read_bytes() == spoiled


def test_a_store_whose_schema_is_damaged_is_refused(filled):
    content = bytearray(filled.read_bytes())
    content[100:4096] = os.urandom(3996)
    filled.write_bytes(content)
    assert refusal(filled).fault is Fault.CORRUPT


def test_a_read_only_file_is_searched_but_not_written(unprivileged):
    path = make_store(unprivileged / "store.db")
    path.chmod(0o400)
    with open_store(path) as store:
        assert "read-only" in store.read_only_because
        with store.read() as reader:
            assert len(reader.matching("hello")) == 1
        with pytest.raises(ReadOnly), store.transact(Op.REMEMBER, "test"):
            pass


def test_a_store_in_an_unwritable_folder_is_searched_but_not_written(unprivileged):
    folder = unprivileged / "shut"
    folder.mkdir()
    path = make_store(folder / "store.db")
    folder.chmod(0o500)
    before = sorted(folder.iterdir())
    with open_store(path) as store:
        assert "folder" in store.read_only_because
        with store.read() as reader:
            assert len(reader.matching("hello")) == 1
    assert sorted(folder.iterdir()) == before


def test_a_store_cannot_be_made_in_an_unwritable_folder(unprivileged):
    folder = unprivileged / "shut"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(CannotOpen) as refused:
        SqliteStore.create(folder / "store.db", backups=unprivileged)
    assert refused.value.fault is Fault.UNWRITABLE_FOLDER


def test_a_file_that_may_not_be_read_is_said_so(unprivileged):
    path = make_store(unprivileged / "store.db")
    path.chmod(0o000)
    with pytest.raises(CannotOpen) as refused:
        open_store(path)
    assert refused.value.fault is Fault.UNREADABLE


def test_making_a_store_where_something_stands_is_refused(tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("precious")
    with pytest.raises(CannotOpen) as refused:
        SqliteStore.create(path, backups=tmp_path)
    assert refused.value.fault is Fault.EXISTS
    assert path.read_text() == "precious"


def test_a_new_store_and_its_sidecars_are_its_owners_alone(store, tmp_path):
    with store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.set_setting("a", 1)
    files = sorted(tmp_path.glob("store.db*"))
    assert [file.name for file in files] == ["store.db", "store.db-shm", "store.db-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


@pytest.mark.parametrize("name", ["with space.db", "with?query.db", "with#hash%41.db", "中文 ü.db", "'quote\".db"])
def test_a_store_may_have_any_name(tmp_path, name):
    path = make_store(tmp_path / name)
    with open_store(path) as store, store.read() as reader:
        assert reader.count() == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == [name]


def make_store(path: Path) -> Path:
    with (
        SqliteStore.create(path, backups=path.parent / "backups") as store,
        store.transact(Op.REMEMBER, "t") as transaction,
    ):
        transaction.add_memory(draft.memory({"content": "hello"}, store.clock.now()))
    return path


def spoil_a_page_of(table: str, path: Path) -> None:
    connection = apsw.Connection(str(path))
    page = connection.execute("select rootpage from sqlite_schema where name = ?", (table,)).get
    size = connection.execute("pragma page_size").get
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x5a" * size)


def test_looking_at_a_store_leaves_its_bytes_and_its_folder_as_they_were(filled):
    before, beside = filled.read_bytes(), sorted(filled.parent.glob("store.db*"))
    with SqliteStore.open(filled, backups=filled.parent / "backups", read_only=True) as store, store.read() as reader:
        assert reader.count() == 300
    assert (filled.read_bytes(), sorted(filled.parent.glob("store.db*"))) == (before, beside)
