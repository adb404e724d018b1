"""A text made to be slow is judged in time proportional to its length, and never for longer than a bound."""

from __future__ import annotations

import pytest
from growth import grows_too_fast

from core import update_phrases
from core.services import remember
from core.write import casing, contradiction, duplicate, particulars

KNOWN = "Notes on the harbour say that berth 4 is free and not let before May"


def repeated(part: str):
    return lambda chars: (part * (chars // len(part) + 1))[:chars]


HOSTILE = {
    "dashes": repeated("-"),
    "one word": repeated("a"),
    "one word with a digit at its end": lambda chars: "a" * chars + "1",
    "Chinese": lambda chars: "".join(chr(0x4E00 + at * 7 % 2_000) for at in range(chars)),
    "denials": repeated("not "),
    "sentences": repeated("Berth 4 is free. "),
    "different words": lambda chars: " ".join(f"w{at}" for at in range(chars // 6)),
    "quotes": repeated('"'),
    "was": lambda chars: "was " * (chars // 4) + "der",
}


@pytest.mark.parametrize("text_of", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "work",
    [
        lambda text: contradiction.judge(text, KNOWN),
        lambda text: contradiction.judge(text, f"{text} not"),
        lambda text: particulars.are_equal(text, f"{text} {text}"),
        lambda text: duplicate.states_other_fact(text, f"{text} too"),
        lambda text: duplicate.states_other_fact(text, " ".join(sorted(text.split(), reverse=True))),
        lambda text: casing.is_same_text(f"Use {text}", f"use {text.upper()}"),
        update_phrases.asks_about_event,
    ],
    ids=["against", "against itself", "particulars", "something else", "another order", "case", "event"],
)
def test_judging_takes_time_in_proportion_to_the_length(work, text_of):
    assert not grows_too_fast(work, text_of)


def test_what_is_too_long_to_judge_is_a_copy_of_its_equal_alone(workspace):
    long = "The harbour has a berth for every boat of the island. " * 300
    assert len(long) > duplicate.MAX_JUDGED_CHARS
    first = remember.remember(workspace, {"content": long}, actor="person")
    other = remember.remember(workspace, {"content": f"{long} And one more."}, actor="person")
    again = remember.remember(workspace, {"content": f"  {long.upper()}"}, actor="person")
    assert other.duplicate is None
    assert again.duplicate.memory.id == first.memory.id


def test_judging_that_takes_too_long_is_given_up_and_the_memory_kept(workspace):
    for number in range(3):
        remember.remember(workspace, {"content": f"The nightly backup runs on host {number}"}, actor="person")
    known = remember.remember(workspace, {"content": "Deploys of the platform happen on Tuesdays"}, actor="person")
    fields = {"content": "On Tuesdays deploys of the platform happen"}
    late = remember.remember(workspace, fields, actor="person", max_judging_seconds=0)
    assert (late.duplicate, late.contradictions) == (None, ())
    assert late.not_compared > 0
    same = {"content": known.memory.content}
    assert remember.remember(workspace, same, actor="person", max_judging_seconds=0).duplicate is not None
    in_time = remember.remember(workspace, fields, actor="person")
    assert (in_time.duplicate.rule, in_time.not_compared) == ("same text", 0)
