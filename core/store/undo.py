"""Undoing an operation: the inverse of each of its images, refused if a row has changed since.

Computed from images and current rows alone, for every engine; the Writer of the engine only writes the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import StaleEdit
from core.model import LinkId, MemoryId
from core.store.records import Image, Row
from core.store.row_format import link_from_row, link_to_row, memory_from_row, memory_to_row

if TYPE_CHECKING:
    from core.store.protocol import Reader, Writer
    from core.store.transaction import Transaction

# Accesses are not edits: these fields change without a new version, so they never make an undo fail.
ACCESS_FIELDS = frozenset({"last_accessed_at", "access_count", "return_count"})


def revert(transaction: Transaction, writer: Writer, seq: int) -> None:
    """Write the inverse of an operation, its last image first, then restore the vectors that it removed."""
    reader = transaction.reader()
    reader.operation(seq)  # NotFound if there is none
    for image in reversed(reader.images(seq)):
        match image.entity:
            case "memory":
                _revert_memory(transaction.reader(), writer, MemoryId(int(image.key)), image)
            case "link":
                _revert_link(transaction.reader(), writer, LinkId(int(image.key)), image)
            case _:
                _revert_setting(transaction, image)
    writer.restore_vectors(seq)


def _revert_memory(reader: Reader, writer: Writer, id: MemoryId, image: Image) -> None:
    found = reader.memory(id)
    current = None if found is None else memory_to_row(found)
    _refuse_if_changed(f"Memory {id}", current, image.after)
    if image.before is None:
        if reader.links_of(id):
            raise StaleEdit(f"Memory {id} has been linked since, so this cannot be undone.")
        writer.delete_memory(id, current or {})
    elif image.after is None:
        # A version number is never reused, or an edit of an undone version would pass for one of this.
        row = {**image.before, "version": image.before["version"] + 1}
        if reader.has_uid(row["uid"]):
            raise StaleEdit(f"The uid {row['uid']} is used again, so this cannot be undone.")
        writer.add_memory(memory_from_row(row), {})
    else:
        assert current is not None
        wanted = dict(image.before)
        if "version" in wanted:
            wanted["version"] = current["version"] + 1
        writer.change_memory(id, {name: current[name] for name in wanted}, wanted)


def _revert_link(reader: Reader, writer: Writer, id: LinkId, image: Image) -> None:
    found = reader.link(id)
    _refuse_if_changed(f"Link {id}", None if found is None else link_to_row(found), image.after)
    if image.before is None:
        writer.delete_link(id, image.after or {})
    elif image.after is None:
        restored = link_from_row(image.before)
        if len(reader.memories((restored.source_id, restored.target_id))) < 2:
            raise StaleEdit(f"Link {id} has lost one of its memories, so this cannot be undone.")
        if reader.has_link(restored):
            raise StaleEdit(f"Link {id} has been created again since, so this cannot be undone.")
        writer.add_link(restored)
    else:
        writer.change_link(id, image.after, image.before)


def _revert_setting(transaction: Transaction, image: Image) -> None:
    before, after = image.before or {}, image.after or {}
    _refuse_if_changed(f"Setting {image.key}", {"value": transaction.reader().setting(image.key)}, after)
    transaction.set_setting(image.key, before.get("value"))


def _refuse_if_changed(name: str, current: Row | None, expected: Row | None) -> None:
    if expected is None and current is not None:
        raise StaleEdit(f"{name} is there again, so this cannot be undone.")
    if expected is None:
        return
    compared = expected.keys() - ACCESS_FIELDS - {"version"} or expected.keys()
    if current is None or any(current[key] != expected[key] for key in compared):
        raise StaleEdit(f"{name} has changed since, so this cannot be undone.")
