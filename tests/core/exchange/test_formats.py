"""What is exported and imported into an empty store is the same store, in every format that can carry it."""

from __future__ import annotations

import io
import json
import stat
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_steps import SPACE, vector

from core import draft
from core.changes import PERSON, Op
from core.errors import UserError
from core.exchange import markdown, table
from core.model import Filter, Setting
from core.services import audit, curate, exchange, link_inference, profiles, remember
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


def test_a_line_of_json_that_names_no_kind_is_a_memory(workspace, tmp_path):
    file = tmp_path / "others.jsonl"
    file.write_text('{"content": "Deploys happen on Tuesdays", "tags": ["deploy"]}\n')
    exchange.import_file(workspace, file, actor="test")
    with workspace.store.read() as reader:
        assert [(each.content, each.tags) for each in reader.page(Filter())] == [
            ("Deploys happen on Tuesdays", ("deploy",))
        ]
    file.write_text('{"text": "Deploys happen on Tuesdays"}\n')
    with pytest.raises(UserError, match="Line 1: A memory has no field 'text'"):
        exchange.import_file(workspace, file, actor="test")


def test_a_folder_of_markdown_is_yours_alone_and_whole_or_not_there(sample, tmp_path, monkeypatch):
    exchange.export(sample, tmp_path / "notes")
    assert stat.S_IMODE((tmp_path / "notes").stat().st_mode) == 0o700

    def stop(memory):
        raise KeyboardInterrupt

    monkeypatch.setattr(markdown, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        exchange.export(sample, tmp_path / "half")
    assert not (tmp_path / "half").exists()


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
    with pytest.raises(UserError, match="not clear from its name"):
        exchange.plan(workspace, tmp_path / "in.xyz")


@pytest.fixture
def lived_in(workspace, tmp_path):
    """A store with a history and a vector, and the complete file that was written from it."""
    with workspace.store.transact(Op.CONFIGURE, PERSON) as transaction:
        transaction.set_setting("model", "sentence-transformers/all-MiniLM-L6-v2")
    kept = remember.remember(workspace, {"content": "The pool has 10 connections"}, actor=PERSON).memory
    with workspace.store.transact(Op.EMBED, PERSON) as transaction:
        transaction.put_embedding(kept.id, SPACE, vector(0.1, 0.2, 0.3, 0.4))
    curate.edit(workspace, [kept.id], {"confidence": 0.4}, actor="codex", reason="guessed")
    path = tmp_path / "whole.jsonl"
    exchange.export(workspace, path)
    return workspace, kept, path


def test_a_complete_file_makes_an_empty_store_equal_with_its_history_vectors_and_undo(lived_in, tmp_path):
    workspace, kept, path = lived_in
    with Workspace.create(tmp_path / "second.db") as second:
        assert exchange.import_file(second, path, actor=PERSON).plan.is_whole
        reported = [
            (each.entry.op, each.entry.actor, each.entry.reason, each.memory) for each in audit.history(second, "1")
        ]
        assert reported == [
            (each.entry.op, each.entry.actor, each.entry.reason, each.memory) for each in audit.history(workspace, "1")
        ]
        assert second.model() == workspace.model()
        with second.store.read() as reader:
            assert reader.embedding(kept.id, SPACE) == vector(0.1, 0.2, 0.3, 0.4)
        curate.undo_last(second, actor=PERSON)
        with second.store.read() as reader:
            assert reader.memory(kept.id).confidence == 0.8
        assert second.store.check() == []


def test_a_complete_file_brings_every_setting_that_a_store_can_have(lived_in, tmp_path):
    workspace, *_ = lived_in
    curate.decay_all(workspace, actor=PERSON)
    profiles.save(workspace, "mine", "oro", {"decay.half_life_days": 90.0}, actor=PERSON)
    link_inference.catch_up(workspace, actor=PERSON)
    with workspace.store.read() as reader:
        settings = reader.state().settings
    assert set(settings) == set(Setting), "a setting that is not tried here may not come back"
    exchange.export(workspace, tmp_path / "settings.jsonl")
    with Workspace.create(tmp_path / "second.db") as second:
        exchange.import_file(second, tmp_path / "settings.jsonl", actor=PERSON)
        with second.store.read() as reader:
            assert reader.state().settings == settings


def test_into_a_store_that_is_not_empty_come_memories_and_vectors_but_not_the_history(lived_in, tmp_path):
    _, kept, path = lived_in
    with Workspace.create(tmp_path / "second.db") as second:
        remember.remember(second, {"content": "Something was here before"}, actor=PERSON)
        done = exchange.import_file(second, path, actor=PERSON)
        assert done.plan.notes == ["The store is not empty, so the file's history is left out."]
        with second.store.read() as reader:
            (brought,) = [each for each in reader.page(Filter()) if each.uid == kept.uid]
            assert brought.id == 2
            assert reader.embedding(brought.id, SPACE) == vector(0.1, 0.2, 0.3, 0.4)
        assert second.store.check() == []


def test_a_history_that_does_not_lead_to_its_memories_is_refused_and_nothing_is_kept(lived_in, tmp_path):
    _, _, path = lived_in
    path.write_text(path.read_text().replace('"confidence":0.4,"strength"', '"confidence":0.5,"strength"'))
    with Workspace.create(tmp_path / "second.db") as second:
        with pytest.raises(UserError, match="does not lead to the memories and links of the file"):
            exchange.import_file(second, path, actor=PERSON)
        with second.store.read() as reader:
            assert (reader.count(), reader.journal_entries()) == (0, [])


def test_a_history_that_holds_credentials_is_left_out_unless_they_are_allowed(workspace, tmp_path):
    secret = "password=hunter2hunter2hunter2"
    remember.remember(workspace, {"content": f"Use {secret} there"}, actor=PERSON, allow_secrets=True)
    curate.edit(workspace, [1], {"content": "Harmless now"}, actor=PERSON)
    path = tmp_path / "whole.jsonl"
    exchange.export(workspace, path)
    with Workspace.create(tmp_path / "second.db") as second:
        assert "holds credentials" in exchange.import_file(second, path, actor=PERSON).plan.notes[0]
        second.store.empty_log()
        assert b"hunter2" not in second.store.path.read_bytes()
    with Workspace.create(tmp_path / "third.db") as third:
        assert exchange.import_file(third, path, actor=PERSON, allow_secrets=True).plan.is_whole


def test_a_bare_file_holds_memories_and_links_only(lived_in, tmp_path):
    workspace, _, _ = lived_in
    exchange.export(workspace, tmp_path / "bare.jsonl", bare=True)
    kinds = {json.loads(line)["kind"] for line in (tmp_path / "bare.jsonl").read_text().splitlines()}
    assert kinds == {"header", "memory"}


def rewritten(path, change):
    """The complete file with each record changed, or left out where the change says None."""
    records = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(record) + "\n" for record in records if record is not None))


