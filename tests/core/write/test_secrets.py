"""Secrets never reach the file; sentences about them do."""

from __future__ import annotations

import pytest

from core.services import curate, remember
from core.write import secrets

# Put together here, so that no scanner takes this file for a leak.
KEY = "AKIA" + "IOSFODNN7" + "EXAMPLE"
SECRETS = {
    "AWS access key": f"the key is {KEY}.",
    "GitHub token": "use gh" + "p_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "abc12" * 4,
    "Slack token": "xox" + "b-1234567890-abcdefghij",
    "Stripe key": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zd",
    "Google API key": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "API key": "OPENAI uses sk-" + "proj-abc123DEF456ghi789JKL0",
    "web token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
    "bearer token": "Authorization: Bearer " + "abcDEF123456.ghiJKL7890xyz",
    "password in an address": "postgres://app:" + "hunter2x@db.internal/hatchway",
    "password": "DB_PASSWORD=" + "c0rrect-h0rse",
    "private key": "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\n-----END RSA PRIVATE " + "KEY-----",
}
HARMLESS = [
    "Passwords are hashed with argon2id; never log them.",
    "The password is stored in the vault, not in the repository.",
    "password: see the vault",
    "Set API_KEY=<your key> in .env",
    "token = ${GITHUB_TOKEN}",
    "export SECRET_KEY=$SECRET_KEY",
    "password=password",
    "secret: xxxxxxxx",
    "api_key = os.environ['API_KEY']",
    "token=get_token()",
    "https://example.org:8080/path@home",
    "git@github.com:team/repo.git",
    "the sk-learn estimator",
    "Bearer tokens expire after 15 minutes",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
    "密码保存在保险库里",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_taken_out_and_named(kind):
    text, found = secrets.redact(SECRETS[kind])
    assert found == [kind]
    assert f"[redacted {kind}]" in text


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_secrets_passes(text):
    assert secrets.redact(text) == (text, [])


def test_what_stands_around_a_secret_stays():
    text, _ = secrets.redact("connect to " + SECRETS["password in an address"] + " first")
    assert text == "connect to postgres://app:[redacted password in an address]@db.internal/hatchway first"


def test_a_secret_reaches_no_table_index_vector_or_journal(workspace):
    for kind, text in SECRETS.items():
        kept = remember.remember(
            workspace,
            {"content": text, "summary": text, "tags": ["x"], "context": {"env": {"line": [text]}}},
            actor="agent",
        )
        assert kept.redacted == (kind,)
    memory = remember.remember(workspace, {"content": "to be edited"}, actor="agent").memory
    curate.edit(workspace, [memory.id], {"content": SECRETS["password"]}, actor="person")
    workspace.store.close()
    files = b"".join(path.read_bytes() for path in workspace.store.path.parent.glob("work.db*"))
    for leaked in (KEY, "hunter2x", "c0rrect-h0rse", "MIIEow", "4eC39HqLyjWDarjtT1zd"):
        assert leaked.encode() not in files
        assert leaked.lower().encode() not in files


def test_whoever_wants_secrets_kept_can_have_them(workspace):
    kept = remember.remember(workspace, {"content": SECRETS["password"]}, actor="person", allow_secrets=True)
    assert (kept.memory.content, kept.redacted) == (SECRETS["password"], ())
