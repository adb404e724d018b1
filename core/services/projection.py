"""The map of a store: its vectors projected to two dimensions, so that similar memories are close together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.clock import DAY, age
from core.model import MemoryId, Status
from core.services.embeddings import expected_space
from core.services.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np

MAX_POINTS = 2_000
GIST = 160
AGES = ((7.0, "this week"), (30.0, "this month"), (90.0, "three months"), (365.0, "this year"))
OLDER = "older"


@dataclass(frozen=True, slots=True)
class Point:
    """The position of a memory, from -1 to 1 in both directions."""

    id: MemoryId
    x: float
    y: float
    type: str
    age: str
    gist: str


@dataclass(frozen=True, slots=True)
class Map:
    """The map of `embedded` vectors, of which `points` are drawn; `explained` is the share of the variance that the two
    dimensions show."""

    model: str
    embedded: int
    points: tuple[Point, ...]
    explained: float


def embedding_map(workspace: Workspace, most: int = MAX_POINTS) -> Map:
    """Return the map of the vectors of the store's model, sampled evenly if there are many."""
    model, now = workspace.model(), workspace.store.clock.now()
    with workspace.store.read() as reader:
        known = [use.space for use in reader.spaces() if use.space.model == model.name]
        expected = expected_space(model)
        space = expected if expected in known else next(reversed(known), None)
        if space is None:
            return Map(model.name, 0, (), 0.0)
        embedded = reader.count_embedded(space)
        vectors = reader.sample_vectors(space, most)
        memories = reader.memories(vectors)
    drawn = {id: vectors[id] for id in sorted(memories) if memories[id].status is not Status.DELETED}
    places, explained = _flattened(drawn)
    points = tuple(
        Point(id, x, y, memories[id].type, age_band(age(memories[id].created_at, now, DAY)),
              " ".join((memories[id].summary or memories[id].content).split())[:GIST])
        for id, (x, y) in places.items()
    )  # fmt: skip
    return Map(model.name, embedded, points, explained)


def age_band(days: float) -> str:
    return next((name for most, name in AGES if days < most), OLDER)


def _flattened(vectors: Mapping[MemoryId, bytes]) -> tuple[dict[MemoryId, tuple[float, float]], float]:
    """Return the first two principal components of the vectors (Pearson 1901)."""
    if len(vectors) < 2:
        return dict.fromkeys(vectors, (0.0, 0.0)), 0.0
    import numpy as np  # here, so that the window starts without it

    rows = np.stack([np.frombuffer(vector, dtype="<f4") for vector in vectors.values()]).astype(np.float64)
    rows -= rows.mean(axis=0)
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    total = float((sizes**2).sum())
    if total < 1e-18:  # all alike
        return dict.fromkeys(vectors, (0.0, 0.0)), 0.0
    flat = rows @ _upright(directions[:2]).T
    if flat.shape[1] == 1:
        flat = np.hstack([flat, np.zeros((len(flat), 1))])
    flat /= np.abs(flat).max()
    places = {id: (float(x), float(y)) for id, (x, y) in zip(vectors, flat, strict=True)}
    return places, float((sizes[:2] ** 2).sum()) / total


def _upright(directions: np.ndarray) -> np.ndarray:
    """Return the components with a fixed sign: the largest part of each is positive."""
    import numpy as np

    greatest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    upright: np.ndarray = directions * np.sign(greatest)[:, None]
    return upright
