"""Embedding in the background: never in the way, resumable, never mixing models."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from core import draft
from core.changes import Op
from core.embed.hashing import HashingEmbedder
from core.errors import UserError
from core.model import MemoryId
from core.progress import Cancelled
from core.services import curate, embeddings, health, models, query, remember
from core.services.embeddings import EmbeddingState
from core.services.query import Question
from core.services.workspace import Workspace


@pytest.fixture
def quick(monkeypatch):
    """A fast embedder in the place of each model, with that model's name."""
    monkeypatch.setattr(embeddings, "load", lambda model, _: HashingEmbedder(16, model.name))


def add_many(workspace, count):
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        for n in range(count):
            transaction.add_memory(draft.memory({"content": f"memory {n}"}, transaction.now))


def waiting(workspace):
    return workspace.embeddings.status().waiting


def test_without_a_model_memories_are_kept_found_and_wait(workspace):
    kept = remember.remember(workspace, {"content": "migrations hang"}, actor="test")
    assert not kept.is_embedded
    with workspace.store.read() as reader:
        assert [id for id, _ in reader.matching("migrations")] == [kept.memory.id]
    status = workspace.embeddings.status()
    assert status.state is EmbeddingState.OFF
    assert "model fetch" in status.sentence
    with pytest.raises(UserError, match="is not here yet"):
        workspace.embeddings.load()
    assert "Full text answers alone" in workspace.embeddings.status().sentence


def test_a_loaded_model_embeds_in_the_same_operation(workspace, models):
    embedder = workspace.embeddings.load()
    kept = remember.remember(workspace, {"content": "the dog runs outside"}, actor="test")
    assert kept.is_embedded
    assert kept.changes.vectors == {kept.memory.id}
    with workspace.store.read() as reader:
        assert reader.embedding(kept.memory.id, embedder.space) == embedder.embed_document("the dog runs outside")


def test_an_answer_says_how_many_wait_for_their_vectors_but_not_of_those_forgotten_before(workspace, quick):
    add_many(workspace, 3)
    space = workspace.embeddings.load().space

    def said():
        return [each for each in query.ask(workspace, Question(text="memory")).ranking.trace.warnings if "yet" in each]

    assert said() == [f"3 of 3 memories have no vector of {space.model} yet; full text finds them."]
    curate.forget(workspace, [MemoryId(2)], actor="test")
    assert said() == [f"2 of 3 memories have no vector of {space.model} yet; full text finds them."]
    workspace.embeddings.catch_up()
    assert said() == []


def test_the_background_loads_the_model_and_embeds_what_waits(workspace, quick):
    add_many(workspace, 50)
    workspace.embeddings.start()
    wait_until(workspace, lambda: waiting(workspace) == 0)
    add_many(workspace, 5)
    workspace.embeddings.notify()
    wait_until(workspace, lambda: waiting(workspace) == 0)
    workspace.embeddings.stop()


def test_a_memory_another_process_wrote_is_embedded_too(workspace, quick):
    workspace.embeddings.start()
    wait_until(workspace, lambda: workspace.embeddings.status().state is EmbeddingState.READY)
    with Workspace.open(workspace.store.path) as other:
        add_many(other, 3)
    wait_until(workspace, lambda: waiting(workspace) == 0)
    workspace.embeddings.stop()


def test_work_that_is_stopped_is_taken_up_where_it_was(workspace, quick):
    add_many(workspace, 100)

    def stop_soon(what, done, total):
        if done >= 40:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        workspace.embeddings.catch_up(stop_soon)
    left = waiting(workspace)
    assert 0 < left <= 68
    assert workspace.embeddings.catch_up() == left


