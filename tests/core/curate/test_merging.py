"""What one memory made of several holds, and how sure it is."""

from __future__ import annotations

import pytest
from store_steps import add

from core.curate import merging
from core.curate.merging import MergedConfidence
from core.errors import UserError
from core.model import Importance, Status

MARA = "Mara prefers dark mode in every editor"


@pytest.fixture
def unrelated(store):
    return [
        add(store, "Deploys happen on Tuesdays after the stand-up", tags=["deploy", "team"], confidence=0.9),
        add(
            store, MARA, tags=["mara", "team"], entities=["Mara"], files=["editor.toml"], confidence=1.0, pinned=True,
            importance="high",
        ),
    ]  # fmt: skip


def test_every_tag_name_and_file_is_kept_once_in_its_first_order(unrelated):
    made = merging.fields(unrelated, are_duplicates=False)
    assert (made["tags"], made["entities"], made["files"]) == (["deploy", "team", "mara"], ["Mara"], ["editor.toml"])


def test_one_pinned_or_important_memory_makes_the_merged_one_so(unrelated):
    made = merging.fields(unrelated, are_duplicates=False)
    assert (made["pinned"], made["importance"]) == (True, Importance.HIGH)


def test_the_text_stays_unless_another_is_given(unrelated):
    assert "content" not in merging.fields(unrelated, are_duplicates=False)
    assert merging.fields(unrelated, "Both", are_duplicates=False)["content"] == "Both"


def test_what_a_person_stands_behind_stays_a_persons(store):
    agents = [add(store, f"An agent's word {n}", source="agent") for n in range(2)]
    assert "source" not in merging.fields(agents, are_duplicates=False)
    pinned = add(store, "Pinned by a person", source="agent", pinned=True)
    assert merging.fields([agents[0], pinned], are_duplicates=False)["source"] == "person"


def test_merging_unrelated_memories_never_raises_confidence(unrelated):
    assert merging.confidence(unrelated, are_duplicates=False).value == 0.9


def test_a_new_text_of_different_statements_is_no_surer_than_the_least_sure(unrelated):
    made = merging.confidence(unrelated[::-1], "Two things in one sentence", are_duplicates=False)
    assert made == MergedConfidence(
        0.9, "the lowest of 1.00, 0.90, because the text is new and they do not say the same"
    )


def test_the_text_of_one_of_them_keeps_its_own_confidence(unrelated):
    made = merging.confidence(unrelated, f"  {MARA} ", are_duplicates=False)
    assert made == MergedConfidence(
        1.0, f"that of memory {unrelated[1].id}, whose text it is; they do not say the same"
    )


def test_copies_become_as_sure_as_the_surest(unrelated):
    made = merging.confidence(unrelated, "Any text", are_duplicates=True)
    assert made == MergedConfidence(1.0, "the highest of 0.90, 1.00, because they say the same")


def test_a_merge_of_fewer_than_two_is_refused(unrelated):
    for memories in ([], unrelated[:1]):
        with pytest.raises(UserError, match="at least two"):
            merging.fields(memories, are_duplicates=False)


@pytest.mark.parametrize(
    ("statuses", "is_refused"),
    [
        ((Status.ARCHIVED, Status.ACTIVE), True),
        ((Status.ACTIVE, Status.DELETED), True),
        ((Status.DELETED, Status.ACTIVE), True),
        ((Status.ACTIVE, Status.ARCHIVED), False),
        ((Status.ACTIVE, Status.SUPERSEDED), False),
    ],
)
def test_the_kept_one_must_be_active_and_none_may_be_forgotten(unrelated, statuses, is_refused):
    memories = [memory._replace(status=status) for memory, status in zip(unrelated, statuses, strict=True)]
    if not is_refused:
        assert merging.fields(memories, are_duplicates=False)
        return
    with pytest.raises(UserError, match="restore it first"):
        merging.fields(memories, are_duplicates=False)
