"""Credentials that are known by what stands beside them."""

from __future__ import annotations

import pytest

from core.write import credential_context

# Put together here, so that no scanner takes this file for a leak.
PASSWORD = "c0rrect" + "-h0rse"
KEY = "k3y9x82m" + "q71LxPa8"


def found(text):
    return [(text[start:end], kind) for start, end, kind in credential_context.spans(text, text.lower())]


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD={}",
        "The password is {} since May",
        'password: "{}"',
        "das Passwort lautet {}",
        "密码是 {}",
        "mysql -u app -p{}",
    ],
)
def test_a_password_is_found_after_its_name_or_in_its_command(text):
    assert {value for value, _ in found(text.format(PASSWORD))} == {PASSWORD}


@pytest.mark.parametrize("text", ["api_key = {}", "--token {}", "the secret: {}"])
def test_a_key_is_found_after_its_name(text):
    assert {value for value, _ in found(text.format(KEY))} == {KEY}


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored in the vault",
        "token_hash = " + KEY,
        "the cache key is " + KEY,
        "password: see the vault",
        "Passwords are hashed with argon2id",
        "token = ${GITHUB_TOKEN}",
    ],
)
def test_a_sentence_about_credentials_holds_none(text):
    assert found(text) == []


def test_the_sign_that_ends_the_sentence_is_not_part_of_it():
    assert found(f"The password is {PASSWORD}.") == [(PASSWORD, credential_context.PASSWORD)]


def test_a_field_of_such_a_name_makes_its_value_a_credential():
    assert credential_context.is_credential_field("db_password", PASSWORD)
    assert not credential_context.is_credential_field("db_host", PASSWORD)
    assert not credential_context.is_credential_field("db_password", "<password>")
