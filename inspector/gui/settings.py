"""The settings of the desktop, in the data folder: windows, columns, filters, recent stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from core import folders

MAX_RECENT = 8


class Settings:
    """Values by name; a value that cannot be read counts as absent."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = QSettings(str(path or folders.data() / "desktop.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        value = self._file.value(name, default)
        return value if isinstance(value, str) else default

    def set_text(self, name: str, value: str) -> None:
        self._file.setValue(name, value)

    def data(self, name: str, default: Any = None) -> Any:
        """Return a value that JSON can hold."""
        try:
            return json.loads(self.text(name))
        except ValueError:
            return default

    def set_data(self, name: str, value: Any) -> None:
        self.set_text(name, json.dumps(value))

    def state(self, name: str) -> QByteArray:
        """Return the geometry or state of a widget in Qt's format."""
        return QByteArray.fromBase64(self.text(f"state/{name}").encode())

    def set_state(self, name: str, value: QByteArray) -> None:
        self.set_text(f"state/{name}", bytes(value.toBase64().data()).decode())

    def recent_stores(self) -> list[Path]:
        found = self.data("recent", [])
        return [Path(each) for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def remember_store(self, path: Path) -> None:
        others = [each for each in self.recent_stores() if each != path]
        self.set_data("recent", [str(each) for each in [path, *others][:MAX_RECENT]])

    def save(self) -> None:
        self._file.sync()
