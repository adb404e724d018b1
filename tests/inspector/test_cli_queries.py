"""recall, explain and profiles at the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core import profiles
from inspector import manual
from inspector.cli import main, parser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sample_home(tmp_path_factory, models_of_this_machine):
    """A home with the sample in it as its first question leaves it: embedded, which takes longest, once for all."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "cache").mkdir()
    (folder / "cache" / "models").symlink_to(models_of_this_machine)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MEMORY_INSPECTOR_HOME", str(folder / "home"))
        environment.setenv("MEMORY_INSPECTOR_CACHE", str(folder / "cache"))
        assert main(["--sample", "recall", "anything"]) == 0
    return folder / "home"


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch, models, home, sample_home):
    """Run a command on the sample store in this process, with the real model."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_home, home)

    def run(*arguments: str):
        code = main(["--sample", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def answer(cli, *arguments):
    code, out, err = cli(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_the_real_model_finds_what_shares_no_word_with_the_question(cli):
    found = answer(cli, "recall", "database upgrade blocks every request until it gets exclusive access")
    assert "migrations-set-lock-timeout" in [result["memory"]["uid"] for result in found["results"][:3]]
    assert found["mode"] == "hybrid"


def test_a_strangers_program_recomputes_every_score_of_every_profile_from_the_json(cli):
    for profile in profiles.PROFILES:
        code, out, _ = cli("recall", "why do migrations hang?", "--profile", profile.name, "--explain", "--json")
        assert code == 0
        program = [sys.executable, str(ROOT / "tests" / "support" / "recompute.py")]
        checked = subprocess.run(program, input=out, capture_output=True, text=True, check=True)
        assert checked.stdout == f"{len(json.loads(out)['results'])} results recomputed\n"


def test_recall_explains_itself_in_text(cli):
    code, out, _ = cli("recall", "why do migrations hang?", "--profile", "openmem", "--k", "2", "--explain")
    assert code == 0
    for part in ("competition = ", "recency share", "idf = log(", "gathered", "It ranks 3, and k is 2"):
        assert part in out


def test_each_part_of_an_explanation_is_printed_once_and_all_on_request(cli):
    brief = cli("recall", "--explain", "why do migrations hang?", "--k", "2")[1].splitlines()
    full = cli("recall", "--explain=full", "why do migrations hang?", "--k", "2")[1].splitlines()
    assert len(brief) < 160 < 450 < len(full)
    assert any(" evidence × 0.95 Confidence" in line for line in brief)
    assert any(line.endswith("(as above)") for line in brief)
    assert not any("(as above)" in line for line in full)


def test_a_wrong_way_to_explain_is_named(cli):
    code, _, error = cli("recall", "--explain=fll", "why do migrations hang?")
    assert (code, error) == (2, "--explain is brief or full, not 'fll'.\n")


def test_an_explanation_reports_as_of_when_and_with_which_k(cli):
    found = answer(cli, "explain", "why do migrations hang?", "migrations-set-lock-timeout", "--as-of", "2030-01-01")
    assert (found["as_of"], found["k"]) == ("2030-01-01T00:00:00Z", 10)


def test_what_keeps_the_model_from_answering_is_said_once(capsys):
    assert main(["--sample", "recall", "why do migrations hang?"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("! Full text answers alone:")
    assert out.count("answers alone") == 1
    assert out.rstrip().endswith(" ms.")


def test_the_prompt_section_alone_is_printed(cli):
    code, out, _ = cli("recall", "why do migrations hang?", "--prompt", "--k", "2")
    assert code == 0
    assert out.startswith("## Relevant Memories\n- [")
    assert out.count("\n") == 3


def test_parameters_and_time_change_the_answer(cli):
    asking = ("recall", "migrations", "--profile", "oro", "--set", "threshold.least=0", "--k", "5")
    base, late = answer(cli, *asking), answer(cli, *asking, "--as-of", "2030-01-01")
    assert total(base) > total(late)
    assert late["as_of"] == "2030-01-01T00:00:00Z"
    assert base["trace"]["parameters_hash"] == late["trace"]["parameters_hash"]
    slow = answer(cli, "recall", "migrations", "--profile", "oro", "--set", "decay.half_life_days=9999", "--k", "1")
    assert slow["trace"]["parameters_hash"] != base["trace"]["parameters_hash"]


def total(found):
    return sum(result["score"] for result in found["results"])


def test_filters_narrow_the_answer(cli):
    found = answer(
        cli, "recall", "door sensor gripper", "--collection", "device-lab", "--type", "perception", "--k", "20"
    )
    assert found["results"]
    assert {result["memory"]["type"] for result in found["results"]} == {"perception"}
    near = json.dumps({"field": "spatial.position", "target": [0.4, -0.1, 1.1], "max_distance": 0.2})
    found = answer(cli, "recall", "door", "--profile", "robotmem", "--near", near)
    assert {result["memory"]["uid"] for result in found["results"]} <= {"rig2-door7-gap-seen", "rig2-door7-reflectance"}


def test_explain_shows_every_number_of_a_returned_memory(cli):
    found = answer(cli, "explain", "why do migrations hang?", "migrations-set-lock-timeout")
    assert (found["returned"], found["rank"]) == (True, 1)
    word = found["lists"]["bm25"]["explanation"]["parts"][0]
    assert word["facts"] == {"n": 13, "N": 110}
    assert found["lists"]["vector"]["explanation"]["facts"]["dimension"] == 384
    parts = ["words", "beside", "meaning", "named", "time"]
    after = ["confidence", "decay", "relevance", "newer", "dedup", "top", "budget"]
    assert [step["stage"] for step in found["steps"]] == parts + after
    assert found["why_not"] is None


def test_explain_says_why_a_memory_is_missing_and_what_would_change_it(cli):
    found = answer(cli, "explain", "why do migrations hang?", "backfill-outside-migrations", "--profile", "oro")
    assert not found["returned"]
    assert found["reason"]["kind"]
    assert found["why_not"]["lost_at"]
    assert found["why_not"]["changes"]
    code, out, _ = cli("explain", "why do migrations hang?", "backfill-outside-migrations", "--profile", "oro")
    assert code == 0
    assert "→" in out


def test_profiles_are_listed_with_their_parameters(cli):
    listed = answer(cli, "profiles")["profiles"]
    assert [profile["name"] for profile in listed] == [profile.name for profile in profiles.PROFILES]
    assert "decay.half_life_days" in cli("profiles", "oro")[1]


def test_asking_changes_no_byte_of_the_file(cli, home):
    cli("info")
    path = home / "sample.db"
    before = path.read_bytes()
    for arguments in (["recall", "migrations"], ["recall", "migrations", "--explain", "--json"], ["explain", "x", "1"]):
        cli(*arguments)
    assert path.read_bytes() == before
    assert sorted(file.name for file in home.iterdir()) == ["sample.db"]


WRONG = [
    (["recall", ""], "The query is empty"),
    (["recall", "a\0b"], "NUL"),
    (["recall", "\ud800"], "lone surrogate"),
    (["recall", "x", "--k", "0"], "k must be at least 1"),
    (["recall", "x", "--k", "-1"], "k must be at least 1"),
    (["recall", "x", "--k", "1.5"], "--k must be a whole number"),
    (["recall", "x", "--profile", "google"], "There is no profile"),
    (["recall", "x", "--profile", "cc-v3", "--set", "fuse.k=NaN"], "fuse.k must be a number"),
    (["recall", "x", "--profile", "cc-v3", "--set", "fuse.k=-1"], "cannot compute with these parameters"),
    (["recall", "x", "--set", "nothing=1"], "no parameter 'nothing'"),
    (["recall", "x", "--set", "fuse.k"], "A parameter is set as step.field=value"),
    (["recall", "x", "--profile", "oro", "--set", "normalise.divisor=0"], "cannot compute with these parameters"),
    (["recall", "x", "--as-of", "soon"], "--as-of is not an ISO 8601 time"),
    (["recall", "x", "--min-confidence", "NaN"], "The minimum confidence"),
    (["recall", "x", "--budget", "-5"], "token budget"),
    (["recall", "x", "--context", "[1]"], "--context must be a JSON object"),
    (["recall", "x", "--context", '{"a": {"$regex": 1}}'], "A context filter knows"),
    (["recall", "x", "--near", '{"field": "a"}'], "must be a list of numbers"),
    (["recall", "x", "--status", "lost"], "--status must be one of"),
    (["explain", "x", "99999"], "There is no memory"),
    (["explain", "x"], "memory"),
    (["profiles", "google"], "There is no profile"),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=lambda value: str(value)[:50].replace("\0", ""))
def test_a_wrong_question_gets_one_sentence_and_exit_code_2(cli, arguments, sentence):
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_too_many_results_or_words_are_cut_and_said(cli):
    found = answer(cli, "recall", "lock " + " ".join(f"w{n}" for n in range(20_000)), "--k", "1" + "0" * 30)
    assert any("cut to 1000" in warning for warning in found["warnings"])
    assert any("characters of the query" in warning for warning in found["warnings"])


def test_links_are_inferred_when_asked(cli):
    cli("info")
    assert answer(cli, "infer-links")["links"] == 0


def test_the_former_name_of_a_command_works_and_is_named_in_no_help_or_completion(cli):
    cli("info")
    assert answer(cli, "weave")["links"] == 0
    documents = (parser().format_help(), cli("completion", "bash")[1], manual.page("1"), manual.reference())
    assert [("infer" in text, "weave" in text) for text in documents] == [(True, False)] * 4