def test_work_that_is_killed_is_taken_up_where_it_was(workspace, quick):
    add_many(workspace, 200)
    program = """
        import os, signal, sys
        from pathlib import Path
        from core.embed.hashing import HashingEmbedder
        from core.services import embeddings
        from core.services.workspace import Workspace
        embeddings.load = lambda model, _: HashingEmbedder(16, model.name)
        def die(what, done, total):
            if done >= 80:
                os.kill(os.getpid(), signal.SIGKILL)
        Workspace.open(Path(sys.argv[1])).embeddings.catch_up(die)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(workspace.store.path)]
    assert subprocess.run(command, cwd=Path(__file__).parents[3], check=False).returncode == -9
    workspace.embeddings.load()
    assert waiting(workspace) == 120
    assert workspace.embeddings.catch_up() == 120
    assert workspace.store.check() == []


def test_another_model_re_embeds_and_the_vectors_of_the_two_stay_apart(workspace, quick):
    add_many(workspace, 20)
    workspace.embeddings.catch_up()
    models.use(workspace, "all-MiniLM-L6-v2", actor="test")
    assert waiting(workspace) == 20
    workspace.embeddings.catch_up()
    uses = {use.space.model: use.vectors for use in health.info(workspace).spaces}
    assert uses == {"snowflake/snowflake-arctic-embed-s": 20, "sentence-transformers/all-MiniLM-L6-v2": 20}
    models.use(workspace, "snowflake-arctic-embed-s", actor="test")
    assert waiting(workspace) == 0


def test_an_embedder_of_another_model_is_never_handed_out(workspace, quick):
    workspace.embeddings.load()
    with Workspace.open(workspace.store.path) as other:
        models.use(other, "all-MiniLM-L6-v2", actor="test")
    assert workspace.embeddings.embedder() is None
    assert workspace.embeddings.load().space.model == "sentence-transformers/all-MiniLM-L6-v2"


def test_a_model_that_cannot_be_loaded_is_not_selected(workspace):
    with pytest.raises(UserError, match="is not here yet"):
        models.use(workspace, "all-MiniLM-L6-v2", actor="test")
    assert workspace.model().name == "snowflake/snowflake-arctic-embed-s"


def test_a_text_that_changed_while_it_was_embedded_gets_no_stale_vector(workspace, monkeypatch):
    kept = remember.remember(workspace, {"content": "before"}, actor="test")

    class Slow(HashingEmbedder):
        def embed_document(self, text):
            if text == "before":
                with workspace.store.transact(Op.EDIT, "another") as transaction:
                    transaction.update_memory(kept.memory.id, {"content": "after"})
            return super().embed_document(text)

    embedder = Slow(16, workspace.model().name)
    monkeypatch.setattr(embeddings, "load", lambda *_: embedder)
    workspace.embeddings.catch_up()
    assert waiting(workspace) == 1
    workspace.embeddings.catch_up()
    with workspace.store.read() as reader:
        assert reader.embedding(kept.memory.id, embedder.space) == embedder.embed_document("after")


def test_a_model_that_fails_does_not_stop_a_memory_from_being_kept(workspace, monkeypatch):
    class Broken(HashingEmbedder):
        def embed_document(self, text):
            raise UserError("The model answered nonsense.")

    monkeypatch.setattr(embeddings, "load", lambda model, _: Broken(16, model.name))
    workspace.embeddings.load()
    kept = remember.remember(workspace, {"content": "kept all the same"}, actor="test")
    assert not kept.is_embedded
    assert waiting(workspace) == 1


def test_one_text_that_the_model_cannot_embed_does_not_hold_up_the_others(workspace, monkeypatch):
    class Picky(HashingEmbedder):
        def embed_document(self, text):
            if text == "memory 3":
                raise UserError("The model answered nonsense.")
            return super().embed_document(text)

    monkeypatch.setattr(embeddings, "load", lambda model, _: Picky(16, model.name))
    add_many(workspace, 10)
    assert workspace.embeddings.catch_up() == 9
    assert waiting(workspace) == 1
    assert "The last attempt failed: The model answered nonsense." in workspace.embeddings.status().sentence


def test_a_model_that_fails_repeatedly_is_reported(workspace, monkeypatch):
    class Broken(HashingEmbedder):
        def embed_document(self, text):
            raise UserError("No Ollama answers.")

    monkeypatch.setattr(embeddings, "load", lambda model, _: Broken(16, model.name))
    add_many(workspace, 10)
    with pytest.raises(UserError, match="No Ollama answers"):
        workspace.embeddings.catch_up()


def test_the_background_survives_whatever_a_model_raises(workspace, monkeypatch):
    answers = iter([TypeError("nonsense"), None])

    class Shaky(HashingEmbedder):
        def embed_document(self, text):
            if (trouble := next(answers, None)) is not None:
                raise trouble
            return super().embed_document(text)

    monkeypatch.setattr(embeddings, "load", lambda model, _: Shaky(16, model.name))
    monkeypatch.setattr(embeddings, "RETRY_SECONDS", 0.01)
    add_many(workspace, 3)
    workspace.embeddings.start()
    wait_until(workspace, lambda: waiting(workspace) == 0)


def test_a_slow_model_is_never_waited_for_by_a_write_and_stops_after_the_text_in_hand(workspace, monkeypatch):
    embedding = threading.Event()
    embedded = []

    class Slow(HashingEmbedder):
        is_instant = False

        def embed_document(self, text):
            embedding.set()
            embedded.append(text)
            workspace.embeddings._stopping.wait(60)
            return super().embed_document(text)

    monkeypatch.setattr(embeddings, "load", lambda model, _: Slow(16, model.name))
    workspace.embeddings.load()
    kept = remember.remember(workspace, {"content": "kept at once"}, actor="test")
    assert not kept.is_embedded
    assert embedded == []
    add_many(workspace, 10)
    workspace.embeddings.start()
    assert embedding.wait(60)
    workspace.embeddings.stop()
    assert len(embedded) == 1


def test_a_model_that_loads_but_does_not_answer_is_not_selected(workspace, monkeypatch):
    class Mute(HashingEmbedder):
        def embed_query(self, text):
            raise UserError("It does not answer.")

    monkeypatch.setattr(embeddings, "load", lambda model, _: Mute(16, model.name))
    with pytest.raises(UserError, match="does not answer"):
        models.use(workspace, "all-MiniLM-L6-v2", actor="test")
    assert workspace.model().name == "snowflake/snowflake-arctic-embed-s"


def wait_until(workspace, holds) -> None:
    """Wait on the embedding thread's own commits, for at most a minute."""
    for _ in range(6000):
        if holds():
            return
        workspace.embeddings._thread.join(0.01)
    raise AssertionError("the background did not get there in a minute")
