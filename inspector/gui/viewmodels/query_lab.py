"""The viewmodel of the Query Lab: the query, the changed parameters, and the answer with its explanations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import UserError
from core.model import MemoryId
from core.pipeline.parameters import Parameter
from core.search_types import Order, Selection
from core.services import browse, lab, profiles, why_not
from core.services.browse import MemoryRow
from core.services.lab import LabAnswer as LabAnswer
from core.services.query import Explanation as Explanation
from core.services.query import Question
from core.services.why_not import WhyNot as WhyNot
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets, once
from inspector.gui.viewmodels.open_store import OpenStore, StoreStatus
from inspector.gui.viewmodels.profiles import Profiles

THROTTLE_MS = 180
MAX_FOUND = 30


class QueryLabViewModel(QObject):
    """A query and its answer. Each answer carries the number of its query; a late one is dropped."""

    asking = Signal()
    answered = Signal(object)
    emptied = Signal()
    refused = Signal(str)
    explained = Signal(object)
    compared = Signal(object)
    kept_changed = Signal(str)
    profiles_changed = Signal()
    profile_parameters_changed = Signal(object)
    parameters_changed = Signal(object)
    found = Signal(object)
    searching_why = Signal()
    why_not_found = Signal(object)

    def __init__(self, store: OpenStore, profiles: Profiles, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._profiles = store, profiles
        self.text = ""
        self.profile = profiles.published[0].name
        self.k: int | None = None
        self.budget: int | None = None
        self.as_of: datetime | None = None
        self.parameters: dict[str, Any] = {}
        self._kept: Question | None = None
        self.shown: LabAnswer | None = None
        self._model_state = ""
        self._asks, self._explains, self._compares = Tickets(), Tickets(), Tickets()
        self._finds, self._whys = Tickets(), Tickets()
        self._throttle = once(self, THROTTLE_MS, self.ask_now)
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)
        store.status_changed.connect(self._on_status)
        profiles.changed.connect(self._on_profiles)

    # the question

    def profiles(self) -> list[tuple[str, str]]:
        return [(profile.name, profile.about) for profile in self._profiles.every]

    def profile_parameters(self) -> list[Parameter]:
        """Return every parameter of the profile with the profile's own value."""
        return profiles.parameters(self._profiles.named(self.profile))

    def question(self) -> Question:
        return Question(
            text=self.text,
            profile=self.profile,
            parameters=dict(self.parameters),
            k=self.k,
            as_of=self.as_of,
            token_budget=self.budget,
        )

    def set_text(self, text: str) -> None:
        self.text = text
        self._soon()

    def set_profile(self, name: str) -> None:
        if name != self.profile:
            self.profile = name
            self.parameters = {}
            self.profile_parameters_changed.emit(self.profile_parameters())
            self.parameters_changed.emit(self.parameters)
            self._soon()

    def set_parameter(self, path: str, value: Any) -> None:
        """Change a parameter; one that is set to the profile's own value is no longer changed."""
        own = {each.path: each.value for each in self.profile_parameters()}
        if path in own and own[path] == value:
            self.parameters.pop(path, None)
        else:
            self.parameters[path] = value
        self.parameters_changed.emit(dict(self.parameters))
        self._soon()

    def reset(self, path: str | None = None) -> None:
        """Set one parameter, or all, back to the profile's own values."""
        if path is None:
            self.parameters.clear()
        else:
            self.parameters.pop(path, None)
        self.profile_parameters_changed.emit(self.profile_parameters())
        self.parameters_changed.emit(dict(self.parameters))
        self._soon()

    def set_k(self, k: int | None) -> None:
        self.k = k
        self._soon()

    def set_budget(self, budget: int | None) -> None:
        self.budget = budget
        self._soon()

    def set_as_of(self, moment: datetime | None) -> None:
        self.as_of = moment
        self._soon()

    def now(self) -> datetime | None:
        """Return the store's current time, to start an `as of` from."""
        return None if self.shown is None else self.shown.answer.query.now

    # the answer

    def ask_now(self) -> None:
        question, ticket = self.question(), self._asks.take()
        if not question.text.strip():
            self.shown = None
            self.emptied.emit()
            return
        self.asking.emit()
        self._store.read(lambda ws: lab.ask(ws, question), self._on_answer, failed=self._on_refused, wanted=ticket)
        self._compare(question)

    def explain(self, id: MemoryId) -> None:
        """Explain a memory in the answer that is shown, from the same snapshot of the store."""
        shown = self.shown
        if shown is not None:
            self._store.read(
                lambda ws: lab.explain(ws, shown, id), self.explained.emit, failed=self._on_refused,
                wanted=self._explains.take(),
            )  # fmt: skip

    def use_as_a(self) -> None:
        """Use the current settings as A; what is changed from now on is B."""
        self._hold(self.question())

    def compare_with(self, profile: str) -> None:
        """Use a published profile as A."""
        self._hold(Question(text=self.text, profile=profile))

    def _hold(self, kept: Question) -> None:
        self._kept = kept
        self.kept_changed.emit(_described(kept.profile, kept.parameters))
        self._compare(self.question())

    def find(self, typed: str) -> None:
        """Find memories to ask `why not?` about."""
        ticket = self._finds.take()

        def look(workspace: Workspace) -> list[MemoryRow]:
            listed = browse.listing(workspace, Selection(text=typed), Order())
            return browse.rows(workspace, listed, 0)[:MAX_FOUND]

        self._store.read(look, self.found.emit, wanted=ticket)

    def why_not(self, id: MemoryId) -> None:
        question, name = self.question(), str(id)
        if not question.text.strip():
            self.refused.emit("Run a query first.")
            return
        self.searching_why.emit()
        self._store.read(
            lambda ws: why_not.why_not(ws, question, name), self.why_not_found.emit, failed=self._on_refused,
            wanted=self._whys.take(),
        )  # fmt: skip

    # inside

    def _soon(self) -> None:
        """Run the query soon. Throttled, not debounced: answers keep coming during continuous typing."""
        if not self._throttle.isActive():
            self._throttle.start()

    def _compare(self, question: Question) -> None:
        kept = self._kept
        if kept is None or not question.text.strip():
            return
        one = Question(
            text=question.text, profile=kept.profile, parameters=kept.parameters, k=question.k, as_of=question.as_of,
            token_budget=question.token_budget,
        )  # fmt: skip
        self._store.read(
            lambda ws: lab.compare(ws, one, question), self.compared.emit, failed=self._on_refused,
            wanted=self._compares.take(),
        )  # fmt: skip

    def _on_answer(self, shown: LabAnswer) -> None:
        self.shown = shown
        self.answered.emit(shown)

    def _on_refused(self, error: UserError) -> None:
        self.refused.emit(str(error))

    def _on_opened(self) -> None:
        self._kept, self.shown = None, None
        self.kept_changed.emit("")
        self.profile_parameters_changed.emit(self.profile_parameters())
        self.ask_now()

    def _on_closed(self) -> None:
        for tickets in (self._asks, self._explains, self._compares, self._finds, self._whys):
            tickets.take()
        self._throttle.stop()
        self.shown = None
        self.found.emit(())
        self.emptied.emit()

    def _on_changed(self, changes: Changes | None) -> None:
        if self.text.strip() and (changes is None or changes):  # a judgement touches nothing that is ranked
            self._soon()

    def _on_status(self, status: StoreStatus) -> None:
        """Run the query again when the model was loaded or unloaded."""
        before, self._model_state = self._model_state, status.model_state
        if before and before != status.model_state and self.text.strip():
            self._soon()

    def _on_profiles(self) -> None:
        """Select the default profile when the selected one was removed by an undo."""
        known = self._profiles.named(self.profile).name
        self.profiles_changed.emit()
        self.set_profile(known)


def _described(profile: str, parameters: Mapping[str, Any]) -> str:
    changed = ", ".join(f"{path} = {value}" for path, value in parameters.items())
    return f"{profile} with {changed}" if changed else profile
