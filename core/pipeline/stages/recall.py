"""The sources: they find candidates and their facts. A source that fails does not stop the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core import text
from core.errors import Unavailable
from core.formulas import bm25
from core.model import Filter, LinkKind, LinkStatus, MemoryId, Space
from core.pipeline.query import Query
from core.pipeline.stage import GatherState, SearchReader, Source, SourceKind, SourceResult, between
from core.pipeline.trace import Operator, Reason, ReasonKind, Term, leaf, term
from core.search_types import FIELDS, TextSearch, TextStatistics

# Below this many memories an idf, and with it an absolute BM25 score, says more about the store than the match.
SMALL_STORE = 1_000

# What a text that contains every word of the query is worth where BM25 cannot be had: the documents' own divisor, so
# that it normalises to 1.
FULL_MATCH = 25.0

MAX_CONTAINING = 1_000

# What FTS5 would take for an operator if it were not quoted; robotmem drops these words from a query.
FTS5_OPERATORS = frozenset(("and", "or", "not", "near"))

# Measured with 100,000 vectors of the default model: of the nearest 40 (core/search_cache/vector_index.py).
APPROXIMATE = "Approximate: 0.998 of the nearest vectors are found in a large store; an exact search finds all."

MEANING_LINKS = (
    LinkKind.RELATES,
    LinkKind.SUPPORTS,
    LinkKind.CONTRADICTS,
    LinkKind.SUPERSEDES,
    LinkKind.DEPENDS_ON,
    LinkKind.SAME_AS,
)
CONVERSATION_LINKS = (LinkKind.TEMPORAL, LinkKind.TOPIC, LinkKind.REFERENCE)


def _idle_limits(step: FullText | VectorSearch) -> dict[str, str]:
    """Return the limits that have no effect because the list length is a multiple of k."""
    needed = f"{step.name}.limit_per_k=0, since the list is a multiple of k"
    return {"limit": needed, "min_limit_per_k": needed} if step.limit_per_k else {}


def _overridden_limits(step: FullText | VectorSearch, query: Query) -> dict[str, str]:
    """Return which of the two multiples of k this query does not use."""
    if not query.has_structured_filter:
        return {"limit_per_k_filtered": "the query has no structured filter, such as --context"}
    return (
        {"limit_per_k": f"with a structured filter {step.name}.limit_per_k_filtered counts"}
        if step.limit_per_k_filtered
        else {}
    )


def limit_of(step: FullText | VectorSearch, query: Query) -> int:
    """A fixed number, perhaps raised for a large k, or a multiple of k; a profile may fetch more when a structured
    filter will drop some."""
    times = step.limit_per_k_filtered if query.has_structured_filter and step.limit_per_k_filtered else step.limit_per_k
    return times * query.k if times else max(step.limit, step.min_limit_per_k * query.k)


@dataclass(frozen=True, slots=True)
class _TextQuery(Source):
    """How the query's words are searched: in which index and fields, by which formula."""

    stemmed: bool = False
    drop_stop_words: bool = True
    min_word_chars: int = 1
    drop_operators: bool = False
    content: float = between(1.0, 0, 1_000)
    summary: float = between(1.0, 0, 1_000)
    entities: float = between(1.0, 0, 1_000)
    files: float = between(1.0, 0, 1_000)
    tags: float = between(1.0, 0, 1_000)
    okapi: bool = False
    k1: float = between(bm25.FTS5_K1, 0, 1_000)
    b: float = between(bm25.FTS5_B, 0, 1)

    def idle_parameters(self) -> dict[str, str]:
        okapi = f"{self.name}.okapi=true, since FTS5's own BM25 has fixed constants"
        return {} if self.okapi else {"k1": okapi, "b": okapi}

    def _search(self, query: Query) -> TextSearch:
        words = query.words if self.drop_stop_words else query.all_words
        dropped = FTS5_OPERATORS if self.drop_operators else ()
        kept = tuple(
            word for word in words if word not in dropped and (len(word) >= self.min_word_chars or text.is_cjk(word))
        )
        weights = {name: getattr(self, name) for name in FIELDS}
        return TextSearch(kept, self.stemmed, weights, (self.k1, self.b) if self.okapi else None)

    def explain(
        self, query: Query, reader: SearchReader, state: GatherState, ids: frozenset[MemoryId]
    ) -> Mapping[MemoryId, Term]:
        search, result = self._search(query), state.lists[self.name]
        if result.is_fallback:  # the share of words that a text contains is just a number
            return {}
        found = {id: score for id, score in result.scores.items() if id in ids}
        counted = reader.text_statistics(search, found) if found else {}
        return {id: explain_bm25(self.name, search, each, found[id]) for id, each in counted.items()}


