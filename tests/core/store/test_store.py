"""The store: what goes in comes out, everything stays in step, and every change can be taken back."""

from __future__ import annotations

import gc
import struct
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from core import draft
from core.changes import Op
from core.errors import CannotOpen, NotFound, ReadOnly, StaleEdit, UserError
from core.model import Embedding, Filter, Importance, LinkKind, MemoryId, Space, Status
from core.store.store import Store

SPACE = Space("test/four", "1", 4, "abc", "content")
OTHER_SPACE = Space("test/two", "1", 2, "def", "content")


def vector(*numbers: float) -> Embedding:
    return Embedding(struct.pack(f"<{len(numbers)}f", *numbers))


def add(store, content="a memory", embeddings=None, **fields):
    with store.transact(Op.REMEMBER, "test") as transaction:
        return transaction.add_memory(draft.memory({"content": content, **fields}, store.clock.now()), embeddings)


def link(store, source, target, kind="relates", **fields):
    with store.transact(Op.LINK, "test") as transaction:
        made = draft.link({"kind": kind, **fields}, source.id, target.id, store.clock.now())
        return transaction.add_link(made)


def found(store, query, **options):
    with store.read() as reader:
        return [id for id, _ in reader.matching(query, **options)]


def in_step(store):
    return store.check() == []


def test_every_field_comes_back_as_it_was_written(store):
    fields = {
        "content": "Zeile eins\nZeile zwei: größer, 更大, 🙂",
        "summary": "gist", "type": "decision", "tags": ["b", "a"], "entities": ["Alembic"], "files": ["x/y.py"],
        "collection": "c", "session": "s", "user": "u", "agent": "codex", "source": "agent",
        "provenance": {"tool": "t", "n": 1}, "context": {"robot": {"type": "UR5e"}, "list": [1, 2.5, None, True]},
        "confidence": 0.1, "strength": 1 / 3, "importance": "high", "pinned": True, "status": "archived",
        "created_at": "2026-01-01T00:00:00.000001Z", "updated_at": "2026-01-02T00:00:00Z",
        "last_accessed_at": "2026-01-03T00:00:00Z", "access_count": 5, "return_count": 3, "uid": "my-uid",
    }  # fmt: skip
    saved = add(store, **fields)
    with store.read() as reader:
        assert reader.memory(saved.id) == saved
        assert reader.memory_by_uid("my-uid") == saved
    assert saved.importance is Importance.HIGH
    assert saved.status is Status.ARCHIVED


def test_english_is_found_with_and_without_stemming(store):
    dogs = add(store, "The dogs ran in the park")
    assert found(store, "dogs") == [dogs.id]
    assert found(store, "dog") == []
    assert found(store, "dog running", stemmed=True) == [dogs.id]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("机械臂抓取杯子时要减速", "抓取杯子"),
        ("机械臂抓取杯子时要减速", "杯"),
        ("机械臂抓取杯子时要减速", "速"),
        ("데이터베이스 마이그레이션이 멈춘다", "마이그레이션"),
        ("データベースの移行が止まる", "移行"),
        ("Für größere Mengen gilt das nicht", "grossere groessere großere größere"),
        ("Für größere Mengen gilt das nicht", "fur"),
        ("Миграции зависают без таймаута", "миграции"),
        ("الترحيل يتوقف بدون مهلة", "الترحيل"),
    ],
)
def test_every_language_is_found_by_its_own_words(store, content, query):
    memory = add(store, content)
    add(store, "something else entirely")
    assert found(store, query) == [memory.id]


def test_summary_entities_files_and_tags_are_searched_too(store):
    memory = add(store, "text", summary="gist", entities=["Alembic"], files=["db/migrate.py"], tags=["postgres"])
    for word in ("gist", "alembic", "migrate", "postgres"):
        assert found(store, word) == [memory.id]


