"""Queries of FTS5: every word quoted, so that none is an operator."""

from __future__ import annotations

from core import text
from core.store.sqlite import fulltext


def test_a_single_chinese_character_is_asked_for_by_prefix():
    assert fulltext.match_expression(text.query_words("杯")) == '"杯"*'


def test_any_of_the_words_matches_and_none_is_an_operator():
    assert fulltext.match_expression(["lock", "near"]) == '"lock" OR "near"'


def test_all_words_typed_so_far_narrow_a_list_the_last_one_as_a_prefix():
    assert fulltext.narrowing_expression("lock AND tim") == '"lock" AND "AND" AND "tim"*'
    assert fulltext.narrowing_expression("抓取杯") == '"抓取"* AND "取杯"*'
    assert fulltext.narrowing_expression("…") == ""
