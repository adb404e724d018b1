"""Each profile gives the numbers of the document it follows."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from pools import Given, judged, pool_of

from core import draft, profiles
from core.model import Link, LinkId, LinkKind, MemoryId, Status
from core.pipeline.pool import Candidate
from core.pipeline.query import Query, Spatial
from core.pipeline.trace import ReasonKind

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def candidate(id: int, hits: dict[str, tuple[float, int]] | None = None, **fields) -> Given:
    """A memory with what each list said of it: raw score and rank."""
    age_days = fields.pop("age_days", 0.0)
    created = NOW - timedelta(days=age_days)
    memory = draft.memory({"content": f"memory {id}", "created_at": created, **fields}, NOW)
    return Given(memory._replace(id=MemoryId(id)), {name: score for name, (score, _) in (hits or {}).items()})


def judge(name: str, *given: Given, links=(), query: Query | None = None, size=100_000, upto=None, newest=NOW):
    """Run the stages of a profile over a pool; gives the last candidates, every drop, and the warnings."""
    profile = profiles.profile(name)
    query = query or Query(text="q", now=NOW, k=profile.k)
    names = [stage.name for stage in profile.stages]
    stages = profile.stages[: names.index(upto) + 1] if upto else profile.stages
    traces = judged(stages, query, pool_of(given, links, size, newest))
    drops = {drop.memory_id: drop.reason for stage in traces for drop in stage.drops}
    last = traces[-1].after
    candidates = [last.candidate(row) for row in last.order.tolist()]
    return candidates, drops, tuple(warning for stage in traces for warning in stage.step.warnings)


def scores(candidates: list[Candidate]) -> dict[int, float]:
    return {each.id: each.value for each in candidates}


def link(source: int, target: int, kind: str, weight: float = 1.0, id: int = 1) -> Link:
    return Link(
        id=LinkId(id), source_id=MemoryId(source), target_id=MemoryId(target), kind=LinkKind(kind), weight=weight,
        created_at=NOW,
    )  # fmt: skip


# Oro


def test_oros_worked_example_of_004_is_dropped_below_005():
    pool, drops, _ = judge("oro", candidate(1, {"bm25": (2.5, 1)}, confidence=0.8, age_days=30))
    assert scores(pool) == {}
    assert drops[1].kind is ReasonKind.BELOW_THRESHOLD
    assert drops[1].facts["score"] == pytest.approx(0.1 * 0.8 * 0.5)
    assert (drops[1].facts["threshold"], drops[1].facts["set_by"]) == (0.05, "threshold.min")


def test_oros_score_is_bm25_over_25_times_confidence_times_decay():
    pool, _, _ = judge("oro", candidate(1, {"bm25": (10.0, 1)}, confidence=0.9, age_days=60))
    assert scores(pool)[1] == pytest.approx(min(1.0, 10 / 25) * 0.9 * 0.5 ** (60 / 30))
    pool, _, _ = judge("oro", candidate(1, {"bm25": (40.0, 1)}, confidence=0.8))
    assert scores(pool)[1] == pytest.approx(1.0 * 0.8)


def test_a_pinned_memory_never_decays():
    pool, _, _ = judge("oro", candidate(1, {"bm25": (10.0, 1)}, confidence=1.0, age_days=3650, pinned=True))
    assert scores(pool)[1] == pytest.approx(10 / 25)


def test_a_memory_from_the_future_counts_as_of_now():
    pool, _, _ = judge("oro", candidate(1, {"bm25": (10.0, 1)}, confidence=1.0, age_days=-100))
    assert scores(pool)[1] == pytest.approx(10 / 25)


def test_oro_returns_five_memories_within_500_tokens():
    many = [candidate(n, {"bm25": (20.0 - n, n)}, content=f"word{n} " * 20) for n in range(1, 9)]
    pool, drops, _ = judge("oro", *many)
    assert list(scores(pool)) == [1, 2, 3, 4, 5]
    assert drops[6].kind is ReasonKind.OUTRANKED
    assert drops[6].facts["rank"] == 6
    long = [candidate(n, {"bm25": (20.0 - n, n)}, content=f"word{n} " * 200) for n in range(1, 4)]
    pool, drops, _ = judge("oro", *long)
    tokens = len(long[0].memory.content) / 4
    assert list(scores(pool)) == [1]
    assert drops[2].kind is ReasonKind.OVER_BUDGET
    assert drops[2].facts["left"] == pytest.approx(500 - tokens)


def test_a_near_copy_of_a_better_result_is_left_out():
    pool, drops, _ = judge(
        "oro",
        candidate(1, {"bm25": (20.0, 1)}, content="SQLite WAL mode is important for writers"),
        candidate(2, {"bm25": (19.0, 2)}, content="SQLite WAL mode is important for the writers"),
    )
    assert list(scores(pool)) == [1]
    assert (drops[2].kind, drops[2].facts["of"]) == (ReasonKind.DUPLICATE, 1)


def test_absolute_bm25_thresholds_are_warned_of_in_a_small_store():
    hit = candidate(1, {"bm25": (10.0, 1)})
    assert judge("oro", hit, size=100_000)[2] == ()
    assert "one of 2 memories" in judge("oro", hit, size=2)[2][0]
    assert judge("cc-v3-fts", hit, size=2)[2]
    assert judge("oro-hybrid", hit, size=2)[2] == ()


def test_oro_hybrid_is_rank_fusion_times_confidence_times_decay_above_001():
    pool, drops, _ = judge(
        "oro-hybrid",
        candidate(1, {"bm25": (9.0, 1), "vector": (0.9, 1)}, confidence=0.8, age_days=30),
        candidate(2, {"bm25": (8.0, 2)}, confidence=1.0),
        candidate(3, {"vector": (0.8, 2)}, confidence=0.5),
    )
    assert scores(pool) == {
        2: pytest.approx((1 / 62) * 1.0),
        1: pytest.approx((1 / 61 + 1 / 61) * 0.8 * 0.5),
    }
    assert drops[3].facts["score"] == pytest.approx(1 / 62 * 0.5)


def test_bcr_counts_age_back_from_the_newest_memory():
    pool, _, _ = judge(
        "bcr",
        candidate(1, {"vector": (0.8, 1)}, confidence=0.5, age_days=100),
        candidate(2, {"vector": (0.6, 2)}, confidence=1.0, age_days=130),
        newest=NOW - timedelta(days=100),
    )
    assert scores(pool) == {1: pytest.approx(0.8 * 0.5 * 1.0), 2: pytest.approx(0.6 * 1.0 * 0.5)}


def test_cc_v3_blends_similarity_with_linear_recency():
    pool, _, _ = judge("cc-v3-vector", candidate(1, {"vector": (0.8, 1)}, age_days=15))
    assert scores(pool)[1] == pytest.approx((1 - 0.1) * 0.8 + 0.1 * (1 - 15 / 30))
    pool, _, _ = judge("cc-v3-vector", candidate(1, {"vector": (0.8, 1)}, age_days=45))
    assert scores(pool)[1] == pytest.approx((1 - 0.1) * 0.8)


def test_cc_v3_full_text_is_clamped_and_its_hybrid_is_rank_fusion():
    assert scores(judge("cc-v3-fts", candidate(1, {"bm25": (5.0, 1)}))[0])[1] == 5 / 25
    hybrid = candidate(1, {"bm25": (5.0, 1), "vector": (0.4, 1)})
    assert scores(judge("cc-v3", hybrid)[0])[1] == pytest.approx(1 / 61 + 1 / 61)


# OpenMem


def test_openmem_spreads_as_drawn_080_024_006():
    seeds = (candidate(1, {"bm25": (8.0, 2)}), candidate(2), candidate(3), candidate(9, {"bm25": (10.0, 1)}))
    links = (link(1, 2, "supports", 0.6, 1), link(3, 2, "relates", 0.5, 2))
    pool, _, _ = judge("openmem", *seeds, links=links, upto="spread")
    assert scores(pool) == {9: 1.0, 1: 0.8, 2: pytest.approx(0.24), 3: pytest.approx(0.06)}
    path = next(each for each in pool if each.id == 3).score.part("over a link")
    assert (path.facts["hop"], path.facts["came_from"], path.facts["kind"]) == (2, 2, "relates")


def test_no_gap_is_reported_where_the_order_is_not_by_score():
    places = {1: [9.0], 2: [1.0], 3: [5.0]}
    some = [candidate(n, {"bm25": (9.0 - n, n)}, context={"at": place}) for n, place in places.items()]
    near = Query(text="q", now=NOW, k=2, spatial=Spatial("at", (1.0,)))
    pool, drops, _ = judge("robotmem", *some, query=near)
    assert [each.id for each in pool] == [2, 3]
    assert "gap" not in drops[1].facts


def test_openmem_competition_is_the_weighted_sum_times_the_status():
    accessed = (NOW - timedelta(days=10)).isoformat()
    pool, _, _ = judge(
        "openmem",
        candidate(1, {"bm25": (4.0, 1)}, confidence=0.6, strength=0.7, last_accessed_at=accessed, status="superseded"),
    )
    expected = (0.5 * 1.0 + 0.2 * math.exp(-0.05 * 10) + 0.2 * 0.7 + 0.1 * 0.6) * 0.5
    assert scores(pool)[1] == pytest.approx(expected)


@pytest.mark.parametrize(("status", "penalty"), [("active", 1.0), ("superseded", 0.5), ("contradicted", 0.3)])
def test_openmem_penalties(status, penalty):
    plain = scores(judge("openmem", candidate(1, {"bm25": (4.0, 1)}))[0])[1]
    assert scores(judge("openmem", candidate(1, {"bm25": (4.0, 1)}, status=status))[0])[1] == pytest.approx(
        plain * penalty
    )


def test_openmem_demotes_the_weaker_of_two_that_contradict():
    strong, weak = candidate(1, {"bm25": (4.0, 1)}, strength=0.9), candidate(2, {"bm25": (4.0, 2)}, strength=0.4)
    before = scores(judge("openmem", strong, weak)[0])
    pool, _, _ = judge("openmem", strong, weak, links=[link(2, 1, "contradicts", 0.0)])
    assert scores(pool)[1] == pytest.approx(before[1])
    assert scores(pool)[2] == pytest.approx(before[2] * 0.3)
    conflict = pool[1].score.part("contradiction")
    assert conflict.facts["other"] == 1
    assert conflict.facts["own_strength"] < conflict.facts["other_strength"]


def test_openmem_takes_four_candidates_a_result_and_every_status_it_knows():
    profile = profiles.profile("openmem")
    assert profile.recall[0].limit_per_k == 4
    assert set(profile.statuses) == {Status.ACTIVE, Status.SUPERSEDED, Status.CONTRADICTED}


# robotmem


def test_robotmems_rank_fusion_table():
    pool, _, _ = judge(
        "robotmem",
        candidate(1, {"bm25": (9.0, 1), "vector": (0.7, 3)}),
        candidate(2, {"bm25": (8.0, 2), "vector": (0.9, 1)}),
        candidate(3, {"bm25": (7.0, 3)}),
        candidate(4, {"vector": (0.8, 2)}),
        upto="fuse",
    )
    assert scores(pool) == {
        2: pytest.approx(1 / 62 + 1 / 61),
        1: pytest.approx(1 / 61 + 1 / 63),
        4: pytest.approx(1 / 62),
        3: pytest.approx(1 / 63),
    }


def test_robotmem_weighs_the_real_world_and_makes_the_best_one():
    pool, _, _ = judge(
        "robotmem",
        candidate(1, {"bm25": (9.0, 1)}, context={"env": {"sim_or_real": "sim"}}),
        candidate(2, {"bm25": (8.0, 2)}, context={"env": {"sim_or_real": "real"}}),
    )
    assert scores(pool) == {2: 1.0, 1: pytest.approx((1 / 61) / (1.5 / 62))}


def test_robotmem_says_what_it_found_of_the_source_also_where_that_is_nothing():
    pool, _, _ = judge(
        "robotmem",
        candidate(1, {"bm25": (9.0, 1)}, context={"env": {"sim_or_real": "sim"}}),
        candidate(2, {"bm25": (8.0, 2)}),
    )
    assert {each.id: each.score.part("source").facts["found"] for each in pool} == {1: "sim", 2: "nothing"}


def test_robotmem_drops_what_is_not_believed():
    pool, drops, _ = judge("robotmem", candidate(1, {"bm25": (9.0, 1)}, confidence=0.29))
    assert scores(pool) == {}
    assert drops[1].facts == {"confidence": 0.29, "threshold": 0.3, "set_by": "min-confidence.min"}


def test_robotmem_fetches_twice_k_and_four_times_k_when_a_structured_filter_is_used():
    from core.pipeline.stages.recall import limit_of

    full_text = profiles.profile("robotmem").recall[0]
    assert limit_of(full_text, Query(text="q", now=NOW, k=5)) == 10
    assert limit_of(full_text, Query(text="q", now=NOW, k=5, context={"a": 1})) == 20
    assert limit_of(full_text, Query(text="q", now=NOW, k=5, spatial=Spatial("a", (1.0,)))) == 20


# Two-stage


def test_two_stage_fuses_four_dense_rankings_and_boosts_the_important():
    pool, _, _ = judge(
        "two-stage",
        candidate(1, {"bm25": (9.0, 1), "vector": (0.5, 2)}, age_days=2, access_count=3),
        candidate(2, {"vector": (0.5, 3)}, age_days=1, access_count=3, importance="high"),
        candidate(3, {"vector": (0.9, 1)}, age_days=3, access_count=0),
    )
    boost = 1 / (60 + 1) - 1 / (60 + 11)
    assert scores(pool)[1] == pytest.approx(1.0 / 61 + 1.0 / 62 + 0.6 / 62 + 0.4 / 61)
    assert scores(pool)[2] == pytest.approx(1.0 / 62 + 0.6 / 61 + 0.4 / 61 + boost)
    assert scores(pool)[3] == pytest.approx(1.0 / 61 + 0.6 / 63 + 0.4 / 62)


def test_two_stage_returns_three():
    many = [candidate(n, {"bm25": (9.0 - n, n)}) for n in range(1, 6)]
    assert len(judge("two-stage", *many)[0]) == 3


# Recursive Light


def test_recursive_light_multiplies_okapi_by_exponential_hours():
    pool, _, _ = judge("recursive-light", candidate(1, {"bm25": (3.0, 1)}, age_days=2))
    assert scores(pool)[1] == pytest.approx(3.0 * math.exp(-0.01 * 48))


def test_recursive_light_graph_ranks_by_links_and_returns_to_the_matches():
    pool, drops, _ = judge(
        "recursive-light-graph",
        candidate(1, {"bm25": (3.0, 1)}),
        candidate(2),
        candidate(3),
        links=[link(1, 2, "temporal", 1.0)],
    )
    assert list(scores(pool)) == [1, 2]
    assert scores(pool)[1] == pytest.approx(0.15)
    assert scores(pool)[2] == pytest.approx(0.85 * 0.15)
    assert drops[3].kind is ReasonKind.NOT_MATCHED