@dataclass(frozen=True, slots=True)
class FullText(_TextQuery):
    """Any of the query's words, ranked by BM25; by `LIKE` when the index itself cannot answer."""

    kind: ClassVar[SourceKind] = SourceKind.TEXT
    name: str = "bm25"
    limit: int = between(50, 1, 100_000)
    limit_per_k: int = between(0, 0, 1_000)
    limit_per_k_filtered: int = between(0, 0, 1_000)
    min_limit_per_k: int = between(0, 0, 1_000)

    def idle_parameters(self) -> dict[str, str]:
        return {**_TextQuery.idle_parameters(self), **_idle_limits(self)}

    def overridden(self, query: Query) -> dict[str, str]:
        return _overridden_limits(self, query)

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        search, limit = self._search(query), limit_of(self, query)
        if not search.words:
            return SourceResult(limit=limit, notes=("The query has no word to search for.",))
        try:
            found = dict(reader.search_text(search, query.filter, limit))
        except Unavailable as down:
            failure = f"{down} Texts that contain the words are shown instead."
            return SourceResult(
                scores=_containing(search, query, reader, limit), limit=limit, failure=failure, is_fallback=True
            )
        negative = next((id for id, score in found.items() if score < 0), None)
        warnings = () if negative is None else (_common_words(search, reader, negative),)
        return SourceResult(scores=found, limit=limit, warnings=warnings)

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        search, limit = self._search(query), limit_of(self, query)
        rank = reader.text_rank(search, query.filter, id) if search.words else None
        if rank is None:
            words = ", ".join(search.words[:8]) or "none"
            return Reason(
                ReasonKind.NOT_MATCHED,
                f"None of the query's words occurs in its searched fields ({words}).",
                {"list": self.name, "words": list(search.words)},
            )
        return _beyond(self.name, rank, limit)


@dataclass(frozen=True, slots=True)
class RescoreText(_TextQuery):
    """BM25 scores of the memories that earlier sources found; finds no others."""

    name: str = "plain"

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        search = self._search(query)
        if not search.words or not state.ids:
            return SourceResult()
        try:
            return SourceResult(scores=reader.text_scores(search, state.ids))
        except Unavailable:  # the source that looked for them has said so
            shares = _containing(search, query, reader, MAX_CONTAINING)
            return SourceResult(scores={id: share for id, share in shares.items() if id in state.ids}, is_fallback=True)

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        return _only_rescored(self.name)


def _containing(search: TextSearch, query: Query, reader: SearchReader, limit: int) -> dict[MemoryId, float]:
    """The fallback for BM25 if the index cannot answer: the share of the words that a text contains."""
    return {id: share * FULL_MATCH for id, share in reader.containing(search.words, query.filter, limit)}


def _common_words(search: TextSearch, reader: SearchReader, id: MemoryId) -> str:
    """Which words have a negative idf; `id` is one of the memories that hold them."""
    counted = reader.text_statistics(search, (id,))[id]
    common = [word.word for word in counted.words if bm25.okapi_idf(word.documents, word.with_word) < 0]
    named = ", ".join(common[:5])
    return f"More than half of the memories hold {named}: by Okapi's formula that counts against a memory."


