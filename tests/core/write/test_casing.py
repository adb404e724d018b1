"""Whether two texts that are equal but for case are one."""

from __future__ import annotations

import pytest

from core.write.casing import is_same_text


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use WAL", "use  wal"),
        ("Use write-ahead logging. It is fast.", "use Write-ahead logging. it is fast."),
        ("A deploy (On Friday) isn't allowed", "a deploy (on friday) Isn't allowed"),
        ("Don't deploy to US on Friday", "DON'T DEPLOY TO US ON FRIDAY"),
        ("", " "),
        ("ﬁne", "fine"),
    ],
)
def test_the_case_of_ordinary_words_and_spacing_say_nothing(a, b):
    assert is_same_text(a, b)
    assert is_same_text(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Copy it with scp -P 22", "Copy it with scp -p 22"),
        ("It begins in src/main.py", "It begins in src/Main.py"),
        ("State is kept by userStore", "State is kept by UserStore"),
        ("Set the level to DEBUG", "Set the level to debug"),
        ('Answer with "Y" twice', 'Answer with "y" twice'),
        ("30 MB", "30 Mb"),
        ("The release goes to US first", "The release goes to us first"),
        ("one word", "another word"),
        ("one word", "one word more"),
    ],
)
def test_the_case_of_an_option_path_identifier_unit_or_quotation_makes_two(a, b):
    assert not is_same_text(a, b)
    assert not is_same_text(b, a)
