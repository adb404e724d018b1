"""What can be asked of a store, all from one snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from core import text
from core.model import UNSAVED, Embedding, Filter, Link, LinkId, Memory, MemoryId, Space, Uid
from core.store.sqlite import journal, links, memories, settings, vectors
from core.store.sqlite.rows import Row


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """A space that vectors were stored in, and how many."""

    space: Space
    vectors: int
    truncated: int


class Reader:
    """Reads through one connection; every answer within one `with store.read()` is of the same moment."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    # memories

    def memory(self, id: MemoryId) -> Memory | None:
        return self._one("where m.id = ?", id)

    def memory_by_uid(self, uid: Uid) -> Memory | None:
        return self._one("where m.uid = ?", uid)

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        """The memories of the ids that exist; a JSON array carries any number of ids in one binding."""
        wanted = f"[{','.join(str(int(id)) for id in ids)}]"
        rows = memories.rows(self.connection, "where m.id in (select value from json_each(?))", (wanted,))
        return {row["id"]: memories.from_row(row) for row in rows}

    def has_uid(self, uid: Uid) -> bool:
        return self.connection.execute("select 1 from memories where uid = ?", (uid,)).get is not None

    def same_content(self, content: str) -> list[Memory]:
        """Memories whose text differs at most in case, spacing and character forms."""
        rows = memories.rows(self.connection, "where m.content_hash = ?", (text.content_hash(content),))
        return [memories.from_row(row) for row in rows]

    def page(self, wanted: Filter, *, before: MemoryId | None = None, limit: int = 100) -> list[Memory]:
        """The newest memories of a filter; `before` is the last id of the page already seen."""
        condition, bindings = memories.condition(wanted)
        where = f"where {condition} and (? is null or m.id < ?) order by m.id desc limit ?"
        rows = memories.rows(self.connection, where, (*bindings, before, before, limit))
        return [memories.from_row(row) for row in rows]

    def memory_ids(self) -> list[MemoryId]:
        return [MemoryId(id) for (id,) in self.connection.execute("select id from memories order by id")]

    def count(self, wanted: Filter | None = None) -> int:
        condition, bindings = memories.condition(wanted or Filter())
        return int(self.connection.execute(f"select count(*) from memories m where {condition}", bindings).get)

    def counts_by(self, column: str) -> dict[str, int]:
        """How many memories there are of each status, type, collection or agent."""
        if column not in ("status", "type", "collection", "agent"):
            raise ValueError(column)
        found = self.connection.execute(f"select {column}, count(*) from memories group by 1 order by 2 desc, 1")
        return {str(value): int(count) for value, count in found}

    # links

    def link(self, id: LinkId) -> Link | None:
        return next(map(links.from_row, links.rows(self.connection, "where id = ?", (id,))), None)

    def links_from(self, id: MemoryId) -> list[Link]:
        return [links.from_row(row) for row in links.rows(self.connection, "where source_id = ? order by id", (id,))]

    def links_of(self, id: MemoryId) -> list[Link]:
        where = "where source_id = ?1 or target_id = ?1 order by id"
        return [links.from_row(row) for row in links.rows(self.connection, where, (id,))]

    def count_links(self) -> int:
        return int(self.connection.execute("select count(*) from links").get)

    # full text

    def matching(self, query: str, *, stemmed: bool = False, limit: int = 100) -> list[tuple[MemoryId, float]]:
        """Memories with any of the query's words, best first, with FTS5's own score (more negative is better)."""
        expression = text.match_expression(text.query_words(query))
        if not expression:
            return []
        table = "fulltext_stemmed" if stemmed else "fulltext"
        found = self.connection.execute(
            f"select rowid, bm25({table}) as score from {table} where {table} match ? order by score, rowid limit ?",
            (expression, limit),
        )
        return [(MemoryId(id), score) for id, score in found]

    # vectors

    def embedding(self, id: MemoryId, space: Space) -> Embedding | None:
        known = vectors.space_id(self.connection, space)
        return None if known is None else vectors.get(self.connection, known, id)

    def not_embedded(self, space: Space, *, after: MemoryId = UNSAVED, limit: int = 64) -> list[Memory]:
        known = vectors.space_id(self.connection, space)
        ids = vectors.pending(self.connection, known, after, limit)
        found = self.memories(ids)
        return [found[id] for id in ids]

    def count_not_embedded(self, space: Space) -> int:
        return vectors.count_pending(self.connection, vectors.space_id(self.connection, space))

    def spaces(self) -> list[SpaceUse]:
        uses = []
        for id, space in vectors.spaces(self.connection):
            count, truncated = self.connection.execute(
                "select count(*), coalesce(sum(truncated), 0) from embedded where space_id = ?", (id,)
            ).get
            uses.append(SpaceUse(space, count, truncated))
        return uses

    # settings and journal

    def setting(self, name: str) -> Any:
        return settings.get(self.connection, name)

    def journal_entries(self, *, before: int | None = None, limit: int = 100) -> list[journal.Entry]:
        return list(journal.entries(self.connection, before=before, limit=limit))

    def images(self, seq: int) -> list[journal.Image]:
        return list(journal.images(self.connection, seq))

    def state_at(self, moment: datetime) -> dict[MemoryId, Memory]:
        """Every memory as it stood at a moment: today's rows with each later change taken back."""
        rows: dict[str, Row] = {str(row["id"]): row for row in memories.rows(self.connection)}
        for image in journal.images_after(self.connection, moment):
            if image.entity != "memory":
                continue
            if image.before is None:
                rows.pop(image.key, None)
            elif image.after is None:
                rows[image.key] = dict(image.before)
            else:
                rows[image.key].update(image.before)
        return {row["id"]: memories.from_row(row) for row in rows.values()}

    def _one(self, where: str, key: Any) -> Memory | None:
        return next(map(memories.from_row, self._rows(where, key)), None)

    def _rows(self, where: str, key: Any) -> Iterator[Row]:
        return memories.rows(self.connection, where, (key,))
