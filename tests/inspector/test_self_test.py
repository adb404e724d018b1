"""The self-test proves an installation without touching what is the user's, and says what is wrong with it."""

from __future__ import annotations

import json

from inspector import sample
from inspector.cli import CHECK_FAILED, OK, main


def test_every_proof_passes_and_the_users_folder_stays_empty(qapp, capsys, home, models):
    assert main(["--self-test", "--json"]) == OK
    reported = json.loads(capsys.readouterr().out)
    assert [each["proof"] for each in reported["proofs"]] == ["store", "recall", "view", "server"]
    assert "by full text and vectors" in reported["proofs"][1]["found"]
    assert not home.exists()


def test_a_check_that_fails_is_reported_and_the_others_continue(qapp, capsys, monkeypatch):
    """Without the files that come along nothing but their absence is reported."""

    def refuse(*_: object) -> None:
        raise FileNotFoundError("resources/sample is missing from this installation")

    monkeypatch.setattr(sample, "create", refuse)
    assert main(["--self-test"]) == CHECK_FAILED
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("FAILED store")
    assert "resources/sample is missing" in first
    assert [line.split()[:2] for line in others] == [["FAILED", "recall"], ["FAILED", "view"], ["FAILED", "server"]]
