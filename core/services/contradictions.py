"""Contradictions for front-ends: clusters, the preview of a resolution, the resolution. The rules at write are in
`core/write/contradiction.py`, clusters and resolutions in `core/curate/contradictions.py`, ranking in
`core/pipeline/stages/contradiction_penalty.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core import text
from core.changes import Changes, Op
from core.curate import contradictions
from core.curate.contradictions import ContradictionCluster as ContradictionCluster
from core.curate.contradictions import ContradictionSide as ContradictionSide
from core.curate.contradictions import Resolution as Resolution
from core.model import LinkId, MemoryId
from core.pipeline.run import Ranking, run
from core.services import audit, query
from core.services.query import Question
from core.services.workspace import Workspace
from core.write import secrets

TOP = 5
RECENT = 20


@dataclass(frozen=True, slots=True)
class Impact:
    """How a resolution would change the top results of one query."""

    question: Question
    before: tuple[MemoryId, ...]
    after: tuple[MemoryId, ...]

    @property
    def changes(self) -> bool:
        return self.before != self.after


def clusters(workspace: Workspace, *, open_only: bool = True) -> list[ContradictionCluster]:
    with workspace.store.read() as reader:
        return contradictions.clusters(reader, workspace.store.clock.now(), open_only=open_only)


def preview(
    workspace: Workspace,
    id: LinkId,
    verdict: Resolution,
    *,
    questions: Sequence[Question] = (),
    scope: str = "",
    content: str | None = None,
) -> list[Impact]:
    """Return which queries would change their top results: the resolution is carried out, queried and rolled back.

    Without questions of the caller the recent queries of agents and the two texts themselves are used.
    """
    asked = list(questions) or [*_own_questions(workspace, id), *audit.recent_questions(workspace, RECENT)]
    before = [_top(query.ask(workspace, question).ranking) for question in asked]
    after: list[tuple[MemoryId, ...]] = []
    with workspace.store.transact(Op.RESOLVE, "preview", rehearse=True) as transaction:
        contradictions.resolve(transaction, id, verdict, scope=scope, content=content)
        for question in asked:
            with query.prepared(workspace, question) as (profile, prepared, _):
                after.append(_top(run(profile, prepared, transaction.reader())))
    return [Impact(*each) for each in zip(asked, before, after, strict=True)]


def resolve(
    workspace: Workspace,
    id: LinkId,
    verdict: Resolution,
    *,
    actor: str,
    reason: str = "",
    scope: str = "",
    content: str | None = None,
) -> Changes:
    content = secrets.clean(content)
    with workspace.store.transact(Op.RESOLVE, actor, reason or str(verdict)) as transaction:
        contradictions.resolve(transaction, id, verdict, reason=reason, scope=scope, content=content)
    workspace.embeddings.notify()
    return transaction.changes


def _own_questions(workspace: Workspace, id: LinkId) -> list[Question]:
    with workspace.store.read() as reader:
        link = reader.link(id)
        ends = reader.memories(() if link is None else (link.source_id, link.target_id))
    return [
        Question(text=" ".join(text.query_words(memory.content)[:12]) or memory.content) for memory in ends.values()
    ]


def _top(ranking: Ranking) -> tuple[MemoryId, ...]:
    return tuple(result.id for result in ranking.results[:TOP])
