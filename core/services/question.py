"""A query as front-ends send it and as the recorder stores it: unchecked, with a plain form for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core import filters
from core.clock import parse_iso, to_iso
from core.model import Filter
from core.pipeline.former_names import present_path
from core.services import profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An unchecked query of a front-end. An `exact` one is answered by the engine's own full text and vectors, without
    the search cache."""

    text: str
    profile: str = profiles.DEFAULT.name
    parameters: Mapping[str, Any] = field(default_factory=dict)
    k: int | None = None
    as_of: datetime | None = None
    filter: Filter = field(default_factory=Filter)
    session: str = ""
    min_confidence: float | None = None
    token_budget: int | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    spatial: Mapping[str, Any] | None = None
    exact: bool = False


_PLAIN = (
    "profile", "parameters", "k", "session", "min_confidence", "token_budget", "context", "spatial", "exact",
)  # fmt: skip
_FILTERS = tuple(name for name in filters.BY_NAME if name != "sessions")  # a question has one `session` instead


def question_of(fields: Mapping[str, Any], now: datetime | None = None) -> Question:
    """Return a question from plain fields, as an agent sends them and as the recorder stores them: then without ages,
    which count from `now` or from the moment that the question is asked as of."""
    rest = {name: fields[name] for name in _PLAIN if fields.get(name) is not None}
    if "parameters" in rest:
        rest["parameters"] = {present_path(str(path)): value for path, value in rest["parameters"].items()}
    moment = None if fields.get("as_of") is None else parse_iso(fields["as_of"], "as_of")
    return Question(
        text=fields["query"],
        filter=filters.from_values({name: fields.get(name) for name in _FILTERS}, moment or now),
        as_of=moment,
        **rest,
    )


def plain_question(question: Question) -> dict[str, Any]:
    """Return a question as plain fields, without empty ones."""
    wanted = filters.to_values(question.filter)
    fields = {
        "query": question.text,
        "profile": question.profile,
        "parameters": dict(question.parameters),
        "k": question.k,
        "as_of": None if question.as_of is None else to_iso(question.as_of),
        "session": question.session,
        "min_confidence": question.min_confidence,
        "token_budget": question.token_budget,
        "context": dict(question.context),
        "spatial": question.spatial,
        "exact": question.exact or None,
        **{name: wanted[name] for name in _FILTERS},
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
