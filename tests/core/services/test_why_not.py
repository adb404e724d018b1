"""Why a memory was not returned: where it was lost, and the smallest change that really brings it in."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from core import draft, profiles
from core.changes import Op
from core.embed.hashing import HashingEmbedder
from core.errors import UserError
from core.model import MemoryId
from core.pipeline.parameters import parameters_of
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


SENTENCE = re.compile(r"(?P<what>.+) from (?P<before>.+) to (?P<after>.+) would return it at rank (?P<rank>\d+)\.")


def rank_as_printed(workspace, question, memory, change):
    """The rank a memory gets when a person does what the sentence says, with the numbers that stand in it."""
    said = SENTENCE.fullmatch(change.sentence)
    what, after = said["what"], said["after"]
    restored = {name: getattr(memory, name) for name in ("confidence", "strength", "importance", "status", "pinned")}
    fields = {}
    if change.kind == "k":
        question = replace(question, k=int(after))
    elif change.kind == "budget":
        question = replace(question, token_budget=int(after))
    elif change.kind == "min_confidence":
        question = replace(question, min_confidence=float(after))
    elif change.kind == "parameter":
        question = replace(question, parameters={**question.parameters, what: after})
    elif change.kind == "confidence":
        fields = {"confidence": float(after)}
    elif change.kind == "strength":
        times = int(re.search(r"reinforced (\d+) time", what)[1])
        fields = {"strength": min(1.0, memory.strength + 0.1 * times)}
    else:
        fields = {what: True if change.kind == "pin" else after}
    edited(workspace, memory, fields)
    ranks = {found.id: rank for rank, found in enumerate(query.ask(workspace, question).memories, 1)}
    edited(workspace, memory, restored)
    return ranks.get(memory.id), int(said["rank"])


def edited(workspace, memory, fields):
    if fields:
        with workspace.store.transact(Op.EDIT, "test") as transaction:
            transaction.update_memory(memory.id, fields)


def test_every_change_it_proposes_works_when_it_is_made(crowded):
    workspace, weak = crowded
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    assert {"confidence", "k"} <= {change.kind for change in found.changes}
    sizes = [change.size for change in found.changes]
    assert sizes == sorted(sizes)
    assert found.smallest is found.changes[0]


@pytest.mark.parametrize("profile", [each.name for each in profiles.PROFILES])
def test_every_change_works_as_it_is_printed(sample, profile):
    for asked in ("why do migrations hang?", "who decides about deploys"):
        question = Question(text=asked, profile=profile, k=3, min_confidence=0.2, token_budget=200)
        for id in (5, 29, 60, 101):
            with sample.store.read() as reader:
                memory = reader.memory(MemoryId(id))
            found = why_not.why_not(sample, question, str(id))
            assert found.is_complete
            for change in found.changes:
                got, promised = rank_as_printed(sample, question, memory, change)
                assert got == promised, (profile, change)


def test_only_what_a_person_can_change_is_proposed(sample):
    can = {"pin", "importance", "status", "confidence", "strength", "k", "budget", "min_confidence", "parameter"}
    for profile in ("bcr", "oro", "openmem", "recursive-light"):
        found = why_not.why_not(sample, Question(text="why do migrations hang?", profile=profile, k=1), "29")
        known = {each.path for each in parameters_of(profiles.profile(profile))}
        assert {change.kind for change in found.changes} <= can
        assert {change.what for change in found.changes if change.kind == "parameter"} <= known


def test_a_smaller_budget_that_lets_it_in_is_found_where_it_is_nearer(workspace):
    long = add(workspace, "lock timeout of the table in the harbour office.")
    short = add(workspace, "A table's lock, at last")
    question = Question(text="lock timeout", profile="cc-v3-fts", token_budget=13)
    assert [memory.id for memory in query.ask(workspace, question).memories] == [long.id]
    found = why_not.why_not(workspace, question, str(short.id))
    (budget,) = [change for change in found.changes if change.kind == "budget"]
    assert (budget.after, budget.rank) == (11, 1)


def test_the_nearest_budget_is_found_although_a_larger_one_may_let_it_out_again(workspace):
    for tokens, sure in ((30, 1.0), (90, 0.9), (70, 0.3)):
        add(workspace, ("lock " + "filler" * 99)[: 4 * tokens], confidence=sure)
    question = Question(text="lock", profile="oro", token_budget=60, parameters={"threshold.least": 0.0})
    (budget,) = [change for change in why_not.why_not(workspace, question, "3").changes if change.kind == "budget"]
    works = [
        tokens
        for tokens in range(1, 240)
        if 3 in {memory.id for memory in query.ask(workspace, replace(question, token_budget=tokens)).memories}
    ]
    assert budget.after == min(works, key=lambda tokens: abs(tokens - 60))


def test_a_list_that_lacks_what_another_brought_names_the_length_it_needs(workspace):
    workspace.embeddings.use(HashingEmbedder(16, workspace.model().name))
    for n in range(40):
        add(workspace, f"lock number {n} " + "more words " * (n % 7))
    workspace.embeddings.catch_up()
    question = Question(text="lock", profile="recursive-light-semantic", k=5)
    found = [why_not.why_not(workspace, question, str(id)) for id in range(1, 41)]
    gathered = [each for each in found if each.reason is not None and not each.explanation.absent]
    longer = [change for each in gathered for change in each.changes if change.what.endswith(".limit")]
    assert longer


def test_a_little_less_than_the_change_is_not_enough(crowded):
    workspace, weak = crowded
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    by_kind = {change.kind: change for change in found.changes}
    k = by_kind["k"].after
    answer = query.ask(workspace, replace(QUESTION, k=k - 1))
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
    thresholds = [change for change in found.changes if change.what == "threshold.min"]
    assert thresholds
    assert thresholds[0].after < 0.2
    assert "would return it at rank 1" in thresholds[0].sentence


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
    monkeypatch.setattr(why_not, "MAX_FACTOR", 1.2)
    for n in range(80):
        add(workspace, f"lock number {n} " + "more words " * (n % 7))
    question = Question(text="lock", profile="cc-v3-fts", k=100)
    found = [why_not.why_not(workspace, question, str(id)) for id in range(1, 81)]
    lengths = {change.after for each in found for change in each.changes if change.what == "bm25.limit"}
    assert lengths == set(range(51, 61))


def test_it_stops_when_its_budget_is_used_up_and_says_so(crowded, monkeypatch):
    workspace, weak = crowded
    monkeypatch.setattr("core.services.trial_runs.MAX_RUNS", 3)
    found = why_not.why_not(workspace, QUESTION, str(weak.id))
    assert (found.is_complete, found.runs) == (False, 4)


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


def test_it_ends_with_a_sentence_when_it_is_not_waited_for_any_longer(crowded):
    workspace, weak = crowded
    with pytest.raises(UserError, match="Given up after asking again 0 times"):
        why_not.why_not(workspace, QUESTION, str(weak.id), is_given_up=lambda: True)
