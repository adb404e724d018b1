"""The laws of the pipeline, for every profile over generated memories."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import recompute
from hypothesis import given, settings
from hypothesis import strategies as st

from core import draft, profiles
from core.changes import Op
from core.clock import FixedClock
from core.embed.hashing import HashingEmbedder
from core.errors import UserError
from core.model import Importance, LinkKind, LinkStatus, Status
from core.pipeline.parameters import parameters_of
from core.services import query
from core.services.query import Question
from core.services.workspace import Workspace
from inspector import wire

NOW = datetime(2026, 11, 15, tzinfo=UTC)
WORDS = "lock timeout? migration cache redis deploy the 抓取 杯子 größer locks caching".split()

memories = st.lists(
    st.fixed_dictionaries(
        {
            "content": st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
            "confidence": st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
            "strength": st.sampled_from([0.0, 0.4, 1.0]),
            "importance": st.sampled_from(Importance),
            "pinned": st.booleans(),
            "status": st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED, Status.CONTRADICTED]),
            "created_at": st.integers(-5, 400).map(lambda days: NOW - timedelta(days=days)),
            "access_count": st.integers(0, 3),
            "session": st.sampled_from(["", "monday", "tuesday"]),
            "entities": st.lists(st.sampled_from(["Redis", "杯子"]), unique=True),
            "tags": st.lists(st.sampled_from(["redis", "infra"]), unique=True),
            "context": st.sampled_from([{}, {"env": {"sim_or_real": "real"}}, {"env": {"sim_or_real": "sim"}}]),
        }
    ),
    min_size=1,
    max_size=12,
)
links = st.lists(
    st.tuples(
        st.integers(0, 11), st.integers(0, 11), st.sampled_from(LinkKind), st.floats(0, 1), st.sampled_from(LinkStatus)
    ),
    max_size=15,
)
queries = st.lists(st.sampled_from([*WORDS, "in October", "2026-11"]), min_size=1, max_size=4).map(" ".join)


def filled(folder: str, rows, edges) -> Workspace:
    workspace = Workspace.create(Path(folder) / "store.db", clock=FixedClock(NOW))
    embedder = HashingEmbedder(16, workspace.model().name)
    workspace.embeddings._embedder = embedder
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        saved = []
        for row in rows:
            memory = draft.memory({**row, "created_at": row["created_at"]}, NOW)
            saved.append(transaction.add_memory(memory, {embedder.space: embedder.embed_document(memory.content)}))
        seen = set()
        for source, target, kind, weight, status in edges:
            key = (source % len(saved), target % len(saved), kind)
            is_backwards = kind is LinkKind.SUPERSEDES and key[0] > key[1]  # or supersession could go in a circle
            if key[0] != key[1] and key not in seen and not is_backwards:
                seen.add(key)
                fields = {"kind": kind, "weight": weight, "status": status}
                transaction.add_link(draft.link(fields, saved[key[0]].id, saved[key[1]].id, NOW))
    return workspace


every_profile = pytest.mark.parametrize("profile_name", [profile.name for profile in profiles.PROFILES])


@every_profile
@settings(max_examples=25)
@given(rows=memories, edges=links, text=queries, k=st.integers(1, 12))
def test_every_score_is_recomputed_from_its_json_alone(profile_name, rows, edges, text, k):
    with TemporaryDirectory() as folder, filled(folder, rows, edges) as workspace:
        question = Question(text=text, profile=profile_name, k=k)
        ids = frozenset(range(1, len(rows) + 1))
        answer = query.ask(workspace, question, explained=ids)
        shape = json.loads(json.dumps(wire.answer(answer)))
        assert recompute.check(shape) == len(answer.ranking.results) <= k
        for candidate in answer.ranking.finals.values():
            if candidate.score is not None:
                assert candidate.score.value == candidate.value
                recompute.recompute(json.loads(json.dumps(wire.term(candidate.score))))


NUMBERS = [0.0, -1.0, 1e-12, 0.3, 1.0, 7.0, 1e12, 1e-320, -1e-13]


@every_profile
@settings(max_examples=25)
@given(rows=memories, edges=links, text=queries, data=st.data())
def test_whatever_its_parameters_every_score_can_be_explained_and_is_what_its_tree_says(
    profile_name, rows, edges, text, data
):
    numbers = [each.path for each in parameters_of(profiles.profile(profile_name)) if isinstance(each.value, float)]
    chosen = data.draw(st.dictionaries(st.sampled_from(numbers or [""]), st.sampled_from(NUMBERS), max_size=2))
    with TemporaryDirectory() as folder, filled(folder, rows, edges) as workspace:
        try:
            answer = query.ask(workspace, Question(text=text, profile=profile_name, parameters=chosen))
        except UserError:
            return  # parameters that cannot be are refused before anything is reported
        for candidate in answer.ranking.finals.values():
            if candidate.score is not None:
                assert candidate.score.value == candidate.value


@every_profile
@settings(max_examples=15)
@given(rows=memories, edges=links, text=queries)
def test_the_same_input_gives_the_same_output_and_ties_break_by_id(profile_name, rows, edges, text):
    with TemporaryDirectory() as folder, filled(folder, rows, edges) as workspace:
        question = Question(text=text, profile=profile_name, k=12)
        first, second = query.ask(workspace, question), query.ask(workspace, question)
        assert first.ranking.trace == second.ranking.trace
        first_trees, second_trees = ([each.score for each in answer.ranking.results] for answer in (first, second))
        assert first_trees == second_trees
        order = [(-result.value, result.id) for result in first.ranking.results]
        assert order == sorted(order)


@every_profile
@settings(max_examples=15)
@given(rows=memories, edges=links, text=queries, k=st.integers(1, 4))
def test_every_memory_is_returned_or_has_a_typed_reason(profile_name, rows, edges, text, k):
    with TemporaryDirectory() as folder, filled(folder, rows, edges) as workspace:
        question = Question(text=text, profile=profile_name, k=k)
        answer = query.ask(workspace, question)
        returned = {result.id for result in answer.ranking.results}
        dropped = {drop.memory_id for stage in answer.ranking.trace.stages for drop in stage.drops}
        assert returned | dropped == set(answer.ranking.trace.gathered)
        assert not returned & dropped
        for id in range(1, len(rows) + 1):
            found = query.explain(workspace, question, str(id))
            if id in returned:
                assert found.rank is not None
                assert found.reason is None
            else:
                assert found.rank is None
                assert found.reason is not None
                assert found.reason.sentence.endswith(".")


@every_profile
@settings(max_examples=15)
@given(rows=memories, edges=links, text=queries)
def test_the_funnel_adds_up(profile_name, rows, edges, text):
    with TemporaryDirectory() as folder, filled(folder, rows, edges) as workspace:
        trace = query.ask(workspace, Question(text=text, profile=profile_name, k=3)).ranking.trace
        entered = len(trace.gathered)
        for stage in trace.stages:
            assert stage.entered == entered
            assert stage.entered - stage.remaining == len(stage.drops)
            assert len(stage.order) == stage.remaining
            entered = stage.remaining


@every_profile
def test_every_profile_names_its_steps_apart_and_its_source(profile_name):
    profile = profiles.profile(profile_name)
    names = [step.name for step in profile.steps]
    assert len(set(names)) == len(names)
    assert profile.source
    assert profile.about
    assert all(parameter.path.count(".") == 1 for parameter in parameters_of(profile))
