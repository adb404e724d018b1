"""Validation of a question: returns a complete query; bad input gets a UserError with one sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from core import draft, filters, prompt_phrases, text
from core.embed import catalogue
from core.errors import UserError
from core.model import Filter, MemoryId, Space
from core.pipeline.query import MAX_CHARS, Query, checked_context, checked_k, checked_spatial
from core.pipeline.run import Profile
from core.services.question import Question
from core.services.question_profile import is_star, wants_vectors
from core.services.workspace import Workspace
from core.store.protocol import Reader

MAX_TOKENS = 1_000_000


def checked_query(
    workspace: Workspace,
    question: Question,
    profile: Profile,
    model: catalogue.Model,
    explained: frozenset[MemoryId],
) -> Query:
    """Return the query that a run needs: every field of the question checked, the text embedded, the time fixed."""
    asked, notes = _checked_text(question.text)
    k, clamped = _checked_k(question.k, profile)
    if is_star(asked) and not question.session:
        notes += ("The query * lists a session in order, and this one names no session.",)
    words = tuple(text.query_words(asked))
    if len(words) == text.MAX_QUERY_WORDS:
        notes += (f"Only the first {text.MAX_QUERY_WORDS} different words are looked for.",)
    vector, space, why_no_vector = None, None, ""
    if wants_vectors(profile):
        embedder = workspace.embeddings.embedder_of(model)
        if embedder is None:
            why_no_vector = workspace.embeddings.why_unloaded(model)
        else:
            try:
                vector, space = embedder.embed_query(asked).vector, embedder.space
            except UserError as error:  # the model became unavailable since it was loaded: full text answers alone
                why_no_vector = str(error)
    return Query(
        text=asked,
        now=workspace.store.clock.now() if question.as_of is None else _checked_moment(question.as_of),
        k=k,
        words=words,
        all_words=tuple(text.query_words(asked, drop_stop_words=False)),
        vector=vector,
        space=space,
        why_no_vector=why_no_vector,
        trust=model.trust,
        unrelated_cosine=model.unrelated_cosine,
        recall_phrase=prompt_phrases.recall_phrase(asked),
        filter=_checked_filter(question, profile),
        session=draft.plain_text("The session", question.session, draft.MAX_NAME_CHARS),
        min_confidence=None if question.min_confidence is None else _share(question.min_confidence),
        token_budget=_checked_budget(question.token_budget),
        context=checked_context(question.context),
        spatial=None if question.spatial is None else checked_spatial(question.spatial),
        explained=explained,
        notes=notes + clamped,
    )


def _checked_text(value: Any) -> tuple[str, tuple[str, ...]]:
    notes: tuple[str, ...] = ()
    if isinstance(value, str) and len(value) > MAX_CHARS:
        notes = (f"Only the first {MAX_CHARS:,} of {len(value):,} characters of the query are used.",)
        value = value[:MAX_CHARS]
    asked = draft.plain_text("The query", value, MAX_CHARS).strip()
    if not asked:
        raise UserError("The query is empty; say what to look for.")
    return asked, notes


def with_store_notes(query: Query, reader: Reader) -> Query:
    """Return the query with what the snapshot that answers has to say about it."""
    notes = () if query.space is None else _not_all_embedded(reader, query.space)
    return replace(query, notes=query.notes + notes) if notes else query


def _not_all_embedded(reader: Reader, space: Space) -> tuple[str, ...]:
    total = reader.count()
    waiting = total - reader.count_embedded(space)
    if waiting > 0:  # which is rare
        waiting -= reader.count_forgotten_unembedded(space)
    if waiting <= 0:
        return ()
    return (f"{waiting:,} of {total:,} memories have no vector of {space.model} yet; full text finds them.",)


def _checked_moment(value: Any) -> datetime:
    checked: datetime = draft.RULES["created_at"]("The time to ask as of", value)
    return checked


def _checked_k(value: int | None, profile: Profile) -> tuple[int, tuple[str, ...]]:
    if value is None:
        return profile.k, ()
    if profile.clamps_k and isinstance(value, int) and value < 1:
        return 1, (f"k was raised to 1, the least that {profile.name} returns.",)
    return checked_k(value, profile.max_k)


def _checked_filter(question: Question, profile: Profile) -> Filter:
    """Return the question's filter; without a status, that of the profile."""
    for name, values in filters.to_values(question.filter).items():
        for value in values if isinstance(values, list) else ():
            draft.plain_text(f"The filter by {name}", value, draft.MAX_NAME_CHARS)
    wanted = question.filter if question.filter.statuses else replace(question.filter, statuses=profile.statuses)
    if question.session:
        wanted = replace(wanted, sessions=(question.session,))
    return wanted


def _checked_budget(value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_TOKENS:
        raise UserError(f"A token budget must be a whole number from 1 to {MAX_TOKENS:,}, not {str(value)[:30]!r}.")
    return value


def _share(value: Any) -> float:
    checked: float = draft.RULES["confidence"]("The minimum confidence", value)
    return checked
