"""Nothing twice, and nothing lost: what is known already is recognised, what differs is kept."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from operator import mul

import pytest

from core import draft
from core.changes import PERSON, Op
from core.embed import catalogue
from core.errors import StaleEdit, UserError
from core.search_types import Vocabulary
from core.services import curate, neighbours, remember
from core.services.remember import Policy
from core.write import duplicate
from core.write.duplicate import SimilarMemory

NOW = datetime(2026, 11, 15, tzinfo=UTC)
COPY = "Redis evicts any key"


def fill(workspace, count):
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        for n in range(count):
            words = " ".join(f"word{(n * 7 + k * k) % 997}" for k in range(12))
            transaction.add_memory(draft.memory({"content": words}, transaction.now))


def keep(workspace, content, **options):
    fields = {"content": content, **options.pop("fields", {})}
    return remember.remember(workspace, fields, actor=PERSON, **options)


@pytest.mark.parametrize("size", [0, 1, 10, 100, 1000])
def test_an_exact_copy_is_recognised_in_a_store_of_any_size(workspace, size):
    fill(workspace, size)
    first = keep(workspace, COPY)
    assert first.duplicate is None
    again = keep(workspace, "  REDIS EVICTS ANY\nKEY ")
    assert (again.duplicate.rule, again.memory.id) == ("same text", first.memory.id)


def test_the_documents_own_rule_misses_an_exact_copy_in_a_small_store(workspace):
    fill(workspace, 100)
    keep(workspace, COPY, duplicates=Policy.ORO)
    again = keep(workspace, COPY, duplicates=Policy.ORO)
    assert again.duplicate is None


def test_the_documents_second_check_is_the_raw_cosine_of_the_stored_vectors(workspace, arctic):
    workspace.embeddings.use(arctic)
    known = keep(workspace, "SQLite has write-ahead logging, which lets readers go on during a write").memory
    keep(workspace, "The on-call phone lives in the blue drawer")
    new = "With the WAL mode of SQLite, reading goes on while somebody writes"
    again = keep(workspace, new, duplicates=Policy.ORO)
    assert (again.duplicate.rule, again.duplicate.threshold, again.memory.id) == ("cosine", 0.85, known.id)
    with workspace.store.read() as reader:
        stored = reader.embedding(known.id, arctic.space).vector
    cosine = sum(map(mul, *(array("f", each) for each in (stored, arctic.embed_document(new).vector))))
    assert again.duplicate.number == again.duplicate.cosine == pytest.approx(cosine, abs=1e-6)
    assert keep(workspace, "Bananas ripen faster in a paper bag", duplicates=Policy.ORO).duplicate is None
    assert keep(workspace, new).duplicate is None, "which our own rule keeps"


def test_a_rewording_is_recognised_by_its_overlap_and_the_score_is_reported(workspace):
    fill(workspace, 50)
    first = keep(workspace, "Migrations on the orders table need a lock timeout of three seconds")
    again = keep(workspace, "The orders table migrations need a lock timeout, three seconds")
    assert again.duplicate.memory.id == first.memory.id
    assert (again.duplicate.rule, again.duplicate.threshold) == ("overlap", 0.7)
    assert 0.7 < again.duplicate.number <= 1
    assert "overlap" in again.duplicate.sentence


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The connection pool of the API has 10 connections", "The connection pool of the API has 25 connections"),
        ("Offline pickup works without a network", "Offline pickup works with a network"),
        ("Deploys on Friday are allowed", "Deploys on Friday are not allowed"),
        ("Use Python 3.11 for the service", "Use Python 3.12 for the service"),
        ("缓存保存一小时", "缓存不保存一小时"),
    ],
)
def test_what_differs_in_a_number_or_a_negation_is_kept(workspace, known, new):
    keep(workspace, known)
    assert keep(workspace, new).duplicate is None


def test_a_text_that_says_more_is_kept(workspace):
    keep(workspace, "Redis evicts keys")
    assert (
        keep(
            workspace, "Redis evicts keys when memory runs out, so sessions vanish during the nightly import"
        ).duplicate
        is None
    )


def test_the_larger_confidence_is_kept_and_the_decision_journalled(workspace):
    first = keep(workspace, COPY, fields={"confidence": 0.5})
    again = keep(workspace, COPY, fields={"confidence": 0.9})
    assert again.memory.confidence == 0.9
    lower = keep(workspace, COPY, fields={"confidence": 0.2})
    assert lower.memory.confidence == 0.9
    with workspace.store.read() as reader:
        newest, before = reader.journal_entries(limit=2)
        assert "says it already (same text" in newest.reason
        assert reader.images(newest.seq) == []
        assert before.reason == newest.reason
        assert newest.reason.endswith(f"Not stored: {COPY}")
        assert reader.count() == 1
    assert first.memory.id == again.memory.id == lower.memory.id


def test_the_journal_keeps_the_refused_text_without_its_secrets_until_the_known_memory_is_purged(workspace):
    fill(workspace, 50)
    known = keep(workspace, "Deploys of the platform happen on Tuesdays").memory
    refused = "On Tuesdays deploys of the platform happen"
    token = "ghp_" + "a1B2" * 9
    remember.remember(workspace, {"content": refused}, actor="codex", reason="the runbook says so")
    assert [keep(workspace, f"CI pushes with {token}").duplicate is None for _ in range(2)] == [True, False]
    with workspace.store.read() as reader:
        entry = next(each for each in reader.journal_entries(limit=5) if refused in each.reason)
        assert entry.reason.startswith(f"Memory {known.id} says it already (overlap")
        assert entry.reason.endswith("Reason given: the runbook says so")
        assert not any(token in each.reason for each in reader.journal_entries(limit=5))
    curate.forget(workspace, [known.id], actor=PERSON)
    curate.purge(workspace, [known.id], actor=PERSON)
    with workspace.store.read() as reader:
        assert not any(refused in each.reason for each in reader.journal_entries(limit=200))
    assert refused.encode() not in workspace.store.path.read_bytes()


def test_only_active_memories_of_the_same_collection_count(workspace):
    keep(workspace, COPY, fields={"collection": "other"})
    archived = keep(workspace, COPY, fields={"status": "archived"})
    assert archived.duplicate is None
    assert keep(workspace, COPY).duplicate is None


def test_a_duplicate_can_be_kept_on_request(workspace):
    keep(workspace, COPY)
    assert keep(workspace, COPY, duplicates=Policy.KEEP).duplicate is None


def test_a_calibrated_cosine_reports_both_numbers():
    memory = draft.memory({"content": "write-ahead logging in SQLite", "uid": "x"}, NOW)
    model = catalogue.ARCTIC_S
    nothing = Vocabulary(0, 0.0, {})
    near = SimilarMemory(memory, None, 0.97, model.similarity(0.97))
    verdict = duplicate.judge("SQLite keeps its log ahead", [near], nothing, Policy.DEFAULT)
    assert (verdict.rule, verdict.cosine) == ("similarity", 0.97)
    assert verdict.number == pytest.approx(0.85 * (0.97 - 0.66) / (0.96 - 0.66))
    far = SimilarMemory(memory, None, 0.95, model.similarity(0.95))
    assert duplicate.judge("SQLite keeps its log ahead", [far], nothing, Policy.DEFAULT) is None
    # An abbreviation is a name, and a name that the known text lacks makes another fact.
    assert duplicate.judge("SQLite WAL mode", [near], nothing, Policy.DEFAULT) is None
    assert model.similarity(0.5) == 0
    assert catalogue.BGE_SMALL.similarity(0.99) is None


def test_without_full_text_a_memory_is_still_kept(workspace):
    keep(workspace, COPY)
    with workspace.store.transact(Op.EDIT, "vandal") as transaction:
        transaction.reader()._connection.execute("drop table fulltext")
    assert keep(workspace, COPY).duplicate.rule == "same text"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("User prefers dark mode in the editor at night", "User prefers light mode in the editor at night"),
        ("The nightly backup job is enabled on the cluster", "The nightly backup job is disabled on the cluster"),
        ("Our staging database runs on Hetzner machines", "Our staging database runs on Fly machines"),
        ("Lars is the manager of Petra", "Petra is the manager of Lars"),
        ("The API server calls the worker queue", "The worker queue calls the API server"),
        ("Alice owns the billing service and Bob owns search", "Bob owns the billing service and Alice owns search"),
        ("Use tabs and use semicolons", "Do not use tabs and do not use semicolons"),
        ("Deploys are forbidden on Friday afternoon", "Deploys are forbidden on Friday afternoon except hotfixes"),
        ("The admins are Alice, Bob, Carol and Dan", "The admins are Alice, Bob, Carol, Dan and Erin"),
    ],
)
def test_another_value_in_the_same_place_is_kept_and_not_taken_for_a_copy(workspace, known, new):
    fill(workspace, 50)
    keep(workspace, known)
    assert keep(workspace, new).duplicate is None


def test_a_text_that_speaks_against_a_known_one_becomes_a_suspicion_and_not_a_duplicate(workspace):
    fill(workspace, 50)
    first = keep(workspace, "The nightly backup job is enabled on the production cluster").memory
    second = keep(workspace, "The nightly backup job is disabled on the production cluster")
    assert [(id, each.rule) for id, each in second.contradictions] == [(first.id, "antonyms")]


def test_what_lends_a_memory_weight_is_a_persons_to_set(workspace):
    for name, value in {"pinned": True, "source": "person", "strength": 1.0, "provenance": {"by": "x"}}.items():
        with pytest.raises(UserError, match=f"Only a person can set {name}"):
            remember.remember(workspace, {"content": "trust me", name: value}, actor="codex")
    kept = remember.remember(workspace, {"content": "trust me", "agent": "somebody else"}, actor="codex").memory
    assert (kept.agent, kept.source, kept.pinned) == ("codex", "agent", False)
    with workspace.store.read() as reader:
        assert reader.count() == 1


def test_the_same_said_the_other_way_round_is_still_the_same(workspace):
    fill(workspace, 50)
    keep(workspace, "On Tuesdays the deploys of the platform happen")
    assert keep(workspace, "The deploys of the platform happen on Tuesdays").duplicate is not None


def test_the_same_text_about_another_user_or_thing_is_kept(workspace):
    fill(workspace, 20)
    for fields in ({"user": "alice"}, {"user": "bob"}, {"entities": ["mail"]}, {"entities": ["auth"]}):
        assert keep(workspace, "Prefers dark mode in the editor", fields=fields).duplicate is None
    assert keep(workspace, "Prefers dark mode in the editor", fields={"user": "bob"}).duplicate is not None


def test_the_second_of_two_concurrent_copies_is_refused(workspace, monkeypatch):
    """Two programs judge at the same moment; the second finds the first's memory only when it writes."""
    gather = neighbours.gather

    def gathered_before_the_other_wrote(*arguments):
        found = gather(*arguments)
        monkeypatch.setattr(neighbours, "gather", gather)
        keep(workspace, COPY)
        return found

    monkeypatch.setattr(neighbours, "gather", gathered_before_the_other_wrote)
    with pytest.raises(StaleEdit, match="stored a moment ago, says the same"):
        keep(workspace, COPY)
    with workspace.store.read() as reader:
        assert reader.count() == 1


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "In repo alpha, run tests of alpha with pytest -x and never with tox",
            "In repo beta, run tests of beta with pytest -x and never with tox",
        ),
        (
            "The staging cluster is in frankfurt because the staging data must stay in frankfurt",
            "The staging cluster is in dublin because the staging data must stay in dublin",
        ),
        (
            "Alice reviews the billing service; ask Alice before you deploy the billing service",
            "Bob reviews the billing service; ask Bob before you deploy the billing service",
        ),
        (
            "The gateway listens on port 8080 and its health check asks port 8080",
            "The gateway listens on port 9090 and its health check asks port 9090",
        ),
        (
            "Set MAX_RETRIES before the worker starts, as the worker reads MAX_RETRIES once",
            "Set MAX_BACKOFF before the worker starts, as the worker reads MAX_BACKOFF once",
        ),
        (
            "The config of the importer is /etc/importer/main.toml; edit /etc/importer/main.toml by hand",
            "The config of the importer is /etc/importer/extra.toml; edit /etc/importer/extra.toml by hand",
        ),
        (
            'When the log says "connection reset" restart the proxy; "connection reset" is harmless otherwise',
            'When the log says "broken pipe" restart the proxy; "broken pipe" is harmless otherwise',
        ),
        (
            "alpha depends on beta, so build alpha last and test alpha last",
            "alpha depends on beta, so build beta last and test beta last",
        ),
        (
            "Call getUser before the session begins, since getUser warms the cache",
            "Call getGroup before the session begins, since getGroup warms the cache",
        ),
        (
            "Build the app with --release and ship it with --release",
            "Build the app with --debug and ship it with --debug",
        ),
        (
            "The owner of the search index is Carol and nobody but Carol rebuilds the search index",
            "The search index is owned by Dave, and nobody but Dave rebuilds the search index",
        ),
        (
            "In repo alpha run the tests of alpha with the fast flag before each push",
            "In the repo beta, run all tests of beta with the fast flag before each push",
        ),
        ("日志服务由张伟负责，出问题找张伟处理日志服务", "日志服务由李娜负责，出问题找李娜处理日志服务"),
        ("Invoices go to billing@example.com, refunds too", "Invoices go to accounts@example.com, refunds too"),
    ],
)
def test_another_name_number_identifier_path_or_quotation_is_another_fact_wherever_it_stands(workspace, known, new):
    fill(workspace, 50)
    keep(workspace, known)
    assert keep(workspace, new).duplicate is None
    assert keep(workspace, known).duplicate is not None


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The pool of the API has 10 connections.", "the pool of the API has 10 connections"),
        ("Run `make lint` before each push to GitHub", "Before each push to GitHub run make lint"),
        ("On Fridays deploys of the platform are forbidden", "Deploys of the platform are forbidden on Fridays"),
        ("The backup of the orders database is in /var/backups", "The orders database backup is in /var/backups"),
    ],
)
def test_the_same_names_and_numbers_otherwise_put_are_still_a_copy(workspace, known, new):
    fill(workspace, 50)
    keep(workspace, known)
    assert keep(workspace, new).duplicate is not None


