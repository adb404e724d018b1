"""The viewmodel of File › Serve Agents: the server `memory-inspector --serve` as a child process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from inspector import program
from inspector.gui.viewmodels.open_store import OpenStore

PATIENCE_MS = 5_000


class ServerState(StrEnum):
    OFF = "off"
    STARTING = "starting"
    ON = "on"


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """The state of the server; `url` is its address once it answers."""

    state: ServerState = ServerState.OFF
    url: str = ""


class ServingViewModel(QObject):
    """At most one server, of the open store. It ends with the store and with the window; when the window crashes, the
    system closes its standard input, which ends it too."""

    changed = Signal(object)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._process: QProcess | None = None
        self._ending: list[QProcess] = []
        self._output, self._complaint = b"", ""
        self.server = ServerProcess()
        store.closed.connect(self.stop)

    def start(self) -> None:
        path = self._store.path
        if path is None or self._process is not None:
            return
        process = QProcess(self)
        interpreter, *module = program.command()
        process.setProgram(interpreter)
        process.setArguments([*module, "--db", str(path), "--serve", "--port", "0", "--json", "--tethered"])
        process.readyReadStandardOutput.connect(self._on_output)
        process.readyReadStandardError.connect(self._on_error_output)
        process.finished.connect(lambda *_: self._on_ended(process))
        process.errorOccurred.connect(lambda error: self._on_error(process, error))
        self._process, self._output, self._complaint = process, b"", ""
        self._become(ServerProcess(ServerState.STARTING))
        process.start()

    def stop(self) -> None:
        """Ask the server to end, without waiting; one that does not end in time is killed."""
        process, self._process = self._process, None
        if process is None:
            return
        self._ending.append(process)
        process.closeWriteChannel()
        QTimer.singleShot(PATIENCE_MS, process, process.kill)
        self._become(ServerProcess())

    def end(self) -> None:
        """End the server when the window closes, and wait for it."""
        self.stop()
        for process in tuple(self._ending):
            if not process.waitForFinished(PATIENCE_MS):
                process.kill()
                process.waitForFinished(PATIENCE_MS)

    def _on_output(self) -> None:
        if self._process is None:
            return
        self._output += bytes(self._process.readAllStandardOutput().data())
        try:
            url = str(json.loads(self._output)["url"])
        except (ValueError, KeyError, TypeError):
            return  # the output is incomplete
        self._become(ServerProcess(ServerState.ON, url))

    def _on_error_output(self) -> None:
        if self._process is not None:
            output = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
            self._complaint = output.splitlines()[-1] if output else self._complaint

    def _on_error(self, process: QProcess, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:  # then `finished` is never emitted
            self._complaint = process.errorString()
            self._on_ended(process)

    def _on_ended(self, process: QProcess) -> None:
        if process in self._ending:
            self._ending.remove(process)
        elif process is self._process:
            self._process = None
            self._store.failed.emit(f"The server stopped. {self._complaint}".strip())
            self._become(ServerProcess())
        process.deleteLater()

    def _become(self, server: ServerProcess) -> None:
        self.server = server
        self.changed.emit(server)
