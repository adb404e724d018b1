"""openmem-engine: full text and spreading activation; it knows no vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

INSTALL = ("openmem-engine",)
MODES = ("words",)
NOTE = "words alone: it knows no vectors; its recall writes access counts"


class Peer:
    def __init__(self, folder: Path) -> None:
        from openmem import MemoryEngine

        self._engine = MemoryEngine(str(folder / "memories.db"))

    def load(self, texts: list[str], vectors: Any) -> None:
        from openmem.models import Memory

        for number, text in enumerate(texts):
            self._engine.store.add_memory(Memory(id=str(number), text=text))

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        return [int(found.memory.id) for found in self._engine.recall(text, top_k=k)]

    def close(self) -> None:
        self._engine.store.close()