def changed(kind, **fields):
    return lambda record: {**record, **fields} if record["kind"] == kind else record


def with_image(**fields):
    def change(record):
        if record["kind"] == "operation":
            for image in record["images"]:
                image.update(fields)
        return record

    return change


TAMPERED = {
    "no history at all": lambda record: None if record["kind"] == "operation" else record,
    "a number beyond reason": changed("operation", seq=2**63 - 1),
    "an actor that is no text": changed("operation", actor="\ud800"),
    "a model that is no name": changed("setting", value=["x"]),
    "a setting nobody knows": changed("setting", name="rm -rf"),
    "an image of nothing": with_image(key="abc"),
    "an image that begins elsewhere": with_image(before={"confidence": 7}),
    "an image without an end": with_image(after={}),
    "a memory with another's id": changed("memory", id=2**70),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_file_gets_a_sentence_and_leaves_the_store_empty(lived_in, tmp_path, name):
    _, _, path = lived_in
    rewritten(path, TAMPERED[name])
    with Workspace.create(tmp_path / "second.db") as second:
        with pytest.raises(UserError):
            exchange.import_file(second, path, actor=PERSON)
        with second.store.read() as reader:
            assert (reader.count(), reader.journal_entries()) == (0, [])


def test_the_dry_run_says_of_a_link_what_the_import_would_say(workspace, tmp_path):
    path = tmp_path / "links.jsonl"
    link = {"kind": "link", "source": "a", "target": "b", "kind_of_link": "supports"}
    lines = [
        {"kind": "memory", "uid": "a", "content": "alpha"},
        {**link, "target": "nobody"},
        {**link, "target": "a"},
        {**link, "target": "a", "kind_of_link": "admires"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rejected = exchange.plan(workspace, path).rejected
    assert rejected[0] == "Line 2: there is no memory nobody to link."
    assert any(each.startswith("Line 3: ") and "itself" in each for each in rejected)
    assert any(each.startswith("Line 4: ") and "admires" in each for each in rejected)
    with pytest.raises(UserError, match="Line 2"):
        exchange.import_file(workspace, path, actor=PERSON)


def test_the_same_table_brought_in_twice_adds_nothing_the_second_time(workspace, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("content,tags\nThe pool has 10 connections,\nDeploys happen on Tuesdays,\n")
    assert exchange.import_file(workspace, path, actor=PERSON).memories == 2
    assert exchange.import_file(workspace, path, actor=PERSON).memories == 0
    assert len(exchange.plan(workspace, path).duplicate) == 2


def test_carriage_returns_long_texts_and_alike_uids_survive_every_format(workspace, tmp_path):
    contents = {"x:1": "a\rb carriage", "x_1": "c\r\nd", "long": "word " * 39_000}
    for uid, content in contents.items():
        remember.remember(workspace, {"uid": uid, "content": content}, actor=PERSON)
    for name in ("out.csv", "out.jsonl", "folder"):
        exchange.export(workspace, tmp_path / name)
        with Workspace.create(tmp_path / f"{name}.db") as second:
            exchange.import_file(second, tmp_path / name, actor=PERSON)
            with second.store.read() as reader:
                found = {memory.uid: memory.content for memory in reader.page(Filter())}
        assert found.keys() == contents.keys()
        assert {uid: text.split() for uid, text in found.items()} == {uid: t.split() for uid, t in contents.items()}
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_a_row_that_differs_from_a_known_memory_in_the_case_of_a_path_is_imported(workspace, tmp_path):
    remember.remember(workspace, {"content": "The server begins in src/main.py", "uid": "known"}, actor="person")
    source = tmp_path / "rows.jsonl"
    rows = ["The server begins in src/Main.py", "the server begins in src/main.py"]
    source.write_text("".join(json.dumps({"content": each}) + "\n" for each in rows))
    plan = exchange.plan(workspace, source)
    assert [each.content for each in plan.new] == rows[:1]
    assert [each.content for each in plan.duplicate] == rows[1:]
    source.write_text(json.dumps({"content": rows[0], "uid": "known"}))
    assert [each.uid for each in exchange.plan(workspace, source).conflicting] == ["known"]