@pytest.mark.parametrize(
    "query",
    [
        'foo" OR',
        "NEAR(",
        "*",
        "-x",
        "content:x",
        "don't",
        "c++",
        "(" * 5000,
        "a\0b",
        "\ud800",
        "",
        "   ",
        "x" * 3_000_000,
    ],
)
def test_no_query_is_ever_a_syntax_error(store, query):
    add(store, "plain text")
    assert isinstance(found(store, query), list)


def test_an_edit_moves_full_text_and_takes_the_vector_away(store):
    memory = add(store, "old words", {SPACE: vector(1, 0, 0, 0)})
    with store.transact(Op.EDIT, "test") as transaction:
        edited = transaction.update_memory(memory.id, {"content": "new words"})
    assert (edited.version, found(store, "old"), found(store, "new")) == (2, [], [memory.id])
    with store.read() as reader:
        assert reader.embedding(memory.id, SPACE) is None
        assert [waiting.id for waiting in reader.not_embedded(SPACE)] == [memory.id]
    assert transaction.changes.memories == transaction.changes.vectors == {memory.id}
    assert in_step(store)


def test_an_edit_that_does_not_touch_the_embedded_text_keeps_the_vector(store):
    memory = add(store, "words", {SPACE: vector(1, 0, 0, 0)})
    with store.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(memory.id, {"confidence": 0.5, "tags": ("x",)})
    with store.read() as reader:
        assert reader.embedding(memory.id, SPACE) == vector(1, 0, 0, 0)
    assert found(store, "x") == [memory.id]


def test_an_edit_of_an_older_version_is_refused_and_changes_nothing(store):
    memory = add(store)
    with store.transact(Op.EDIT, "first") as transaction:
        transaction.update_memory(memory.id, {"summary": "first"}, expected_version=1)
    with pytest.raises(StaleEdit, match="version 2 now, not 1"), store.transact(Op.EDIT, "second") as transaction:
        transaction.update_memory(memory.id, {"summary": "second"}, expected_version=1)
    with store.read() as reader:
        assert reader.memory(memory.id).summary == "first"


def test_being_looked_at_is_not_a_new_version(store):
    memory = add(store)
    with store.transact(Op.TOUCH, "agent") as transaction:
        touched = transaction.update_memory(memory.id, {"access_count": 1, "last_accessed_at": store.clock.now()})
    assert (touched.version, touched.updated_at) == (1, memory.updated_at)


def test_an_edit_that_changes_nothing_leaves_no_trace(store):
    memory = add(store)
    with store.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(memory.id, {"content": memory.content})
    assert not transaction.changes
    with store.read() as reader:
        assert len(reader.journal_entries()) == 1


def test_what_fails_in_the_middle_leaves_nothing_behind(store):
    with pytest.raises(RuntimeError), store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "half"}, store.clock.now()), {SPACE: vector(1, 0, 0, 0)})
        raise RuntimeError("the caller failed")
    assert found(store, "half") == []
    with store.read() as reader:
        assert (reader.count(), reader.spaces(), reader.journal_entries()) == (0, [], [])
    assert in_step(store)


def test_a_uid_is_taken_once(store):
    add(store, uid="same")
    with pytest.raises(UserError, match="uid same is already"):
        add(store, uid="same")


def test_vectors_of_two_models_are_kept_apart(store):
    memory = add(store, "words", {SPACE: vector(1, 0, 0, 0), OTHER_SPACE: vector(0, 1)})
    with store.read() as reader:
        assert reader.embedding(memory.id, SPACE) == vector(1, 0, 0, 0)
        assert reader.embedding(memory.id, OTHER_SPACE) == vector(0, 1)
        assert reader.embedding(memory.id, Space("test/four", "2", 4, "abc", "content")) is None
        assert [use.vectors for use in reader.spaces()] == [1, 1]


def test_a_vector_of_the_wrong_length_never_enters(store):
    with pytest.raises(ValueError, match="not 4 float32"):
        add(store, "words", {SPACE: vector(1, 0)})
    with store.read() as reader:
        assert reader.count() == 0


