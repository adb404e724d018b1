"""BM25 of a profile is that of an FTS5 table of just the fields that it searches."""

from __future__ import annotations

import random

import apsw
import pytest

from core import profiles
from core.formulas import bm25
from core.pipeline.stages.recall import FullText
from core.search_types import FIELDS
from core.services import query
from core.services.query import Question
from tests.support.cached_search import ACTIVE
from tests.support.store_steps import add

WORDS = ("harbour", "ferry", "tide", "lamp", "rope", "anchor", "signal")


def fields(rng):
    def said(most):
        return " ".join(rng.choices(WORDS, k=rng.randint(0, most)))

    return {
        "content": f"note {said(12)}",
        "summary": said(40),
        "entities": rng.sample(WORDS, k=rng.randint(0, 3)),
        "files": [f"{word}.py" for word in rng.sample(WORDS, k=rng.randint(0, 3))],
        "tags": rng.sample(WORDS, k=rng.randint(0, 3)),
    }


def searched_by(name):
    return [source for source in profiles.profile(name).recall if isinstance(source, FullText)]


WITH_WORDS = [profile.name for profile in profiles.PROFILES if searched_by(profile.name)]


def fts5_of_its_own(memories, search):
    """The scores of an FTS5 table that has the searched columns and no others."""
    connection = apsw.Connection(":memory:")
    columns = search.searched
    tokenizer = "porter unicode61 remove_diacritics 2" if search.stemmed else "unicode61 remove_diacritics 2"
    connection.execute(f"create virtual table t using fts5({', '.join(columns)}, tokenize = '{tokenizer}')")
    for memory in memories:
        texts = [getattr(memory, name) for name in columns]
        texts = [each if isinstance(each, str) else "\n".join(each) for each in texts]
        connection.execute(
            f"insert into t (rowid, {', '.join(columns)}) values (?{', ?' * len(columns)})", (memory.id, *texts)
        )
    weights = ", ".join(str(search.weights[name]) for name in columns)
    asked = " OR ".join(f'"{word}"' for word in search.words)
    return {
        id: -score
        for id, score in connection.execute(f"select rowid, bm25(t, {weights}) from t where t match ?", (asked,))
    }


@pytest.mark.parametrize("name", WITH_WORDS)
@pytest.mark.parametrize("exact", [False, True])
def test_the_bm25_of_each_profile_is_that_of_an_fts5_table_of_its_searched_columns(store, name, exact):
    rng = random.Random(5)
    for _ in range(60):
        add(store, **fields(rng))
    with store.read(exact=exact) as reader:
        memories = list(reader.memories(reader.memory_ids()).values())
        for source in searched_by(name):
            search = source._search(_asked("ferry anchor signal"))
            found = dict(reader.search_text(search, ACTIVE, 100))
            if search.okapi is None:
                assert found == pytest.approx(fts5_of_its_own(memories, search), abs=1e-9)
            counted = reader.text_statistics(search, found)
            assert {each.fields for each in counted.values()} == {search.searched}
            for id, each in counted.items():
                assert each.length == sum(_size(memories, id, field) for field in search.searched)
                assert _recomputed(search, each) == pytest.approx(found[id], abs=1e-9)


def _asked(text):
    class SearchedQuery:
        words = all_words = tuple(text.split())

    return SearchedQuery


def _size(memories, id, field):
    value = getattr(next(memory for memory in memories if memory.id == id), field)
    joined = value if isinstance(value, str) else "\n".join(value)
    return len(joined.replace(".", " ").split())


def _recomputed(search, counted):
    k1, b = search.okapi or (bm25.FTS5_K1, bm25.FTS5_B)
    idf = bm25.okapi_idf if search.okapi else bm25.fts5_idf
    return sum(
        bm25.term_score(
            sum(search.weights[field] * word.in_fields[field] for field in FIELDS),
            idf(word.documents, word.with_word), counted.length, counted.average_length, k1, b,
        )
        for word in counted.words
        if any(word.in_fields.values())
    )  # fmt: skip


@pytest.mark.parametrize("name", ["oro", "cc-v3-fts", "openmem", "robotmem", "recursive-light"])
def test_a_long_field_that_is_not_searched_does_not_bury_its_memory(workspace, name):
    long = {
        "summary": "elsewhere " * 60,
        "files": [f"path/{n}.py" for n in range(60)],
        "tags": [f"t{n}" for n in range(60)],
    }
    (searched,) = searched_by(name)
    unsearched = next(field for field in long if getattr(searched, field) == 0)
    for n in range(30):
        add(workspace.store, f"Nothing of interest number {n} here")
    hit = add(workspace.store, "The ferry leaves at noon", **{unsearched: long[unsearched]})
    add(workspace.store, "A ferry was once seen in a very long story of the old harbour town")
    answer = query.ask(workspace, Question(text="ferry", profile=name, parameters=_unlimited(name)))
    assert answer.memories[0].id == hit.id


def _unlimited(name):
    """Scores of a small store are below Oro's threshold."""
    return {"threshold.least": 0.0} if name == "oro" else {}
