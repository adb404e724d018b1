"""Past states and versions follow from images alone, without an engine."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core import draft
from core.changes import Op
from core.model import MemoryId
from core.store import history
from core.store.records import Image, JournalEntry, StoreState
from core.store.row_format import memory_to_row

NOW = datetime(2026, 11, 15, tzinfo=UTC)
FIRST = draft.memory({"content": "first"}, NOW).numbered(MemoryId(1))
SECOND = FIRST._replace(content="second", version=2)
ADDED = Image("memory", "1", None, memory_to_row(FIRST))
ROWS = memory_to_row(FIRST), memory_to_row(SECOND)
CHANGED = {name for name in ROWS[0] if ROWS[0][name] != ROWS[1][name]}
EDITED = Image("memory", "1", *({name: row[name] for name in CHANGED} for row in ROWS))
REMOVED = Image("memory", "1", memory_to_row(SECOND), None)
SET = Image("setting", "model", {"value": None}, {"value": "x"})


def state(*memories, **settings) -> StoreState:
    return StoreState({memory.id: memory for memory in memories}, {}, settings)


@pytest.mark.parametrize(
    ("now", "later", "then"),
    [
        (state(SECOND), [], state(SECOND)),
        (state(SECOND), [EDITED], state(FIRST)),
        (state(SECOND), [EDITED, ADDED], state()),
        (state(), [REMOVED], state(SECOND)),
        (state(), [REMOVED, EDITED], state(FIRST)),
        (state(FIRST, model="x"), [SET], state(FIRST)),
    ],
)
def test_later_images_lead_back_to_an_earlier_state(now, later, then):
    assert history.state_before(now, later) == then


def test_the_versions_of_a_memory_are_what_each_operation_made_of_it():
    entries = [JournalEntry(n, NOW, Op.EDIT, "a", "") for n in range(4)]
    used = Image("memory", "1", {"access_count": 0}, {"access_count": 1})
    found = history.versions(zip(entries, (ADDED, used, EDITED, REMOVED), strict=True))
    assert [(each.entry.seq, each.memory) for each in found] == [
        (0, FIRST),
        (2, SECOND._replace(access_count=1)),
        (3, None),
    ]


def test_a_history_that_leads_to_the_state_is_sound():
    history.check_history([ADDED, EDITED, SET], state(SECOND, model="x"))
    history.check_history([ADDED, EDITED, REMOVED], state())


@pytest.mark.parametrize(
    "images", [[ADDED], [EDITED], [ADDED, ADDED, EDITED], [ADDED, EDITED, REMOVED], [ADDED, EDITED, SET], []]
)
def test_a_history_that_leads_elsewhere_is_refused(images):
    with pytest.raises((ValueError, KeyError, TypeError)):
        history.check_history(images, state(SECOND))
