"""What is small talk, and what refers to earlier talk."""

from __future__ import annotations

import time

import pytest

from core import prompt_phrases

SMALL_TALK = (
    "yes", "ok continue", "Thanks, that looks good!", "👍", "...", "no, not that one", "let's move on", "good morning",
    "sounds great, let's go", "that's exactly what I wanted", "hmm, let me think about it", "ça marche, merci beaucoup",
    "ja, mach bitte weiter", "perfecto, sigue", "sì, grazie", "да, спасибо", "好的，继续吧", "谢谢，看起来不错",
    "ありがとうございます", "네, 계속하세요", "I don’t know",
)  # fmt: skip
QUESTIONS = (
    "why do migrations hang?", "which pool size?", "ok, which port does the staging database use?", "next deadline",
    "what works best with SQLite?", "继续讨论数据库端口", "Redis", "thanks, and where is the deploy script?",
    "what did I like about Lisbon?", "option parser", "helpers of the build",
)  # fmt: skip


@pytest.mark.parametrize("prompt", SMALL_TALK)
def test_what_asks_for_nothing_is_small_talk(prompt):
    assert prompt_phrases.is_small_talk(prompt)


@pytest.mark.parametrize("prompt", QUESTIONS)
def test_what_names_anything_to_look_for_is_not(prompt):
    assert not prompt_phrases.is_small_talk(prompt)


def test_a_long_prompt_is_never_small_talk():
    assert not prompt_phrases.is_small_talk("yes " * 100)


@pytest.mark.parametrize(
    ("prompt", "phrase"),
    [
        ("Do you remember the port?", "remember"),
        ("what was the plan we made last time", "last time"),
        ("As we discussed, use the pool", "As we discussed"),
        ("wie besprochen: der Port", "wie besprochen"),
        ("上次的端口是多少", "上次"),
        ("which port does staging use?", ""),
        ("the dismembered queue", ""),
    ],
)
def test_a_reference_to_earlier_talk_is_found_as_it_is_written(prompt, phrase):
    assert prompt_phrases.recall_phrase(prompt) == phrase


def test_both_take_linear_time_on_a_text_made_to_be_slow():
    hostile = "we already we we have " * 5_000
    begun = time.process_time()
    prompt_phrases.recall_phrase(hostile)
    prompt_phrases.is_small_talk(hostile[:200])
    assert time.process_time() - begun < 5, "not a matter of speed: a backtracking pattern would take hours"
