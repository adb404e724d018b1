"""kill -9 in the middle of writing: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import random
import select
import signal
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw

from core.model import Embedding, Filter, Space
from core.store.sqlite.engine import SqliteStore

SPACE = Space("test/four", "1", 4, "abc", "content")
KILLS = 100

# Each operation adds three linked memories with vectors, edits one and forgets one of the last; the number
# of the operation is printed once it is committed.
WRITER = """
    import struct, sys
    from pathlib import Path
    from core import draft
    from core.changes import Op
    from core.model import Embedding, Space
    from core.store.sqlite.engine import SqliteStore

    SPACE = Space("test/four", "1", 4, "abc", "content")
    path = Path(sys.argv[1])
    store = SqliteStore.open(path, backups=path.parent / "backups")
    n = int(sys.argv[2])
    last = None
    print("ready", flush=True)
    while True:
        n += 1
        with store.transact(Op.REMEMBER, "writer", str(n)) as transaction:
            now = transaction.now
            vector = {SPACE: Embedding(struct.pack("<4f", 1, n, 0, 0))}
            added = [transaction.add_memory(draft.memory({"content": f"operation {n} part {part} " * 20,
                     "session": str(n)}, now), vector) for part in range(3)]
            transaction.add_link(draft.link({"kind": "relates"}, added[0].id, added[1].id, now))
            transaction.update_memory(added[2].id, {"content": f"operation {n} edited"})
            if last is not None:
                transaction.remove_memory(last)
            last = added[1].id
        print(n, flush=True)
"""


def test_a_hundred_kills_in_mid_write_lose_nothing_that_was_acknowledged(store, tmp_path):
    store.close()
    rng = random.Random(7)
    acknowledged = 0
    for _ in range(KILLS):
        acknowledged = write_until_killed(store.path, acknowledged, rng.randint(0, 3), rng.uniform(0.0, 0.01))
        acknowledged = verify(store.path, tmp_path / "backups", acknowledged)
    assert acknowledged > KILLS


def write_until_killed(path: Path, start: int, after: int, and_seconds: float) -> int:
    """Run the writer, kill it some time after so many operations, and return the last number it printed."""
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(start)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[4])
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    printed = [writer.stdout.readline().strip() for _ in range(after)]
    select.select([], [], [], and_seconds)  # any moment will do: nothing is waited for
    writer.send_signal(signal.SIGKILL)
    printed += writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    return int(printed[-1]) if printed else start


def verify(path: Path, backups: Path, acknowledged: int) -> int:
    """Everything acknowledged is there, the last operation wholly or not at all; returns the last number."""
    connection = apsw.Connection(str(path))
    assert connection.execute("pragma integrity_check").get == "ok"
    connection.close()
    with SqliteStore.open(path, backups=backups) as store:
        assert store.check() == []
        with store.read() as reader:
            operations = {int(entry.reason) for entry in reader.journal_entries(limit=10**6)}
            last = max(operations, default=0)
            assert operations == set(range(1, last + 1))
            assert acknowledged <= last <= acknowledged + 1
            if last:
                of_last = reader.page(Filter(sessions=(str(last),)))
                assert len(of_last) == 3
                edited, linked, first = of_last
                assert edited.content == f"operation {last} edited"
                assert len(reader.links_of(first.id)) == 1
                assert reader.embedding(edited.id, SPACE) is None
                assert reader.embedding(linked.id, SPACE) == Embedding(struct.pack("<4f", 1, last, 0, 0))
    return last
