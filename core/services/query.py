"""Asking: the answer, its explanation, several answers side by side. Looking changes nothing: all of it only reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from core import draft, text
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.model import Filter, Memory, MemoryId, Space, Status
from core.pipeline import render
from core.pipeline.candidate import Candidate
from core.pipeline.former_names import present_path
from core.pipeline.parameters import refuse_overridden, with_parameters
from core.pipeline.query import MAX_CHARS, Query, checked_context, checked_k, checked_spatial
from core.pipeline.run import Profile, Ranking, run
from core.pipeline.stage import Stage
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.filter import ContextFilter, MinimumConfidence, SpatialOrder
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.recall import COMPARING_VECTORS
from core.pipeline.stages.session import SessionReplay
from core.pipeline.trace import Reason, Term
from core.services import browse, profiles
from core.services.workspace import Workspace
from core.store.protocol import Reader

MAX_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody wants to know, as it comes from a front-end; nothing of it is checked yet. An `exact` one is
    answered by full text and vectors of the file alone, and not by what is kept of them in memory."""

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
_FILTERS = ("collections", "types", "tags", "statuses", "users", "agents", "sources", "pinned")


def question_of(fields: Mapping[str, Any]) -> Question:
    """A question from plain fields, as an agent sends them and as the flight recorder keeps them."""
    filters: dict[str, Any] = {name: fields[name] for name in _FILTERS if fields.get(name) is not None}
    for name, value in filters.items():
        if name != "pinned":
            filters[name] = tuple(map(Status, value)) if name == "statuses" else tuple(value)
    rest = {name: fields[name] for name in _PLAIN if fields.get(name) is not None}
    if "parameters" in rest:
        rest["parameters"] = {present_path(str(path)): value for path, value in rest["parameters"].items()}
    as_of = fields.get("as_of")
    return Question(
        text=fields["query"],
        filter=Filter(**filters),
        as_of=None if as_of is None else parse_iso(as_of, "as_of"),
        **rest,
    )


def plain_question(question: Question) -> dict[str, Any]:
    """A question as plain fields, only those that say something."""
    filters = {name: getattr(question.filter, name) for name in _FILTERS}
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
        **{name: list(value) if isinstance(value, tuple) else value for name, value in filters.items()},
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    profile: Profile
    query: Query
    ranking: Ranking

    @property
    def memories(self) -> list[Memory]:
        return [result.memory for result in self.ranking.results]

    @property
    def token_budget(self) -> int:
        """How many tokens of memories the section may take: the question's, the profile's, or a usual number."""
        budget = self.query.token_budget
        if budget is None:
            own = (stage.tokens for stage in self.profile.stages if isinstance(stage, TokenBudget))
            budget = next((tokens for tokens in own if tokens), render.PROMPT_TOKENS)
        return budget

    @property
    def prompt(self) -> str:
        """The section to put into an agent's prompt, within the budget."""
        return render.prompt_section(self.memories, self.query.now, self.query.words, self.token_budget)


@dataclass(frozen=True, slots=True)
class StageStep:
    """A memory's way through one stage: its rank before and after, its score after, and why it left, if it did."""

    stage: str
    rank_before: int | None
    rank_after: int | None
    score_after: float | None
    reason: Reason | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Of one memory and one query: the rank it got, the tree of its score, its way, or why it was not even found."""

    memory: Memory
    answer: Answer
    rank: int | None
    candidate: Candidate | None
    steps: tuple[StageStep, ...]
    absent: tuple[Reason, ...]

    @property
    def score(self) -> Term | None:
        """The tree of the last score it had."""
        return None if self.candidate is None else self.candidate.score

    @property
    def reason(self) -> Reason | None:
        """Why it is not in the answer: the stage that lost it, or the source that came nearest to bringing it."""
        lost = next((step.reason for step in self.steps if step.reason is not None), None)
        return lost or min(self.absent, key=_excess, default=None)


def _excess(reason: Reason) -> float:
    """How far a memory was from being brought by a source: by how many ranks, or not at all."""
    rank, limit = reason.facts.get("rank"), reason.facts.get("limit")
    return rank - limit if rank is not None and limit is not None else math.inf


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several answers to one question, and every memory's rank in each of them."""

    answers: tuple[Answer, ...]
    ranks: dict[MemoryId, tuple[int | None, ...]]
    memories: dict[MemoryId, Memory]


def ask(workspace: Workspace, question: Question, *, explained: frozenset[MemoryId] = frozenset()) -> Answer:
    """Answer a question as of now, or of the moment it names; `explained` memories get every detail."""
    with prepared(workspace, question, explained) as (profile, query, reader):
        return Answer(question, profile, query, run(profile, query, reader))


def explain(workspace: Workspace, question: Question, name: str) -> Explanation:
    """How a memory fared, whether it was returned, dropped on the way, or never found."""
    memory = browse.find(workspace, name)
    with prepared(workspace, question, frozenset((memory.id,))) as (profile, query, reader):
        ranking = run(profile, query, reader)
    return explanation(memory, Answer(question, profile, query, ranking))


def compare(workspace: Workspace, questions: Sequence[Question]) -> Comparison:
    """The answers of several profiles, or of one with other parameters, side by side."""
    answers = tuple(ask(workspace, question) for question in questions)
    orders = [{result.id: rank for rank, result in enumerate(answer.ranking.results, 1)} for answer in answers]
    memories = {memory.id: memory for answer in answers for memory in answer.memories}
    worst = max((len(order) for order in orders), default=0) + 1
    best_first = sorted(memories, key=lambda id: (min(order.get(id, worst) for order in orders), id))
    return Comparison(answers, {id: tuple(order.get(id) for order in orders) for id in best_first}, memories)


