"""The default profile: each part of its score as arithmetic."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from pools import Given, judged, pool_of

from core import draft, profiles, text
from core.embed import catalogue
from core.model import MemoryId
from core.pipeline.pool import Candidate
from core.pipeline.query import Query

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SIZE = 999  # so that ln(1 + N) is ln 1000


def candidate(id: int, scores: dict[str, float] | None = None, **fields) -> Given:
    created = NOW - timedelta(days=fields.pop("age_days", 0.0))
    memory = draft.memory({"content": f"memory{id} alone", "created_at": created, "confidence": 1.0, **fields}, NOW)
    return Given(memory._replace(id=MemoryId(id)), scores or {})


def ranked(*given: Given, asked: str = "q", trust: float = 20.0) -> dict[int, Candidate]:
    query = Query(text=asked, now=NOW, k=10, trust=trust)
    last = judged(profiles.profile("inspector").stages, query, pool_of(given, size=SIZE, newest=NOW))[-1].after
    return {found.id: found for found in map(last.candidate, last.order.tolist())}


def test_words_and_neighbours_count_in_words_that_only_one_memory_holds():
    found = ranked(candidate(1, {"stems": 10.0, "plain": 8.0, "session": 2.0}), candidate(2, {"plain": 5.0}))
    assert found[1].value == pytest.approx((0.7 * 10 + 0.3 * 8) / math.log(1000) + 2 / math.log(1000))
    assert found[2].value == pytest.approx(0.3 * 5 / math.log(1000))
    assert found[1].score.part("words").value == pytest.approx((0.7 * 10 + 0.3 * 8) / math.log(1000))
    assert found[1].score.part("beside").value == pytest.approx(2 / math.log(1000))


def test_meaning_is_the_trust_in_the_model_times_the_cosine_above_the_lowest():
    found = ranked(
        candidate(1, {"vector": 0.8}), candidate(2, {"vector": 0.71}), candidate(3, {"bm25": 1.0}), trust=2.0
    )
    assert found[1].value == pytest.approx(2 * (0.8 - 0.71))
    assert found[2].value == 0
    assert found[3].score.part("meaning") is None


def test_a_measured_model_is_trusted_by_its_measure_and_any_other_little():
    assert catalogue.ARCTIC_S.trust == 20
    assert {model.trust for model in catalogue.MODELS if model is not catalogue.ARCTIC_S} == {2.0}


def test_a_named_entity_and_a_named_period_add_up_before_confidence_and_decay():
    asked = "What did Ana say in October 2026?"
    found = ranked(candidate(1, {"stems": 3.0}, entities=["ana"], confidence=0.5, age_days=31), asked=asked)
    expected = (0.7 * 3 / math.log(1000) + 0.5 + 1.0) * 0.5 * 0.5 ** (31 / 1825)
    assert found[1].value == pytest.approx(expected)
    assert found[1].score.part("named").facts["entity"] == "ana"
    assert found[1].score.part("time").facts["named"] == "in October 2026"


def test_a_pinned_memory_does_not_decay():
    assert ranked(candidate(1, {"stems": 3.0}, age_days=3650, pinned=True))[1].value == pytest.approx(
        0.7 * 3 / math.log(1000)
    )


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        ("Ana", "did ANA come?", True),
        ("Ana", "a banana", False),
        ("Ana Lima", "when did ana lima leave", True),
        ("杯子", "他抓取杯子了吗", True),
        ("Ｒedis", "redis", True),
        ("C++", "is C++ fast?", True),
        (" ", "anything", False),
    ],
)
def test_a_name_counts_as_whole_words_or_within_a_run_without_spaces(name, asked, expected):
    assert text.is_named(name, asked) is expected


@pytest.mark.parametrize(("day", "is_meant"), [("2026-04-30", False), ("2026-05-31", True), ("2026-06-01", True)])
def test_a_period_reaches_to_the_day_after_it(day, is_meant):
    found = ranked(candidate(1, created_at=f"{day}T12:00:00Z"), asked="What happened in May 2026?")
    assert (found[1].score.part("time") is not None) is is_meant
