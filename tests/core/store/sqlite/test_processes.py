"""Several processes share one file: nothing is lost, no process sees that the database is locked."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from core.model import Filter

WRITERS = 4
EACH = 250

WRITER = """
    import sys
    from pathlib import Path
    from core import draft
    from core.changes import Op
    from core.errors import StaleEdit
    from core.store.sqlite.engine import SqliteStore

    path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    store = SqliteStore.open(path, backups=path.parent / "backups")
    for n in range(count):
        with store.transact(Op.REMEMBER, name) as transaction:
            transaction.add_memory(draft.memory({"content": f"{name} memory {n}", "agent": name}, transaction.now))
        while True:  # all add to one counter; one that read an old version is refused and reads again
            with store.read() as reader:
                shared = reader.memory_by_uid("shared")
            try:
                with store.transact(Op.EDIT, name) as transaction:
                    count_so_far = shared.context["count"]
                    transaction.update_memory(
                        shared.id, {"context": {"count": count_so_far + 1}}, expected_version=shared.version)
                break
            except StaleEdit:
                continue
"""


def test_four_processes_writing_at_once_lose_nothing(store):
    from core import draft
    from core.changes import Op

    with store.transact(Op.REMEMBER, "test") as transaction:
        fields = {"content": "a counter", "uid": "shared", "context": {"count": 0}}
        transaction.add_memory(draft.memory(fields, transaction.now))
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(store.path)]
    writers = [
        subprocess.Popen([*command, f"writer-{n}", str(EACH)], stderr=subprocess.PIPE, cwd=Path(__file__).parents[4])
        for n in range(WRITERS)
    ]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        with store.read() as reader:  # reading goes on meanwhile, and only ever sees more
            count = reader.count()
        assert count >= seen
        seen = count
    assert [writer.communicate()[1].decode() for writer in writers] == [""] * WRITERS
    with store.read() as reader:
        assert reader.counts_by("agent") == {"": 1, **{f"writer-{n}": EACH for n in range(WRITERS)}}
        assert reader.memory_by_uid("shared").context == {"count": WRITERS * EACH}
        assert reader.count(Filter()) == WRITERS * EACH + 1
    assert store.check() == []
