"""The store: what goes in comes out, and everything stays in step."""

from __future__ import annotations

import threading

import pytest
from store_steps import OTHER_SPACE, SPACE, add, found, in_step, link, vector

from core import draft
from core.changes import Op
from core.errors import NotFound, ReadOnly, StaleEdit, UserError
from core.model import Filter, Importance, LinkKind, MemoryId, Space, Status


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


def test_a_uid_is_taken_once(store):
    add(store, uid="same")
    with pytest.raises(UserError, match="uid same is already"):
        add(store, uid="same")


@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_uid_taken_twice_within_an_operation_spoils_all_of_it(store, is_looked_at):
    with pytest.raises(UserError, match="uid same is already"), store.transact(Op.IMPORT, "test") as transaction:
        for uid in ("same", "other", "same"):
            transaction.add_memory(draft.memory({"content": "a memory", "uid": uid}, store.clock.now()))
        if is_looked_at:
            transaction.reader().count()
    with store.read() as reader:
        assert reader.count() == 0


def test_an_operation_whose_memories_could_not_be_written_is_not_committed_all_the_same(store):
    add(store, uid="same")
    with pytest.raises(RuntimeError, match="none of it is kept"), store.transact(Op.IMPORT, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "a memory", "uid": "new"}, store.clock.now()))
        transaction.add_memory(draft.memory({"content": "a memory", "uid": "same"}, store.clock.now()))
        with pytest.raises(UserError, match="uid same is already"):
            transaction.reader().count()
    with store.read() as reader:
        assert reader.count() == 1
    assert in_step(store)


def test_memories_added_together_are_there_for_every_later_verb(store):
    with store.transact(Op.IMPORT, "test") as transaction:
        a, b, c = (
            transaction.add_memory(draft.memory({"content": name, "tags": [name]}, transaction.now), vectors)
            for name, vectors in (("a", {SPACE: vector(1, 0, 0, 0)}), ("b", None), ("c", {OTHER_SPACE: vector(0, 1)}))
        )
        transaction.add_link(draft.link({"kind": "relates"}, a.id, c.id, transaction.now))
        d = transaction.add_memory(draft.memory({"content": "d"}, transaction.now))
        transaction.put_embedding(d.id, SPACE, vector(0, 0, 1, 0))
        changed = transaction.update_memory(b.id, {"content": "changed"})
        transaction.remove_memory(d.id)
        assert transaction.reader().memories([a.id, b.id, c.id, d.id]) == {a.id: a, b.id: changed, c.id: c}
    assert in_step(store)
    with store.transact(Op.UNDO, "test") as undoing:
        undoing.undo([transaction.changes.seq])
    with store.read() as reader:
        assert (reader.count(), reader.count_links()) == (0, 0)
    assert in_step(store)


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


def test_links_are_refused_twice_to_oneself_and_to_unknown_memories(store):
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


@pytest.mark.parametrize("changes", [{"uid": "x"}, {"id": 77}, {"confidence": 7}, {"content": ""}, {"colour": "red"}])
def test_an_edit_goes_through_the_same_rules_as_a_new_memory(store, changes):
    memory = add(store)
    with pytest.raises(UserError), store.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(memory.id, changes)
    with store.read() as reader:
        assert reader.memory(memory.id) == memory


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


def test_another_connections_commit_is_noticed_and_ones_own_is_not(store, engine):
    with engine.reopen(store, False) as other:
        before = store.other_commits()
        add(store)
        assert store.other_commits() == before
        add(other)
        assert store.other_commits() != before


def test_a_store_opened_for_reading_refuses_to_write(store, engine):
    memory = add(store, "words")
    with engine.reopen(store, True) as reading:
        assert found(reading, "words") == [memory.id]
        with pytest.raises(ReadOnly):
            add(reading)


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


def test_what_was_undone_is_not_written_by_a_look_at_it(store):
    with pytest.raises(ZeroDivisionError), store.transact(Op.EDIT, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "alpha"}, transaction.now))
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="is over"):
        transaction.reader().count()
    with store.read() as reader:
        assert reader.count() == 0
    assert in_step(store)
