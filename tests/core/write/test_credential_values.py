"""Whether a value may be a credential, by its characters alone."""

from __future__ import annotations

import base64

import pytest

from core.write import credential_values as values


@pytest.mark.parametrize(
    "value", ["<password>", "${TOKEN}", "changeme", "os.environ[KEY]", "xxxxxxxx", "your-key-here"]
)
def test_what_only_stands_for_a_value_is_a_placeholder(value):
    assert values.is_placeholder(value)
    assert not values.is_password(value)
    assert not values.is_key(value)


def test_a_value_made_by_chance_is_distinguished_from_words():
    assert values.is_random("a8Kd02mZq71LxP")
    assert values.is_mixed("a8Kd02mZq71LxP")
    for words in ("connection-pool-size", "short1", "123456789012", "internationalisation"):
        assert not values.is_random(words)


def test_a_password_has_letters_and_digits_or_signs_among_them():
    for password in ("hunter2x", "c0rrect-h0rse", "blue-whale-77", "pa$$word!x"):
        assert values.is_password(password)
    for word in ("vault", "password", "see-the-vault", "aaaaaa1", "var.db_password"):
        assert not values.is_password(word)


def test_a_key_has_letters_and_digits_that_are_no_name():
    assert values.is_key("k3y9x82mq")
    for name in ("short1", "primary-key-2", "settings.API_KEY1"):
        assert not values.is_key(name)


def test_base64_of_a_user_and_a_password_is_an_encoded_pair():
    assert values.is_encoded_pair(base64.b64encode(b"app:hunter2x").decode().rstrip("="))
    for other in ("no base64!", base64.b64encode(b"no colon").decode(), base64.b64encode(b"app:abc").decode()):
        assert not values.is_encoded_pair(other)


def test_hexadecimal_is_of_one_case():
    assert values.is_hex("00ff")
    assert values.is_hex("00FF")
    assert not values.is_hex("00fF")
