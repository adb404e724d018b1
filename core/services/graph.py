"""The neighbourhood of a memory: its links over a few hops, laid out as a picture."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotFound
from core.formulas import activation
from core.model import Link, LinkKind, LinkStatus, Memory, MemoryId, Status
from core.search_types import Order, Selection
from core.services import query
from core.services.query import Question
from core.services.workspace import Workspace
from core.store.protocol import Reader

MAX_NODES = 500
MAX_HOPS = 2
CANDIDATES = 30
SEEDS = 10
DECAY_PER_HOP = 0.5
STEPS = 120
LENGTH = 1.0  # of a link at rest, in the unit of the layout

Place = tuple[float, float]
_TURN = math.pi * (3 - math.sqrt(5))  # the golden angle: points on a ring never coincide


@dataclass(frozen=True, slots=True)
class Node:
    """A memory in the picture; `hidden` of its links lead to memories outside of it."""

    memory: Memory
    hop: int
    x: float
    y: float
    links: int
    hidden: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The laid-out graph. `kinds` counts the links by kind, including filtered ones; `left_out` memories exceeded the
    limit."""

    centre: MemoryId
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    kinds: Mapping[LinkKind, int]
    left_out: int


def candidates(workspace: Workspace, text: str = "") -> list[Memory]:
    """Return memories to start from: those with the words, else those with the most links."""
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        if text.strip():
            ids = [MemoryId(id) for id in reader.list_ids(Selection(text=text), Order(), now, CANDIDATES)]
        else:
            ids = [id for id, _ in reader.most_linked(CANDIDATES)]
        known = reader.memories(ids)
    return [known[id] for id in ids if id in known]


def neighbourhood(
    workspace: Workspace,
    centre: MemoryId,
    *,
    hops: int = MAX_HOPS,
    without: Sequence[LinkKind] = (),
    expanded: Sequence[MemoryId] = (),
    places: Mapping[MemoryId, Place] | None = None,
    most: int = MAX_NODES,
) -> Neighbourhood:
    """Return what can be reached from a memory in `hops`, and from each expanded one in one more, the nearest and most
    strongly linked first; `places` are earlier positions, which are kept."""
    with workspace.store.read() as reader:
        if reader.memory(centre) is None:
            raise NotFound(f"There is no memory {centre}.")
        reached, found, left_out = _reached(reader, centre, min(hops, MAX_HOPS), set(without), expanded, most)
        memories = reader.memories(reached)
    inside = [link for link in found if link.source_id in reached and link.target_id in reached]
    shown = [link for link in inside if link.kind not in without]
    of_each = Counter(end for link in found if link.kind not in without for end in (link.source_id, link.target_id))
    drawn = Counter(end for link in shown for end in (link.source_id, link.target_id))
    laid = layout(list(reached), [(each.source_id, each.target_id, each.weight) for each in shown], places or {})
    nodes = tuple(Node(memories[id], hop, *laid[id], drawn[id], of_each[id] - drawn[id]) for id, hop in reached.items())
    kinds = Counter(link.kind for link in inside)
    return Neighbourhood(
        centre, nodes, tuple(shown), {kind: kinds[kind] for kind in LinkKind if kind in kinds}, left_out
    )


def activated(workspace: Workspace, text: str, found: Neighbourhood) -> dict[MemoryId, float]:
    """Return how much of a query's activation reaches each memory of the picture over its links (OpenMem, stage 3),
    from 0 to 1. Read-only."""
    results = query.ask(workspace, Question(text=text, k=SEEDS)).ranking.results
    scores = {result.id: result.value for result in results}
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return {}
    seeds = {id: score / best for id, score in scores.items() if score > 0}
    edges = [(link.source_id, link.target_id, link.weight) for link in found.links]
    arrivals = activation.spread(seeds, edges, MAX_HOPS, DECAY_PER_HOP)
    on_picture = {node.memory.id for node in found.nodes}
    return {id: min(1.0, each[-1].value) for id, each in arrivals.items() if id in on_picture}


