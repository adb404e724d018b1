"""The preview of a merge: the merged memory, and whether the others are near-duplicates."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from core import text
from core.changes import Changes, Op
from core.curate import merging, operations
from core.curate.merging import MergedConfidence as MergedConfidence
from core.errors import StaleEdit, Unavailable
from core.model import Memory, MemoryId
from core.services import consolidate
from core.services.browse import find
from core.services.workspace import Workspace
from core.store.protocol import Reader
from core.write import duplicate, secrets
from core.write.duplicate import Policy, SimilarMemory


@dataclass(frozen=True, slots=True)
class Likeness:
    """Whether a memory is a duplicate of the one that stays, with the numbers of the judgement."""

    memory: Memory
    is_duplicate: bool
    overlap: float
    similarity: float | None

    @property
    def numbers(self) -> str:
        """Overlap and, where both are embedded, similarity."""
        similarity = "" if self.similarity is None else f", similarity {self.similarity:.2f}"
        return f"overlap {self.overlap:.2f}{similarity}"


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The result of a merge: `memories` with the one that stays first, and `merged` with its own text."""

    memories: tuple[Memory, ...]
    merged: Memory
    likenesses: tuple[Likeness, ...]

    @property
    def are_duplicates(self) -> bool:
        return all(each.is_duplicate for each in self.likenesses)

    @property
    def warning(self) -> str:
        """Why these should perhaps not be merged; empty if all are duplicates of the one that stays."""
        others = [each for each in self.likenesses if not each.is_duplicate]
        if not others:
            return ""
        details = "; ".join(f"memory {each.memory.id}: {each.numbers}" for each in others[:5])
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        return (
            f"These are not near-duplicates of memory {self.merged.id} ({details}{more}; the thresholds are "
            f"{duplicate.OVERLAP:g} and {duplicate.SIMILARITY:g}). What only they say is no longer returned unless the "
            "text below says it."
        )

    def confidence(self, content: str) -> MergedConfidence:
        """Return the confidence of the merged memory with this text."""
        return merging.confidence(self.memories, content, are_duplicates=self.are_duplicates)


def preview(workspace: Workspace, ids: Sequence[MemoryId]) -> MergePreview:
    """Judge memories and return the result of merging them. Read-only."""
    memories = tuple(find(workspace, str(id)) for id in dict.fromkeys(ids))
    kept = memories[0] if memories else None
    likenesses = () if kept is None else tuple(_likeness(workspace, each, kept) for each in memories[1:])
    are_duplicates = all(each.is_duplicate for each in likenesses)
    fields = merging.fields(memories, are_duplicates=are_duplicates)
    listed = {name: tuple(fields[name]) for name in ("tags", "entities", "files")}
    return MergePreview(memories, memories[0]._replace(**{**fields, **listed}), likenesses)


def merge(
    workspace: Workspace, looked_at: MergePreview, *, content: str | None = None, actor: str, reason: str = ""
) -> tuple[Memory, Changes]:
    """Carry out a preview, optionally with another text; UserError if a memory has changed since."""
    content = secrets.clean(content)
    with workspace.store.transact(Op.MERGE, actor, reason) as transaction:
        for memory in looked_at.memories:
            if transaction.existing(memory.id).version != memory.version:
                raise StaleEdit(f"Memory {memory.id} has changed since the preview; preview the merge again.")
        ids = [memory.id for memory in looked_at.memories]
        kept = operations.merge(transaction, ids, content, are_duplicates=looked_at.are_duplicates)
    workspace.embeddings.notify()
    return kept, transaction.changes


def _likeness(workspace: Workspace, memory: Memory, kept: Memory) -> Likeness:
    """Return the likeness, judged both ways: a text with an addition is no duplicate of the one without, but makes it
    redundant."""
    with workspace.store.read() as reader, contextlib.suppress(Unavailable):
        similarity, cosine = _similarity(workspace, reader, memory, kept)
        may_be_one = memory.id not in reader.contradicting(kept.id) and consolidate.may_be_merged(memory, kept)
        overlap, is_duplicate = 0.0, False
        for own, other in ((memory, kept), (kept, memory)):
            vocabulary = reader.vocabulary(text.query_words(own.content))
            overlap = max(overlap, duplicate.overlap(own.content, other.content, vocabulary))
            near = [SimilarMemory(other, None, cosine, similarity)]
            verdict = duplicate.judge(own.content, near, vocabulary, Policy.DEFAULT) if may_be_one else None
            is_duplicate = is_duplicate or verdict is not None
        return Likeness(memory, is_duplicate, overlap, similarity)
    return Likeness(memory, False, 0.0, None)  # an unavailable index proves nothing


def _similarity(
    workspace: Workspace, reader: Reader, memory: Memory, kept: Memory
) -> tuple[float | None, float | None]:
    """Return similarity and cosine of two memories by the store's model; None if one has no vector."""
    space = workspace.space()
    embedding = None if space is None else reader.embedding(memory.id, space)
    if space is None or embedding is None:
        return None, None
    cosine = reader.cosines(embedding.vector, space, [kept.id]).get(kept.id)
    return (None, None) if cosine is None else (workspace.model().similarity(cosine), cosine)
