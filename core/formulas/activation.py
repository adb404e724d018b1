"""Spreading activation: what a memory gets from those it is linked to.

    activated neighbour = source activation · link weight · decay per hop

Source: OpenMem, stage 3: both directions, at most max_hops, and of several paths the best counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Node = TypeVar("Node", bound=int)
Edge = tuple[Node, Node, float]


@dataclass(frozen=True, slots=True)
class Arrival:
    """How activation reached a node: the value, the hop, the previous node and the link weight. A seed has no previous
    node."""

    value: float
    hop: int
    came_from: int | None = None
    weight: float = 1.0


def spread(
    seeds: Mapping[Node, float], edges: Iterable[Edge[Node]], max_hops: int, decay_per_hop: float
) -> dict[Node, list[Arrival]]:
    """Return the best arrival at each node for every hop at which it improved; the last one counts.

    A node passes on the value it was reached with, once for each improvement.
    """
    neighbours: dict[Node, list[tuple[Node, float]]] = {}
    for source, target, weight in edges:
        neighbours.setdefault(source, []).append((target, weight))
        neighbours.setdefault(target, []).append((source, weight))
    arrivals = {node: [Arrival(value, 0)] for node, value in seeds.items()}
    front = dict(seeds)
    for hop in range(1, max_hops + 1):
        reached: dict[Node, Arrival] = {}
        for source in sorted(front):
            for target, weight in sorted(neighbours.get(source, ())):
                value = front[source] * weight * decay_per_hop
                best = max(
                    arrivals[target][-1].value if target in arrivals else 0.0,
                    reached[target].value if target in reached else 0.0,
                )
                if value > best:
                    reached[target] = Arrival(value, hop, source, weight)
        for node, arrival in reached.items():
            arrivals.setdefault(node, []).append(arrival)
        front = {node: arrival.value for node, arrival in reached.items()}
    return arrivals
