"""What the tests of the services share."""

from __future__ import annotations

import pytest

from core.embed.hashing import HashingEmbedder
from core.services import exchange
from core.services.workspace import Workspace
from inspector import resources


@pytest.fixture
def sample(workspace: Workspace) -> Workspace:
    """The sample store, embedded by the fast stand-in."""
    exchange.import_file(workspace, resources.path("sample/memories.jsonl"), actor="test", moved_to_now=True)
    workspace.embeddings._embedder = HashingEmbedder(64, workspace.model().name)
    workspace.embeddings.catch_up()
    return workspace
