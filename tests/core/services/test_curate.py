"""Curation: every operation does what it says, is refused when it must be, and can be undone and redone."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from core.changes import Op
from core.errors import NotFound, StaleEdit, UserError
from core.model import Filter, LinkKind, MemoryId
from core.progress import Cancelled
from core.services import bulk_operations, curate, profiles, query, remember, time_travel
from core.services.query import Question
from core.services.workspace import Workspace


def keep(workspace, content, **fields):
    return remember.remember(workspace, {"content": content, **fields}, actor="person").memory


def now(workspace, memory):
    with workspace.store.read() as reader:
        return reader.memory(memory.id)


def links(workspace):
    with workspace.store.read() as reader:
        ids = reader.memory_ids()
        return {(link.source_id, link.target_id, link.kind) for id in ids for link in reader.links_from(id)}


def snapshot(workspace):
    """Everything that can be undone: rows without their versions, links, settings."""
    with workspace.store.read() as reader:
        rows = {memory.id: memory._replace(version=0) for memory in reader.page(Filter(), limit=10_000)}
        found = {link.id: link for id in rows for link in reader.links_from(id)}
        return rows, found, reader.state_at(workspace.store.clock.now()).settings


@pytest.fixture
def three(workspace):
    return [
        keep(workspace, "The pool has 10 connections", tags=["db"], confidence=0.7, uid="a"),
        keep(workspace, "The pool has 25 connections", tags=["pool"], entities=["PgBouncer"], confidence=0.9, uid="b"),
        keep(workspace, "Deploys happen on Tuesdays", strength=0.5, uid="c"),
    ]


WHO = {"actor": "person"}
OPERATIONS = {
    "edit": lambda w, a, b, c: curate.edit(w, [a.id], {"content": "new words", "tags": ["x"]}, **WHO),
    "bulk edit": lambda w, a, b, c: curate.edit(w, [a.id, b.id, c.id], {"importance": "high"}, **WHO),
    "pin": lambda w, a, b, c: curate.pin(w, [a.id, b.id], **WHO),
    "archive": lambda w, a, b, c: curate.archive(w, [a.id], **WHO),
    "forget": lambda w, a, b, c: curate.forget(w, [a.id, c.id], **WHO),
    "supersede": lambda w, a, b, c: curate.supersede(w, b.id, [a.id], **WHO),
    "merge": lambda w, a, b, c: curate.merge(w, [a.id, b.id], content="One text", **WHO),
    "split": lambda w, a, b, c: curate.split(w, a.id, ["first half", "second half"], **WHO),
    "link": lambda w, a, b, c: curate.link(w, a.id, [b.id], {"kind": "contradicts", "weight": 0.5}, **WHO),
    "reinforce": lambda w, a, b, c: curate.reinforce(w, [c.id], **WHO),
    "remember": lambda w, a, b, c: keep(w, "The pool is large, as we discussed"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_undo_brings_everything_back_and_redo_does_it_again(workspace, three, name):
    before = snapshot(workspace)
    OPERATIONS[name](workspace, *three)
    after = snapshot(workspace)
    assert after != before
    for _ in range(2):
        curate.undo_last(workspace, actor="person")
        assert snapshot(workspace) == before
        assert workspace.store.check() == []
        curate.redo(workspace, actor="person")
        assert snapshot(workspace) == after
        assert workspace.store.check() == []


def test_undo_goes_back_step_by_step_and_survives_a_restart(workspace, three):
    states = [snapshot(workspace)]
    for name in ("edit", "pin", "supersede", "archive"):
        OPERATIONS[name](workspace, *three)
        states.append(snapshot(workspace))
    for state in reversed(states[:-1]):
        with Workspace.open(workspace.store.path, clock=workspace.store.clock) as fresh:
            curate.undo_last(fresh, actor="person")
            assert snapshot(fresh) == state
    for state in states[1:]:
        curate.redo(workspace, actor="person")
        assert snapshot(workspace) == state
    with pytest.raises(UserError, match="nothing to redo"):
        curate.redo(workspace, actor="person")


def test_an_undo_is_refused_when_the_row_has_moved_on(workspace, three):
    first = curate.edit(workspace, [three[0].id], {"content": "second"}, actor="person")
    curate.edit(workspace, [three[0].id], {"content": "third"}, actor="codex")
    with pytest.raises(StaleEdit, match="has changed since"):
        curate.undo_operation(workspace, first.seq, actor="person")
    assert now(workspace, three[0]).content == "third"


def test_one_operation_is_undone_out_of_order_when_nothing_stands_on_it(workspace, three):
    first = curate.pin(workspace, [three[0].id], actor="person")
    curate.pin(workspace, [three[1].id], actor="person")
    curate.undo_operation(workspace, first.seq, actor="person")
    assert (now(workspace, three[0]).pinned, now(workspace, three[1]).pinned) == (False, True)
    with pytest.raises(UserError, match="undone already"):
        curate.undo_operation(workspace, first.seq, actor="person")


def test_everything_a_client_wrote_since_a_time_is_undone_at_once(workspace, three, clock):
    before = snapshot(workspace)
    clock.advance(timedelta(hours=1))
    start = clock.now()
    for n in range(3):
        clock.advance(timedelta(minutes=1))
        remember.remember(workspace, {"content": f"codex says pool {n}", "session": "s"}, actor="codex")
    curate.edit(workspace, [three[2].id], {"confidence": 0.1}, actor="codex")
    done = curate.undo_since(workspace, "codex", start, actor="person")
    assert len(done.entries) == 4
    assert snapshot(workspace) == before
    curate.redo(workspace, actor="person")
    with workspace.store.read() as reader:
        assert reader.count() == 6


def test_a_stale_edit_is_refused_by_version(workspace, three):
    seen = now(workspace, three[0]).version
    curate.edit(workspace, [three[0].id], {"content": "codex was quicker"}, actor="codex")
    with pytest.raises(StaleEdit):
        curate.edit(workspace, [three[0].id], {"content": "mine"}, actor="person", expected_version=seen)
    assert now(workspace, three[0]).content == "codex was quicker"


def test_a_bulk_operation_is_all_or_nothing(workspace, three):
    before = snapshot(workspace)
    with pytest.raises(NotFound):
        curate.pin(workspace, [three[0].id, MemoryId(99)], actor="person")
    with pytest.raises(UserError, match="No memory was named"):
        curate.pin(workspace, [], actor="person")
    assert snapshot(workspace) == before


def test_a_forgotten_memory_is_returned_by_no_profile_and_restored_it_is_again(workspace, three):
    curate.forget(workspace, [three[0].id], actor="person")
    for profile in profiles.published():
        answer = query.ask(workspace, Question(text="pool connections", profile=profile.name, k=10))
        assert three[0].id not in {memory.id for memory in answer.memories}
    curate.restore(workspace, [three[0].id], actor="person")
    answer = query.ask(workspace, Question(text="pool connections"))
    assert three[0].id in {memory.id for memory in answer.memories}
    with pytest.raises(UserError, match="active already"):
        curate.restore(workspace, [three[0].id], actor="person")


def test_strength_decays_once_for_the_time_that_passed_however_often_it_is_asked(workspace, clock):
    memory, pinned = keep(workspace, "a", strength=0.8), keep(workspace, "b", strength=0.8, pinned=True)
    assert curate.decay_all(workspace, actor="system")[0] == 0
    clock.advance(timedelta(days=10))
    assert curate.decay_all(workspace, actor="system")[0] == 1
    assert curate.decay_all(workspace, actor="system")[0] == 0
    clock.advance(timedelta(days=5))
    with Workspace.open(workspace.store.path, clock=clock) as restarted:
        curate.decay_all(restarted, actor="system")
    assert now(workspace, memory).strength == pytest.approx(0.8 * math.exp(-0.01 * 15))
    assert now(workspace, pinned).strength == 0.8
    clock.advance(timedelta(days=-30))
    assert curate.decay_all(workspace, actor="system")[0] == 0


def test_unlinking_takes_one_kind_or_all(workspace, three):
    a, b, _ = three
    for kind in ("supports", "relates"):
        curate.link(workspace, a.id, [b.id], {"kind": kind}, actor="person")
    curate.unlink(workspace, a.id, [b.id], LinkKind.SUPPORTS, actor="person")
    assert {kind for source, _, kind in links(workspace) if source == a.id} == {LinkKind.RELATES}
    curate.unlink(workspace, a.id, [b.id], actor="person")
    with pytest.raises(UserError, match="no such link"):
        curate.unlink(workspace, a.id, [b.id], actor="person")


def test_the_state_of_a_moment_holds_memories_links_and_settings(workspace, three, clock):
    moment = clock.now()
    clock.advance(timedelta(hours=1))
    curate.merge(workspace, [three[0].id, three[1].id], actor="person")
    curate.decay_all(workspace, actor="system")
    state = time_travel.state_at(workspace, moment)
    assert state.memories[three[1].id] == three[1]
    assert all(link.kind is not LinkKind.SUPERSEDES for link in state.links.values())
    assert state.settings == {}


def test_only_what_is_forgotten_is_purged_and_then_nothing_brings_it_back(workspace, three):
    a, b, _ = three
    with pytest.raises(UserError, match="only what was forgotten"):
        curate.purge(workspace, [a.id], actor="person")
    forgot = curate.forget(workspace, [a.id], actor="person")
    done = curate.purge(workspace, actor="person")
    assert (done.changes.memories, done.log_is_empty) == ({a.id}, True)
    assert now(workspace, a) is None
    for seq in (forgot.seq, done.changes.seq):
        with pytest.raises(UserError, match="nothing to undo"):
            curate.undo_operation(workspace, seq, actor="person")
    with pytest.raises(UserError, match="nothing to purge"):
        curate.purge(workspace, actor="person")
    assert curate.undo_last(workspace, actor="person").entries[0].op is Op.REMEMBER, "goes on to what is left"
    assert now(workspace, b) is not None
    assert workspace.store.check() == []


def test_a_purge_reports_which_backups_still_hold_it_and_deletes_them_when_asked(workspace, three):
    copy = workspace.store.back_up("by hand")
    curate.forget(workspace, [three[0].id, three[1].id], actor="person")
    assert curate.purge(workspace, [three[0].id], actor="person").backups == (copy,)
    assert curate.purge(workspace, with_backups=True, actor="person").backups == ()
    assert not copy.exists()


def test_secrets_are_taken_out_of_a_merges_and_a_splits_text(workspace, three):
    key = "AKIAABCDEFGHIJKLMNOP"
    kept, _ = curate.merge(workspace, [three[0].id, three[1].id], content=f"Use {key} there", actor="person")
    parts, _ = curate.split(workspace, three[2].id, [f"One {key}", "Two"], actor="person")
    assert key not in kept.content + parts[0].content


def test_a_reason_that_is_no_text_or_too_long_is_refused(workspace, three):
    for reason in ("\ud800", "x" * 20_000, "a\0b"):
        with pytest.raises(UserError, match="The reason"):
            curate.pin(workspace, [three[0].id], actor="person", reason=reason)


MANY = {
    "pin": curate.pin, "unpin": curate.unpin, "archive": curate.archive, "forget": curate.forget,
    "restore": curate.restore, "reinforce": curate.reinforce,
    "tag": lambda w, ids, **rest: bulk_operations.add_tag(w, ids, "x", **rest),
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_an_operation_on_many_reports_its_progress_and_stopped_on_the_way_changes_nothing(workspace, three, name):
    ids, reported = [memory.id for memory in three], []
    if name == "restore":
        curate.archive(workspace, ids, actor="person")
    before = snapshot(workspace)

    def stop_at_the_last(what, done, total):
        reported.append((done, total))
        if done == total - 1:
            raise Cancelled("It was stopped.")

    with pytest.raises(Cancelled):
        MANY[name](workspace, ids, actor="person", progress=stop_at_the_last)
    assert reported == [(0, 3), (1, 3), (2, 3)]
    assert snapshot(workspace) == before
