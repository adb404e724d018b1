"""Activation and PageRank that memories receive over links."""

from __future__ import annotations

from dataclasses import dataclass

from core.formulas import activation, pagerank
from core.formulas.activation import Arrival
from core.model import LinkKind, MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.trace import Operator, Term, leaf, term


@dataclass(frozen=True, slots=True)
class SpreadingActivation:
    """A score spreads over links, both ways, losing weight · decay a hop; the best path counts. OpenMem, stage 3."""

    name: str = "spread"
    max_hops: int = 2
    decay_per_hop: float = 0.5

    def idle_parameters(self) -> dict[str, str]:
        if not self.max_hops:
            return {"decay_per_hop": f"{self.name}.max_hops above 0"}
        return {} if self.decay_per_hop else {"max_hops": f"{self.name}.decay_per_hop above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        seeds = {each.id: each.value for each in pool.candidates if each.value > 0}
        edges = [(link.source_id, link.target_id, link.weight) for link in pool.links]
        kinds = {(frozenset((link.source_id, link.target_id)), link.weight): link.kind for link in pool.links}
        arrivals = activation.spread(seeds, edges, self.max_hops, self.decay_per_hop)
        own = {each.id: tree for each in pool.candidates if (tree := each.score) is not None}

        def arrived(id: MemoryId, before_hop: int) -> Term:
            """A node's activation by the hops before a given one: its seed, or what came over a link."""
            last = [each for each in arrivals[id] if each.hop < before_hop][-1]
            if last.came_from is None:  # the other memory's own explanation shows how it was activated
                return leaf("activation of the linked memory", own[id].value, memory=id)
            return over_link(id, last)

        def over_link(id: MemoryId, arrival: Arrival) -> Term:
            source = MemoryId(arrival.came_from or 0)
            kind = kinds[frozenset((source, id)), arrival.weight]
            return term(
                "over a link",
                Operator.PRODUCT,
                arrived(source, arrival.hop),
                leaf("link weight", arrival.weight, kind=str(kind), came_from=source),
                leaf("decay per hop", self.decay_per_hop),
                hop=arrival.hop,
                came_from=source,
                kind=str(kind),
            )

        def score(candidate: Candidate) -> Term:
            paths = arrivals.get(candidate.id, [])
            seed = own.get(candidate.id, leaf("no match of its own", 0.0))
            parts = [seed, *(over_link(candidate.id, each) for each in paths if each.came_from is not None)]
            return term("activation", Operator.MAX, *parts)

        return StageResult(pool.ranked(each.scored(score(each)) for each in pool.candidates))


@dataclass(frozen=True, slots=True)
class QueryBiasedPageRank:
    """Rank flows along links and returns to the matches of a list. Recursive Light, rank 3."""

    name: str = "pagerank"
    list: str = "bm25"
    damping: float = 0.85
    iterations: int = 20

    def idle_parameters(self) -> dict[str, str]:
        if not self.iterations:
            return {"damping": f"{self.name}.iterations above 0"}
        return {} if self.damping else {"iterations": f"{self.name}.damping above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        nodes = [each.id for each in pool.candidates]
        present = set(nodes)
        matches = {each.id for each in pool.candidates if self.list in each.hits}
        edges = [
            edge
            for link in pool.links
            if {link.source_id, link.target_id} <= present
            for edge in _directions(link.source_id, link.target_id, link.weight, link.kind)
        ]
        ranks, before = pagerank.query_biased(nodes, edges, matches, self.damping, self.iterations)
        into, out = pagerank.incoming(edges)

        def score(candidate: Candidate) -> Term:
            if not self.iterations:  # the first rank is that of a match
                return leaf("pagerank", ranks[candidate.id], iterations=0)
            flows = (
                term(
                    "from a link",
                    Operator.PRODUCT,
                    leaf("its rank before", before[source], memory=source),
                    leaf("link weight", weight),
                    term("1 / out-degree", Operator.DIVIDE, leaf("one", 1), leaf("out-degree", out[source])),
                )
                for source, weight in into.get(candidate.id, ())
            )
            returned = leaf("teleport", 1.0 if candidate.id in matches else 0.0)
            return Term(
                "pagerank",
                ranks[candidate.id],
                Operator.SUM,
                (
                    term("followed", Operator.PRODUCT, leaf("d", self.damping), term("flow", Operator.SUM, *flows)),
                    term("returned", Operator.PRODUCT, leaf("1 − d", 1 - self.damping), returned),
                ),
                {"iterations": self.iterations},
            )

        return StageResult(pool.ranked(each.scored(score(each)) for each in pool.candidates))


def _directions(
    source: MemoryId, target: MemoryId, weight: float, kind: LinkKind
) -> list[tuple[MemoryId, MemoryId, float]]:
    """A turn follows another and refers to another one way; a shared topic binds both ways."""
    one_way = (source, target, weight)
    return [one_way] if kind in (LinkKind.TEMPORAL, LinkKind.REFERENCE) else [one_way, (target, source, weight)]
