"""Text becomes words in every language."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core import text


def test_a_chinese_run_is_indexed_as_overlapping_pairs_and_its_last_character():
    assert text.index_text("抓取杯子").split() == ["抓取", "取杯", "杯子", "子"]


def test_latin_text_around_a_chinese_run_is_left_alone():
    assert text.index_text("用Redis做缓存").split() == ["用", "Redis", "做缓", "缓存", "存"]


def test_full_width_letters_and_half_width_kana_are_one_with_the_usual_forms():
    assert text.index_text("ＲＥＤＩＳ") == "REDIS"
    assert text.query_words("ｶﾞﾗｽ") == text.query_words("ガラス")


def test_stop_words_are_dropped_unless_nothing_else_is_left():
    assert text.query_words("why do the migrations hang?") == ["migrations", "hang"]
    assert text.query_words("who are you") == ["who", "are", "you"]


def test_a_word_is_asked_for_once():
    assert text.query_words("cache Cache CACHE") == ["cache"]


def test_the_hash_ignores_case_spacing_and_character_forms_but_not_words():
    assert text.content_hash("Use  WAL\nmode") == text.content_hash("use wal mode")
    assert text.content_hash("ＷＡＬ") == text.content_hash("wal")
    assert text.content_hash("use wal") != text.content_hash("use no wal")


def test_the_digest_distinguishes_fields():
    assert text.digest("ab", "c") != text.digest("a", "bc")


def test_the_last_word_of_a_text_being_typed_is_unfinished():
    assert text.typed_words("Lock, tim") == (["Lock"], ["tim"])
    assert text.typed_words("抓取杯 tim") == (["抓取", "取杯"], ["tim"])
    assert text.typed_words("…") == ([], [])


@given(st.text())
def test_no_word_of_a_query_holds_a_quote_or_an_operator(query):
    words = text.query_words(query)
    assert len(words) <= text.MAX_QUERY_WORDS
    assert all(word and not set(word) & set('" \0*()') for word in words)


def test_twenty_thousand_words_are_cut_to_the_most_that_are_asked():
    assert len(text.query_words(" ".join(f"w{n}" for n in range(20_000)))) == text.MAX_QUERY_WORDS
