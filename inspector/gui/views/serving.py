"""File › Serve Agents: start and stop the server, its address, and how to connect an agent."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from inspector.gui import theme
from inspector.gui.viewmodels.serving import ServerProcess, ServerState, ServingViewModel
from inspector.gui.widgets import layout

TOKEN = "memory-inspector token show"
OFF = "The server is off. It listens on this computer only and requires a token."
ON = "Agents can use this store at this address until you stop the server, close the store or close the window."


class ServingDialog(QDialog):
    def __init__(self, viewmodel: ServingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Serve agents")
        self._viewmodel = viewmodel
        self.title = layout.label("", "heading")
        self.sentence = layout.label("", "muted", wraps=True)
        self.address, self.token, self.connection = (
            _line("Address"), _line("How to get the token"), _line("How to connect an agent")
        )  # fmt: skip
        self._rows = QWidget()
        rows = layout.column(space=theme.SMALL)
        for words, line in (("Address (MCP)", self.address), ("Token", self.token), ("Connect", self.connection)):
            name = layout.label(words, "muted")
            name.setFixedWidth(104)
            copy = layout.button("Copy", partial(_copy, line), about=f"Copy: {words}")
            copy.setAccessibleName(f"Copy {words}")
            rows.addLayout(layout.row(name, line, copy))
        self._rows.setLayout(rows)
        self.start = layout.button("Start serving", viewmodel.start, kind="primary", icon="serve")
        self.stop = layout.button("Stop serving", viewmodel.stop)
        buttons = layout.row(1, layout.button("Close", self.accept), self.stop, self.start)
        self.setLayout(
            layout.column(self.title, self.sentence, self._rows, buttons, space=theme.MEDIUM, margins=theme.LARGE)
        )
        self.setMinimumWidth(660)
        viewmodel.changed.connect(self._show)
        self._show(viewmodel.server)

    def _show(self, server: ServerProcess) -> None:
        is_on = server.state is ServerState.ON
        titles = {ServerState.OFF: "Not serving", ServerState.STARTING: "Starting…", ServerState.ON: "Serving"}
        self.title.setText(titles[server.state])
        self.sentence.setText(ON if is_on else OFF)
        self._rows.setVisible(is_on)
        self.address.setText(f"{server.url}/mcp")
        self.token.setText(TOKEN)
        self.connection.setText(f"memory-inspector connect CLIENT --url {server.url}/mcp")
        for line in (self.address, self.token, self.connection):
            line.setCursorPosition(0)
        self.start.setVisible(not is_on)
        self.start.setEnabled(server.state is ServerState.OFF)
        self.stop.setVisible(server.state is not ServerState.OFF)
        self.adjustSize()


def _line(name: str) -> QLineEdit:
    made = QLineEdit()
    made.setReadOnly(True)
    made.setAccessibleName(name)
    made.setFont(theme.monospace())
    return made


def _copy(line: QLineEdit) -> None:
    QGuiApplication.clipboard().setText(line.text())
