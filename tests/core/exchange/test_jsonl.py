"""JSON Lines: what is written is read back equal."""

from __future__ import annotations

import base64
import json
import struct
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import draft
from core.errors import UserError
from core.exchange import jsonl
from core.model import Importance, MemoryId, Status
from core.services import exchange

NOW = datetime(2026, 11, 15, tzinfo=UTC)

times = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)
memories = st.builds(
    lambda **fields: draft.memory({"content": "x"}, NOW)._replace(**fields),
    content=names.filter(lambda text: text.strip()),
    summary=names,
    tags=st.lists(names.map(str.strip).filter(bool), unique=True, max_size=3).map(tuple),
    confidence=st.floats(0, 1),
    strength=st.floats(0, 1),
    importance=st.sampled_from(Importance),
    pinned=st.booleans(),
    status=st.sampled_from(Status),
    context=st.dictionaries(names, st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | names, max_size=3),
    created_at=times,
    updated_at=times,
    last_accessed_at=st.none() | times,
    access_count=st.integers(0, 2**63 - 1),
)


@given(st.lists(memories, max_size=5))
def test_written_memories_are_read_back_equal(written):
    written = [memory._replace(uid=f"uid-{n}") for n, memory in enumerate(written)]
    lines = list(jsonl.write(written, [], {}))
    assert jsonl.read(lines, NOW).memories == written


def test_links_are_written_by_uid():
    link = draft.link({"kind": "supports", "weight": 0.25, "evidence": {"why": "x"}}, MemoryId(1), MemoryId(2), NOW)
    lines = list(jsonl.write([], [link], {1: "a", 2: "b"}))
    (record,) = jsonl.read(lines, NOW).links
    assert (record.source, record.target) == ("a", "b")
    assert draft.link(record.fields, MemoryId(1), MemoryId(2), NOW) == link


def test_a_sample_can_be_moved_to_today():
    lines = [
        '{"kind":"header","format":"memory-inspector","version":1,"reference":"2026-01-10T00:00:00Z"}',
        '{"kind":"memory","content":"a","created_at":"2026-01-09T00:00:00Z","last_accessed_at":null}',
    ]
    (memory,) = jsonl.read(lines, NOW, moved_to_now=True).memories
    assert memory.created_at == NOW - timedelta(days=1)
    assert jsonl.read(lines, NOW).memories[0].created_at == datetime(2026, 1, 9, tzinfo=UTC)


def test_a_uid_that_stands_twice_is_refused_with_its_line():
    document = jsonl.read(['{"kind":"memory","content":"a","uid":"same"}'] * 2, NOW)
    assert document.rejected == ["Line 2: the uid same occurs twice."]
    assert len(document.memories) == 1


def test_rows_of_a_complete_file_that_do_not_fit_are_refused_with_their_line():
    header = '{"kind":"header","format":"memory-inspector","version":1,"complete":true}'
    space = '{"model":"m","revision":"1","dimension":2,"file_hash":"f","recipe":"r"}'
    wrong = [
        '{"kind":"memory","content":"no number"}',
        '{"kind":"vector","memory":"a","space":' + space + ',"data":"AAAA"}',
        '{"kind":"vector","memory":"a","space":{"model":"m"},"data":"AAAA"}',
        '{"kind":"operation","seq":-1,"at":"2026-01-01T00:00:00Z","op":"edit"}',
        '{"kind":"operation","seq":1,"at":"2026-01-01T00:00:00Z","op":"edit","actor":"a","reason":"","undoes":[],'
        '"vectors":[],"images":[{"entity":"memory","key":"1","before":null,"after":{"password":1}}]}',
        '{"kind":"anything"}',
    ]
    document = jsonl.read([header, *wrong], NOW)
    assert [each.partition(":")[0] for each in document.rejected] == [f"Line {n}" for n in range(2, 8)]
    assert "a memory has no password" in document.rejected[4]


@pytest.mark.parametrize("number", [0.0, float("nan"), float("inf")])
def test_a_vector_that_can_be_compared_with_none_is_refused_with_its_line(workspace, tmp_path, number):
    space = {"model": "test/four", "revision": "1", "dimension": 4, "file_hash": "x", "recipe": "content"}
    data = base64.b64encode(struct.pack("<4f", number, 0, 0, 0)).decode()
    rows = [{"uid": "a", "content": "x"}, {"kind": "vector", "memory": "a", "space": space, "data": data}]
    file = tmp_path / "bad.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UserError, match="Line 2: this vector is all zeros or not finite"):
        exchange.import_file(workspace, file, actor="test")
    with workspace.store.read() as reader:
        assert reader.count() == 0
