"""The profile that answers a question: the named one, with its parameters set and a stage for each filter used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core import draft
from core.pipeline.parameters import with_parameters
from core.pipeline.run import Profile
from core.pipeline.stage import SourceKind, Stage
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.filter import ContextFilter, MinimumConfidence, SpatialOrder
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.session import SessionReplay
from core.services import profiles
from core.services.question import Question
from core.services.workspace import Workspace
from core.store.protocol import Reader


def profile_for(workspace: Workspace, question: Question) -> Profile:
    """Return the profile that answers a question, read from the store's settings."""
    with workspace.store.read() as reader:
        return adjusted_profile(reader, question)


def adjusted_profile(reader: Reader, question: Question) -> Profile:
    """Return the profile with the question's parameters and with a stage for every filter that the question uses."""
    named = draft.plain_text("The profile", question.profile, draft.MAX_NAME_CHARS)
    profile = profiles.named(reader, named)
    if is_star(question.text) and question.session:
        profile = _replay(profile)
    profile = with_parameters(profile, {str(name): each for name, each in question.parameters.items()})
    present = {type(stage) for stage in profile.stages}

    def missing(*needed: tuple[bool, Stage]) -> tuple[Stage, ...]:
        return tuple(stage for is_used, stage in needed if is_used and type(stage) not in present)

    # Before scoring and deduplication: a duplicate must not displace one that a filter would have kept.
    first = missing(
        (question.min_confidence is not None, MinimumConfidence(min=0.0)), (bool(question.context), ContextFilter())
    )
    order = missing((question.spatial is not None, SpatialOrder()))
    last = missing((question.token_budget is not None, TokenBudget(tokens=0)))
    if not (first or order or last):
        return profile
    at = next((n for n, stage in enumerate(profile.stages) if isinstance(stage, TopK)), len(profile.stages))
    return replace(profile, stages=(*first, *profile.stages[:at], *order, *profile.stages[at:], *last))


def is_star(asked: Any) -> bool:
    return isinstance(asked, str) and asked.strip() == "*"


def _replay(profile: Profile) -> Profile:
    """Return a profile that lists a session in order: no search and no scores, with the filters of the profile."""
    filters = (MinimumConfidence, ContextFilter, SpatialOrder, TopK)
    kept = (stage for stage in profile.stages if isinstance(stage, filters))
    source = SessionReplay()
    return replace(profile, recall=(source,), stages=(RawScore(list=source.name), *kept), k=profile.max_k)


def uses_vectors(workspace: Workspace, question: Question) -> bool:
    return wants_vectors(profile_for(workspace, question))


def wants_vectors(profile: Profile) -> bool:
    return any(source.kind is SourceKind.VECTORS for source in profile.recall)
