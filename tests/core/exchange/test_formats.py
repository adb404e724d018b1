"""What is exported and imported into an empty store is the same store, in every format that can carry it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import draft
from core.errors import UserError
from core.exchange import markdown, table
from core.model import Filter
from core.services import exchange, remember
from core.services.workspace import Workspace
from inspector import resources

NOW = datetime(2026, 11, 15, tzinfo=UTC)

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=30).filter(str.strip)


def contents(workspace):
    with workspace.store.read() as reader:
        found = reader.page(Filter(), limit=10_000)
        uids = {memory.id: memory.uid for memory in found}
        rows = {memory.uid: exchange.jsonl.fields.plain(memory) for memory in found}
        links = {
            (uids[link.source_id], uids[link.target_id], link.kind, link.weight, link.status, str(link.evidence))
            for id in uids
            for link in reader.links_from(id)
        }
    return rows, links


@pytest.fixture
def sample(workspace):
    exchange.import_file(workspace, resources.path("sample/memories.jsonl"), actor="test", moved_to_now=True)
    return workspace


@pytest.mark.parametrize(("name", "has_links"), [("out.jsonl", True), ("out.csv", False), ("folder", False)])
def test_exporting_and_importing_gives_an_equal_store(sample, tmp_path, name, has_links):
    path = tmp_path / name
    assert exchange.export(sample, path) == 110
    with Workspace.create(tmp_path / "second.db") as second:
        done = exchange.import_file(second, path, actor="test", allow_secrets=True)
        assert done.memories == 110
        rows, links = contents(sample)
        assert contents(second) == (rows, links if has_links else set())
        assert second.store.check() == []


@settings(max_examples=60)
@given(texts, texts, st.lists(texts.map(str.strip), max_size=3, unique=True), st.floats(0, 1))
def test_any_text_survives_every_format(content, summary, tags, confidence):
    memory = draft.memory({"content": content, "summary": summary, "tags": tags, "confidence": confidence}, NOW)
    (row,) = [given for _, given in table.read(io.StringIO("".join(table.write([memory])), newline=""))]
    assert draft.memory(row, NOW) == memory
    assert draft.memory(markdown.read(markdown.write(memory)), NOW) == memory


@pytest.mark.parametrize("start", ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "'quoted", "''"])
def test_no_cell_is_a_formula_and_every_cell_is_read_back(start):
    memory = draft.memory({"content": start, "summary": start}, NOW)
    written = "".join(table.write([memory]))
    cells = written.splitlines()[1].split(",")
    assert not any(cell.lstrip('"').startswith(("=", "+", "-", "@", "\t")) for cell in cells)
    ((_, row),) = table.read(io.StringIO(written, newline=""))
    assert draft.memory(row, NOW) == memory


def test_a_dry_run_counts_what_is_new_known_in_conflict_and_rejected(workspace, tmp_path):
    remember.remember(workspace, {"content": "known", "uid": "known"}, actor="test")
    remember.remember(workspace, {"content": "one text", "uid": "conflict"}, actor="test")
    file = tmp_path / "in.jsonl"
    file.write_text(
        '{"kind":"memory","content":"fresh","uid":"fresh"}\n{"kind":"memory","content":"known","uid":"known"}\n'
        '{"kind":"memory","content":"another text","uid":"conflict"}\n{"kind":"memory","content":""}\nnot json\n'
    )
    plan = exchange.plan(workspace, file)
    assert [memory.uid for memory in (*plan.new, *plan.duplicate, *plan.conflicting)] == ["fresh", "known", "conflict"]
    assert plan.rejected == ["Line 4: content is empty.", "Line 5: this is not JSON."]
    with pytest.raises(UserError, match=r"Line 4: content is empty. \(2 such rows in all\)"):
        exchange.import_file(workspace, file, actor="test")
    file.write_text("\n".join(file.read_text().splitlines()[:3]))
    with pytest.raises(UserError, match="with another text, the first conflict"):
        exchange.import_file(workspace, file, actor="test")
    assert exchange.import_file(workspace, file, actor="test", skip_conflicts=True).memories == 1


def test_secrets_are_taken_out_of_what_is_imported(workspace, tmp_path):
    file = tmp_path / "in.csv"
    file.write_text("content\nDB_PASSWORD=" + "c0rrect-h0rse\n")
    exchange.import_file(workspace, file, actor="test")
    with workspace.store.read() as reader:
        assert reader.page(Filter())[0].content == "DB_PASSWORD=[redacted password]"


def test_nothing_is_written_over(sample, tmp_path):
    path = tmp_path / "precious.jsonl"
    path.write_text("precious")
    with pytest.raises(UserError, match="already exists"):
        exchange.export(sample, path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", 'content\n"open', "no front matter"])
def test_a_file_that_is_no_table_or_note_of_ours_gets_a_sentence(workspace, tmp_path, content):
    for name in ("in.csv", "in.md"):
        file = tmp_path / name
        file.write_text(content)
        with pytest.raises(UserError):
            exchange.import_file(workspace, file, actor="test")
    with pytest.raises(UserError, match="not told by its name"):
        exchange.plan(workspace, tmp_path / "in.xyz")