def explanation(memory: Memory, answer: Answer) -> Explanation:
    ranking, id = answer.ranking, memory.id
    rank = next((rank for rank, result in enumerate(ranking.results, 1) if result.id == id), None)
    return Explanation(
        memory=memory,
        answer=answer,
        rank=rank,
        candidate=ranking.finals.get(id),
        steps=tuple(_steps(ranking, id)),
        absent=ranking.absent.get(id, ()),
    )


def _steps(ranking: Ranking, id: MemoryId) -> Iterator[StageStep]:
    if id not in ranking.trace.gathered:
        return
    before: int | None = None
    for stage in ranking.trace.stages:
        after = next(((rank, score) for rank, (each, score) in enumerate(stage.order, 1) if each == id), None)
        drop = next((drop for drop in stage.drops if drop.memory_id == id), None)
        rank, score = after or (None, drop.score if drop else None)
        before = before if drop is None else drop.rank
        yield StageStep(stage.name, before, rank, score, drop.reason if drop else None, stage.facts.get(id, {}))
        if drop is not None:
            return
        before = rank


def profile_for(workspace: Workspace, question: Question) -> Profile:
    """The profile with the question's parameters and with a stage for every filter that the question uses."""
    named = draft.plain_text("The profile", question.profile, draft.MAX_NAME_CHARS)
    profile = profiles.named(workspace, named)
    if _is_star(question.text) and question.session:
        profile = _replay(profile)
    profile = with_parameters(profile, {str(name): each for name, each in question.parameters.items()})
    present = {type(stage) for stage in profile.stages}

    def missing(*needed: tuple[bool, Stage]) -> tuple[Stage, ...]:
        return tuple(stage for is_used, stage in needed if is_used and type(stage) not in present)

    # Before anything is weighed or compared: a copy must not push out one that a filter would have kept.
    first = missing(
        (question.min_confidence is not None, MinimumConfidence(least=0.0)), (bool(question.context), ContextFilter())
    )
    order = missing((question.spatial is not None, SpatialOrder()))
    last = missing((question.token_budget is not None, TokenBudget(tokens=0)))
    if not (first or order or last):
        return profile
    at = next((n for n, stage in enumerate(profile.stages) if isinstance(stage, TopK)), len(profile.stages))
    return replace(profile, stages=(*first, *profile.stages[:at], *order, *profile.stages[at:], *last))


def _is_star(asked: Any) -> bool:
    return isinstance(asked, str) and asked.strip() == "*"


def _replay(profile: Profile) -> Profile:
    """What lists a session in order: nothing is looked for and nothing weighed, only filtered as in the profile."""
    filters = (MinimumConfidence, ContextFilter, SpatialOrder, TopK)
    kept = (stage for stage in profile.stages if isinstance(stage, filters))
    source = SessionReplay()
    return replace(profile, recall=(source,), stages=(RawScore(list=source.name), *kept), k=profile.most_k)


def uses_vectors(workspace: Workspace, question: Question) -> bool:
    return wants_vectors(profile_for(workspace, question))


def wants_vectors(profile: Profile) -> bool:
    return any(isinstance(source, COMPARING_VECTORS) for source in profile.recall)


@contextmanager
def prepared(
    workspace: Workspace, question: Question, explained: frozenset[MemoryId] = frozenset()
) -> Iterator[tuple[Profile, Query, Reader]]:
    """Everything a run needs, checked, and one snapshot to read it from."""
    with workspace.store.read(exact=question.exact) as reader:
        profile = profile_for(workspace, question)
        asked = _query(workspace, question, profile, explained, reader)
        refuse_overridden(profile, question.parameters, asked)
        yield profile, asked, reader


def _query(
    workspace: Workspace, question: Question, profile: Profile, explained: frozenset[MemoryId], reader: Reader
) -> Query:
    asked, notes = _checked_text(question.text)
    k, clamped = _checked_k(question.k, profile)
    if _is_star(asked) and not question.session:
        notes += ("The query * lists a session in order, and this one names no session.",)
    words = tuple(text.query_words(asked))
    if len(words) == text.MAX_QUERY_WORDS:
        notes += (f"Only the first {text.MAX_QUERY_WORDS} different words are looked for.",)
    vector, space, why_no_vector = None, None, ""
    if wants_vectors(profile):
        embedder = workspace.embeddings.embedder()
        if embedder is None:
            why_no_vector = workspace.embeddings.status().sentence
        else:
            try:
                vector, space = embedder.embed_query(asked).vector, embedder.space
            except UserError as error:  # the model has gone since it was loaded: full text answers alone
                why_no_vector = str(error)
    if space is not None:
        notes += _not_all_embedded(reader, space)
    return Query(
        text=asked,
        now=workspace.store.clock.now() if question.as_of is None else _checked_moment(question.as_of),
        k=k,
        words=words,
        all_words=tuple(text.query_words(asked, drop_stop_words=False)),
        vector=vector,
        space=space,
        why_no_vector=why_no_vector,
        trust=workspace.model().trust,
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


def _not_all_embedded(reader: Reader, space: Space) -> tuple[str, ...]:
    total = reader.count()
    waiting = total - reader.count_embedded(space)
    if waiting > 0:  # as it seldom is
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
    return checked_k(value, profile.most_k)


def _checked_filter(question: Question, profile: Profile) -> Filter:
    """The question's filter; what it does not say of the status is the profile's."""
    for name in ("collections", "types", "tags", "sessions", "users", "agents", "sources"):
        for value in getattr(question.filter, name):
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
    checked: float = draft.RULES["confidence"]("The least confidence", value)
    return checked
