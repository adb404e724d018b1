"""Credentials that are known by the form that their issuers publish."""

from __future__ import annotations

import pytest

from core.write import credential_forms

# Put together here, so that no scanner takes this file for a leak.
TOKENS = {
    "AWS access key": "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "GitHub token": "gh" + "p_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "abc12" * 4,
    "Stripe key": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zd",
}


def found(text):
    return [(text[start:end], kind) for start, end, kind in credential_forms.spans(text, text.lower())]


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_is_found_where_it_stands_with_its_kind(kind):
    assert found(f"use {TOKENS[kind]}, please") == [(TOKENS[kind], kind)]


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_within_a_longer_word_is_none(kind):
    assert found(f"x{TOKENS[kind]}") == []


def test_of_an_address_only_the_password_is_the_secret():
    text = "postgres://app:" + "hunter2x@db.internal/hatchway"
    assert found(text) == [("hunter2x", "password in an address")]


def test_a_private_key_is_found_whole():
    key = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\n-----END RSA PRIVATE " + "KEY-----"
    assert found(f"here: {key} end") == [(key, "private key")]


def test_every_form_has_hints_in_small_letters():
    for form in credential_forms.FORMS:
        assert form.hints
        assert all(hint == hint.lower() for hint in form.hints)
    assert {form.kind for form in credential_forms.SHORT_FORMS} <= {form.kind for form in credential_forms.FORMS}
