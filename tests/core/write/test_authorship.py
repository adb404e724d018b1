"""Whose word a memory is: a person's, or that of the agent that changed it."""

from __future__ import annotations

import pytest
from store_steps import add

from core.errors import UserError
from core.write import authorship


def test_a_person_stands_behind_what_a_person_wrote_or_pinned(store):
    assert authorship.is_of_person(add(store, source="person"))
    assert authorship.is_of_person(add(store, source="agent", pinned=True))
    assert not authorship.is_of_person(add(store, source="agent"))


@pytest.mark.parametrize(
    ("fields", "changed", "actor", "expected"),
    [
        ({"source": "agent"}, {"content"}, "person", {"source": "person"}),
        ({"source": "agent"}, {"tags"}, "person", {}),
        ({"source": "agent"}, {"content"}, "codex", {"agent": "codex"}),
        ({"source": "agent"}, {"tags"}, "codex", {}),
        ({"source": "person"}, {"tags"}, "codex", {"source": "agent", "agent": "codex", "pinned": False}),
        (
            {"source": "agent", "pinned": True},
            {"tags"},
            "codex",
            {"source": "agent", "agent": "codex", "pinned": False},
        ),
        ({"source": "person"}, set(), "codex", {}),
    ],
)
def test_an_edit_is_signed_by_its_author(store, fields, changed, actor, expected):
    assert authorship.author_fields_after_edit(add(store, **fields), changed, actor) == expected


def test_a_new_memory_of_an_agent_is_signed_and_sets_no_mark_of_trust():
    assert authorship.fields_with_author({"content": "x", "agent": "another"}, "codex") == {
        "content": "x",
        "agent": "codex",
        "source": "agent",
    }
    for name in authorship.PERSON_ONLY_FIELDS:
        with pytest.raises(UserError, match=f"Only a person can set {name}"):
            authorship.fields_with_author({"content": "x", name: 1}, "codex")


def test_a_person_sets_every_field():
    fields = {"content": "x", "pinned": True, "source": "import"}
    assert authorship.fields_with_author(fields, "person") == fields
