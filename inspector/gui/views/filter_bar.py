"""The filters above the table of Browse."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from core import filters, formatting
from core.filter_fields import FIELDS
from core.search_types import Selection
from inspector.gui import theme
from inspector.gui.viewmodels.browse import BrowseViewModel, Facets
from inspector.gui.widgets import layout
from inspector.gui.widgets.facet_button import FacetButton
from inspector.gui.widgets.flow import FlowLayout

# The minimum and maximum that each choice sets.
CONFIDENCES: dict[str, tuple[str, float | None, float | None]] = {
    "sure": ("At least 0.9", 0.9, None),
    "likely": ("At least 0.7", 0.7, None),
    "doubtful": ("At most 0.7", None, 0.7),
    "unsure": ("At most 0.5", None, 0.5),
}
AGES: dict[str, tuple[str, float | None, float | None]] = {
    "day": ("Within a day", None, 1.0),
    "week": ("Within a week", None, 7.0),
    "month": ("Within 30 days", None, 30.0),
    "older": ("Older than 30 days", 30.0, None),
    "old": ("Older than 90 days", 90.0, None),
    "ancient": ("Older than a year", 365.0, None),
}


BUTTON_HEIGHT = 28


class FilterBar(QWidget):
    def __init__(self, viewmodel: BrowseViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.by_field = {field.name: FacetButton(field.title) for field in FIELDS if field.title}
        self.confidence = FacetButton("Confidence", is_single=True)
        self.age = FacetButton("Age", is_single=True)
        self._facets = (*self.by_field.values(), self.confidence, self.age)
        self.confidence.set_choices([(key, words) for key, (words, _, _) in CONFIDENCES.items()])
        self.age.set_choices([(key, words) for key, (words, _, _) in AGES.items()])
        self.pinned = _toggle("Pinned", "Only pinned memories")
        self.never = _toggle("Never recalled", "Only memories that were never returned")
        self.clear = layout.button("Clear", viewmodel.clear, kind="quiet", about="Clear filters")
        self.count = layout.label("", "muted")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        flow = FlowLayout(space=theme.TIGHT + 2)
        for widget in (*self._facets, self.pinned, self.never, self.clear):
            flow.addWidget(widget)
        line = layout.row(space=theme.SMALL)
        line.addLayout(flow, 1)
        line.addWidget(self.count, 0, Qt.AlignmentFlag.AlignTop)
        for beside in (self.count, self.clear):
            beside.setMinimumHeight(BUTTON_HEIGHT)
        self.setLayout(line)
        self._connect()

    def show_waiting(self) -> None:
        self.count.setText("looking…")

    def show_count(self, total: int | None) -> None:
        """Show the number of memories; None while it is not known."""
        self.count.setText("counting…" if total is None else formatting.memories(total))

    def _connect(self) -> None:
        do = self._viewmodel
        for name, facet in self.by_field.items():
            facet.changed.connect(partial(self._on_facet, name))
        self.confidence.changed.connect(self._on_confidence)
        self.age.changed.connect(self._on_age)
        self.pinned.toggled.connect(lambda is_on: do.filter_by(pinned=True if is_on else None))
        self.never.toggled.connect(lambda is_on: do.narrow(never_recalled=is_on))
        for facet in self._facets:
            facet.opened.connect(do.want_facets)
        do.facets_changed.connect(self._show_facets)
        do.selection_changed.connect(self._show_selection)
        self._show_selection(do.selection)

    def _on_facet(self, name: str, keys: tuple[str, ...]) -> None:
        self._viewmodel.filter_by(**{name: getattr(filters.from_values({name: keys}), name)})

    def _on_confidence(self, keys: tuple[str, ...]) -> None:
        _, least, most = CONFIDENCES[keys[0]] if keys else ("", None, None)
        self._viewmodel.narrow(min_confidence=least, max_confidence=most)

    def _on_age(self, keys: tuple[str, ...]) -> None:
        _, least, most = AGES[keys[0]] if keys else ("", None, None)
        self._viewmodel.narrow(min_age_days=least, max_age_days=most)

    def _show_facets(self, facets: Facets | None) -> None:
        for name, facet in self.by_field.items():
            facet.set_choices(None if facets is None else getattr(facets, name))
        self._show_selection(self._viewmodel.selection)

    def _show_selection(self, selection: Selection) -> None:
        wanted = selection.filter
        for name, facet in self.by_field.items():
            facet.set_ticked(filters.to_values(wanted)[name])
        self.confidence.set_ticked(_picked(CONFIDENCES, selection.min_confidence, selection.max_confidence))
        self.age.set_ticked(_picked(AGES, selection.min_age_days, selection.max_age_days))
        self.pinned.setChecked(bool(wanted.pinned))
        self.never.setChecked(selection.never_recalled)
        self.clear.setVisible(selection != Selection())


def _picked(choices: dict[str, tuple[str, float | None, float | None]], *ends: float | None) -> list[str]:
    return [key for key, (_, *own) in choices.items() if ends != (None, None) and tuple(own) == ends]


def _toggle(text: str, about: str) -> QPushButton:
    made = QPushButton(text)
    made.setCheckable(True)
    made.setAccessibleName(about)
    made.setToolTip(about)
    return made
