"""Names that parameters and steps had in version 0.1, so that what was saved then still opens and compares equal.

Saved profiles, recorded calls and command lines may name a parameter as it was called before. The hash of a run's
parameters is computed from the former names: a call that was recorded then has the same hash when it is replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PARAMETERS: Mapping[str, str] = {
    "least_word_chars": "min_word_chars",
    "times_k": "limit_per_k",
    "times_k_filtered": "limit_per_k_filtered",
    "least_times_k": "min_limit_per_k",
    "least": "min",
    "most": "max",
}
STEPS: Mapping[str, str] = {"conflict": "contradiction"}
_FORMER_PARAMETERS = {new: old for old, new in PARAMETERS.items()}

_FORMER_KINDS: Mapping[str, str] = {
    "LexicalEvidence": "Words",
    "SessionEvidence": "Beside",
    "VectorEvidence": "Meaning",
    "EntityEvidence": "NamedEntity",
    "TimeEvidence": "NamedTime",
    "PreferUpdates": "NewerFirst",
    "ContradictionPenalty": "Conflict",
    "RescoreText": "PoolText",
    "RescoreVectors": "PoolCosine",
    "VectorSearch": "Semantic",
    "LinkedMemories": "Neighbours",
    "ConfidenceWeight": "Confidence",
    "DecayWeight": "Decay",
    "Competition": "Compete",
    "ReciprocalRankFusion": "ReciprocalRank",
}


def present_path(path: str) -> str:
    """Return the path of a parameter, `step.field`, with its present names."""
    step, dot, field = path.partition(".")
    return f"{STEPS.get(step, step)}{dot}{PARAMETERS.get(field, field)}"


def former_kind(kind: str) -> str:
    """Return the name that a step's class had in version 0.1."""
    return _FORMER_KINDS.get(kind, kind)


def with_former_names(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step's parameters under the names of version 0.1."""
    return {_FORMER_PARAMETERS.get(name, name): value for name, value in parameters.items()}