CASES = [
    ("Copy it with scp -P 22 to the host", "Copy it with scp -p 22 to the host"),
    ("The server begins in src/main.py", "The server begins in src/Main.py"),
    ("The figures are in reports/Q1", "The figures are in reports/q1"),
    ("State is kept by userStore", "State is kept by UserStore"),
    ("Set the level to DEBUG on staging", "Set the level to debug on staging"),
    ("set the level to DEBUG on staging", "set the level to debug on staging"),
    ('Answer the prompt with "Y" twice', 'Answer the prompt with "y" twice'),
    ("Answer the prompt with Y twice", "Answer the prompt with y twice"),
    ('The log says "Connection Lost" then', 'The log says "Connection lost" then'),
    ("Uploads may have 30 MB each", "Uploads may have 30 Mb each"),
    ("30 MB", "30 Mb"),
    ("The release goes to US first", "The release goes to us first"),
    ("USE -P WITH SCP", "use -p with scp"),
]


@pytest.mark.parametrize(("known", "new"), CASES)
def test_the_case_of_an_option_path_identifier_unit_or_quotation_distinguishes_two_facts(workspace, known, new):
    fill(workspace, 50)
    keep(workspace, known)
    assert keep(workspace, new).duplicate is None
    assert keep(workspace, known).duplicate.rule == "same text"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Use WAL", "use  wal"),
        ("Use write-ahead logging. It is fast.", "use Write-ahead logging. it is fast."),
        ("A deploy (On Friday) isn't allowed", "a deploy (on friday) Isn't allowed"),
        ("Don't deploy to US on Friday", "DON'T DEPLOY TO US ON FRIDAY"),
    ],
)
def test_the_case_of_ordinary_words_does_not(workspace, known, new):
    keep(workspace, known)
    assert keep(workspace, new).duplicate.rule == "same text"


