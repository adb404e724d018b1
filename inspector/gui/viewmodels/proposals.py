"""The viewmodel of Activity › Proposals: changes that agents propose, and the decision on them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core import formatting
from core.changes import Changes, Op
from core.errors import UserError
from core.services import proposals
from core.services.proposals import PendingChange as PendingChange
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import PERSON, OpenStore


class ProposalsViewModel(QObject):
    """The pending proposals. They are listed whenever a store is opened or changed, since their count is shown even
    while the page is not."""

    listed = Signal(object)
    message = Signal(str)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._lists = Tickets()
        store.opened.connect(self.reload)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    @property
    def is_writable(self) -> bool:
        return self._store.is_writable

    def look(self) -> None:
        """Do nothing: the list is always up to date."""

    def reload(self) -> None:
        self._store.read(
            proposals.pending, self.listed.emit, failed=lambda error: self._store.failed.emit(str(error)),
            wanted=self._lists.take(),
        )  # fmt: skip

    def accept(self, selected: Sequence[PendingChange]) -> None:
        self._decide(selected, is_accepted=True)

    def refuse(self, selected: Sequence[PendingChange]) -> None:
        self._decide(selected, is_accepted=False)

    def _decide(self, selected: Sequence[PendingChange], *, is_accepted: bool) -> None:
        if not selected:
            self.message.emit("Select a proposal first.")
            return
        ids = [each.proposal.id for each in selected]
        decide = proposals.accept if is_accepted else proposals.refuse

        def work(workspace: Workspace) -> tuple[None, Changes]:
            return None, decide(workspace, ids, actor=PERSON)

        what = formatting.counted(len(ids), "proposal") if len(ids) > 1 else f"Proposal {ids[0]}"
        done = f"{what} accepted; Ctrl+Z undoes the change." if is_accepted else f"{what} refused."
        self._store.write(work, lambda _: self._on_decided(done), failed=self._on_refused)

    def _on_changed(self, changes: Changes | None) -> None:
        if changes is not None and changes.op in (Op.UNDO, Op.REDO):
            self.message.emit("")  # the message about an accepted proposal is outdated
        self.reload()

    def _on_decided(self, sentence: str) -> None:
        self.message.emit(sentence)
        self.reload()

    def _on_refused(self, error: UserError) -> None:
        self.message.emit(f"Nothing was changed. {error}")

    def _on_closed(self) -> None:
        self._lists.take()
        self.message.emit("")
        self.listed.emit([])
