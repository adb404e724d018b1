"""Why a memory was not returned: where it was lost, and the smallest change that really brings it in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import draft
from core.changes import Op
from core.embed.hashing import HashingEmbedder
from core.services import query, why_not
from core.services.query import Question


def add(workspace, content, **fields):
    with workspace.store.transact(Op.REMEMBER, "test") as transaction:
        return transaction.add_memory(draft.memory({"content": content, **fields}, transaction.now))


@pytest.fixture
def crowded(workspace, clock):
    """Seven memories about locks, one of them a little older and much less sure."""
    for n in range(6):
        add(workspace, f"lock timeout of table number {n} " + "filler " * n)
    old = (clock.now() - timedelta(days=2)).isoformat()
    weak = add(workspace, "lock timeout of the last table", confidence=0.3, created_at=old)
    for n in range(60):
        add(workspace, f"nothing to do with it {n}")
    return workspace, weak


QUESTION = Question(text="lock timeout", profile="oro", k=3, parameters={"threshold.least": 0.0, "dedup.overlap": 1.0})


def test_it_names_the_stage_that_lost_it_and_the_gap(crowded):
    workspace, weak = crowded
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    assert found.lost_at == "top"
    assert found.reason.kind == "outranked"
    assert found.reason.facts["gap"] > 0


def test_every_change_it_proposes_works_when_it_is_made(crowded):
    workspace, weak = crowded
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    kinds = {change.kind for change in found.changes}
    assert {"confidence", "k"} <= kinds
    sizes = [change.size for change in found.changes]
    assert sizes == sorted(sizes)
    assert found.smallest is found.changes[0]
    for change in found.changes:
        if change.kind == "k":
            answer = query.ask(workspace, Question(**fields_of(QUESTION, k=change.after)))
        elif change.kind == "parameter" and "[" not in change.what:
            answer = query.ask(
                workspace,
                Question(**fields_of(QUESTION, parameters={**QUESTION.parameters, change.what: change.after})),
            )
        elif change.kind == "confidence":
            with workspace.store.transact(Op.EDIT, "test") as transaction:
                transaction.update_memory(weak.id, {"confidence": change.after})
            answer = query.ask(workspace, QUESTION)
            with workspace.store.transact(Op.EDIT, "test") as transaction:
                transaction.update_memory(weak.id, {"confidence": 0.3})
        else:
            continue
        ranks = {memory.id: rank for rank, memory in enumerate(answer.memories, 1)}
        assert ranks.get(weak.id) == change.rank, change


def test_a_little_less_than_the_change_is_not_enough(crowded):
    workspace, weak = crowded
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    by_kind = {change.kind: change for change in found.changes}
    k = by_kind["k"].after
    answer = query.ask(workspace, Question(**fields_of(QUESTION, k=k - 1)))
    assert weak.id not in {memory.id for memory in answer.memories}


def test_a_returned_memory_needs_no_change(crowded):
    workspace, _ = crowded
    found = why_not.why_not(workspace, QUESTION, "1")
    assert (found.reason, found.changes) == (None, ())


def test_a_threshold_is_named_as_what_to_lower(workspace):
    memory = add(workspace, "lock timeout", confidence=0.2)
    for n in range(40):
        add(workspace, f"other {n}")
    found = why_not.why_not(
        workspace, Question(text="lock timeout", profile="oro", parameters={"threshold.least": 0.2}), str(memory.id)
    )
    assert found.lost_at == "threshold"
    thresholds = [change for change in found.changes if change.what == "threshold.least"]
    assert thresholds
    assert thresholds[0].after < 0.2
    assert "would make it number 1" in thresholds[0].sentence


def test_what_no_single_change_brings_in_says_so(workspace):
    memory = add(workspace, "wholly other")
    add(workspace, "lock timeout")
    found = why_not.why_not(workspace, Question(text="lock", profile="cc-v3-fts"), str(memory.id))
    assert found.lost_at == "recall, the list bm25"
    assert found.smallest is None


def test_a_status_that_keeps_it_out_of_every_list_is_found(workspace):
    memory = add(workspace, "lock timeout", status="superseded")
    add(workspace, "other")
    for profile in ("oro-hybrid", "cc-v3-fts", "inspector", "two-stage"):
        found = why_not.why_not(workspace, Question(text="lock timeout", profile=profile), str(memory.id))
        assert found.reason.kind == "filtered", profile
        assert ("status", "active") in {(change.kind, str(change.after)) for change in found.changes}, profile


def test_an_age_relative_to_the_newest_memory_moves_the_newest_too(workspace, clock):
    embedder = HashingEmbedder(16, workspace.model().name)
    workspace.embeddings._embedder = embedder
    for n in range(6):
        created = (clock.now() - timedelta(days=30 + n)).isoformat()
        add(workspace, "lock timeout", created_at=created)
    workspace.embeddings.catch_up()
    found = why_not.why_not(workspace, Question(text="lock timeout", profile="bcr", k=1), "3")
    (age,) = [change for change in found.changes if change.kind == "age"]
    assert 29 < age.after < 30


def test_the_questions_own_budget_and_least_confidence_are_tried(workspace):
    add(workspace, "lock timeout first " * 3)
    second = add(workspace, "lock timeout " + "of another kind altogether " * 4, confidence=0.5)
    found = why_not.why_not(
        workspace, Question(text="lock timeout", profile="cc-v3-fts", token_budget=20), str(second.id)
    )
    assert found.reason.kind == "over_budget"
    (budget,) = [change for change in found.changes if change.kind == "budget"]
    answer = query.ask(workspace, Question(text="lock timeout", profile="cc-v3-fts", token_budget=budget.after))
    assert second.id in {memory.id for memory in answer.memories}
    found = why_not.why_not(
        workspace, Question(text="lock timeout", profile="cc-v3-fts", min_confidence=0.7), str(second.id)
    )
    assert "min_confidence" in {change.kind for change in found.changes}


def test_a_list_that_was_too_short_names_the_length_it_needs(workspace):
    for n in range(80):
        add(workspace, f"lock number {n} " + "more words " * (n % 7))
    question = Question(text="lock", profile="cc-v3-fts", k=100)
    with_reason = [why_not.why_not(workspace, question, str(id)) for id in range(1, 81)]
    beyond = [each for each in with_reason if each.reason is not None and each.reason.kind == "beyond_limit"]
    assert len(beyond) == 30
    for each in beyond[:5]:
        assert each.reason.facts["rank"] > each.reason.facts["limit"]
        assert ("bm25.limit", each.reason.facts["rank"]) in {(change.what, change.after) for change in each.changes}


def test_a_list_is_not_imagined_longer_than_any_parameter_is_turned(workspace, monkeypatch):
    monkeypatch.setattr(why_not, "FURTHEST", 1.2)
    for n in range(80):
        add(workspace, f"lock number {n} " + "more words " * (n % 7))
    question = Question(text="lock", profile="cc-v3-fts", k=100)
    found = [why_not.why_not(workspace, question, str(id)) for id in range(1, 81)]
    lengths = {change.after for each in found for change in each.changes if change.what == "bm25.limit"}
    assert lengths == set(range(51, 61))


def test_it_stops_when_its_budget_is_used_up_and_says_so(crowded, monkeypatch):
    workspace, weak = crowded
    monkeypatch.setattr(why_not, "MOST_RUNS", 3)
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    assert (found.is_complete, found.runs) == (False, 4)


def fields_of(question, **changes):
    return {name: getattr(question, name) for name in question.__slots__} | changes


def test_what_has_no_vector_is_not_said_to_come_in_among_the_last_used(workspace):
    workspace.embeddings.use(HashingEmbedder(16, workspace.model().name))
    for n in range(3):
        add(workspace, f"lock timeout {n}")
    workspace.embeddings.catch_up()
    late = add(workspace, "quite another thing", confidence=0.3, strength=0.5)
    asked = Question(text="lock timeout", profile="two-stage", k=20)
    proposed = why_not.why_not(workspace, asked, str(late.id)).changes
    assert [
        change.sentence for change in proposed if change.kind in ("strength", "confidence", "importance", "pin")
    ] == []
