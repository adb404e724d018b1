"""A memory with everything a memory can have, purged; for the tests of what a purge leaves."""

from __future__ import annotations

from store_steps import SPACE, add, link, vector

from core.changes import Op

SECRET = "Quixotic zephyr vouchsafes Jabberwocky"
LATER = "Borogoves outgrabe mimsy wabe"


def purge(store, *memories):
    with store.transact(Op.PURGE, "person") as transaction:
        transaction.purge_memories([memory.id for memory in memories])
    assert store.maintenance is None or store.maintenance.empty_log()


def purged_pair(store):
    """A memory with everything a memory can have, edited and linked, then purged; and one that stays."""
    stays = add(store, "A plain statement that stays", {SPACE: vector(0, 0, 1, 0)})
    goes = add(
        store, SECRET, {SPACE: vector(0.123, 0.456, 0.789, 0.321)}, tags=["snicker-snack"], summary="Bandersnatch"
    )
    link(store, stays, goes, evidence={"why": "Frumious"})
    with store.transact(Op.EDIT, "codex") as transaction:
        transaction.update_memory(goes.id, {"content": LATER})
        transaction.put_embedding(goes.id, SPACE, vector(0.9, 0.8, 0.7, 0.6))
    with store.read() as reader:  # a reader that has looked into the index before
        assert [id for id, _ in reader.matching("mimsy")] == [goes.id]
    purge(store, goes)
    return stays, goes
