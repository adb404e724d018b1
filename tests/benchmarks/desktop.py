"""The desktop at a million memories: first page, scroll step, sort, filter, memory; start to first paint at 10,000; a
graph of 500.

The store is made with bare SQL, without a journal, since only reading is measured. Times are from the wish to the
painted rows, everything in between included (150 ms of it, for a filter or a search, is the wait for the next letter).
"""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import apsw
from PySide6.QtCore import QEventLoop, QTimer

from core import draft
from core.clock import SystemClock
from core.model import Link, LinkKind, MemoryId
from core.search_types import SortColumn
from core.services import graph
from core.services.workspace import Workspace
from inspector.gui import app
from inspector.gui.main_window import MainWindow
from inspector.gui.models.memory_table import COLUMNS
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.open_store import OpenStore
from inspector.gui.widgets.graph_canvas import GraphCanvas
from tests.benchmarks import generator
from tests.benchmarks.tables import Cell, Table

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
window.store.open(Path(sys.argv[1]))
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


class Pulse:
    """The longest time that the window answered nothing: the widest gap between two ticks of a timer."""

    def __init__(self) -> None:
        self.longest_ms, self._last = 0.0, time.perf_counter()
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(1)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest_ms, self._last = max(self.longest_ms, (now - self._last) * 1000), now


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if is_so() else None)
    timer.start(1)
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def measured(path: Path) -> Iterator[tuple[Cell, ...]]:
    app.application()
    app.collect_on_the_gui_thread(app.application())
    window = MainWindow(OpenStore(with_model=False), Settings(path.with_suffix(".ini")))
    window.appearance.put_on("light")
    window.resize(1440, 900)
    window.show()
    viewmodel, table = window.browse_viewmodel, window.browse_viewmodel.table
    view = window.browse_view.table

    def is_shown() -> bool:
        listing = viewmodel._listing
        if listing is None or (listing.selection, listing.order) != (viewmodel.selection, viewmodel.order):
            return False
        top = max(view.rowAt(1), 0)
        is_fresh = top // table._page_size not in table._stale
        has_row = table.total == 0 or table.row(top) is not None
        return not viewmodel._throttle.isActive() and is_fresh and has_row

    def timed(what: str, act: Callable[[], None]) -> tuple[Cell, ...]:
        """From the wish to its first page in the window, to the whole list, and how long the window was deaf."""
        pulse, begun = Pulse(), time.perf_counter()
        act()
        until(is_shown)
        view.viewport().repaint()
        shown = (time.perf_counter() - begun) * 1000
        until(lambda: is_shown() and viewmodel.is_whole)
        whole = (time.perf_counter() - begun) * 1000
        return what, round(shown), round(whole), round(pulse.longest_ms)

    yield timed("opened", lambda: window.store.open(path))
    pulse, steps = Pulse(), []
    for number in range(20):
        row = (table.total - 50) * (number + 1) // 21
        begun = time.perf_counter()
        view.scrollTo(table.index(row, 0), view.ScrollHint.PositionAtTop)
        until(is_shown)
        view.viewport().repaint()
        steps.append((time.perf_counter() - begun) * 1000)
    yield (
        "a jump to anywhere in the list (median of 20)",
        round(statistics.median(steps)),
        None,
        round(pulse.longest_ms),
    )
    for shown in sorted(
        (each for each in COLUMNS if each.is_default), key=lambda each: each.column is SortColumn.CREATED
    ):
        sort = partial(viewmodel.sort, shown.column, descending=shown.is_number)
        yield timed(f"sorted by {shown.column}", sort)
    yield timed("filtered by type", lambda: viewmodel.filter_by(types=("gotcha",)))
    yield timed("filtered by tag, too", lambda: viewmodel.filter_by(tags=("tag7",)))
    yield timed("without any filter", viewmodel.clear)
    yield timed("searched for a rare word", lambda: viewmodel.narrow(text="word9000"))
    yield timed("searched for a common word", lambda: viewmodel.narrow(text="word3"))
    window.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield "most memory of the process, in MB", round(peak), None, None
    yield "load of the machine meanwhile (1 is one busy core)", round(os.getloadavg()[0], 1), None, None


def picture() -> Iterator[tuple[Cell, ...]]:
    """A graph of 500 memories and 1,500 links: how much work each frame is, of a move, of coming closer, of a walk."""
    rng, now = random.Random(7), SystemClock().now()
    texts = itertools.islice(generator.contents(), graph.MAX_NODES)
    memories = [
        draft.memory({"content": text, "type": rng.choice(TYPES)}, now)._replace(id=MemoryId(id))
        for id, text in enumerate(texts, 1)
    ]
    pairs = sorted(
        {(MemoryId(a), MemoryId(rng.randrange(1, a))) for a in range(2, len(memories) + 1) for _ in range(3)}
    )
    links = [
        Link(source_id=a, target_id=b, kind=rng.choice(tuple(LinkKind)), weight=rng.random(), created_at=now)
        for a, b in pairs
    ]
    begun = time.thread_time()
    places = graph.layout([each.id for each in memories], [(each.source_id, each.target_id, 0.5) for each in links], {})
    yield "graph of 500: laid out, in the background", round((time.thread_time() - begun) * 1000), None, None
    spots = [graph.Node(each, min(each.id - 1, 2), *places[each.id], links=6, hidden=0) for each in memories]
    qt = app.application()
    canvas = GraphCanvas()
    canvas.resize(1000, 800)
    canvas.show()
    canvas.show_graph(spots, links)
    bar = canvas.horizontalScrollBar()
    acts: dict[str, Callable[[], None]] = {
        "coming closer": lambda: canvas._zoom(1.05),
        "moving": lambda: bar.setValue(bar.value() + 8),
        "walking from dot to dot": lambda: canvas._walk(1, 0),
        "going away": lambda: canvas._zoom(1 / 1.05),
    }
    for what, act in acts.items():
        frames = []
        for _ in range(20):
            qt.processEvents()
            begun = time.thread_time()
            act()
            qt.processEvents()
            frames.append((time.thread_time() - begun) * 1000)
        yield f"graph of 500: a frame of {what} (median of 20)", round(statistics.median(frames)), None, None


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
        rows.append((what, statistics.median(float(run[place]) for run in runs), None, None))
    columns = ("what", "first page, ms", "whole list, ms", "longest without an answer, ms")
    return [Table(f"The desktop at {size:,} memories", columns, rows)]


if __name__ == "__main__":
    print(json.dumps([*measured(Path(sys.argv[1])), *picture()]))
