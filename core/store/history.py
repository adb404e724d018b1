"""History from journal images: the store at a past moment, the versions of a memory, and whether a journal is
consistent.

An engine returns images; this module computes the states from them, for every engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.model import EMBEDDED_FIELDS, LinkId, Memory, MemoryId
from core.store.records import Image, JournalEntry, Row, StoreState, Version
from core.store.row_format import link_from_row, link_to_row, memory_from_row, memory_to_row

_Place = tuple[str, str]  # entity and key


def state_before(now: StoreState, later: Iterable[Image]) -> StoreState:
    """Return the state before the given images, newest first. The cost depends on the images, not on the size of the
    store."""
    memories, links, settings = dict(now.memories), dict(now.links), dict(now.settings)
    touched: dict[_Place, Row | None] = {}
    for image in later:
        place = (image.entity, image.key)
        if place not in touched:
            touched[place] = _row(now, place)
        if image.before is None:
            touched[place] = None
        elif image.after is None:
            touched[place] = dict(image.before)
        else:
            touched[place] = {**(touched[place] or {}), **image.before}
    for (entity, key), row in touched.items():
        match entity:
            case "memory":
                _put(memories, int(key), None if row is None else memory_from_row(row))
            case "link":
                _put(links, int(key), None if row is None else link_from_row(row))
            case _:
                _put(settings, key, None if row is None else row["value"])
    return StoreState(_by_id(memories), _by_id(links), dict(sorted(settings.items())))


def versions(images: Iterable[tuple[JournalEntry, Image]]) -> list[Version]:
    """Return a memory after each of its images, oldest first, without those that only count accesses."""
    found: list[Version] = []
    row: Row = {}
    for entry, image in images:
        if image.after is None:
            found.append(Version(entry, None))
            continue
        row = dict(image.after) if image.before is None else {**row, **image.after}
        if "version" in image.after:
            found.append(Version(entry, memory_from_row(row)))
    return found


def same_embedded_text(then: StoreState, now: StoreState) -> set[MemoryId]:
    """Return the memories of both states with equal embedded fields, so that a vector of one is a vector of the
    other."""
    return {id for id, memory in then.memories.items() if id in now.memories and _is_same(memory, now.memories[id])}


def check_history(images: Iterable[Image], state: StoreState) -> None:
    """Apply every image from an empty store to the given state; ValueError, KeyError or TypeError if they do not lead
    there. Each image must begin where the last one of its row ended, and be a readable row."""
    rows: dict[_Place, Row] = {}
    for image in images:
        place = (image.entity, image.key)
        current = rows.get(place, {"value": None} if image.entity == "setting" else None)
        if image.before is None:
            if current is not None:
                raise ValueError(place)
        elif current is None or any(current.get(name) != value for name, value in image.before.items()):
            raise ValueError(place)
        if image.after is None:
            rows.pop(place, None)
            continue
        rows[place] = {**(current or {}), **image.after}
        if image.entity == "memory":
            memory_from_row(rows[place])
        elif image.entity == "link":
            link_from_row(rows[place])
    actual: dict[_Place, Row] = {("memory", str(id)): memory_to_row(each) for id, each in state.memories.items()}
    actual |= {("link", str(id)): link_to_row(each) for id, each in state.links.items()}
    actual |= {("setting", name): {"value": value} for name, value in state.settings.items()}
    if {place: row for place, row in rows.items() if row != {"value": None}} != actual:
        raise ValueError("the end")


def _row(state: StoreState, place: _Place) -> Row | None:
    entity, key = place
    match entity:
        case "memory":
            memory = state.memories.get(MemoryId(int(key)))
            return None if memory is None else memory_to_row(memory)
        case "link":
            link = state.links.get(LinkId(int(key)))
            return None if link is None else link_to_row(link)
        case _:
            return {"value": state.settings.get(key)}


def _put(table: dict[Any, Any], key: int | str, value: Any) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def _by_id(table: dict[Any, Any]) -> dict[Any, Any]:
    return dict(sorted(table.items()))


def _is_same(a: Memory, b: Memory) -> bool:
    return all(getattr(a, name) == getattr(b, name) for name in EMBEDDED_FIELDS)