def test_a_new_vector_takes_the_place_of_the_old_one(store):
    memory = add(store, "words", {SPACE: vector(1, 0, 0, 0)})
    with store.transact(Op.EMBED, "test") as transaction:
        transaction.put_embedding(memory.id, SPACE, vector(0, 1, 0, 0))
    with store.read() as reader:
        assert reader.embedding(memory.id, SPACE) == vector(0, 1, 0, 0)
    assert transaction.changes.seq is None
    assert in_step(store)


def test_links_are_refused_twice_to_oneself_and_to_nobody(store):
    a, b = add(store, "a"), add(store, "b")
    link(store, a, b)
    with pytest.raises(UserError, match="already has a relates link"):
        link(store, a, b)
    link(store, b, a)
    link(store, a, b, "supports")
    with pytest.raises(NotFound), store.transact(Op.LINK, "test") as transaction:
        transaction.add_link(draft.link({"kind": "relates"}, a.id, MemoryId(99), store.clock.now()))
    with store.read() as reader:
        assert [each.kind for each in reader.links_of(a.id)] == [LinkKind.RELATES, LinkKind.RELATES, LinkKind.SUPPORTS]


def test_a_removed_memory_leaves_every_table_and_its_links_go_with_it(store):
    a, b = add(store, "alpha", {SPACE: vector(1, 0, 0, 0)}, tags=["t"]), add(store, "beta")
    link(store, a, b)
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.remove_memory(a.id)
    with store.read() as reader:
        assert (reader.memory(a.id), reader.count_links(), reader.embedding(a.id, SPACE)) == (None, 0, None)
        assert [use.vectors for use in reader.spaces()] == [0]
    assert found(store, "alpha") == []
    assert in_step(store)


def test_an_id_is_never_given_twice(store):
    first = add(store)
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.remove_memory(first.id)
    assert add(store).id > first.id


def test_taking_back_a_removal_brings_back_row_links_full_text_and_vector(store):
    a, b = add(store, "alpha", {SPACE: vector(1, 0, 0, 0)}, tags=["t"]), add(store, "beta")
    joined = link(store, a, b, evidence={"why": "test"})
    with store.transact(Op.FORGET, "test") as forgotten:
        forgotten.remove_memory(a.id)
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.revert(forgotten.changes.seq)
    with store.read() as reader:
        assert reader.memory(a.id) == replace(a, version=2)
        assert reader.link(joined.id) == joined
        assert reader.embedding(a.id, SPACE) == vector(1, 0, 0, 0)
    assert found(store, "alpha") == [a.id]
    assert in_step(store)


def test_taking_back_is_refused_when_the_row_has_moved_on(store):
    memory = add(store, "first")
    with store.transact(Op.EDIT, "one") as first:
        first.update_memory(memory.id, {"content": "second"})
    with store.transact(Op.EDIT, "two") as second:
        second.update_memory(memory.id, {"content": "third"})
    with pytest.raises(StaleEdit, match="has changed since"), store.transact(Op.EDIT, "undo") as transaction:
        transaction.revert(first.changes.seq)
    assert found(store, "third") == [memory.id]


