"""Random operations on the store against a plain Python model of it."""

from __future__ import annotations

import shutil
import struct
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from store_engines import ENGINES, Engine
from store_steps import in_step

from core import draft
from core.changes import Op
from core.clock import FixedClock
from core.errors import StaleEdit
from core.model import EMBEDDED_FIELDS, Embedding, Filter, Importance, LinkKind, Space, Status

SPACE = Space("test/two", "1", 2, "abc", "content")
WORDS = ("alpha", "beta", "gamma", "抓取", "größer")

contents = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
numbers = st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32))
vectors = numbers.filter(lambda pair: max(map(abs, pair)) > 1e-6).map(lambda pair: Embedding(struct.pack("<2f", *pair)))
edits = st.fixed_dictionaries(
    {},
    optional={
        "content": contents,
        "summary": st.sampled_from(["", "short"]),
        "tags": st.lists(st.sampled_from(["x", "y", "z"]), unique=True).map(tuple),
        "entities": st.sampled_from([(), ("Alembic",)]),
        "confidence": st.floats(0, 1),
        "importance": st.sampled_from(Importance),
        "pinned": st.booleans(),
        "status": st.sampled_from(Status),
        "context": st.sampled_from([{}, {"task": {"success": True}}]),
        "access_count": st.integers(0, 5),
    },
)


