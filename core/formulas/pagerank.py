"""Query-biased PageRank: rank flows along links and returns to the memories that match the query.

    rank'(v) = d · Σ over links u→v of rank(u) · weight / out(u)  +  (1 − d) · teleport(v)

Source: Recursive Light, rank 3: teleport and the first rank are 1 for a match and 0 for the rest; out(u) is the
number of u's outgoing links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeVar

Node = TypeVar("Node", bound=int)
Edge = tuple[Node, Node, float]


def incoming(edges: Iterable[Edge[Node]]) -> tuple[dict[Node, list[tuple[Node, float]]], dict[Node, int]]:
    """Return links by their target, and the number of outgoing links of each node; in a fixed order, so that sums are
    reproducible."""
    into: dict[Node, list[tuple[Node, float]]] = {}
    out: dict[Node, int] = {}
    for source, target, weight in sorted(edges):
        into.setdefault(target, []).append((source, weight))
        out[source] = out.get(source, 0) + 1
    return into, out


def flow(
    node: Node,
    into: Mapping[Node, Sequence[tuple[Node, float]]],
    out: Mapping[Node, int],
    ranks: Mapping[Node, float],
) -> float:
    """Return what comes to a node over its links."""
    return sum(ranks[source] * weight / out[source] for source, weight in into.get(node, ()))


def query_biased(
    nodes: Iterable[Node], edges: Iterable[Edge[Node]], matches: Set[Node], damping: float, iterations: int
) -> tuple[dict[Node, float], dict[Node, float]]:
    """Return the ranks after the last iteration and those after the one before it, from which the last was computed."""
    into, out = incoming(edges)
    order = sorted(nodes)
    teleport = {node: 1.0 if node in matches else 0.0 for node in order}
    before = ranks = dict(teleport)
    for _ in range(iterations):
        before = ranks
        ranks = {node: damping * flow(node, into, out, before) + (1 - damping) * teleport[node] for node in order}
    return ranks, before
