"""The sample store: created on first use, with its dates moved so that its newest memory is of today."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from core.changes import PERSON
from core.errors import CannotOpen, Fault, UserError
from core.progress import Progress, silent
from core.services import audit, browse, evaluate, exchange, link_inference, proposals, query, recorder
from core.services.workspace import Workspace
from inspector import resources

GOLDEN_SET = "sample"
# Queries that agents of the project would ask, so that Activity of the sample is not empty.
PINNED_UID = "migrations-set-lock-timeout"
QUESTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("codex", "how long is an access token valid?", {}),
    ("claude-code", "why do migrations hang?", {"profile": "oro"}),
    ("cursor", "what does a pickup code look like", {"k": 5}),
    ("claude-code", "xylophone tuning", {}),
    ("codex", "how are database backups made", {"token_budget": 400}),
    ("claude-code", "how large may a pull request be", {"types": ["preference", "decision"]}),
)


def judged_queries() -> Path:
    """Return the sample's golden set."""
    return resources.path("sample/queries.jsonl")


def create(store: Path, progress: Progress = silent) -> None:
    """Create the sample. It is filled under another name first, so that no reader sees a partial one."""

    def fill(workspace: Workspace) -> None:
        memories = resources.path("sample/memories.jsonl")
        exchange.import_file(workspace, memories, actor=PERSON, reason="the sample", moved_to_now=True)
        link_inference.catch_up(workspace, actor=PERSON)
        evaluate.import_judgements(workspace, judged_queries(), GOLDEN_SET, judge=PERSON)
        with contextlib.suppress(UserError):  # without a model its memories wait, and full text answers
            workspace.embeddings.catch_up(progress)

    Workspace.create_filled(store, fill)


def ensure(store: Path, progress: Progress = silent) -> None:
    """Return the sample's path; create it unless it exists."""
    if store.exists():
        return
    try:
        create(store, progress)
    except CannotOpen as error:
        if error.fault is not Fault.EXISTS:  # another process has just made it
            raise


def record_calls(store: Path) -> None:
    """Run queries that agents would, with the recorder on, and make one proposal, unless calls are recorded already."""
    with Workspace.open(store) as workspace:
        if audit.calls(workspace, limit=1):
            return
        with contextlib.suppress(UserError):
            workspace.embeddings.load()
        recording = recorder.Recorder(workspace)
        for client, text, fields in QUESTIONS:
            answer = query.ask(workspace, query.question_of({"query": text, **fields}))
            elapsed = round(answer.ranking.trace.elapsed_ms * 1000)
            at = workspace.store.clock.now()
            call = recorder.Call(at=at, client=client, session="sample", tool=audit.RECALL, elapsed_us=elapsed)
            recording.note(recorder.recall_record(answer, at=call))
        recording.close()
        pinned = browse.find(workspace, PINNED_UID)
        proposals.propose(
            workspace, pinned.id, proposals.ProposalKind.EDIT, {"content": pinned.content.replace("3s", "10s")},
            actor="codex", reason="The backfill of orders needs longer than three seconds.",
        )  # fmt: skip