def explain_bm25(name: str, search: TextSearch, found: TextStatistics, score: float) -> Term:
    """The score of one memory, word by word, from the counts that full text keeps.

    The root is the index's own number, to which the words add up but for the last bits: with ours in its place an
    explained memory could pass an equal one that is not explained.
    """
    k1, b = search.okapi or (bm25.FTS5_K1, bm25.FTS5_B)
    counted = {"fields": list(found.fields)}  # the words of these alone count as length
    own, average = leaf("|D|", found.length, **counted), leaf("avgdl", found.average_length, **counted)
    relative = term("|D| / avgdl", Operator.DIVIDE, own, average)
    length = term(
        "length norm",
        Operator.SUM,
        leaf("1 − b", 1 - b),
        term("b · |D| / avgdl", Operator.PRODUCT, leaf("b", b), relative),
    )
    parts = []
    for word in found.words:
        frequency = term(
            "weighted frequency",
            Operator.SUM,
            *(
                term(field, Operator.PRODUCT, leaf("weight", search.weights[field]), leaf("occurrences", count))
                for field, count in word.in_fields.items()
                if count
            ),
        )
        if frequency.value == 0:
            continue
        gain = term("f · (k1 + 1)", Operator.PRODUCT, frequency, leaf("k1 + 1", k1 + 1))
        damping = term(
            "f + k1 · length norm",
            Operator.SUM,
            frequency,
            term("k1 · length norm", Operator.PRODUCT, leaf("k1", k1), length),
        )
        saturated = term("saturated frequency", Operator.DIVIDE, gain, damping)
        idf = _explain_idf(word.documents, word.with_word, is_clamped=search.okapi is None)
        parts.append(term(word.word, Operator.PRODUCT, idf, saturated, n=word.with_word, N=word.documents))
    return Term(name, score, Operator.SUM, tuple(parts), {"fts5": -found.index_score, "k1": k1, "b": b, **counted})


def _explain_idf(documents: int, with_word: int, *, is_clamped: bool) -> Term:
    ratio = term(
        "(N − n + 0.5) / (n + 0.5)",
        Operator.DIVIDE,
        leaf("N − n + 0.5", documents - with_word + 0.5, N=documents, n=with_word),
        leaf("n + 0.5", with_word + 0.5, n=with_word),
    )
    idf = bm25.okapi_idf(documents, with_word)
    if is_clamped and idf <= 0:
        clamped = bm25.fts5_idf(documents, with_word)
        return leaf("idf", clamped, clamped=True, before=idf, N=documents, n=with_word)
    return Term("idf", idf, Operator.LOG, (ratio,), {"clamped": False})


@dataclass(frozen=True, slots=True)
class _CosineList(Source):
    """A list whose scores are cosines: numbers of a model, which explain no further."""

    kind: ClassVar[SourceKind] = SourceKind.VECTORS
    name: str = "vector"

    def explain(
        self, query: Query, reader: SearchReader, state: GatherState, ids: frozenset[MemoryId]
    ) -> Mapping[MemoryId, Term]:
        if query.space is None:
            return {}
        facts = {"model": query.space.model, "dimension": query.space.dimension, "recipe": query.space.recipe}
        found = state.lists[self.name].scores
        return {id: leaf(self.name, found[id], **facts) for id in ids if id in found}


@dataclass(frozen=True, slots=True)
class VectorSearch(_CosineList):
    """The nearest vectors by cosine, in the space of the store's model and no other."""

    limit: int = between(50, 1, 100_000)
    limit_per_k: int = between(0, 0, 1_000)
    limit_per_k_filtered: int = between(0, 0, 1_000)
    min_limit_per_k: int = between(0, 0, 1_000)

    def idle_parameters(self) -> dict[str, str]:
        return _idle_limits(self)

    def overridden(self, query: Query) -> dict[str, str]:
        return _overridden_limits(self, query)

    def expect(self, query: Query, reader: SearchReader) -> None:
        if query.vector is not None and query.space is not None:
            reader.expect_vectors(query.vector, query.space, query.filter, limit_of(self, query))

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        vector, space = _vector(query)
        limit = limit_of(self, query)
        found = dict(reader.search_vectors(vector, space, query.filter, limit))
        notes = (APPROXIMATE,) if reader.is_vector_search_approximate(space, query.filter) else ()
        return SourceResult(scores=found, limit=limit, notes=notes)

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        if query.vector is None or query.space is None:
            return Reason(ReasonKind.NOT_MATCHED, query.why_no_vector, {"list": self.name})
        rank = reader.vector_rank(query.vector, query.space, query.filter, id)
        if rank is None:
            sentence = f"It has no vector of {query.space.model} yet."
            return Reason(ReasonKind.NOT_MATCHED, sentence, {"list": self.name})
        limit = limit_of(self, query)
        if rank > limit:
            return _beyond(self.name, rank, limit)
        facts = {"list": self.name, "rank": rank, "limit": limit, "approximate": True}
        sentence = f"It ranks {rank} of all vectors and was missed: the list {self.name} is approximate."
        return Reason(ReasonKind.NOT_MATCHED, sentence, facts)


