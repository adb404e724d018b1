"""The page for a store that cannot be opened: the reason, what to do, and that the file is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget

from core.errors import Fault
from inspector.gui import icons, theme
from inspector.gui.models.plain_text import absolute
from inspector.gui.viewmodels.open_store import Refusal
from inspector.gui.widgets import layout

WIDTH = 640

TITLES = {
    Fault.MISSING: "There is no store here",
    Fault.EXISTS: "Something is here already",
    Fault.LOCKED: "Another program has locked this store",
    Fault.NEWER: "This store is newer than this program",
    Fault.OLDER: "This store must be upgraded first",
    Fault.CORRUPT: "This store is damaged",
    Fault.TRUNCATED: "This store is truncated",
    Fault.REPLACED: "This store was moved or replaced",
    Fault.UNREADABLE: "This file cannot be read",
    Fault.UNWRITABLE_FOLDER: "This folder cannot be written",
}
ADVICE = {
    Fault.LOCKED: "Close it there, or wait until it has finished, and try again.",
    Fault.NEWER: "Update Memory Inspector to open it. The file was left exactly as it is.",
    Fault.CORRUPT: "Nothing is written to a damaged store. Restoring a backup keeps the damaged file, too.",
    Fault.TRUNCATED: "Nothing is written to a damaged store. Restoring a backup keeps the damaged file, too.",
    Fault.REPLACED: "Open it again to use the file that is there now.",
    Fault.FOREIGN: "Its file was left exactly as it is. What its program exports (JSON lines, CSV) can be imported.",
}


class FaultPage(QWidget):
    def __init__(
        self, retry: Callable[[Path], None], create: Callable[[Path], None], restore: Callable[[Path, Path], None],
        do: Callable[[str], None], parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._refusal: Refusal | None = None
        self._picture = QLabel()
        self.title = layout.label("", "title", wraps=True)
        self.sentence = layout.label("", wraps=True, selectable=True)
        self.advice = layout.label("", "muted", wraps=True)
        self.retry = layout.button("Try again", lambda: self._with(lambda it: retry(it.path)), kind="primary")
        self.make = layout.button("Create a new store here", lambda: self._with(lambda it: create(it.path)))
        self.restore = layout.button(
            "Restore the newest backup", lambda: self._with(lambda it: restore(it.path, it.backups[0].path))
        )
        self.other = layout.button("Open another store…", lambda: do("open_store"))
        self.back = layout.button("First page", lambda: do("close_store"))
        inner = QWidget()
        inner.setFixedWidth(WIDTH)
        inner.setLayout(
            layout.column(
                self._picture, self.title, self.sentence, self.advice,
                layout.row(self.retry, self.make, self.restore, self.other, self.back, 1), space=theme.LARGE,
            )
        )  # fmt: skip
        self.setLayout(layout.column(1, layout.row(1, inner, 1), 2, margins=theme.HUGE))

    def retint(self) -> None:
        self._picture.setPixmap(icons.pixmap("damaged", 48, "danger", self.devicePixelRatioF()))

    def show_refusal(self, refusal: Refusal) -> None:
        self._refusal = refusal
        fault = refusal.fault
        self.retint()
        self.title.setText(TITLES.get(fault, "This is not a memory store") if fault else "It cannot be opened")
        self.sentence.setText(refusal.sentence)
        advice = ADVICE.get(fault, "The file was left exactly as it is.") if fault else ""
        is_damaged = fault in (Fault.CORRUPT, Fault.TRUNCATED)
        if is_damaged and refusal.backups:
            advice += f" The newest backup is from {absolute(refusal.backups[0].at)}."
        elif is_damaged:
            advice += " There is no backup of it; copy the file somewhere safe before anything else."
        self.advice.setText(advice)
        self.make.setVisible(fault is Fault.MISSING)
        self.restore.setVisible(is_damaged and bool(refusal.backups))
        self.retry.setVisible(fault is not Fault.MISSING)

    def _with(self, act: Callable[[Refusal], None]) -> None:
        if self._refusal is not None:
            act(self._refusal)
