"""What makes a JSON Lines file complete: vectors with their space, settings, and the complete journal.

Numbers (ids, operations) are those of the store the file was written from; they are used only if the file fills an
empty store. Floats are base64 of little-endian float32, so that they stay equal to the bit.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core import draft
from core.changes import Op
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.model import Embedding, MemoryId, Setting, Space
from core.store.records import Image, JournalEntry, JournalOperation

MAX_DIMENSIONS = 8_192
SETTINGS: Mapping[str, type] = {
    Setting.MODEL: str,
    Setting.PROFILES: dict,
    Setting.STRENGTH_DECAYED_AT: str,
    Setting.WOVEN_UP_TO: int,
}
# The fields of an image in an export: part of the format, independent of the tables of an engine.
IMAGE_FIELDS = {
    "memory": {
        "id", "uid", "content", "content_hash", "summary", "type", "entities", "files", "collection", "session", "user",
        "agent", "source", "provenance", "context", "confidence", "strength", "importance", "pinned", "status",
        "created_at", "updated_at", "last_accessed_at", "access_count", "return_count", "version", "tags",
    },
    "link": {"id", "source_id", "target_id", "kind", "weight", "status", "evidence", "created_at"},
    "setting": {"value"},
}  # fmt: skip


def vector(space: Space, embedding: Embedding) -> dict[str, Any]:
    data = base64.b64encode(embedding.vector).decode()
    return {"space": asdict(space), "data": data, "truncated": embedding.truncated}


def read_vector(record: Mapping[str, Any]) -> tuple[Space, Embedding]:
    """Return a vector; UserError if it cannot be compared with others."""
    space, embedding = _read_vector(record)
    numbers = [number for (number,) in struct.iter_unpack("<f", embedding.vector)]
    if not (all(map(math.isfinite, numbers)) and any(numbers)):
        raise UserError(
            "this vector is all zeros or not finite; `check --repair` repairs the store it comes from, and without the "
            "line the memory is embedded again."
        )
    return space, embedding


def _read_vector(record: Mapping[str, Any]) -> tuple[Space, Embedding]:
    try:
        space = Space(**record["space"])
        data = base64.b64decode(record["data"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise UserError("this vector cannot be read.") from error
    names = (space.model, space.revision, space.file_hash, space.recipe)
    if not (isinstance(space.dimension, int) and 1 <= space.dimension <= MAX_DIMENSIONS):
        raise UserError(f"a vector has from 1 to {MAX_DIMENSIONS:,} numbers.")
    if not all(isinstance(name, str) and name.isprintable() for name in names) or len(data) != 4 * space.dimension:
        raise UserError(f"this vector is not one of {space.dimension} numbers of a named model.")
    return space, Embedding(data, bool(record.get("truncated")))


def operation(value: JournalOperation) -> dict[str, Any]:
    entry = value.entry
    return {
        "seq": entry.seq,
        "at": to_iso(entry.at),
        "op": entry.op,
        "actor": entry.actor,
        "reason": entry.reason,
        "images": [
            {"entity": image.entity, "key": image.key, "before": image.before, "after": image.after}
            for image in value.images
        ],
        "undoes": list(value.undoes),
        "purged": value.is_purged,
        "vectors": [{"memory": id, **vector(space, taken)} for id, space, taken in value.vectors],
    }


def read_operation(record: Mapping[str, Any]) -> JournalOperation:
    try:
        at = parse_iso(record["at"], "at")
        actor = draft.plain_text("the actor", record["actor"], draft.MAX_NAME_CHARS)
        reason = draft.plain_text("the reason", record["reason"], draft.MAX_TEXT_CHARS)
        entry = JournalEntry(number(record["seq"]), at, Op(record["op"]), actor, reason)
        images = tuple(map(_read_image, record["images"]))
        taken = tuple((MemoryId(number(each["memory"])), *_read_vector(each)) for each in record["vectors"])
        return JournalOperation(
            entry, images, tuple(map(number, record["undoes"])), taken, record.get("purged") is True
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError("this operation cannot be read.") from error


def _read_image(record: Mapping[str, Any]) -> Image:
    entity = record["entity"]
    for side in (record["before"], record["after"]):
        if side is not None and not side.keys() <= IMAGE_FIELDS[entity]:
            raise UserError(f"a {entity} has no {sorted(side.keys() - IMAGE_FIELDS[entity])[0][:40]}.")
    key = str(record["key"])
    if entity != "setting" and str(number(int(key))) != key:
        raise UserError(f"{key[:40]!r} is no number of a {entity}.")
    return Image(entity, key, record["before"], record["after"])


def read_setting(record: Mapping[str, Any]) -> tuple[str, Any]:
    """Return a known setting with a value of its type."""
    name, value = str(record.get("name")), record.get("value")
    if name not in SETTINGS or not isinstance(value, SETTINGS[name]):
        raise UserError(f"there is no setting {name[:40]!r} with such a value.")
    return name, value


def number(value: Any) -> int:
    """Return an id, a version or the number of an operation; at most 2^53, so that others can follow."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**53:
        raise UserError("a number of a row is from 1 to 2^53.")
    return value
