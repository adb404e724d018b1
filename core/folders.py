"""The user's folders: data that must not be lost, and a cache that can be recreated."""

from __future__ import annotations

import os
from pathlib import Path

import appdirs

from core.errors import UserError

_NAME = "memory-inspector"


def data() -> Path:
    """Return the folder of stores and backups. MEMORY_INSPECTOR_HOME overrides it, for a portable or a test
    installation."""
    return _folder(os.environ.get("MEMORY_INSPECTOR_HOME") or appdirs.user_data_dir(_NAME))


def cache() -> Path:
    """Return the folder of models and computed embeddings. MEMORY_INSPECTOR_CACHE overrides it."""
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
