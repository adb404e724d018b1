"""The filters of Browse that outlast the program: those saved by name, and the last one of each store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import filters
from core.model import Filter, Status
from core.search_types import Selection
from inspector.gui.settings import MAX_RECENT, Settings

SAVED = "browse/saved"
LEFT = "browse/left"
DEFAULT_SELECTION = Selection(filter=Filter(statuses=(Status.ACTIVE,)))

# The names that settings keep, with the fields of a selection.
_NUMBERS = {
    "least_confidence": "min_confidence",
    "most_confidence": "max_confidence",
    "least_age_days": "min_age_days",
    "most_age_days": "max_age_days",
}


class SavedFilters:
    """Filters in the settings. A stored filter that cannot be read is ignored."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def saved(self) -> dict[str, Selection]:
        return self._read(SAVED)

    def save(self, name: str, selection: Selection) -> None:
        self._write(SAVED, {**self.saved(), name: selection})

    def forget(self, name: str) -> None:
        self._write(SAVED, {each: selection for each, selection in self.saved().items() if each != name})

    def left_with(self, store: Path) -> Selection:
        """Return the last filter of a store; a new store shows active memories."""
        return self._read(LEFT).get(str(store), DEFAULT_SELECTION)

    def leave(self, store: Path, selection: Selection) -> None:
        others = {each: left for each, left in self._read(LEFT).items() if each != str(store)}
        last = list({**others, str(store): selection}.items())[-MAX_RECENT:]
        self._write(LEFT, dict(last))

    def _read(self, name: str) -> dict[str, Selection]:
        found = self._settings.data(name)
        read = {key: _selection(shape) for key, shape in found.items()} if isinstance(found, dict) else {}
        return {key: selection for key, selection in read.items() if selection is not None}

    def _write(self, name: str, selections: dict[str, Selection]) -> None:
        self._settings.set_data(name, {key: _shape(selection) for key, selection in selections.items()})


def _shape(selection: Selection) -> dict[str, Any]:
    return {
        **filters.to_values(selection.filter),
        "text": selection.text,
        **{name: getattr(selection, field) for name, field in _NUMBERS.items()},
        "never_recalled": selection.never_recalled,
    }


def _selection(shape: Any) -> Selection | None:
    try:
        wanted = filters.from_values({name: shape.get(name) for name in filters.BY_NAME})
        numbers = {field: None if shape[name] is None else float(shape[name]) for name, field in _NUMBERS.items()}
        never_recalled = bool(shape["never_recalled"])
        return Selection(filter=wanted, text=str(shape["text"]), **numbers, never_recalled=never_recalled)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
