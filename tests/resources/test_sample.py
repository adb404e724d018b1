"""The sample has something for every view."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from datetime import timedelta

import pytest

from core.model import Filter, LinkKind, LinkStatus, Status
from core.services import exchange
from inspector import resources


@pytest.fixture
def sample(workspace, clock):
    exchange.import_file(workspace, resources.path("sample/memories.jsonl"), actor="test", moved_to_now=True)
    with workspace.store.read() as reader:
        memories = {memory.id: memory for memory in reader.page(Filter(), limit=1000)}
        links = [link for id in memories for link in reader.links_from(id)]
    return memories, links


def test_there_are_eighty_memories_or_more_over_120_days_up_to_today(sample, clock):
    memories = sample[0].values()
    assert len(memories) >= 80
    created = [memory.created_at for memory in memories]
    assert timedelta(days=115) < max(created) - min(created) < timedelta(days=125)
    assert timedelta(0) <= clock.now() - max(created) < timedelta(days=2)


def test_several_sessions_clients_types_and_collections_took_part(sample):
    memories = sample[0].values()
    assert len({memory.session for memory in memories}) >= 10
    assert len({memory.agent for memory in memories if memory.agent}) >= 3
    assert len({memory.type for memory in memories}) >= 8
    assert len({memory.collection for memory in memories}) == 2
    assert all(memory.tags for memory in memories)


def test_it_holds_contradictions_an_update_near_duplicates_and_pinned_decisions(sample):
    memories, links = sample
    kinds = Counter((link.kind, link.status) for link in links)
    assert kinds[LinkKind.CONTRADICTS, LinkStatus.OPEN] >= 2
    assert kinds[LinkKind.SUPERSEDES, LinkStatus.ACCEPTED] >= 1
    assert kinds[LinkKind.SAME_AS, LinkStatus.ACCEPTED] >= 1
    for link in links:
        if link.kind is LinkKind.SUPERSEDES:
            assert memories[link.target_id].status is Status.SUPERSEDED
    assert sum(memory.pinned and memory.type == "decision" for memory in memories.values()) >= 3
    assert {memory.status for memory in memories.values()} >= {Status.ARCHIVED, Status.CONTRADICTED}


def test_some_are_chinese_and_some_were_never_recalled(sample, clock):
    memories = sample[0].values()
    assert sum(any("\u4e00" <= char <= "\u9fff" for char in memory.content) for memory in memories) >= 4
    assert sum(memory.last_accessed_at is None for memory in memories) >= 10


def test_the_golden_queries_name_memories_that_exist(sample):
    uids = {memory.uid for memory in sample[0].values()}
    queries = [json.loads(line) for line in resources.path("sample/queries.jsonl").read_text("utf-8").splitlines()]
    assert len(queries) >= 20
    assert len({query["id"] for query in queries}) == len(queries)
    named = set(itertools.chain.from_iterable(query["relevant"] for query in queries))
    assert named <= uids
    assert all(set(query["grades"]) == set(query["relevant"]) for query in queries)
