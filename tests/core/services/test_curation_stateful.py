"""Random curation against a plain Python model: every operation does what the model says, undo and redo lead back and
forth through its states, and a complete export makes an equal store of an empty one."""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.changes import PERSON, Op
from core.clock import FixedClock
from core.errors import UserError
from core.model import Embedding, LinkKind, Space, Status
from core.services import curate, exchange, remember, time_travel
from core.services.remember import Policy
from core.services.workspace import Workspace
from core.store.sqlite.connection import prepare

SPACE = Space("test/two", "1", 2, "abc", "content")
contents = st.lists(st.sampled_from(["alpha", "beta", "gamma", "抓取", "10", "25"]), min_size=1, max_size=4).map(
    " ".join
)
WHO = {"actor": PERSON}
# Times at which something was derived are not what a store says.
NOT_COMPARED = {"embedded": ("embedded_at",), "spaces": ("created_at", "id")}


def dump(path: Path) -> dict:
    """Every row of every table that is not an index."""
    connection = apsw.Connection(str(path))
    prepare(connection)
    names = [name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")]
    tables = {}
    for name in sorted(names):
        if name.startswith(("sqlite_", "fulltext", "vectors_", "search_log")) and name != "sqlite_sequence":
            continue
        columns = [column for (column,) in connection.execute("select name from pragma_table_info(?)", (name,))]
        rows = [dict(zip(columns, row, strict=True)) for row in connection.execute(f"select * from {name}")]
        if name == "journal_images":  # one number may be written in two ways
            rows = [{**row, **{side: json.loads(row[side] or "null") for side in ("before", "after")}} for row in rows]
        left_out = NOT_COMPARED.get(name, ())
        own_numbers = ("vectors_", "search_log")  # vec0's, and those of what follows the indexes
        rows = [row for row in rows if not str(row.get("name")).startswith(own_numbers)]
        tables[name] = sorted(repr({k: v for k, v in row.items() if k not in left_out}) for row in rows)
    connection.close()
    return tables


class CurationMachine(RuleBasedStateMachine):
    """`memories` and `links` are what the store must say; `done` are the operations with the state before each."""

    @initialize()
    def create(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.workspace = Workspace.create(self.folder / "store.db", clock=self.clock)
        self.memories: dict = {}
        self.links: dict = {}
        self.done: list = []
        self.undone: list = []
        self.moments: list = []

    def did(self, before) -> None:
        self.done.append((before, self.seen()))
        self.undone.clear()
        self.moments.append((self.clock.now(), self.seen()))

    def seen(self):
        """What the store says, but for versions, which are never given twice."""
        with self.workspace.store.read() as reader:
            state = reader.state()
        return {id: each._replace(version=0) for id, each in state.memories.items()}, state.links

    def start(self):
        self.clock.advance(timedelta(minutes=1))
        return self.seen()

    def pick(self, data, count=1):
        return data.draw(st.permutations(sorted(self.memories)))[:count]

    @rule(content=contents, confidence=st.floats(0, 1))
    def remember(self, content, confidence) -> None:
        before = self.start()
        fields = {"content": content, "confidence": confidence}
        saved = remember.remember(self.workspace, fields, duplicates=Policy.KEEP, **WHO).memory
        assert (saved.content, saved.confidence) == (content, confidence)
        with self.workspace.store.transact(Op.EMBED, "test") as transaction:
            transaction.put_embedding(saved.id, SPACE, Embedding(struct.pack("<2f", confidence, saved.id)))
        self.did(before)

    @precondition(lambda self: self.memories)
    @rule(data=st.data(), name=st.sampled_from(["pin", "unpin", "archive", "forget", "reinforce", "edit"]))
    def change(self, data, name) -> None:
        ids = self.pick(data, 2)
        before = self.start()
        expected = {
            "pin": lambda m: m._replace(pinned=True),
            "unpin": lambda m: m._replace(pinned=False),
            "archive": lambda m: m._replace(status=Status.ARCHIVED),
            "forget": lambda m: m._replace(status=Status.DELETED),
            "reinforce": lambda m: m._replace(strength=min(1.0, m.strength + 0.1)),
            "edit": lambda m: m._replace(content="edited " + name, tags=("t",)),
        }[name]
        wanted = {id: expected(before[0][id]) for id in ids}
        fields = [{"content": "edited edit", "tags": ["t"]}] if name == "edit" else []
        try:
            changes = getattr(curate, name)(self.workspace, ids, *fields, **WHO)
        except UserError:  # archiving what is forgotten: then nothing has changed
            assert name == "archive"
            assert self.seen() == before
            return
        after = self.seen()[0]
        for id, memory in wanted.items():
            moment = self.clock.now() if memory != before[0][id] else memory.updated_at
            assert after[id] == memory._replace(updated_at=moment)
        if changes:
            self.did(before)

    @precondition(lambda self: len(self.memories) > 1)
    @rule(data=st.data(), name=st.sampled_from(["link", "unlink", "supersede", "merge", "split"]))
    def join(self, data, name) -> None:
        a, b = self.pick(data, 2)
        before = self.start()
        calls = {
            "link": lambda: curate.link(self.workspace, a, [b], {"kind": LinkKind.SUPPORTS}, **WHO),
            "unlink": lambda: curate.unlink(self.workspace, a, [b], **WHO),
            "supersede": lambda: curate.supersede(self.workspace, a, [b], **WHO),
            "merge": lambda: curate.merge(self.workspace, [a, b], content="one text", **WHO),
            "split": lambda: curate.split(self.workspace, a, ["first half", "second half"], **WHO),
        }
        try:
            calls[name]()
        except UserError:  # linked already, not linked, or a circle: then nothing has changed
            assert self.seen() == before
            return
        self.did(before)

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        before, after = self.done.pop()
        self.clock.advance(timedelta(minutes=1))
        curate.undo_last(self.workspace, **WHO)
        assert self.seen() == before
        self.undone.append((before, after))
        self.moments.append((self.clock.now(), before))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        before, after = self.undone.pop()
        self.clock.advance(timedelta(minutes=1))
        curate.redo(self.workspace, **WHO)
        assert self.seen() == after
        self.done.append((before, after))
        self.moments.append((self.clock.now(), after))

    @precondition(lambda self: self.moments)
    @rule(data=st.data())
    def look_back(self, data) -> None:
        moment, (memories, links) = data.draw(st.sampled_from(self.moments))
        state = time_travel.state_at(self.workspace, moment)
        assert {id: each._replace(version=0) for id, each in state.memories.items()} == memories
        assert state.links == links

    @invariant()
    def the_model_follows(self) -> None:
        if hasattr(self, "workspace"):
            self.memories, self.links = self.seen()

    def teardown(self) -> None:
        if not hasattr(self, "workspace"):
            return
        try:
            assert self.workspace.store.check() == []
            file = self.folder / "all.jsonl"
            exchange.export(self.workspace, file)
            with Workspace.create(self.folder / "copy.db", clock=self.clock) as copy:
                exchange.import_file(copy, file, **WHO)
                assert copy.store.check() == []
            assert dump(self.folder / "copy.db") == dump(self.folder / "store.db")
        finally:
            self.workspace.close()
            shutil.rmtree(self.folder)


TestCuration = CurationMachine.TestCase
TestCuration.settings = settings(max_examples=40, stateful_step_count=20, deadline=None, phases=(Phase.generate,))