def test_case_distinguishes_long_texts_as_well(workspace):
    long = "The harbour has a berth for every boat of the island. " * 300
    assert len(long) > duplicate.MAX_JUDGED_CHARS
    keep(workspace, f"{long} See src/main.py.")
    assert keep(workspace, f"{long} See src/Main.py.").duplicate is None
    assert keep(workspace, f"{long} see src/main.py.").duplicate.rule == "same text"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Alert when latency < 200 on the gateway", "Alert when latency > 200 on the gateway"),
        ("Scale up when load < 5 and queue > 9", "Scale up when load > 5 and queue < 9"),
        ("Run the scripts in ./tools before each push", "Run the scripts in ../tools before each push"),
        ("Settings are read from .env at the start", "Settings are read from env at the start"),
        ("Events flow alpha → beta in the pipeline", "Events flow alpha ← beta in the pipeline"),
        ("The nightly build of the installer ✅", "The nightly build of the installer ❌"),
        ("The users reacted to the new menu 😀", "The users reacted to the new menu 😡"),
        ("The licence costs € 40 a seat", "The licence costs $ 40 a seat"),
        ("The header begins with #include <config.h>", 'The header begins with #include "config.h"'),
        ("Call getUser once the session began", "Once the session began, call GetUser"),
        ("The weight of recency is .5 by default", "The weight of recency is 5 by default"),
    ],
)
def test_another_sign_or_other_leading_dots_of_a_path_make_another_fact(workspace, known, new):
    fill(workspace, 50)
    keep(workspace, known)
    assert keep(workspace, new).duplicate is None
    assert keep(workspace, known).duplicate is not None
