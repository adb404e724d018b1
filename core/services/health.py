"""Integrity check, statistics and repair of a store; backups and restoring one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core import folders
from core.changes import Op
from core.clock import Clock, SystemClock
from core.errors import UserError
from core.location import StoreLocation
from core.location import command as command
from core.model import NOT_FORGOTTEN
from core.services import files
from core.services.workspace import Workspace
from core.store import engines
from core.store.protocol import Maintenance
from core.store.records import Backup as Backup
from core.store.records import CheckFinding as CheckFinding
from core.store.records import Problem, SpaceUse


@dataclass(frozen=True, slots=True)
class Info:
    location: StoreLocation
    size: int
    read_only_because: str
    memories: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    by_collection: dict[str, int]
    by_agent: dict[str, int]
    links: int
    operations: int
    spaces: list[SpaceUse]
    model: str
    waiting_for_embedding: int
    backups: list[Backup]


def info(workspace: Workspace) -> Info:
    store, model = workspace.store, workspace.model()
    with store.read() as reader:
        space = workspace.space()
        latest = reader.journal_entries(limit=1)
        counts = {column: reader.counts_by(column) for column in ("status", "type", "collection", "agent")}
        return Info(
            location=store.location,
            size=_maintenance(workspace).size(),
            read_only_because=store.read_only_because,
            memories=reader.count(),
            by_status=counts["status"],
            by_type=counts["type"],
            by_collection=counts["collection"],
            by_agent=counts["agent"],
            links=reader.count_links(),
            operations=latest[0].seq if latest else 0,
            spaces=reader.spaces(),
            model=model.name,
            waiting_for_embedding=reader.count(NOT_FORGOTTEN) if space is None else reader.count_not_embedded(space),
            backups=_maintenance(workspace).list_backups(),
        )


def findings(workspace: Workspace) -> list[CheckFinding]:
    """Return the findings of the integrity check. Read-only."""
    return _maintenance(workspace).check()


def unreadable_finding(path: Path) -> CheckFinding:
    """Return the finding for a store that is too damaged to be opened."""
    return CheckFinding(Problem.DAMAGED_PAGES, f"{path} is so damaged that it cannot be opened.", False)


def repair(workspace: Workspace, *, actor: str) -> tuple[list[CheckFinding], Path | None]:
    """Rebuild derived data from the memories, after a backup; return the repaired findings and the backup."""
    repairable = [finding for finding in findings(workspace) if finding.can_be_repaired]
    if not repairable:
        return [], None
    kept = _maintenance(workspace).back_up("before-repair")
    with workspace.store.transact(
        Op.REPAIR, actor, "; ".join(finding.sentence for finding in repairable)
    ) as transaction:
        transaction.rebuild_derived()
    workspace.embeddings.notify()
    return repairable, kept


def back_up(workspace: Workspace, target: Path | None = None) -> Path:
    """Make a checked copy in the backups folder, or at a path where nothing is yet; return its path."""
    if target is None:
        return _maintenance(workspace).back_up("asked")
    target = target.absolute()
    files.refuse_what_is_there(target)
    _maintenance(workspace).copy_to(target)
    return target


def backups_of(path: Path) -> list[Backup]:
    return engines.backups_of(path, folders.backups())


def restore(path: Path, source: Path | None, clock: Clock | None = None) -> tuple[Path, Path | None]:
    """Restore a backup, by default the newest; return it and where the replaced store is kept."""
    if source is None:
        known = backups_of(path)
        if not known:
            raise UserError(f"There is no backup of {path.resolve()}.")
        source = known[0].path
    kept = engines.restore(source, path, folders.backups(), (clock or SystemClock()).now())
    return source, kept


def _maintenance(workspace: Workspace) -> Maintenance:
    found = workspace.store.maintenance
    if found is None:
        raise UserError("This store is maintained by its own server; check it and copy it there.")
    return found
