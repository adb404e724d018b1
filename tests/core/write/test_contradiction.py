"""Contradictions are suspected by explainable rules, kept as open links, and change nothing by themselves."""

from __future__ import annotations

import pytest

from core.model import LinkKind, LinkStatus, Status
from core.services import query, remember
from core.services.query import Question
from core.write import contradiction


@pytest.mark.parametrize(
    ("known", "new", "rule"),
    [
        ("A cow is eating grass", "A cow is not eating grass", "negation"),
        ("Deploys on Friday are allowed", "Deploys on Friday are never allowed", "negation"),
        ("The pool has 10 connections", "The pool has 25 connections", "different value"),
        ("Access tokens last 60 minutes", "Access tokens last 15 minutes.", "different value"),
        ("Pickup without network works offline", "Pickup without network is refused offline", "antonyms"),
        ("Feature flags are enabled in staging", "Feature flags are disabled in staging", "antonyms"),
        ("Background jobs run on Celery", "Background jobs no longer run on Celery but on Postgres", "update"),
        ("我们的缓存保存一小时", "我们的缓存不保存一小时", "negation"),
    ],
)
def test_a_contradiction_is_suspected_by_its_rule_with_its_parts(known, new, rule):
    found = contradiction.judge(new, known)
    assert found.rule == rule
    assert 0 < found.probability <= 1
    assert found.parts["shared"] >= contradiction.MIN_SHARED[rule]


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The pool has 10 connections", "The rig has 12 doors"),
        ("Redis evicts keys", "Redis evicts keys when memory runs out"),
        ("Deploys happen on Tuesdays", "Tobias does not like CSS utility classes"),
        ("The export takes 20 minutes", "The export of parcels for Fjord Post takes 45 minutes on Mondays"),
        ("", "not"),
        ("no", "yes"),
        ("x" * 5000, "not " + "y" * 5000),
    ],
)
def test_what_does_not_contradict_is_left_alone(known, new):
    assert contradiction.judge(new, known) is None


def test_a_sentence_inside_a_longer_text_is_found():
    known = "We use Postgres 16. The pool has 10 connections. Deploys happen on Tuesdays."
    assert contradiction.judge("Measured again today. The pool has 25 connections.", known).rule == "different value"


def test_a_suspicion_becomes_an_open_link_with_its_evidence_and_changes_no_status_and_no_ranking(workspace):
    first = remember.remember(workspace, {"content": "The API pool has 10 connections"}, actor="codex").memory
    before = query.ask(workspace, Question(text="pool", profile="openmem")).ranking.results[0].value
    kept = remember.remember(workspace, {"content": "The API pool has 25 connections"}, actor="cursor")
    assert kept.duplicate is None
    ((other, found),) = kept.contradictions
    assert (other, found.rule) == (first.id, "different value")
    with workspace.store.read() as reader:
        (link,) = [each for each in reader.links_of(first.id) if each.kind is LinkKind.CONTRADICTS]
        assert reader.memory(first.id).status is Status.ACTIVE
    assert (link.source_id, link.target_id, link.status) == (kept.memory.id, first.id, LinkStatus.OPEN)
    assert link.evidence["parts"]["new"] == ["25"]
    after = query.ask(workspace, Question(text="pool", profile="openmem")).ranking.results
    assert {each.id for each in after} == {first.id, kept.memory.id}
    assert all(each.score.part("contradiction") is None for each in after)
    assert min(each.value for each in after) > 0.5 * before


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Sprint 14 ended with all tickets closed", "Sprint 15 ended with all tickets closed"),
        ("Invoice 17 was paid by transfer", "Invoice 18 was paid by transfer"),
        ("Server web1 has 16 GB of memory", "Server web2 has 16 GB of memory"),
    ],
)
def test_a_number_that_names_the_subject_is_no_other_value(a, b):
    assert contradiction.judge(b, a) is None
