"""Health: each finding names the memories concerned, and each fix is one operation that undo takes back."""

from __future__ import annotations

from datetime import timedelta

import apsw
import pytest

from core import draft
from core.changes import Op
from core.errors import UserError
from core.model import Embedding, Setting, Space, Status
from core.progress import Cancelled
from core.services import browse, curate, health, inspection
from core.services.inspection import Concern, Repair

SECRET = "the deploy token is ghp_" + "a1B2" * 9


def keep(workspace, content, **fields):
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        return keep_in(transaction, content, **fields)


def keep_in(transaction, content, **fields):
    return transaction.add_memory(draft.memory({"content": content, **fields}, transaction.now)).id


def quick(workspace, concern):
    return next(each for each in inspection.metadata_findings(workspace) if each.concern is concern)


def deep(workspace, concern):
    return next(each for each in inspection.content_findings(workspace) if each.concern is concern)


def status(workspace, id):
    return browse.find(workspace, str(id)).status


def test_an_empty_store_is_sound(workspace):
    found = [*inspection.metadata_findings(workspace), *inspection.content_findings(workspace)]
    assert {each.concern for each in found} == set(Concern)
    assert [each.count for each in found] == [0] * len(Concern)
    assert all(each.repairs == () for each in found)


def test_stale_is_what_was_unused_for_90_days_and_is_not_pinned(workspace, clock):
    old = keep(workspace, "an old note on the harbour crane")
    keep(workspace, "an old rule that is pinned", pinned=True)
    clock.advance(timedelta(days=89))
    keep(workspace, "a fresh note on the harbour crane's brake")
    assert quick(workspace, Concern.STALE).count == 0
    clock.advance(timedelta(days=1))
    finding = quick(workspace, Concern.STALE)
    assert finding.ids == (old,)
    assert finding.items[0].why == "unused for 90 days"


def test_low_confidence_is_below_a_half_and_not_at_it(workspace):
    keep(workspace, "just about sure of the tide table", confidence=0.5)
    unsure = keep(workspace, "perhaps the ferry leaves at nine", confidence=0.49)
    assert quick(workspace, Concern.LOW_CONFIDENCE).ids == (unsure,)


def test_a_fix_is_one_operation_and_undo_takes_all_of_it_back(workspace):
    ids = [keep(workspace, f"note {number} that nobody recalls") for number in range(4)]
    finding = quick(workspace, Concern.NEVER_RECALLED)
    assert set(finding.ids) == set(ids)
    mended = inspection.repair(workspace, finding, Repair.ARCHIVE, ids[:3], actor="person")
    assert mended.sentence == "3 memories archived."
    assert mended.changes.memories == set(ids[:3])
    assert [status(workspace, id) for id in ids] == [Status.ARCHIVED] * 3 + [Status.ACTIVE]
    curate.undo_last(workspace, actor="person")
    assert [status(workspace, id) for id in ids] == [Status.ACTIVE] * 4
    inspection.repair(workspace, finding, Repair.FORGET, actor="person")
    assert quick(workspace, Concern.NEVER_RECALLED).count == 0
    curate.undo_last(workspace, actor="person")
    assert quick(workspace, Concern.NEVER_RECALLED).count == 4


def test_a_fix_that_is_stopped_changes_nothing(workspace):
    ids = [keep(workspace, f"note {number} that nobody recalls") for number in range(3)]

    def stop(what, done, total):
        if done == 2:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        inspection.repair(
            workspace, quick(workspace, Concern.NEVER_RECALLED), Repair.ARCHIVE, actor="person", progress=stop
        )
    assert [status(workspace, id) for id in ids] == [Status.ACTIVE] * 3


def test_secrets_are_named_without_being_shown_and_redacted_as_one_operation(workspace):
    one = keep(workspace, SECRET)
    two = keep(workspace, "how to deploy", context={"env": [{"line": SECRET}]})
    keep(workspace, "never write a password into a memory")
    finding = deep(workspace, Concern.SECRETS)
    assert set(finding.ids) == {one, two}
    assert {item.why for item in finding.items} == {"GitHub token"}
    assert not any("ghp_" in str(item.memory) for item in finding.items)
    inspection.repair(workspace, finding, Repair.REDACT, actor="person")
    assert deep(workspace, Concern.SECRETS).count == 0
    assert browse.find(workspace, str(one)).content == "the deploy token is [redacted GitHub token]"
    curate.undo_last(workspace, actor="person")
    assert deep(workspace, Concern.SECRETS).count == 2


