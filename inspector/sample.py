"""The sample store: made on first use, with its dates moved so that its newest memory is of today."""

from __future__ import annotations

import contextlib
from pathlib import Path

from core.changes import PERSON
from core.errors import UserError
from core.progress import Progress, silent
from core.services import evaluate, exchange, weave
from core.services.workspace import Workspace
from inspector import resources


def create(store: Path, progress: Progress = silent) -> None:
    """Filled before it gets its name, so that nobody ever sees half of it."""

    def fill(workspace: Workspace) -> None:
        memories = resources.path("sample/memories.jsonl")
        exchange.import_file(workspace, memories, actor=PERSON, reason="the sample", moved_to_now=True)
        weave.catch_up(workspace, actor=PERSON)
        evaluate.import_judgements(workspace, resources.path("sample/queries.jsonl"), "sample", judge=PERSON)
        with contextlib.suppress(UserError):  # without a model its memories wait, and full text answers
            workspace.embeddings.catch_up(progress)

    Workspace.create_filled(store, fill)
