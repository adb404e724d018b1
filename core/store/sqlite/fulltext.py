"""The full-text index: updated row by row, checked by digest, rebuilt from the memories at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import apsw

from core import text
from core.model import Memory, MemoryId
from core.search_types import FIELDS, TextSearch
from core.store.json_text import strings
from core.store.sqlite import memories, migrate, shadow_tables
from core.store.sqlite.rows import among

TABLES = ("fulltext", "fulltext_stemmed")

_FOLDED = ("unicode61", "remove_diacritics", "2")
_TOKENIZERS = {"fulltext": _FOLDED, "fulltext_stemmed": ("porter", *_FOLDED)}

_CONTENT, _SUMMARY, _ENTITIES, _FILES, _TAGS = range(len(FIELDS))

Indexed = tuple[MemoryId, *tuple[str, ...]]  # a memory's text in each of the FIELDS

_MAX_TOKEN_BYTES = 32_768  # in bytes
_BATCH = 500  # memories indexed together by a rebuild


def table_of(search: TextSearch) -> str:
    """Return the table that a search uses."""
    return "fulltext_stemmed" if search.stemmed else "fulltext"


def match_expression(words: Sequence[str]) -> str:
    """Return an FTS5 expression for any of the words, each quoted, so that no character is an operator."""
    return " OR ".join(f'"{word}"*' if text.is_prefix(word) else f'"{word}"' for word in words)


def narrowing_expression(typed: str) -> str:
    """Return an FTS5 expression for all words typed so far, the last one as a prefix; empty for no word."""
    complete, unfinished = text.typed_words(typed)
    return " AND ".join([*(f'"{word}"' for word in complete), *(f'"{word}"*' for word in unfinished)])


def add(connection: apsw.Connection, indexed: Sequence[Indexed]) -> None:
    """Index memories that are not indexed; never by "insert or replace", which takes many times as long."""
    for table in TABLES:
        connection.executemany(
            f"insert into {table} (rowid, {', '.join(FIELDS)}) values (?, ?, ?, ?, ?, ?)",
            indexed,
        )
    connection.executemany(
        "insert into fulltext_state (memory_id, digest) values (?, ?)",
        [(id, text.digest(*texts)) for id, *texts in indexed],
    )


def tokenizer(connection: apsw.Connection, table: str) -> Callable[[str], list[str]]:
    """Return a function that splits a text into the tokens of a table, by FTS5's own tokenizer."""
    name, *arguments = _TOKENIZERS[table]
    parting = connection.fts5_tokenizer(name, arguments)

    def words(content: str) -> list[str]:
        found: Any = parting(
            content.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
        )
        return list(found)

    return words


def single_tokens(connection: apsw.Connection, table: str, words: Sequence[str]) -> list[str] | None:
    """Return each word of a query as the index has it; None if one is not exactly one token, is a prefix, or is so long
    that FTS5 cuts it off."""
    if any(text.is_prefix(word) or len(word.encode()) >= _MAX_TOKEN_BYTES for word in words):
        return None
    parted = list(map(tokenizer(connection, table), words))
    # FTS5's stemmer removes bytes, which may leave a word with an incomplete last character, as no text has.
    are_whole = all(len(tokens) == 1 and "\ufffd" not in tokens[0] for tokens in parted)
    return [tokens[0] for tokens in parted] if are_whole else None


def remove(connection: apsw.Connection, id: MemoryId) -> None:
    for table in TABLES:
        connection.execute(f"delete from {table} where rowid = ?", (id,))
    connection.execute("delete from fulltext_state where memory_id = ?", (id,))


def rebuild(connection: apsw.Connection) -> None:
    """Index every memory again, in new tables: FTS5's own 'delete-all' leaves other connections with a stale cache."""
    for table in TABLES:
        shadow_tables.drop_fts5(connection, table)
        connection.execute(migrate.definition(table))
    connection.execute("delete from fulltext_state")
    indexed = of_file(connection)
    while some := list(islice(indexed, _BATCH)):
        add(connection, some)


def drifted(connection: apsw.Connection) -> set[MemoryId]:
    """Return memories that disagree with their index row, and index rows without a memory."""
    try:
        return set(_drifted(connection))
    except (apsw.SQLError, apsw.CorruptError):  # a table is missing or broken
        return {MemoryId(id) for (id,) in connection.execute("select id from memories")}


def _drifted(connection: apsw.Connection) -> Iterator[MemoryId]:
    for table in (*map(shadow_tables.lengths_table, TABLES), "fulltext_state"):
        key = "memory_id" if table == "fulltext_state" else "id"
        for (id,) in connection.execute(
            f"select {key} from {table} where {key} not in (select id from memories)"
            f" union select id from memories where id not in (select {key} from {table})"
        ):
            yield MemoryId(id)
    stated: Any = connection.execute("select memory_id, digest from fulltext_state")
    digests: dict[MemoryId, bytes] = dict(stated)
    for id, *texts in of_file(connection):
        if digests.get(id) != text.digest(*texts) or not _is_found(connection, id, texts):
            yield id


def _is_found(connection: apsw.Connection, id: MemoryId, texts: Sequence[str]) -> bool:
    """Return whether the index finds a memory by its own words, split at spaces, where every tokenizer splits."""
    for field, content in zip(FIELDS, texts, strict=True):
        chunks = [f'"{chunk}"' for chunk in content.split(maxsplit=8)[:8] if chunk.isalnum()]
        if chunks:
            expression = f"{{{field}}} : ({' AND '.join(chunks)})"
            for table in TABLES:
                if not connection.execute(
                    f"select 1 from {table} where {table} match ? and rowid = ?", (expression, id)
                ).get:
                    return False
    return True


def of_memory(memory: Memory) -> Indexed:
    """Return the indexed texts of a memory."""
    return _indexed(memory.id, memory.content, memory.summary, memory.entities, memory.files, memory.tags)


def of_file(connection: apsw.Connection, where: str = "", bindings: Sequence[Any] = ()) -> Iterator[Indexed]:
    """Yield the indexed texts of the memories in the file."""
    for id, content, summary, *lists in memories.searched(connection, where, bindings):
        yield _indexed(id, content, summary, *map(strings, lists))


def field_texts(connection: apsw.Connection, ids: Sequence[int]) -> Iterator[tuple[MemoryId, int, str]]:
    """Yield the indexed texts field by field, without empty ones: id, number of the field, text. Tags come last, in any
    order."""
    some, asked = among("id", ids)
    for id, content, summary, *lists in connection.execute(
        f"select id, content, summary, entities, files from memories where {some}", asked
    ):
        yield id, _CONTENT, text.index_text(content)
        if summary:
            yield id, _SUMMARY, text.index_text(summary)
        for number, names in zip((_ENTITIES, _FILES), lists, strict=True):
            if names != "[]":
                yield id, number, text.index_text("\n".join(strings(names)))
    some, asked = among("memory_id", ids)
    for id, tags in connection.execute(
        f"select memory_id, group_concat(tag, char(10)) from tags where {some} group by memory_id", asked
    ):
        yield id, _TAGS, text.index_text(tags)


def _indexed(id: MemoryId, content: str, summary: str, *lists: Sequence[str]) -> Indexed:
    return id, *map(text.index_text, (content, summary, *map("\n".join, lists)))