def test_taking_back_a_new_memory_is_not_hindered_by_its_having_been_recalled_but_by_a_new_link(store):
    with store.transact(Op.REMEMBER, "agent") as remembered:
        memory = remembered.add_memory(draft.memory({"content": "a"}, store.clock.now()))
    with store.transact(Op.TOUCH, "agent") as transaction:
        transaction.update_memory(memory.id, {"access_count": 3})
    joined = link(store, memory, add(store, "b"))
    with pytest.raises(StaleEdit, match="has been linked since"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(remembered.changes.seq)
    with store.transact(Op.UNLINK, "test") as transaction:
        transaction.remove_link(joined.id)
    with store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(remembered.changes.seq)
    with store.read() as reader:
        assert reader.memory(memory.id) is None


def test_a_version_is_never_given_twice_so_an_edit_of_a_taken_back_version_is_refused(store):
    memory = add(store, "first")
    with store.transact(Op.EDIT, "b") as taken_back:
        read_by_d = taken_back.update_memory(memory.id, {"content": "b's"})
    with store.transact(Op.EDIT, "undo") as transaction:
        transaction.revert(taken_back.changes.seq)
    with store.transact(Op.EDIT, "c") as transaction:
        transaction.update_memory(memory.id, {"content": "c's"})
    with pytest.raises(StaleEdit), store.transact(Op.EDIT, "d") as transaction:
        transaction.update_memory(memory.id, {"content": "d's"}, expected_version=read_by_d.version)
    assert found(store, "c's") == [memory.id]


def test_what_cannot_be_taken_back_says_so(store):
    a, b = add(store, "a", uid="one"), add(store, "b")
    joined = link(store, a, b)
    with store.transact(Op.UNLINK, "test") as unlinked:
        unlinked.remove_link(joined.id)
    link(store, a, b)
    with pytest.raises(StaleEdit, match="made anew since"), store.transact(Op.LINK, "undo") as transaction:
        transaction.revert(unlinked.changes.seq)
    with store.transact(Op.FORGET, "test") as forgotten:
        forgotten.remove_memory(a.id)
    add(store, "another", uid="one")
    with pytest.raises(StaleEdit, match="uid one is taken again"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(forgotten.changes.seq)
    with pytest.raises(NotFound, match="no operation 99999"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(99999)


@pytest.mark.parametrize("changes", [{"uid": "x"}, {"id": 77}, {"confidence": 7}, {"content": ""}, {"colour": "red"}])
def test_an_edit_goes_through_the_same_rules_as_a_new_memory(store, changes):
    memory = add(store)
    with pytest.raises(UserError), store.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(memory.id, changes)
    with store.read() as reader:
        assert reader.memory(memory.id) == memory


def test_an_operation_of_which_a_part_failed_is_not_committed_even_if_the_failure_is_swallowed(store):
    with pytest.raises(RuntimeError, match="none of it is kept"), store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "half"}, store.clock.now()))
        with pytest.raises(NotFound):
            transaction.remove_memory(MemoryId(99))
    assert found(store, "half") == []


def test_an_operation_that_is_over_writes_no_more_and_none_starts_inside_another(store):
    inner = store.transact(Op.REMEMBER, "inner")
    with store.transact(Op.REMEMBER, "test") as transaction, pytest.raises(RuntimeError, match="already in progress"):
        inner.__enter__()
    with pytest.raises(RuntimeError, match="is over"):
        transaction.add_memory(draft.memory({"content": "late"}, store.clock.now()))


def test_the_connections_of_threads_that_ended_are_let_go(store):
    def look() -> None:
        with store.read() as reader:
            reader.count()

    for _ in range(30):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    gc.collect()
    assert len(store._readers) <= 2


def test_a_setting_can_be_taken_back(store):
    with store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.set_setting("model", "a")
    with store.transact(Op.CONFIGURE, "test") as changed:
        changed.set_setting("model", {"name": "b"})
    with store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.revert(changed.changes.seq)
    with store.read() as reader:
        assert reader.setting("model") == "a"
        assert reader.setting("never set") is None


def test_the_journal_says_who_what_when_and_why_with_only_the_columns_that_changed(store, clock):
    memory = add(store, "text")
    clock.advance(timedelta(hours=1))
    with store.transact(Op.EDIT, "person:mara", "it was wrong") as transaction:
        transaction.update_memory(memory.id, {"confidence": 0.5})
    with store.read() as reader:
        entry = reader.journal_entries(limit=1)[0]
        (image,) = reader.images(entry.seq)
    assert (entry.op, entry.actor, entry.reason, entry.at) == (Op.EDIT, "person:mara", "it was wrong", clock.now())
    assert image.before.keys() == {"confidence", "updated_at", "version"}
    assert (image.before["confidence"], image.after["confidence"]) == (0.8, 0.5)


