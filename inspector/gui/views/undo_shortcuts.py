"""Undo and redo keys in text fields: the field's own after typing there, the store's otherwise."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, SignalInstance
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

TYPED_AFTER = "typed_after_operation"


class UndoShortcuts(QObject):
    """Passes Ctrl+Z in a text field on to the window unless something was typed there since the last operation. Qt
    gives it to the focused field even where there is nothing to undo.

    `operation` is emitted when the window changes the store: what was typed before is no longer what Ctrl+Z means.
    `is_kept` returns whether a field keeps its keys in any case.
    """

    def __init__(self, window: QMainWindow, operation: SignalInstance, is_kept: Callable[[QWidget], bool]) -> None:
        super().__init__(window)
        self._window, self._is_kept = window, is_kept
        self._operations = 0
        operation.connect(self._count_operation)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)

    def _count_operation(self) -> None:
        self._operations += 1

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            is_undo = event.matches(QKeySequence.StandardKey.Undo)
            is_redo = event.matches(QKeySequence.StandardKey.Redo)
            # A key held down undoes all typing and then stops: it never runs on into the store.
            if (is_undo or is_redo) and not event.isAutoRepeat() and not self._is_fields_own(watched, is_undo):
                event.ignore()
                return True
        return super().eventFilter(watched, event)

    def _is_fields_own(self, watched: QObject, is_undo: bool) -> bool:
        field = _text_of(watched)
        if field is None:
            return True
        if field.property(TYPED_AFTER) == self._operations and (_can_undo(field) if is_undo else _can_redo(field)):
            return True
        return self._is_kept(field)

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        field = _text_of(now)
        if now is None or field is None or now.window() is not self._window:
            return
        now.removeEventFilter(self)  # so that it is installed once, and runs before filters installed since
        now.installEventFilter(self)
        if field.property(TYPED_AFTER) is None:
            field.setProperty(TYPED_AFTER, -1)
            field.textChanged.connect(lambda *_: field.setProperty(TYPED_AFTER, self._operations))


TextField = QLineEdit | QPlainTextEdit | QTextEdit


def _text_of(widget: QObject | None) -> TextField | None:
    """Return the text field that receives typing while a widget has the focus."""
    if isinstance(widget, QComboBox | QAbstractSpinBox):
        return widget.lineEdit()
    return widget if isinstance(widget, TextField) else None


def _can_undo(field: TextField) -> bool:
    """Whether a field has something to undo; never after the program has filled it, which clears its history."""
    return field.isUndoAvailable() if isinstance(field, QLineEdit) else field.document().isUndoAvailable()


def _can_redo(field: TextField) -> bool:
    return field.isRedoAvailable() if isinstance(field, QLineEdit) else field.document().isRedoAvailable()