class StoreMachine(RuleBasedStateMachine):
    """The store must always say what three dictionaries say, and never be out of step with itself."""

    engine: Engine

    @initialize()
    def create(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.store = self.engine.create(self.folder, self.clock)
        self.memories: dict = {}
        self.links: dict = {}
        self.vectors: dict = {}
        self.operations: list = []  # journal number, and the three dictionaries before it
        self.moments: list = [(self.clock.now(), {}, {})]

    def transact(self, op: Op):
        self.clock.advance(timedelta(seconds=1))
        return self.store.transact(op, "machine")

    def done(self, changes, before) -> None:
        if changes.seq is not None:
            self.operations.append((changes.seq, before))
        self.clock.advance(timedelta(seconds=1))
        self.moments.append((self.clock.now(), dict(self.memories), dict(self.links)))

    def copies(self):
        return dict(self.memories), dict(self.links), dict(self.vectors)

    @rule(content=contents, vector=st.none() | vectors, tags=st.lists(st.sampled_from(["x", "y"]), unique=True))
    def remember(self, content, vector, tags) -> None:
        before = self.copies()
        with self.transact(Op.REMEMBER) as transaction:
            memory = draft.memory({"content": content, "tags": tags}, self.clock.now())
            saved = transaction.add_memory(memory, {SPACE: vector} if vector else None)
        self.memories[saved.id] = saved
        if vector:
            self.vectors[saved.id] = vector
        self.done(transaction.changes, before)

    @precondition(lambda self: self.memories)
    @rule(data=st.data(), edit=edits)
    def edit(self, data, edit) -> None:
        before = self.copies()
        old = self.memories[data.draw(st.sampled_from(sorted(self.memories)))]
        with self.transact(Op.EDIT) as transaction:
            new = transaction.update_memory(old.id, edit, expected_version=old.version)
        changed = {name for name, value in edit.items() if getattr(old, name) != value}
        expected = old._replace(**edit)
        if changed - {"access_count"}:
            expected = expected._replace(version=old.version + 1, updated_at=transaction.now)
        assert new == expected
        self.memories[old.id] = new
        if changed & EMBEDDED_FIELDS:
            self.vectors.pop(old.id, None)
        self.done(transaction.changes, before)

    @precondition(lambda self: self.memories)
    @rule(data=st.data())
    def forget(self, data) -> None:
        before = self.copies()
        id = data.draw(st.sampled_from(sorted(self.memories)))
        with self.transact(Op.FORGET) as transaction:
            transaction.remove_memory(id)
        del self.memories[id]
        self.vectors.pop(id, None)
        self.links = {key: link for key, link in self.links.items() if id not in (link.source_id, link.target_id)}
        self.done(transaction.changes, before)

    @precondition(lambda self: len(self.memories) > 1)
    @rule(data=st.data(), kind=st.sampled_from(LinkKind), weight=st.floats(0, 1))
    def link(self, data, kind, weight) -> None:
        before = self.copies()
        source, target = data.draw(st.permutations(sorted(self.memories)))[:2]
        if any((link.source_id, link.target_id, link.kind) == (source, target, kind) for link in self.links.values()):
            return
        if kind is LinkKind.SUPERSEDES and source > target:  # supersession must not go in a circle
            return
        with self.transact(Op.LINK) as transaction:
            link = draft.link({"kind": kind, "weight": weight}, source, target, self.clock.now())
            saved = transaction.add_link(link)
        self.links[saved.id] = saved
        self.done(transaction.changes, before)

    @precondition(lambda self: self.links)
    @rule(data=st.data())
    def unlink(self, data) -> None:
        before = self.copies()
        id = data.draw(st.sampled_from(sorted(self.links)))
        with self.transact(Op.UNLINK) as transaction:
            transaction.remove_link(id)
        del self.links[id]
        self.done(transaction.changes, before)

    @precondition(lambda self: self.memories)
    @rule(data=st.data(), vector=vectors)
    def embed(self, data, vector) -> None:
        id = data.draw(st.sampled_from(sorted(self.memories)))
        with self.transact(Op.EMBED) as transaction:
            transaction.put_embedding(id, SPACE, vector)
        self.vectors[id] = vector

    @precondition(lambda self: self.operations)
    @rule()
    def undo_the_last_operation(self) -> None:
        seq, (memories, links, kept) = self.operations.pop()
        with self.transact(Op.EDIT) as transaction:
            transaction.revert(seq)
        expected = {}
        for id, old in memories.items():
            now = self.memories.get(id)
            is_same_text = now is not None and (now.content, now.entities) == (old.content, old.entities)
            expected[id] = self.vectors.get(id) if is_same_text else kept.get(id)
        # All is as it was before the operation, but for the version, which is never given twice.
        now = self.state()[0]
        for id, old in memories.items():
            assert now[id].version >= self.memories.get(id, old).version
            assert now[id]._replace(version=old.version) == old
        self.memories, self.links = now, links
        self.vectors = {id: vector for id, vector in expected.items() if vector}
        self.clock.advance(timedelta(seconds=1))
        self.moments.append((self.clock.now(), dict(self.memories), dict(self.links)))

    @precondition(lambda self: len(self.operations) > 1)
    @rule(data=st.data())
    def undoing_an_older_operation_is_right_or_refused(self, data) -> None:
        seq, _ = data.draw(st.sampled_from(self.operations[:-1]))
        before = self.state()
        try:
            with self.transact(Op.EDIT) as transaction:
                transaction.revert(seq)
                raise StaleEdit("only tried")
        except StaleEdit:
            assert self.state() == before

    @rule()
    def reopen(self) -> None:
        closed = self.store
        closed.close()
        self.store = self.engine.reopen(closed, False)

    def state(self):
        with self.store.read() as reader:
            memories = {memory.id: memory for memory in reader.page(Filter(), limit=1000)}
            links = {link.id: link for id in memories for link in reader.links_from(id)}
            kept = {id: reader.embedding(id, SPACE) for id in memories}
        return memories, links, {id: vector for id, vector in kept.items() if vector}

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        assert self.state() == (self.memories, self.links, self.vectors)

    @invariant()
    def full_text_finds_just_what_is_there(self) -> None:
        with self.store.read() as reader:
            for word in WORDS[:4]:
                expected = {id for id, memory in self.memories.items() if word in memory.content}
                assert {id for id, _ in reader.matching(word)} == expected

    @invariant()
    def everything_is_in_step(self) -> None:
        assert in_step(self.store)

    @invariant()
    def any_moment_can_be_rebuilt(self) -> None:
        with self.store.read() as reader:
            for moment, memories, links in self.moments[-3:] + self.moments[:2]:
                state = reader.state_at(moment)
                assert (state.memories, state.links) == (memories, links)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)


def _case(name: str, engine: Engine) -> type:
    case = type(f"StoreMachine_{name}", (StoreMachine,), {"engine": engine}).TestCase
    case.settings = settings(
        # Without shrinking: a sequence that fails here takes minutes to shrink and is readable as it is.
        max_examples=120, stateful_step_count=30, deadline=None, phases=(Phase.generate,),
    )  # fmt: skip
    return case


globals().update({f"TestTheStoreOf_{name}": _case(name, engine) for name, engine in ENGINES.items()})
