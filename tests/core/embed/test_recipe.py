"""What text of a memory is embedded."""

from __future__ import annotations

from datetime import UTC, datetime

from core import draft
from core.embed.recipe import embedded_text
from core.model import EMBEDDED_FIELDS, Memory

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def test_names_the_text_leaves_out_are_put_before_it():
    memory = draft.memory({"content": "I adopted a dog", "entities": ["Caroline"]}, NOW)
    assert embedded_text(memory) == "Caroline: I adopted a dog"


def test_names_the_text_says_itself_are_not_repeated():
    memory = draft.memory({"content": "alembic hangs", "entities": ["Alembic", "orders table"]}, NOW)
    assert embedded_text(memory) == "orders table: alembic hangs"


def test_the_recipe_reads_only_the_fields_whose_change_takes_vectors_away():
    memory = draft.memory({"content": "text", "entities": ["name"]}, NOW)
    other = draft.memory(
        {"content": "text", "entities": ["name"], "type": "plan", "summary": "s", "tags": ["t"], "user": "u",
         "agent": "a", "session": "x", "collection": "c", "files": ["f"], "context": {"a": 1}}, NOW)  # fmt: skip
    assert embedded_text(memory) == embedded_text(other)
    assert set(Memory._fields) >= EMBEDDED_FIELDS
    assert embedded_text(memory._replace(entities=())) != embedded_text(memory)
