"""Activation and PageRank that memories receive over links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.formulas import activation, pagerank
from core.formulas.activation import Arrival
from core.formulas.numbers import Constant
from core.model import LinkKind, MemoryId
from core.pipeline.expr import Expr, explain, total
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between, list_named
from core.pipeline.trace import Operator, Term, leaf, term


@dataclass(frozen=True, slots=True)
class SpreadingActivation(Stage):
    """A score spreads over links, both ways, losing weight · decay a hop; the best path counts. OpenMem, stage 3."""

    name: str = "spread"
    max_hops: int = between(2, 0, 10, needs="decay_per_hop")
    decay_per_hop: float = between(0.5, 0, 1, needs="max_hops")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool, score = candidates.pool, candidates.score
        seeds = {pool.ids[row]: value for row in candidates.rows.tolist() if (value := score.at(row)) > 0}
        edges = [(link.source_id, link.target_id, link.weight) for link in pool.links]
        kinds = {(frozenset((link.source_id, link.target_id)), link.weight): link.kind for link in pool.links}
        arrivals = activation.spread(seeds, edges, self.max_hops, self.decay_per_hop)

        def arrived(id: MemoryId, before_hop: int) -> Term:
            """Explain a node's activation by the hops before a given one: its seed, or what came over a link."""
            last = [each for each in arrivals[id] if each.hop < before_hop][-1]
            if last.came_from is None:  # the other memory's own explanation shows how it was activated
                return leaf("activation of the linked memory", seeds[id], memory=id)
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

        def explain_row(row: int) -> Term:
            id = pool.ids[row]
            paths = (over_link(id, each) for each in arrivals.get(id, ()) if each.came_from is not None)
            return term("activation", Operator.MAX, explain(score, row), *paths)

        best = candidates.values.copy()
        for id, own in arrivals.items():
            row = pool.rows.get(id)
            if row is not None:
                best[row] = max(best[row], own[-1].value)
        return Step(Expr("activation", best, explain_row=explain_row))


@dataclass(frozen=True, slots=True)
class QueryBiasedPageRank(Stage):
    """Rank flows along links and returns to the matches of a list. Recursive Light, rank 3."""

    name: str = "pagerank"
    list: str = list_named("bm25")
    damping: float = between(0.85, 0, 1, needs="iterations")
    iterations: int = between(20, 0, 1_000, needs="damping")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool = candidates.pool
        nodes = [pool.ids[row] for row in candidates.rows.tolist()]
        present, has_match = set(nodes), pool.column(self.list).present
        matches = {id for id in nodes if has_match[pool.rows[id]]}
        edges = [
            edge
            for link in pool.links
            if {link.source_id, link.target_id} <= present
            for edge in _directions(link.source_id, link.target_id, link.weight, link.kind)
        ]
        ranks, before = pagerank.query_biased(nodes, edges, matches, self.damping, self.iterations)
        if not self.iterations:  # the first rank is that of a match
            values = np.array([ranks.get(id, 0.0) for id in pool.ids])
            return Step(Expr("pagerank", values, facts=lambda _: {"iterations": 0}))
        into, out = pagerank.incoming(edges)

        def explain_flow(row: int) -> Term:
            flows = (
                term(
                    "from a link",
                    Operator.PRODUCT,
                    leaf("its rank before", before[source], memory=source),
                    leaf("link weight", weight),
                    term("1 / out-degree", Operator.DIVIDE, leaf("one", 1), leaf("out-degree", out[source])),
                )
                for source, weight in into.get(pool.ids[row], ())
            )
            return term("flow", Operator.SUM, *flows)

        flow = Expr(
            "flow", np.array([pagerank.flow(id, into, out, before) for id in pool.ids]), explain_row=explain_flow
        )
        teleport = Expr("teleport", np.array([float(id in matches) for id in pool.ids]))
        shares = (
            (Constant("d", self.damping) * flow).named("followed"),
            (Constant("1 − d", 1 - self.damping) * teleport).named("returned"),
        )
        return Step(total("pagerank", shares).with_facts(lambda _: {"iterations": self.iterations}))


def _directions(
    source: MemoryId, target: MemoryId, weight: float, kind: LinkKind
) -> list[tuple[MemoryId, MemoryId, float]]:
    """A turn follows another and refers to another one way; a shared topic binds both ways."""
    one_way = (source, target, weight)
    return [one_way] if kind in (LinkKind.TEMPORAL, LinkKind.REFERENCE) else [one_way, (target, source, weight)]
