"""What questions of one kind have in common: the profile with its stages, and the model. Made once, kept in the
workspace, and checked against the settings of the snapshot that answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.embed import catalogue
from core.model import MemoryId, Setting
from core.pipeline.parameters import refuse_overridden
from core.pipeline.query import Query
from core.pipeline.run import Profile
from core.services.question import Question
from core.services.question_checks import checked_query, with_store_notes
from core.services.question_profile import adjusted_profile, is_star
from core.services.workspace import Workspace
from core.store.protocol import Reader

MAX_PLANS = 64

_Settings = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """The profile and the model that answer a question, as of some settings."""

    profile: Profile
    model: catalogue.Model
    settings: _Settings = field(repr=False)


def _current(workspace: Workspace, reader: Reader, question: Question, kind: tuple[Any, ...]) -> RecallPlan:
    """Return the plan by the settings of a snapshot."""
    settings, plans = (reader.setting(Setting.MODEL), reader.setting(Setting.PROFILES)), workspace.plans
    known = plans.get(kind)
    if known is None or known.settings != settings:
        known = RecallPlan(adjusted_profile(reader, question), workspace.model_in(reader), settings)
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[kind] = known
    return known


@contextmanager
def prepared(
    workspace: Workspace, question: Question, explained: frozenset[MemoryId] = frozenset()
) -> Iterator[tuple[Profile, Query, Reader]]:
    """Yield everything that a run needs, checked, and the one snapshot to read it from. The text is embedded before the
    snapshot is opened, unless the settings have changed since the last question of its kind."""
    kind = _kind(question)
    plan = workspace.plans.get(kind)
    query = None if plan is None else checked_query(workspace, question, plan.profile, plan.model, explained)
    with workspace.store.read(exact=question.exact) as reader:
        current = _current(workspace, reader, question, kind)
        if query is None or current is not plan:
            query = checked_query(workspace, question, current.profile, current.model, explained)
        query = with_store_notes(query, reader)
        refuse_overridden(current.profile, question.parameters, query)
        yield current.profile, query, reader


def _kind(question: Question) -> tuple[Any, ...]:
    """Return what of a question its plan depends on."""
    return (
        question.profile,
        repr(question.parameters) if question.parameters else "",
        is_star(question.text) and bool(question.session),
        question.min_confidence is not None,
        bool(question.context),
        question.spatial is not None,
        question.token_budget is not None,
    )
