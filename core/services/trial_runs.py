"""A query run again and again with one change each, for `why_not`: only what the change can affect is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core import filters
from core.errors import UserError
from core.model import Memory
from core.pipeline.parameters import with_parameters
from core.pipeline.pool import Pool, with_memory
from core.pipeline.query import Query
from core.pipeline.run import Profile, judge, pool_of, rank_in, rank_of, search
from core.pipeline.stage import GatherState, SearchReader
from core.pipeline.trace import Reason
from core.services.query import Explanation
from core.services.what_if_readers import HypotheticalReader, MemoizingReader

MAX_RUNS = 4_000


class BudgetExceeded(Exception):
    """The limit of runs is reached."""


class TrialRuns:
    """Runs the query again with a change, within one snapshot and a limit of runs."""

    def __init__(
        self,
        profile: Profile,
        asked: Query,
        reader: SearchReader,
        memory: Memory,
        *,
        is_gathered: bool,
        is_given_up: Callable[[], bool],
    ) -> None:
        self.profile, self.query, self.memory = profile, asked, memory
        self._is_given_up = is_given_up
        self.reader: Any = MemoizingReader(reader)
        self._is_gathered = is_gathered
        self.runs = 0
        # What the sources and the stages do without a change: of each source what was found up to it.
        self._states = [GatherState()]
        for source in profile.recall:
            state = self._states[-1]
            self._states.append(state.with_list(source.name, search(source, asked, self.reader, state)))
        self._pool_before = pool_of(self._states[-1], self.reader)
        self._stages = judge(profile, asked, self._pool_before)

    def rank(self, profile: Profile | None = None, asked: Query | None = None) -> int | None:
        """Return the rank of the memory with another profile or query."""
        own, query = profile or self.profile, asked or self.query
        return self._counted(lambda: self._ranked(own, query, self._pool(own, query)))

    def _counted(self, run: Callable[[], int | None]) -> int | None:
        if self.runs >= MAX_RUNS:
            raise BudgetExceeded
        if self._is_given_up():
            raise UserError(f"Given up after asking again {self.runs:,} times; ask with fewer words.")
        self.runs += 1
        try:
            return run()
        except UserError:  # not computable with the change
            return None

    def _pool(self, profile: Profile, asked: Query) -> Pool:
        """Return what the sources find. Only those are run again that the change can affect; where they find the same
        as without it, it is the same pool."""
        has_same_k = asked.k == self.query.k
        is_changed = [
            not has_same_k or own is not before for own, before in zip(profile.recall, self.profile.recall, strict=True)
        ]
        if True not in is_changed:
            return self._pool_before
        first = is_changed.index(True)
        last = len(is_changed) - 1 - is_changed[::-1].index(True)
        state = self._states[first]
        for at, source in enumerate(profile.recall[first:], first):
            state = state.with_list(source.name, search(source, asked, self.reader, state))
            if at >= last and _are_equal(state, self._states[at + 1]):  # then all later sources find the same too
                return self._pool_before
        return pool_of(state, self.reader)

    def _ranked(self, profile: Profile, asked: Query, pool: Pool) -> int | None:
        """Run the stages from the first one that the change can affect."""
        if asked is not self.query or pool is not self._pool_before:
            return rank_in(profile.stages, asked, pool, self.memory.id)
        same = 0
        while same < len(self._stages) and profile.stages[same] is self.profile.stages[same]:
            same += 1
        if same == len(self._stages):
            return None  # as it was without a change
        return rank_in(profile.stages[same:], asked, pool, self.memory.id, self._stages[same].before)

    def missing_from(self, name: str, explained: Explanation) -> tuple[Reason, ...]:
        """Return why a list lacks the memory that another one brought; nothing if it does not."""
        if explained.candidate is not None and name in explained.candidate.hits:
            return ()
        sources = (each for each in self.profile.recall if each.name == name)
        return tuple(each.why_absent(self.query, self.reader, self.memory.id) for each in sources)

    def with_fields(self, **fields: Any) -> int | None:
        """Return the rank of the memory with other fields. Where these pass the filter as it does, no source finds
        anything else, and only its row of facts changes."""
        imagined, wanted = self.memory._replace(**fields), self.query.filter
        if filters.matches(wanted, imagined) != filters.matches(wanted, self.memory):
            reader: Any = HypotheticalReader(self.reader, imagined)
            return self._counted(lambda: rank_of(self.profile, self.query, reader, imagined.id))
        if not self._is_gathered:
            return None
        changed = replace(self._pool_before, facts=with_memory(self._pool_before.facts, imagined))
        return self._counted(lambda: rank_in(self.profile.stages, self.query, changed, imagined.id))

    def with_parameters(self, changed: Mapping[str, Any]) -> int | None:
        try:
            profile = with_parameters(self.profile, changed)
        except UserError:  # out of its range
            return None
        if not self._is_gathered and profile.recall == self.profile.recall:
            return None  # a memory that no source finds cannot be returned by a stage
        return self.rank(profile=profile)


def _are_equal(one: GatherState, other: GatherState) -> bool:
    """Return whether the sources found the same, with the same scores."""
    return all(
        (own.scores, own.also, own.links) == (found.scores, found.also, found.links)
        for own, found in zip(one.lists.values(), other.lists.values(), strict=True)
    )
