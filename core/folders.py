"""Where this user's files are: the data that must not be lost, the cache that can be made again."""

from __future__ import annotations

import os
from pathlib import Path

import appdirs

from core.errors import UserError

_NAME = "memory-inspector"


def data() -> Path:
    """Stores and backups. MEMORY_INSPECTOR_HOME puts them elsewhere, for a portable or a test set-up."""
    return _folder(os.environ.get("MEMORY_INSPECTOR_HOME") or appdirs.user_data_dir(_NAME))


def cache() -> Path:
    """Models and computed embeddings. MEMORY_INSPECTOR_CACHE puts them elsewhere."""
    return _folder(os.environ.get("MEMORY_INSPECTOR_CACHE") or appdirs.user_cache_dir(_NAME))


def default_store() -> Path:
    return data() / "memories.db"


def sample_store() -> Path:
    return data() / "sample.db"


def backups() -> Path:
    return data() / "backups"


def models() -> Path:
    return cache() / "models"


def _folder(named: str) -> Path:
    if named.startswith("~"):
        raise UserError("Your home folder is not known; set HOME, or MEMORY_INSPECTOR_HOME and MEMORY_INSPECTOR_CACHE.")
    return Path(named).absolute()
