"""The table of proposals. The journal does not mention them; it has the accepted change itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import apsw

from core.clock import from_micros, to_micros
from core.model import MemoryId
from core.store.json_text import to_json
from core.store.records import Proposal, ProposalKind, ProposalState

_COLUMNS = "id, memory_id, version, kind, fields, actor, reason, proposed_at, state, decided_by, decided_at"


def insert(connection: apsw.Connection, proposal: Proposal) -> int:
    connection.execute(
        "insert into proposals (memory_id, version, kind, fields, actor, reason, proposed_at, state, decided_by)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, '')",
        (
            proposal.memory_id,
            proposal.version,
            proposal.kind,
            to_json(dict(proposal.fields)),
            proposal.actor,
            proposal.reason,
            to_micros(proposal.proposed_at),
            proposal.state,
        ),
    )
    return connection.last_insert_rowid()


def decide(connection: apsw.Connection, id: int, state: ProposalState, actor: str, at: datetime) -> None:
    connection.execute(
        "update proposals set state = ?, decided_by = ?, decided_at = ? where id = ?", (state, actor, to_micros(at), id)
    )


def get(connection: apsw.Connection, id: int) -> Proposal | None:
    found = connection.execute(f"select {_COLUMNS} from proposals where id = ?", (id,)).fetchone()
    return None if found is None else _of_row(found)


def of_state(connection: apsw.Connection, state: ProposalState | None, limit: int) -> Iterator[Proposal]:
    """Yield the newest of a state, or of all."""
    for row in connection.execute(
        f"select {_COLUMNS} from proposals where ?1 is null or state = ?1 order by id desc limit ?2", (state, limit)
    ):
        yield _of_row(row)


def count_open(connection: apsw.Connection) -> int:
    return int(connection.execute("select count(*) from proposals where state = 'open'").get)


def _of_row(row: tuple[Any, ...]) -> Proposal:
    id, memory_id, version, kind, fields, actor, reason, proposed_at, state, decided_by, decided_at = row
    return Proposal(
        id=id,
        memory_id=MemoryId(memory_id),
        version=version,
        kind=ProposalKind(kind),
        fields=json.loads(fields),
        actor=actor,
        reason=reason,
        proposed_at=from_micros(proposed_at),
        state=ProposalState(state),
        decided_by=decided_by,
        decided_at=None if decided_at is None else from_micros(decided_at),
    )
