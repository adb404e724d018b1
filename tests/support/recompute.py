"""A stranger's program: given nothing but an answer's JSON, recompute every score from its leaves.

memory-inspector recall "…" --json | python tests/support/recompute.py
"""

import json
import math
import sys

OPERATIONS = {
    "sum": sum,
    "product": math.prod,
    "subtract": lambda parts: parts[0] - parts[1],
    "divide": lambda parts: parts[0] / parts[1],
    "power": lambda parts: parts[0] ** parts[1],
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
    "max": max,
    "clamp": lambda parts: min(max(parts[0], parts[1]), parts[2]),
    "reciprocal_rank": lambda parts: parts[0] / (parts[1] + parts[2]),
}


def recompute(node):
    """The value of a node from its leaves; every node on the way is compared with the value it states."""
    if node["operation"] == "leaf":
        return node["value"]
    value = OPERATIONS[node["operation"]]([recompute(part) for part in node.get("parts", [])])
    if not math.isclose(value, node["value"], rel_tol=1e-9, abs_tol=1e-9):
        raise ValueError(f"{node['name']} says {node['value']} and its parts give {value}")
    return value


def check(answer):
    """Recompute an answer's results: each list's raw score, each final score. How many were checked."""
    for result in answer["results"]:
        if not math.isclose(recompute(result["explanation"]), result["score"], rel_tol=1e-9, abs_tol=1e-9):
            raise ValueError(f"result {result['rank']} has another score than its explanation")
        for name, seen in result["lists"].items():
            if not math.isclose(recompute(seen["explanation"]), seen["score"], rel_tol=1e-9, abs_tol=1e-9):
                raise ValueError(f"the list {name} has another score than its explanation")
    return len(answer["results"])


if __name__ == "__main__":
    sys.stdout.write(f"{check(json.load(sys.stdin))} results recomputed\n")
