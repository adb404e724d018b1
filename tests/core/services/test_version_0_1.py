"""A store, an export, saved profiles and recorded calls of version 0.1 open, answer and replay as they did then."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.changes import PERSON
from core.model import Status
from core.services import audit, curate, evaluate, exchange, profiles, query
from core.services.workspace import Workspace

FILES = Path(__file__).parents[2] / "data" / "version-0.1"
ANSWERS = json.loads((FILES / "answers.json").read_text())  # of every recorded recall, by version 0.1 itself


@pytest.fixture
def former(tmp_path: Path) -> Iterator[Workspace]:
    path = tmp_path / "former.db"
    path.write_bytes(gzip.decompress((FILES / "store.db.gz").read_bytes()))
    with Workspace.open(path) as opened:
        yield opened


def test_its_memories_history_and_judgements_are_there(former):
    with former.store.read() as reader:
        assert reader.count() == 7
        assert reader.memory(4).pinned
    assert len(audit.history(former, "3")) == 2
    assert evaluate.golden_sets(former) == {"ops": (1, 1)}
    assert [each.grades for each in evaluate.golden(former, "ops")] != [{}]
    curate.undo_last(former, actor=PERSON)


@pytest.mark.parametrize("id", ANSWERS)
def test_a_recorded_call_is_answered_as_version_0_1_answered_it(former, id):
    call = audit.call(former, int(id))
    answer = query.ask(former, replace(query.question_of(call.question), as_of=call.at))
    found = [[result.id, result.value] for result in answer.ranking.results]
    assert found == [[memory, pytest.approx(score, abs=1e-9)] for memory, score in ANSWERS[id]["results"]]
    if "relevance" not in answer.profile.parameters:  # the default profile has had this stage since
        assert answer.ranking.trace.parameters_hash == ANSWERS[id]["hash"]


@pytest.mark.parametrize("id", ANSWERS)
def test_a_recorded_call_replays_in_the_store_as_it_stood(former, id):
    replayed = audit.replay(former, int(id))
    assert [each.id for each in replayed.then.ranking.results] == [
        each.memory_id for each in replayed.call.results if not each.missed
    ]


def test_saved_profiles_keep_their_parameters_under_the_present_names(former):
    own = {profile.name: profile for profile in profiles.saved(former)}
    parameters = {parameter.path: parameter.value for parameter in profiles.parameters(own["short-words"])}
    assert (
        parameters["bm25.min_word_chars"],
        parameters["bm25.limit_per_k"],
        parameters["vector.limit_per_k_filtered"],
    ) == (3, 3, 5)
    assert {parameter.path: parameter.value for parameter in profiles.parameters(own["more-words"])}[
        "words.weights"
    ] == (0.5, 0.5)


def test_a_parameter_may_be_given_under_its_former_name(former):
    asked = query.Question(text="lock timeout", profile="robotmem", parameters={"bm25.least_word_chars": 9})
    present = replace(asked, parameters={"bm25.min_word_chars": 9})
    first, second = (query.ask(former, each) for each in (asked, present))
    assert first.profile.parameters_hash == second.profile.parameters_hash
    assert first.memories == second.memories == []


def test_its_export_is_imported_whole(tmp_path):
    with Workspace.create(tmp_path / "new.db") as workspace:
        done = exchange.import_file(workspace, FILES / "export.jsonl", actor=PERSON)
        assert (done.memories, done.plan.is_whole) == (7, True)
        assert len(audit.history(workspace, "3")) == 2
        assert {each.name for each in profiles.saved(workspace)} == {"more-words", "short-words"}
        with workspace.store.read() as reader:
            assert {reader.memory(id).status for id in reader.memory_ids()} == {Status.ACTIVE}
