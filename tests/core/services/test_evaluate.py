"""Golden sets in the store: judging, measuring, tuning, saving the winner; and measuring on files alone."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime

import pytest

from core.changes import PERSON
from core.embed.cache import CachedEmbedder
from core.embed.hashing import HashingEmbedder
from core.errors import UserError
from core.model import Filter
from core.services import browse, curate, evaluate, exchange, profiles, query, remember
from core.services.evaluate import ProfileVariant
from core.services.query import Question
from core.services.workspace import Workspace
from inspector import resources


@pytest.fixture
def judged(workspace):
    for n, content in enumerate(
        ["The pool has 10 connections", "Deploys happen on Tuesdays", "Redis evicts any key"], 1
    ):
        remember.remember(workspace, {"content": content, "uid": f"m{n}"}, actor=PERSON)
    evaluate.judge(workspace, "mine", "how large is the pool?", "m1", 2, judge=PERSON, category="db")
    evaluate.judge(workspace, "mine", "when do we deploy?", "2", 1, judge=PERSON)
    return workspace


def test_judgements_are_kept_replaced_and_removed(judged):
    assert evaluate.golden_sets(judged) == {"mine": (2, 2)}
    evaluate.judge(judged, "mine", "how large is the pool?", "m1", 1, judge=PERSON)
    evaluate.judge(judged, "mine", "how large is the pool?", "m3", 0, judge=PERSON)
    (pool,) = [each for each in evaluate.golden(judged, "mine") if "pool" in each.text]
    assert pool.grades == {"m1": 1, "m3": 0}
    evaluate.judge(judged, "mine", "how large is the pool?", "m1", None, judge=PERSON)
    evaluate.judge(judged, "mine", "how large is the pool?", "m3", None, judge=PERSON)
    assert evaluate.golden_sets(judged) == {"mine": (1, 1)}
    with pytest.raises(UserError, match="There is no golden set 'yours'; there are: mine"):
        evaluate.golden(judged, "yours")
    for wrong in (-1, 1.5, True, "many"):
        with pytest.raises(UserError, match="^A grade is a whole number"):
            evaluate.judge(judged, "mine", "x", "m1", wrong, judge=PERSON)


def test_measuring_changes_nothing_and_two_profiles_are_compared(judged):
    before = judged.store.path.read_bytes()
    queries = evaluate.golden(judged, "mine")
    runs = [evaluate.measure(judged, queries, ProfileVariant(name)) for name in ("inspector", "cc-v3-fts")]
    assert evaluate.summary(runs[0]).means["mrr"] == 1.0
    assert [each.other for each in evaluate.compare(runs, "ndcg@10")] == ["cc-v3-fts"]
    assert judged.store.path.read_bytes() == before


def test_a_memory_that_came_with_an_id_of_its_own_is_known_by_its_uid_all_the_same(workspace):
    fields = {"content": "The pool has 10 connections", "uid": "m1", "provenance": {"id": "elsewhere-7"}}
    remember.remember(workspace, fields, actor=PERSON)
    evaluate.judge(workspace, "mine", "how large is the pool?", "m1", 1, judge=PERSON)
    run = evaluate.measure(workspace, evaluate.golden(workspace, "mine"), ProfileVariant())
    assert run.judged[0].missed == ()


def test_the_winner_of_tuning_is_saved_as_a_profile_that_answers_and_can_be_undone(judged):
    for n in range(8):
        evaluate.judge(judged, "mine", f"pool question {n}", "m1", 1, judge=PERSON)
    queries = evaluate.golden(judged, "mine")
    found = evaluate.tune_profile(judged, queries, "oro-hybrid", {"fuse.k": [5.0, 60.0]}, metric="mrr")
    assert {each.values["fuse.k"] for each in found.tries} == {5.0, 60.0}
    profiles.save(judged, "mine", "oro-hybrid", found.best.values, actor=PERSON)
    answer = query.ask(judged, Question(text="pool", profile="mine"))
    assert answer.profile.name == "mine"
    assert profiles.saved(judged)[0].about.startswith("oro-hybrid with fuse.k")
    with Workspace.open(judged.store.path) as again:
        assert query.ask(again, Question(text="pool", profile="mine")).profile.source == "Yours"
    curate.undo_last(judged, actor=PERSON)
    with pytest.raises(UserError, match="There is no profile 'mine'"):
        query.ask(judged, Question(text="pool", profile="mine"))
    for name in ("inspector", "Mine", "", "a b"):
        with pytest.raises(UserError, match="A profile's name"):
            profiles.save(judged, name, "oro", {}, actor=PERSON)
    with pytest.raises(UserError, match="no parameter"):
        evaluate.tune_profile(judged, queries, "oro", {"no.such": [1]})


def test_judgements_are_taken_over_from_a_file_whole_or_not_at_all(judged, tmp_path):
    file = tmp_path / "judged.csv"
    file.write_text("query,memory,grade\nwhat is evicted?,m3,2\nwhat is evicted?,m1,0\n")
    assert evaluate.import_judgements(judged, file, "imported", judge=PERSON) == 2
    file.write_text("query,memory,grade\nx,m3,2\nx,nobody,1\n")
    with pytest.raises(UserError, match="'nobody', which is not in the store"):
        evaluate.import_judgements(judged, file, "imported", judge=PERSON)
    assert evaluate.golden_sets(judged)["imported"] == (1, 2)
    qrels, topics = tmp_path / "q.qrels", tmp_path / "topics.tsv"
    qrels.write_text("7 0 m1 1\n")
    topics.write_text("7\thow large is the pool?\n")
    evaluate.import_judgements(judged, qrels, "trec", judge=PERSON, topics=topics)
    assert evaluate.golden(judged, "trec")[0].text == "how large is the pool?"


@pytest.mark.parametrize("name", ["mine.csv", "mine.jsonl"])
def test_exported_judgements_are_private_whole_and_replace_no_file(judged, tmp_path, monkeypatch, name):
    path = tmp_path / name
    evaluate.judge(judged, "mine", "of two lines\nor three,\u2028who knows", "m3", 1, judge=PERSON)
    assert evaluate.export_judgements(judged, "mine", path) == 3
    assert evaluate.import_judgements(judged, path, "again", judge=PERSON) == 3
    assert evaluate.golden(judged, "again") == evaluate.golden(judged, "mine")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written = path.read_bytes()
    with pytest.raises(UserError, match="already exists; nothing was written, name another file"):
        evaluate.export_judgements(judged, "mine", path)
    assert path.read_bytes() == written
    path.unlink()

    def breaks_off(*_):
        yield "half of it"
        raise OSError(28, "No space left on device")

    for write in ("write_csv", "write_jsonl"):
        monkeypatch.setattr(f"core.evaluate.judgement.{write}", breaks_off)
    with pytest.raises(UserError, match="cannot be written: No space left on device"):
        evaluate.export_judgements(judged, "mine", path)
    assert not path.exists(), "half a file would pass for a whole one"


def test_files_are_measured_scope_by_scope_in_a_store_that_goes_away(tmp_path):
    memories, queries = tmp_path / "m.jsonl", tmp_path / "q.jsonl"
    texts = {"a/1": ("The pool has 10 connections", "a"), "b/1": ("The pool has 25 connections", "b")}
    memories.write_text(
        "".join(
            json.dumps({"id": id, "text": text, "scope": scope, "created_at": "2023-05-08T13:56:00", "speaker": "Mel"})
            + "\n"
            for id, (text, scope) in texts.items()
        )
    )
    queries.write_text(
        json.dumps({"id": "q", "text": "connections of the pool", "relevant": ["b/1"], "scope": "b"}) + "\n"
    )
    with evaluate.temporary_workspace(memories, with_model=False) as workspace:
        path = workspace.store.path
        run = evaluate.measure(
            workspace, evaluate.read_queries(queries), ProfileVariant(), as_of=evaluate.newest_by_scope(workspace)
        )
        assert run.judged[0].ranked == ("b/1",), "another scope is another store"
    assert not path.exists()
    memories.write_text('{"text": "no id"}')
    with (
        pytest.raises(UserError, match="Line 1: this is not a memory"),
        evaluate.temporary_workspace(memories, with_model=False),
    ):
        pass


def test_a_time_of_a_file_may_be_of_any_zone_or_a_day_alone(tmp_path):
    written = {
        "2023-05-08T13:56:00-05:00": datetime(2023, 5, 8, 18, 56, tzinfo=UTC),
        "2023-05-08T13:56:00": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        "2023-05-08": datetime(2023, 5, 8, tzinfo=UTC),
    }
    memories = tmp_path / "memories.jsonl"
    lines = [json.dumps({"id": str(n), "text": f"text {n}", "created_at": at}) for n, at in enumerate(written)]
    memories.write_text("\n".join(lines), "utf-8")
    with evaluate.temporary_workspace(memories, with_model=False) as workspace:
        assert [memory.created_at for memory in browse.all_memories(workspace, Filter())] == list(written.values())


def test_a_memory_without_text_is_counted_out(tmp_path):
    memories = tmp_path / "memories.jsonl"
    memories.write_text('{"id": "a", "text": "SQLite WAL"}\n{"id": "b", "text": " "}\n', "utf-8")
    with evaluate.temporary_workspace(memories, with_model=False) as workspace, workspace.store.read() as reader:
        assert reader.count() == 1
    assert evaluate.count_without_text(memories) == 1


def test_a_vector_that_was_computed_once_is_read_from_the_cache(tmp_path):
    class Counting(HashingEmbedder):
        count = 0

        def embed_document(self, text):
            self.count += 1
            return super().embed_document(text)

    first = Counting(64)
    cached = CachedEmbedder(first, tmp_path)
    vector = cached.embed_document("a text")
    assert cached.embed_document("a text") == vector
    assert first.count == 1
    cached.embed_query("a text")
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes() + b"half a record")
    second = Counting(64)
    again = CachedEmbedder(second, tmp_path)
    assert again.embed_document("a text") == vector
    assert second.count == 0
    assert again.embed_document("another") != vector
    assert len(CachedEmbedder(Counting(64), tmp_path)._known) == 3


def test_the_recursive_light_documents_targets_are_a_report_on_the_sample(workspace, models, arctic):
    exchange.import_file(workspace, resources.path("sample/memories.jsonl"), actor=PERSON, moved_to_now=True)
    workspace.embeddings.use(arctic)
    workspace.embeddings.catch_up()
    queries = evaluate.read_queries(resources.path("sample/queries.jsonl"))
    assert len(queries) >= 20
    run = evaluate.measure(workspace, queries, ProfileVariant())
    reported = {each.metric: each for each in evaluate.targets(run)}
    assert (reported["recall@5"].is_met, reported["mrr"].is_met) == (True, True)
    # With two or three relevant memories a query, no ranking of five could reach 0.7: reported as it is.
    best = sum(min(5, sum(grade > 0 for grade in each.grades.values())) / 5 for each in queries) / len(queries)
    assert best < reported["p@5"].minimum
    assert reported["p@5"].value > 0.8 * best