def test_duplicates_are_merged_by_the_plan_that_was_shown(workspace):
    keep(workspace, "The staging database is reset every Sunday at 03:00 UTC", tags=["ops"])
    copy = keep(workspace, "The staging database is reset every Sunday at 03:00 UTC.", confidence=0.6, tags=["db"])
    finding = deep(workspace, Concern.DUPLICATES)
    assert finding.ids == (copy,)
    assert "says it already" in finding.items[0].why
    inspection.repair(workspace, finding, Repair.MERGE, actor="person")
    assert status(workspace, copy) is Status.SUPERSEDED
    assert deep(workspace, Concern.DUPLICATES).count == 0
    curate.undo_last(workspace, actor="person")
    assert status(workspace, copy) is Status.ACTIVE


def test_index_drift_names_its_memories_and_is_repaired_after_a_backup(workspace):
    id = keep(workspace, "the lighthouse is painted in May")
    other = apsw.Connection(str(workspace.store.path))
    other.execute("delete from fulltext where rowid = ?", (id,))
    other.close()
    finding = deep(workspace, Concern.DRIFT)
    assert [item.memory.id for item in finding.items if item.memory] == [id]
    mended = inspection.repair(workspace, finding, Repair.REPAIR, actor="person")
    assert "kept as" in mended.sentence
    assert deep(workspace, Concern.DRIFT).count == 0
    assert len(health.info(workspace).backups) == 1


def test_vectors_of_several_models_are_counted_and_what_lacks_one_is_named(workspace):
    id = keep(workspace, "the lighthouse is painted in May")
    spaces = [Space("some-old-model", "1", 2, "", "r"), Space("a-third", "1", 2, "", "r")]
    with workspace.store.transact(Op.EMBED, "test") as transaction:
        for space in spaces:
            transaction.put_embedding(id, space, Embedding(b"\0\0\x80?\0\0\0\0"))
    finding = quick(workspace, Concern.MIXED_MODELS)
    assert finding.count == 2
    assert [item.memory for item in finding.items] == [None, None]
    assert finding.repairs == (Repair.EMBED,)
    missing = quick(workspace, Concern.NOT_EMBEDDED)
    assert (missing.count, missing.items[0].memory.id) == (1, id)


def test_what_waits_for_a_model_of_ollamas_is_counted_by_its_last_digest_and_without_what_is_forgotten(workspace):
    kept, gone = keep(workspace, "The pool has 10 connections"), keep(workspace, "nobody needs this any more")
    curate.forget(workspace, [gone], actor="test")
    model = "ollama/nomic-embed-text"
    with workspace.store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.set_setting(Setting.MODEL, model)

    def waiting():
        return quick(workspace, Concern.NOT_EMBEDDED).count, health.info(workspace).waiting_for_embedding

    assert waiting() == (1, 1)
    with workspace.store.transact(Op.EMBED, "test") as transaction:
        transaction.put_embedding(kept, Space(model, "", 2, "first digest", "r"), Embedding(b"\0\0\x80?\0\0\0\0"))
    assert waiting() == (0, 0)
    with workspace.store.transact(Op.EMBED, "test") as transaction:
        other = keep_in(transaction, "another one")
        transaction.put_embedding(other, Space(model, "", 2, "next digest", "r"), Embedding(b"\0\0\x80?\0\0\0\0"))
    assert waiting() == (1, 1)


def test_a_fix_that_is_no_remedy_is_refused(workspace):
    keep(workspace, "a note nobody recalls")
    with pytest.raises(UserError, match="does not repair"):
        inspection.repair(workspace, quick(workspace, Concern.NEVER_RECALLED), Repair.MERGE, actor="person")


def test_archiving_all_leaves_what_is_pinned_and_says_so_choosing_it_does_not(workspace):
    ids = [keep(workspace, f"note {number} that nobody recalls") for number in range(3)]
    curate.pin(workspace, ids[:1], actor="person")
    finding = quick(workspace, Concern.NEVER_RECALLED)
    mended = inspection.repair(workspace, finding, Repair.ARCHIVE, actor="person")
    assert mended.sentence == "2 memories archived; 1 pinned memory stayed."
    assert [status(workspace, id) for id in ids] == [Status.ACTIVE, Status.ARCHIVED, Status.ARCHIVED]
    with pytest.raises(UserError, match="All of them are pinned"):
        inspection.repair(workspace, quick(workspace, Concern.NEVER_RECALLED), Repair.ARCHIVE, actor="person")
    inspection.repair(workspace, finding, Repair.ARCHIVE, ids[:1], actor="person")
    assert status(workspace, ids[0]) is Status.ARCHIVED
