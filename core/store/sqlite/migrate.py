"""Migrations: numbered .sql files, append-only, each applied once in one transaction with its number."""

from __future__ import annotations

from functools import cache
from importlib import resources

import apsw


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Return every migration as (number, SQL), in order; the number is the first four digits of the file's name."""
    folder = resources.files("core.store.sqlite") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple((int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files)


def newest_version() -> int:
    return migrations()[-1][0]


def migrate(connection: apsw.Connection) -> None:
    """Migrate a file to the newest schema. If killed at any point, the file has one complete version."""
    for number, sql in migrations():
        connection.execute("begin immediate")
        try:
            # Asked inside the transaction: another process may just have done it.
            if int(connection.execute("pragma user_version").get) < number:
                connection.execute(sql)
                connection.execute(f"pragma user_version = {number}")
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise


def definition(name: str) -> str:
    """Return the SQL by which the migrations define a table, to create it again."""
    fresh = apsw.Connection(":memory:")
    migrate(fresh)
    return str(fresh.execute("select sql from sqlite_schema where name = ?", (name,)).get)


def schema(connection: apsw.Connection) -> str:
    """Return the schema as one readable text; `schema.sql` is generated from it, and a test compares them."""
    statements = connection.execute(
        "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' and tbl_name not in"
        " (select name from pragma_table_list where type = 'shadow') order by rowid"
    )
    return "\n\n".join(f"{sql};" for (sql,) in statements) + "\n"


if __name__ == "__main__":
    import sys

    from core.store.sqlite.connection import prepare

    memory = apsw.Connection(":memory:")
    prepare(memory)
    migrate(memory)
    sys.stdout.write(schema(memory))