def layout(
    ids: Sequence[MemoryId],
    edges: Sequence[tuple[MemoryId, MemoryId, float]],
    places: Mapping[MemoryId, Place],
) -> dict[MemoryId, Place]:
    """Return positions by springs along the links and repulsion between all (Fruchterman and Reingold 1991), cooled
    over a fixed number of steps. The first stays in the centre and those with a place keep it; the same input gives the
    same picture."""
    import numpy as np  # here, so that the window starts without it

    count = len(ids)
    number = {id: place for place, id in enumerate(ids)}
    spots = np.array(_beginning(ids, edges, places), dtype=np.float64).reshape(count, 2)
    spots[:1] = 0.0
    is_held = np.array([place == 0 or id in places for place, id in enumerate(ids)], dtype=bool)
    ends = np.array([(number[a], number[b]) for a, b, _ in edges if a != b], dtype=np.intp).reshape(-1, 2)
    weights = np.array([0.5 + min(max(weight, 0.0), 1.0) for a, b, weight in edges if a != b])
    warmth = LENGTH * (0.4 if places else 1.2)
    for step in range(0 if is_held.all() else STEPS):
        # Σ (a − b) · k/|a − b|² as a · Σ k/… − Σ b · k/…: products of matrices instead of a table of all differences.
        norms = (spots**2).sum(axis=1)
        squared = np.maximum(norms[:, None] + norms[None, :] - 2 * (spots @ spots.T), 0.0) + 1e-3
        push = LENGTH**2 / squared
        moves = spots * push.sum(axis=1)[:, None] - push @ spots
        along = spots[ends[:, 0]] - spots[ends[:, 1]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) * weights / LENGTH)[:, None]
        np.add.at(moves, ends[:, 0], -pull)
        np.add.at(moves, ends[:, 1], pull)
        moves -= 0.06 * spots  # keeps memories with few links in sight
        if places:
            moves[is_held] = 0.0
        length = np.sqrt((moves**2).sum(axis=1)) + 1e-9
        spots += moves * (np.minimum(length, warmth * (1 - step / STEPS)) / length)[:, None]
        spots -= spots[:1].copy()
    return {id: (float(x), float(y)) for id, (x, y) in zip(ids, spots, strict=True)}


def _beginning(
    ids: Sequence[MemoryId], edges: Sequence[tuple[MemoryId, MemoryId, float]], places: Mapping[MemoryId, Place]
) -> list[Place]:
    """Return the start position of each memory: its place, else outside of a linked one with a place, else on a spiral
    around the centre."""
    near_linked: dict[MemoryId, Place] = {}
    for a, b, _ in edges:
        for known, new in ((a, b), (b, a)):
            if known in places and new not in places:
                near_linked.setdefault(new, places[known])
    begun = []
    for place, id in enumerate(ids):
        x, y = places.get(id) or near_linked.get(id) or _spiral(place)
        if id in near_linked:
            turn = math.atan2(y, x) + (place % 7 - 3) * 0.4  # outward, and not all in one direction
            x, y = x + LENGTH * math.cos(turn), y + LENGTH * math.sin(turn)
        begun.append((x, y))
    return begun


def _spiral(place: int) -> Place:
    radius = LENGTH * math.sqrt(place)
    return (radius * math.cos(place * _TURN), radius * math.sin(place * _TURN))


def _reached(
    reader: Reader, centre: MemoryId, hops: int, without: set[LinkKind], expanded: Sequence[MemoryId], most: int
) -> tuple[dict[MemoryId, int], list[Link], int]:
    """Return the memories by hop, every link that touches one of them, and how many memories exceeded the limit."""
    reached = {centre: 0}
    left_out: set[MemoryId] = set()
    fronts = [(hop, None) for hop in range(1, hops + 1)] + [(None, id) for id in expanded]
    front = [centre]
    for hop, id in fronts:
        begin = front if id is None else [id]
        if id is not None and id not in reached:
            continue
        steps: dict[MemoryId, float] = {}
        for link in _links(reader, begin):
            for a, b in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
                if a in begin and b not in reached and link.kind not in without:
                    steps[b] = max(steps.get(b, 0.0), link.weight)
        present = reader.memories(steps)
        near = sorted(
            (other for other in steps if other in present and present[other].status is not Status.DELETED),
            key=lambda other: (-steps[other], other),
        )
        room = max(0, most - len(reached))
        left_out |= set(near[room:])
        front = near[:room]
        reached |= dict.fromkeys(front, hop if hop is not None else reached[begin[0]] + 1)
    return reached, _links(reader, list(reached)), len(left_out - set(reached))


def _links(reader: Reader, ids: Sequence[MemoryId]) -> list[Link]:
    return [link for link in reader.links_around(ids, LinkKind) if link.status is not LinkStatus.DISMISSED]
