"""What no operation of ours would write breaks no cached search: damaged indexes, impossible ids, tokens cut off."""

from __future__ import annotations

import apsw
import pytest

from core import draft
from core.changes import Op
from core.errors import Unavailable
from core.model import Filter
from core.search_types import TextSearch
from core.store.records import StoreState
from core.store.sqlite import search_log
from tests.support.cached_search import WEIGHTS, same_text, writing_by_hand
from tests.support.store_steps import add


def test_tags_and_memories_with_impossible_numbers_change_no_answer(cached_store):
    tagged, search = Filter(tags=("x",)), TextSearch(("alpha",), False, WEIGHTS[0])
    for n in range(9):
        add(cached_store, "alpha", tags=["x"] if n == 4 else [])
    with writing_by_hand(cached_store) as connection:
        connection.execute("pragma foreign_keys = off")
        for id in (-3, -1_000_000, 5_000_000):
            connection.execute("insert into tags (memory_id, position, tag) values (?, 0, 'x')", (id,))
    assert [id for id, _ in same_text(cached_store, search, tagged)] == [5]
    with writing_by_hand(cached_store) as connection:
        connection.execute("update memories set id = -7 where id = 9")
    assert len(same_text(cached_store, search, Filter())) >= 8


def test_an_index_that_has_lost_its_memories_still_answers(cached_store):
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for _ in range(1_500):
            transaction.add_memory(draft.memory({"content": "alpha"}, transaction.now))
    with apsw.Connection(str(cached_store.path)) as damaging:
        damaging.execute("delete from fulltext")
    assert same_text(cached_store, TextSearch(("alpha",), False, WEIGHTS[0])) == []
    with cached_store.read() as reader:
        assert reader.matching("alpha") == []
        assert reader.count() == 1_500


def test_a_changed_memory_of_which_the_index_holds_other_tokens_is_found_by_those_of_the_index(cached_store):
    for _ in range(3):
        add(cached_store, "alpha")
    alpha, beta = (TextSearch((word,), False, WEIGHTS[0]) for word in ("alpha", "beta"))
    assert len(same_text(cached_store, alpha)) == 3
    with writing_by_hand(cached_store) as connection:
        connection.execute("update memories set content = 'beta beta' where id = 2")
        search_log.append(connection, [2], [])
    assert [id for id, _ in same_text(cached_store, alpha)] == [1, 2, 3]
    assert same_text(cached_store, beta) == []


def test_a_record_of_lengths_that_is_damaged_and_repaired_leaves_no_token_counted_twice(cached_store):
    for _ in range(3):
        add(cached_store, "alpha")
    alpha = TextSearch(("alpha",), False, WEIGHTS[0])
    before = same_text(cached_store, alpha)
    for change in ("cast(sz || x'00' as blob)", "substr(sz, 1, 5)"):
        with writing_by_hand(cached_store) as connection:
            connection.execute(f"update fulltext_docsize set sz = {change} where id = 2")
            search_log.append(connection, [2], [])
        with cached_store.read() as reader:
            assert reader.count() == 3
    assert same_text(cached_store, alpha) == before


def test_entities_that_are_no_json_list_break_no_search(cached_store):
    add(cached_store, "alpha")
    alpha = TextSearch(("alpha",), False, WEIGHTS[0])
    assert len(same_text(cached_store, alpha)) == 1
    for names in ("[oops", "7", "[1, 2]"):
        with writing_by_hand(cached_store) as connection:
            connection.execute("update memories set entities = ? where id = 1", (names,))
            search_log.append(connection, [1], [])
        assert len(same_text(cached_store, alpha)) == 1


def test_a_memory_of_an_enormous_id_that_is_added_and_removed_breaks_no_search(cached_store):
    enormous, alpha = 2**40, TextSearch(("alpha",), False, WEIGHTS[0])
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        made = {id: draft.memory({"content": "alpha"}, transaction.now)._replace(id=id) for id in (1, 2, enormous)}
        transaction.fill_empty(StoreState(made, {}, {}))
    for _ in range(2):
        assert len(same_text(cached_store, alpha)) == 3
        with cached_store.transact(Op.FORGET, "test") as transaction:
            transaction.remove_memory(enormous)
        assert [id for id, _ in same_text(cached_store, alpha)] == [1, 2]
        with cached_store.transact(Op.UNDO, "test") as undoing:
            undoing.undo([transaction.changes.seq])
        cached_store.wait_for_search_cache()


def test_tokens_that_fts5_cuts_within_a_character_are_searched_by_the_file(cached_store, capfd):
    cut = ("aतed", "aদed", "aதed", f"x{'я' * 20_000}")
    for word in (*cut, "alpha"):
        add(cached_store, f"{word} beta")
    for _ in range(2):
        for word in (*cut, "alpha", "beta"):
            assert same_text(cached_store, TextSearch((word,), True, WEIGHTS[0]))
        cached_store.wait_for_search_cache()
    for word in cut:
        add(cached_store, word)
        assert len(same_text(cached_store, TextSearch((word,), True, WEIGHTS[0]))) >= 2
    assert capfd.readouterr().err == ""  # nor has the background thread ended with an error


def test_postings_of_a_memory_that_never_was_do_not_end_the_loading_with_an_error(cached_store):
    add(cached_store, "alpha")
    with apsw.Connection(str(cached_store.path)) as damaging:
        damaging.execute("insert into fulltext (rowid, content) values (5000000, 'alpha')")
        damaging.execute("delete from fulltext_docsize where id = 5000000")
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    with cached_store.read() as reader, pytest.raises(Unavailable):
        reader.matching("alpha")


def test_a_memory_with_an_enormous_id_is_left_to_the_file(cached_store):
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        memory = draft.memory({"content": "alpha"}, transaction.now)._replace(id=2**52)
        transaction.fill_empty(StoreState({memory.id: memory}, {}, {}))
    assert [id for id, _ in same_text(cached_store, TextSearch(("alpha",), False, WEIGHTS[0]))] == [2**52]


def test_tokens_longer_than_the_index_holds_are_found_by_what_it_holds_of_them(cached_store):
    for length in (32_767, 32_768, 40_000):
        add(cached_store, "q" * length)
    for length, expected in ((32_767, 1), (32_768, 2), (50_000, 2)):
        assert len(same_text(cached_store, TextSearch(("q" * length,), False, WEIGHTS[0]))) == expected
