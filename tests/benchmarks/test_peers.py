"""The peer harness: a worker answers over its pipe, says why it cannot, and every adapter keeps to the same form."""

from __future__ import annotations

import inspect

import pytest

from tests.benchmarks.peers import harness
from tests.benchmarks.peers.harness import CannotRun, Process, adapter_of
from tests.benchmarks.workload import workload


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setenv("MEMORY_INSPECTOR_HOME", str(tmp_path))
    return workload(60)


@pytest.mark.parametrize("peer", [harness.OURS, harness.PLAIN, *harness.PEERS])
def test_every_adapter_keeps_to_the_same_form(peer):
    adapter = adapter_of(peer)
    assert set(adapter.MODES) <= {"hybrid", "hybrid by ranks", "vectors", "words"}
    assert adapter.NOTE
    assert list(inspect.signature(adapter.Peer.load).parameters) == ["self", "texts", "vectors"]
    assert list(inspect.signature(adapter.Peer.query).parameters) == ["self", "text", "vector", "k", "mode"]
    assert peer in harness.NAMES


def test_ours_and_the_plain_query_are_measured_side_by_side_and_find_the_answers(small):
    (table,) = harness.measure(small, peers=())
    ours, by_ranks, plain = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert [row["who"] for row in (ours, by_ranks, plain)] == ["Memory Inspector"] * 2 + ["plain FTS5 + vec0"]
    assert ours["p50 / ours"] == plain["p50 / plain"] == 1
    assert min(row["hit@5"] for row in (ours, by_ranks, plain)) > 0.9


def test_a_worker_that_cannot_answer_says_why_and_its_end_is_noticed(small, tmp_path):
    process = Process(harness.PLAIN, small, tmp_path)
    with pytest.raises(CannotRun, match="AttributeError"):
        process.ask("ask", start=0, stop=1, k=5, mode="hybrid")  # never opened
    process._process.kill()
    with pytest.raises(CannotRun, match="its process ended"):
        process.ask("open")
    process.end()