@dataclass(frozen=True, slots=True)
class RecentlyAccessed(Source):
    """The most recently used memories, whatever the query; other lists rank them."""

    name: str = "recent"
    limit: int = between(200, 1, 100_000)

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        found = reader.recently_accessed(query.filter, query.space, self.limit)
        return SourceResult(also=frozenset(found), limit=self.limit)

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        if query.vector and query.space and not reader.cosines(query.vector, query.space, (id,)):
            return Reason(ReasonKind.NOT_MATCHED, "It has no vector yet.", {"list": self.name})
        sentence = f"It is not among the {self.limit} memories used last that have a vector."
        return Reason(ReasonKind.BEYOND_LIMIT, sentence, {"list": self.name, "limit": self.limit})


@dataclass(frozen=True, slots=True)
class RescoreVectors(_CosineList):
    """Cosine similarities of the memories that earlier sources found; finds no others."""

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        vector, space = _vector(query)
        return SourceResult(scores=reader.cosines(vector, space, state.ids))

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        return _only_rescored(self.name)


@dataclass(frozen=True, slots=True)
class LinkedMemories(Source):
    """Links around the memories found so far, and the linked memories, hop by hop."""

    name: str = "links"
    hops: int = between(2, 0, 10)
    kinds: tuple[LinkKind, ...] = MEANING_LINKS

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        reached, front, links = set(state.ids), set(state.ids), {}
        for _ in range(self.hops):
            if not front:
                break
            around = [
                link for link in reader.links_around(front, self.kinds) if link.status is not LinkStatus.DISMISSED
            ]
            links.update({link.id: link for link in around})
            ends = {end for link in around for end in (link.source_id, link.target_id)}
            front = reader.fitting(ends - reached, query.filter)
            reached |= front
        # The last hop's memories may be linked among each other, which the contradiction penalty needs.
        last = [link for link in reader.links_around(front, self.kinds) if {link.source_id, link.target_id} <= reached]
        links.update({link.id: link for link in last if link.status is not LinkStatus.DISMISSED})
        kept = [link for _, link in sorted(links.items()) if {link.source_id, link.target_id} <= reached]
        return SourceResult(also=frozenset(reached - state.ids), links=tuple(kept))

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        sentence = f"No link leads to it within {self.hops} hops of what was found."
        return Reason(ReasonKind.NOT_MATCHED, sentence, {"list": self.name, "hops": self.hops})


def _vector(query: Query) -> tuple[bytes, Space]:
    if query.vector is None or query.space is None:
        raise Unavailable(query.why_no_vector or "There is no vector to compare with.")
    return query.vector, query.space


def _only_rescored(name: str) -> Reason:
    sentence = f"The list {name} scores what other lists brought, and none brought it."
    return Reason(ReasonKind.NOT_MATCHED, sentence, {"list": name})


def _beyond(name: str, rank: int, limit: int) -> Reason:
    facts = {"list": name, "rank": rank, "limit": limit}
    return Reason(ReasonKind.BEYOND_LIMIT, f"It ranks {rank} in the list {name}, which takes {limit}.", facts)


def filtered_out(wanted: Filter) -> Reason:
    """Return the reason of a memory that the query's filter excludes."""
    facts = {
        name: list(map(str, value))
        for name in wanted.__slots__
        if isinstance(value := getattr(wanted, name), tuple) and value
    }
    single = {name: value for name in ("pinned", "since", "until") if (value := getattr(wanted, name)) is not None}
    facts.update({name: [str(value)] for name, value in single.items()})
    described = ", ".join(f"{name} {' or '.join(values)}" for name, values in facts.items())
    return Reason(ReasonKind.FILTERED, f"It does not fit the filter: {described}.", facts)
