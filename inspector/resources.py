"""Files that ship with the program, found in the source tree, the wheel and the bundle."""

from __future__ import annotations

import sys
from pathlib import Path


def path(name: str) -> Path:
    """Return the path of `resources/<name>`."""
    here = Path(__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)
    places = [Path(frozen) / "resources"] if frozen else [here / "_resources", here.parent / "resources"]
    for place in places:
        if (place / name).exists():
            return place / name
    raise FileNotFoundError(f"resources/{name} is missing from this installation")
