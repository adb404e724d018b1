"""A profile: a published design as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.errors import UserError
from core.model import Status
from core.pipeline import former_names
from core.pipeline.stage import Source, Stage, parameters
from core.pipeline.stages.fuse import FACTS


@dataclass(frozen=True)
class Profile:
    """A published design: its sources, its stages, and where it is described. What follows from these is computed once:
    every run needs it."""

    name: str
    about: str
    source: str
    recall: tuple[Source, ...]
    stages: tuple[Stage, ...]
    k: int = 5
    max_k: int = 1_000
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    clamps_k: bool = False

    @property
    def steps(self) -> tuple[Source | Stage, ...]:
        return (*self.recall, *self.stages)

    @cached_property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """The parameters of each step, by its name."""
        return {step.name: parameters(step) for step in self.steps}

    @cached_property
    def parameters_hash(self) -> str:
        """A hash that is equal for two profiles exactly if their parameters are."""
        described = [
            [former_names.former_kind(type(step).__name__), former_names.with_former_names(parameters(step))]
            for step in self.steps
        ]
        encoded = json.dumps([self.name, described], sort_keys=True, default=str).encode()
        return hashlib.sha256(encoded).hexdigest()[:16]

    def refuse_unknown_lists(self) -> None:
        """Refuse a stage that ranks by a list that no source makes: it would silently score everything 0."""
        if self._unknown_list:
            raise UserError(self._unknown_list)

    @cached_property
    def _unknown_list(self) -> str:
        known = {source.name for source in self.recall} | FACTS.keys()
        for stage in self.stages:
            for name in stage.lists_read:
                if name not in known:
                    there_are = ", ".join(sorted(known))
                    return f"The stage {stage.name} uses a list {name[:40]!r}; there are {there_are}."
        return ""
