"""What the tests of the viewmodels share: a signal is waited for, and its argument returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def after(qtbot) -> Callable[..., Any]:
    """`after(signal, work)` does the work and returns what the signal then carries."""

    def wait(signal: Any, work: Callable[[], object]) -> Any:
        with qtbot.waitSignal(signal) as caught:
            work()
        return caught.args[0] if caught.args else None

    return wait
