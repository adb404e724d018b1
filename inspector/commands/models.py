"""The commands model list, info, fetch and use."""

from __future__ import annotations

import argparse

from core import formatting
from core.services import models
from inspector import wire
from inspector.cli import OK
from inspector.commands import terminal


def list_models(options: argparse.Namespace) -> int:
    offers = models.choices()
    lines = [
        f"{_mark(offer)} {offer.model.name:<40} {offer.model.dimension:>4} numbers  "
        f"{formatting.size(offer.model.size) if offer.model.size else '-':>9}  {offer.model.about}"
        for offer in offers
    ]
    terminal.show(options, {"models": [wire.offer(offer) for offer in offers]}, "\n".join(lines))
    return OK


def info(options: argparse.Namespace) -> int:
    offer = models.choice(options.name)
    shape = wire.offer(offer)
    width = max(map(len, shape))
    lines = [f"{name:<{width}}  {value}" for name, value in shape.items() if name != "files"]
    lines += [f"{file.name:<{width}}  {formatting.size(file.size)}, sha256 {file.sha256}" for file in offer.model.files]
    terminal.show(options, shape, "\n".join(lines))
    return OK


def fetch(options: argparse.Namespace) -> int:
    named = terminal.path(options.named, "--from") if options.named is not None else None
    offer, place = models.fetch(options.name, named=named, progress=terminal.progress())
    text = f"{offer.model.name} is installed, from {place}. `memory-inspector embed` embeds existing memories."
    terminal.show(options, {**wire.offer(offer), "from": place}, text)
    return OK


def use(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        model = models.use(workspace, options.name, actor=terminal.PERSON)
        done = workspace.embeddings.catch_up(terminal.progress())
        status = workspace.embeddings.status()
    text = f"{workspace.store.location} now uses {model.name}; {formatting.memories(done)} embedded."
    terminal.show(options, {"embedding": wire.status(status), "embedded": done}, text)
    return OK


def _mark(offer: models.ModelChoice) -> str:
    """Return whether a model is installed; of Ollama's models only Ollama knows."""
    return "?" if offer.model.is_served_by_ollama else "✓" if offer.is_here else " "
