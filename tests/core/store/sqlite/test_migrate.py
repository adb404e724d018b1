"""Migrations: applied once, whole or not at all, after a backup."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from core import draft
from core.changes import Op
from core.errors import CannotOpen
from core.store.records import Call
from core.store.sqlite import backup, migrate, opening
from core.store.sqlite.connection import prepare
from core.store.sqlite.engine import SqliteStore

SCHEMA = Path(migrate.__file__).with_name("schema.sql")


def fresh() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    prepare(connection)
    return connection


def test_the_generated_schema_is_what_the_migrations_make():
    connection = fresh()
    migrate.migrate(connection)
    assert SCHEMA.read_text(encoding="utf-8") == migrate.schema(connection), (
        "write it anew: python -m core.store.sqlite.migrate > core/store/sqlite/schema.sql"
    )


def test_migrations_are_numbered_from_one_without_a_gap():
    assert [number for number, _ in migrate.migrations()] == list(range(1, migrate.newest_version() + 1))


def test_migrating_twice_changes_nothing():
    connection = fresh()
    migrate.migrate(connection)
    before = migrate.schema(connection)
    migrate.migrate(connection)
    assert migrate.schema(connection) == before


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch):
    """A program one migration newer than ours."""

    def become(sql: str) -> None:
        newer = (*migrate.migrations(), (migrate.newest_version() + 1, sql))
        monkeypatch.setattr(migrate, "migrations", lambda: newer)

    return become


def test_an_older_store_is_backed_up_then_brought_up_to_date(store, tmp_path, next_version):
    with store.transact(Op.REMEMBER, "test") as transaction:
        memory = transaction.add_memory(draft.memory({"content": "kept"}, store.clock.now()))
    store.close()
    next_version("create table more (id integer primary key) strict")
    with SqliteStore.open(store.path, backups=tmp_path / "backups") as upgraded, upgraded.read() as reader:
        assert reader.memory(memory.id) == memory
        assert reader._connection.execute("select count(*) from more").get == 0
    (kept,) = backup.backups(store.path, tmp_path / "backups")
    assert kept.reason == f"before-schema-{migrate.newest_version()}"
    assert opening.inspect(kept.path).schema_version == migrate.newest_version() - 1


def test_a_migration_that_fails_leaves_the_store_at_its_old_version(store, tmp_path, next_version):
    store.close()
    before = migrate.newest_version()
    next_version("create table more (id integer); select no_such_function()")
    with pytest.raises(apsw.SQLError):
        SqliteStore.open(store.path, backups=tmp_path / "backups")
    connection = apsw.Connection(str(store.path))
    assert connection.execute("pragma user_version").get == before
    assert connection.execute("select count(*) from sqlite_schema where name = 'more'").get == 0


def test_an_older_store_that_cannot_be_written_is_refused_with_the_reason(store, tmp_path, next_version, monkeypatch):
    store.close()
    next_version("create table more (id integer)")
    monkeypatch.setattr(opening.os, "access", lambda *_, **__: False)
    with pytest.raises(CannotOpen, match="older version .* is read-only"):
        SqliteStore.open(store.path, backups=tmp_path / "backups")


def test_a_store_of_the_first_version_opens_with_its_memories_and_records_calls(tmp_path, clock):
    path = tmp_path / "old.db"
    connection = apsw.Connection(str(path))
    prepare(connection)
    (_, first), *_ = migrate.migrations()
    connection.execute(first)
    connection.execute("pragma user_version = 1")
    connection.execute(f"pragma application_id = {opening.APPLICATION_ID}")
    connection.close()
    with SqliteStore.open(path, backups=tmp_path / "backups", clock=clock) as store:
        with store.transact(Op.TOUCH, "codex") as transaction:
            transaction.record_call(Call(at=clock.now(), client="codex", tool="memory_get", elapsed_us=1))
        with store.read() as reader:
            assert reader.call(1).client == "codex"
        assert store.check() == []


def test_in_a_store_of_the_seventh_version_equal_texts_are_found_by_the_shorter_index(tmp_path, monkeypatch):
    newest = migrate.migrations()
    monkeypatch.setattr(migrate, "migrations", lambda: newest[:7])
    store = SqliteStore.create(tmp_path / "old.db", backups=tmp_path / "backups")
    with store, store.transact(Op.IMPORT, "test") as transaction:
        for content in ("Use WAL", "use  wal", "use no wal"):
            transaction.add_memory(draft.memory({"content": content}, transaction.now))
    monkeypatch.setattr(migrate, "migrations", lambda: newest)
    with SqliteStore.open(store.path, backups=tmp_path / "backups") as upgraded:
        with upgraded.read() as reader:
            assert [memory.id for memory in reader.same_content("USE WAL")] == [1, 2]
            assert reader.same_content("use") == []
        assert upgraded.check() == []
    assert [kept.reason for kept in backup.backups(store.path, tmp_path / "backups")] == [
        f"before-schema-{migrate.newest_version()}"
    ]


def test_equal_texts_are_looked_up_not_looked_for(store):
    steps = []
    with store.read() as reader:
        reader._connection.exec_trace = lambda cursor, sql, bindings: steps.append((sql, bindings)) or True
        reader.same_content("alpha")
        reader._connection.exec_trace = None
        sql, bindings = steps[-1]
        plan = reader._connection.execute(f"explain query plan {sql}", bindings).fetchall()
    assert "SEARCH m USING INDEX memories_by_content_hash" in plan[0][-1]