def test_the_state_of_any_moment_can_be_rebuilt(store, clock):
    start = clock.now()
    clock.advance(timedelta(minutes=1))
    a = add(store, "a")
    clock.advance(timedelta(minutes=1))
    after_add = clock.now()
    clock.advance(timedelta(minutes=1))
    with store.transact(Op.EDIT, "test") as transaction:
        edited = transaction.update_memory(a.id, {"content": "b"})
    clock.advance(timedelta(minutes=1))
    after_edit = clock.now()
    clock.advance(timedelta(minutes=1))
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.remove_memory(a.id)
    with store.read() as reader:
        assert reader.state_at(start).memories == {}
        assert reader.state_at(after_add).memories == {a.id: a}
        assert reader.state_at(after_edit).memories == {a.id: edited}
        assert reader.state_at(clock.now()).memories == {}


def test_pages_follow_each_other_without_gap_or_repetition(store):
    ids = [add(store, f"memory {n}", type="fact" if n % 2 else "plan").id for n in range(25)]
    seen, before = [], None
    with store.read() as reader:
        while page := reader.page(Filter(types=("fact",)), before=before, limit=5):
            seen += [memory.id for memory in page]
            before = seen[-1]
    assert seen == sorted((id for n, id in enumerate(ids) if n % 2), reverse=True)


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(types=("plan",)),
        Filter(tags=("x", "y")),
        Filter(collections=("c",), sessions=("s",)),
        Filter(statuses=(Status.ARCHIVED,)),
        Filter(agents=("codex",), users=("u",), sources=("agent",)),
        Filter(pinned=True),
    ],
)
def test_a_filter_lets_through_just_what_fits_it(store, wanted):
    fits = add(store, "fits", type="plan", tags=["x"], collection="c", session="s", status="archived", agent="codex",
               user="u", source="agent", pinned=True)  # fmt: skip
    add(store, "does not")
    with store.read() as reader:
        assert [memory.id for memory in reader.page(wanted)] == [fits.id]
        assert reader.count(wanted) == 1


def test_a_reader_sees_one_moment_while_a_writer_goes_on(store):
    add(store, "first")
    with store.read() as reader:
        assert reader.count() == 1
        writer = threading.Thread(target=add, args=(store, "second"))
        writer.start()
        writer.join()
        assert reader.count() == 1
    with store.read() as reader:
        assert reader.count() == 2


def test_a_snapshot_inside_a_snapshot_is_the_same_moment(store):
    with store.read() as outer:
        assert outer.count() == 0
        writer = threading.Thread(target=add, args=(store,))
        writer.start()
        writer.join()
        with store.read() as inner:
            assert inner.count() == 0


def test_another_connections_commit_is_noticed_and_ones_own_is_not(store, tmp_path):
    with Store.open(store.path, backups=tmp_path / "backups") as other:
        before = store.other_commits()
        add(store)
        assert store.other_commits() == before
        add(other)
        assert store.other_commits() != before


def test_a_store_opened_for_reading_refuses_to_write(store, tmp_path):
    memory = add(store, "words")
    with Store.open(store.path, backups=tmp_path / "backups", read_only=True) as reading:
        assert found(reading, "words") == [memory.id]
        with pytest.raises(ReadOnly):
            add(reading)


def test_a_file_that_is_replaced_while_open_is_not_written_to(store, tmp_path):
    add(store)
    Store.create(tmp_path / "other.db", backups=tmp_path / "backups").close()
    (tmp_path / "other.db").replace(store.path)
    with pytest.raises(CannotOpen, match="replaced while it was open"):
        add(store)
    with pytest.raises(CannotOpen, match="replaced while it was open"), store.read():
        pass


def test_many_threads_write_and_read_at_once(store):
    def work(name: int) -> None:
        for n in range(20):
            add(store, f"thread {name} memory {n}")
            with store.read() as reader:
                reader.count()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as reader:
        assert reader.count() == 120
    assert in_step(store)
