"""The desktop at a million memories: first page, scroll step, sort, filter, memory; and start to first paint at 10,000.

The store is made with bare SQL, without a journal, since only reading is
measured. Times are from the wish to the painted window, everything in between included.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import apsw
from PySide6.QtCore import QEventLoop, QTimer

from core.search import Column
from core.services.workspace import Workspace
from inspector.gui import app
from inspector.gui.main_window import MainWindow
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.session import Session
from tests.benchmarks import generator
from tests.benchmarks.tables import Table

ROOT = Path(__file__).parents[2]
TYPES = ("fact", "decision", "gotcha", "preference")
TAGS = tuple(f"tag{number}" for number in range(40))
FIRST_PAINT = """
import os, sys, time
begun = time.perf_counter()
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
from inspector.gui import app
from inspector.gui.settings import Settings
app.application()
window = app.window(Settings(Path(sys.argv[2])), with_model=False)
window.show(); window.grab()
painted = time.perf_counter()
from PySide6.QtCore import QEventLoop
loop = QEventLoop()
window.browse_viewmodel.table.dataChanged.connect(lambda *_: loop.quit())
window.session.open(Path(sys.argv[1]))
loop.exec()
window.grab()
print(f"{(painted - begun) * 1000:.0f} {(time.perf_counter() - begun) * 1000:.0f}")
window.close()
"""


def fill(path: Path, size: int) -> None:
    Workspace.create(path).close()
    rng, contents = random.Random(7), generator.contents()
    connection = apsw.Connection(str(path))
    connection.execute("pragma synchronous = off")
    with connection:
        for id in range(1, size + 1):
            content, at = next(contents), rng.randrange(1_600_000_000, 1_790_000_000) * 1_000_000
            connection.execute(
                "insert into memories values (?, ?, ?, ?, '', ?, '[]', '[]', ?, ?, '', ?, 'agent', '{}', '{}', ?, 1.0,"
                " 'normal', 0, 'active', ?, ?, null, ?, 0, 1)",
                (id, f"u{id}", content, str(id), rng.choice(TYPES), f"c{id % 5}", f"s{id % 1000}", f"a{id % 7}",
                 rng.random(), at, at, rng.randrange(50)),
            )  # fmt: skip
            tag = rng.choice(TAGS)
            connection.execute("insert into tags values (?, 0, ?)", (id, tag))
            connection.execute(
                "insert into fulltext (rowid, content, summary, entities, files, tags) values (?, ?, '', '', '', ?)",
                (id, content, tag),
            )
    connection.close()


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if is_so() else None)
    timer.start(1)
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def timed(window: MainWindow, act: Callable[[], None], is_done: Callable[[], bool]) -> float:
    begun = time.perf_counter()
    act()
    until(is_done)
    window.grab()
    return (time.perf_counter() - begun) * 1000


def measured(path: Path) -> list[tuple[str, float]]:
    app.application()
    app.collect_on_the_gui_thread(app.application())
    window = MainWindow(Session(with_model=False), Settings(path.with_suffix(".ini")))
    window.apply_theme("light")
    window.resize(1440, 900)
    window.show()
    viewmodel, table = window.browse_viewmodel, window.browse_viewmodel.table
    view = window.browse_view.table

    def is_shown() -> bool:
        listing = viewmodel._listing
        is_current = listing is not None and (listing.selection, listing.order) == (
            viewmodel.selection,
            viewmodel.order,
        )
        top = max(view.rowAt(1), 0)
        is_fresh = top // table._page_size not in table._stale
        has_row = table.total == 0 or table.row(top) is not None
        return is_current and not viewmodel._throttle.isActive() and is_fresh and has_row

    rows = [("opened, the first page is there", timed(window, lambda: window.session.open(path), is_shown))]
    steps = []
    for number in range(20):
        row = (table.total - 50) * (number + 1) // 21
        steps.append(
            timed(window, lambda row=row: view.scrollTo(table.index(row, 0), view.ScrollHint.PositionAtTop), is_shown)
        )
    rows.append(("a jump to anywhere in the list (median of 20)", statistics.median(steps)))
    for column in (Column.CONFIDENCE, Column.CONTENT, Column.TAGS):
        rows.append(
            (
                f"sorted by {column}",
                timed(window, lambda column=column: viewmodel.sort(column, descending=False), is_shown),
            )
        )
    viewmodel.sort(Column.CREATED, descending=True)
    until(is_shown)
    rows.append(("filtered by type", timed(window, lambda: viewmodel.filter_by(types=("gotcha",)), is_shown)))
    viewmodel.clear()
    until(is_shown)
    rows.append(("searched for a rare word", timed(window, lambda: viewmodel.narrow(text="word9000"), is_shown)))
    rows.append(("searched for a common word", timed(window, lambda: viewmodel.narrow(text="word3"), is_shown)))
    window.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [*rows, ("most memory of the process, in MB", peak)]


def measure(size: int) -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.db", Path(folder) / "large.db"
        fill(small, 10_000)
        fill(large, size)
        # In children: what filling the stores has taken is not the desktop's.
        home = {**os.environ, "MEMORY_INSPECTOR_HOME": folder}

        def child(*arguments: str) -> str:
            command = [sys.executable, *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=home).stdout

        rows = [tuple(row) for row in json.loads(child("-m", "tests.benchmarks.desktop", str(large)))]
        runs = [child("-c", FIRST_PAINT, str(small), str(Path(folder) / "paint.ini")).split() for _ in range(3)]
    for place, what in enumerate(("start to the first paint", "start to the first page of 10,000")):
        rows.append((what, statistics.median(float(run[place]) for run in runs)))
    return [Table(f"The desktop at {size:,} memories", ("what", "ms"), rows)]


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]))))
