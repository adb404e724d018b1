"""Names, numbers, identifiers, quoted strings and signs, which no other word can stand for."""

from __future__ import annotations

import pytest

from core.write import particulars


def test_numbers_are_everything_with_a_digit_as_written():
    assert particulars.numbers("Python 3.11, v2 at 10:30 (or 7)") == ["3.11", "v2", "10", "30", "7"]
    assert particulars.without_numbers("v2 of it, 7 times").split() == ["of", "it,", "times"]


def test_signs_and_quotations_are_listed_in_their_order():
    assert particulars.signs("a < b → c, 4 € ✅") == ["<", "→", "€", "✅"]
    assert particulars.quotations("say \"one  two\", then `three` and 'four' but don't") == ["one two", "three", "four"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Deploys run on Fridays", "On Fridays deploys run"),
        ("Ask Carol about it", "about it ask carol"),
        ('It logs "lost" then', "It logs lost then"),
        ("port 80.", "port 80"),
    ],
)
def test_the_same_particulars_otherwise_put_are_equal(a, b):
    assert particulars.are_equal(a, b)
    assert particulars.are_equal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("limit 10", "limit 20"),
        ("ask Carol", "ask Dave"),
        ("in src/main.py", "in src/app.py"),
        ("call getUser", "call GetUser"),
        ('it logs "one"', 'it logs "two"'),
        ("load < 5", "load > 5"),
        ("in ./tools", "in ../tools"),
        ("10 and 10", "10"),
    ],
)
def test_one_other_particular_makes_another_fact(a, b):
    assert not particulars.are_equal(a, b)
    assert not particulars.are_equal(b, a)
