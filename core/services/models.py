"""The available embedding models, fetching one, and selecting one for a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core import folders
from core.changes import Op
from core.embed import catalogue, places
from core.embed.catalogue import Model
from core.embed.ollama import OllamaEmbedder
from core.model import Setting
from core.progress import Progress, silent
from core.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ModelChoice:
    model: Model
    is_default: bool
    is_here: bool
    folder: Path


def choices() -> list[ModelChoice]:
    return [_choice(model) for model in catalogue.MODELS]


def choice(name: str | None) -> ModelChoice:
    return _choice(catalogue.model(name) if name else catalogue.DEFAULT)


def fetch(name: str | None, *, named: Path | None = None, progress: Progress = silent) -> tuple[ModelChoice, str]:
    """Install a model; return the place it came from."""
    model = catalogue.model(name) if name else catalogue.DEFAULT
    if model.is_served_by_ollama:
        OllamaEmbedder(model)  # says what is missing: a running Ollama, or the model in it
        return _choice(model), "the Ollama that runs here"
    place = places.fetch(model, folders.models(), named=named, progress=progress)
    return _choice(model), place


def use(workspace: Workspace, name: str, *, actor: str) -> Model:
    """Select another model for this store. It is loaded first, so that a store never waits for an unavailable model."""
    model = catalogue.model(name)
    workspace.embeddings.prove(model)
    with workspace.store.transact(Op.CONFIGURE, actor, f"use {model.name}") as transaction:
        transaction.set_setting(Setting.MODEL, model.name)
    workspace.embeddings.notify()
    return model


def _choice(model: Model) -> ModelChoice:
    models = folders.models()
    return ModelChoice(
        model, model is catalogue.DEFAULT, places.is_installed(model, models), places.folder_of(model, models)
    )
