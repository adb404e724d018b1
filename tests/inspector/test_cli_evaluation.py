"""Golden sets at the command line: judge, measure, hold a bar, tune, and measure files alone."""

from __future__ import annotations

import json

import pytest

from inspector.cli import main


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str):
        code = main(["--db", "notes.db", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    run("init")
    for text in ("The pool has 10 connections", "Deploys happen on Tuesdays", "Redis evicts any key"):
        run("remember", text)
    return run


def test_a_golden_set_is_judged_measured_and_held_to_a_bar(cli):
    assert "Judged 1 with 2 in support" in cli("judge", "how large is the pool?", "1", "2", "--set", "support")[1]
    assert cli("judgements")[1] == "support              1 query, 1 judgement\n"
    code, out, _ = cli("eval", "--no-model", "--set", "support", "--profile", "inspector", "--profile", "cc-v3-fts")
    assert code == 0
    assert "inspector against cc-v3-fts" in out
    assert cli("eval", "--no-model", "--set", "support", "--min", "ndcg@10=0.5")[0] == 0
    cli("judge", "how large is the pool?", "2", "3", "--set", "support")
    code, out, _ = cli("eval", "--no-model", "--set", "support", "--min", "recall@10=0.9")
    assert code == 1
    assert "recall@10 is 0.5000, below 0.9." in out


def test_a_golden_set_is_written_to_a_file_and_taken_over_again(cli):
    cli("judge", "how large is the pool?", "1", "2")
    assert "Wrote 1 judgement to " in cli("judgements", "--to", "out.csv")[1]
    assert "Imported 1 judgement into again." in cli("judgements", "out.csv", "--set", "again")[1]
    assert "already exists" in cli("judgements", "--to", "out.csv")[2]
    assert (
        "Give a file to import, or --to to export one, not both." in cli("judgements", "out.csv", "--to", "more.csv")[2]
    )


def test_files_alone_are_measured_and_the_rankings_written(cli, tmp_path):
    (tmp_path / "m.jsonl").write_text('{"id": "x/1", "text": "The pool has 10 connections", "scope": "s"}\n')
    (tmp_path / "q.jsonl").write_text('{"id": "q", "text": "pool size", "relevant": ["x/1"], "scope": "s"}\n')
    files = ("--memories", "m.jsonl", "--queries", "q.jsonl", "--no-model")
    code, out, _ = cli("eval", *files, "--run-out", "run.jsonl", "--set", "dedup.overlap=0.8", "--json")
    assert code == 0
    (run,) = json.loads(out)["runs"]
    assert (run["means"]["recall@10"], run["name"]) == (1.0, "inspector (dedup.overlap=0.8)")
    assert json.loads((tmp_path / "run.jsonl").read_text()) == {"id": "q", "ranked": ["x/1"]}


def test_tuning_saves_a_profile_that_recall_knows(cli):
    for n in range(12):
        cli("judge", f"pool {n}", "1", "1", "--set", "support")
    code, out, err = cli(
        "tune", "--no-model", "--set", "support", "--profile", "oro-hybrid", "--vary", "fuse.k=5,60", "--save", "mine"
    )
    assert (code, err) == (0, "")
    assert "Saved as the profile mine." in out
    assert cli("recall", "pool", "--profile", "mine")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("eval",), "Name a golden set with --set NAME"),
        (("eval", "--set", "none"), "There is no golden set 'none'"),
        (("eval", "--memories", "m.jsonl"), "--memories and --queries go together."),
        (("eval", "--memories", "m.jsonl", "--queries", "none.jsonl"), "cannot be read"),
        (("eval", "--set", "s", "--min", "good"), "--min needs metric=number"),
        (("judge", "x", "1", "high"), "The grade must be a whole number"),
        (("tune", "--set", "none", "--vary", "fuse.k"), "A parameter is set as step.field=value"),
    ],
)
def test_what_is_wrong_is_said(cli, arguments, sentence):
    code, _, err = cli(*arguments)
    assert code == 2
    assert sentence in err


def test_the_sample_comes_with_a_golden_set_and_the_documents_targets_are_reported(capsys):
    assert main(["--sample", "eval", "--set", "sample", "--no-model"]) == 0
    out = capsys.readouterr().out
    assert "Recursive Light's targets: p@5" in out
    assert "mrr" in out
