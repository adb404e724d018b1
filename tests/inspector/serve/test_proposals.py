"""What a person wrote or pinned is changed by a person: an agent's change of it waits as a proposal."""

from __future__ import annotations

import json

import pytest

from core.changes import PERSON
from core.errors import UserError
from core.services import curate, inspection, proposals
from core.services.inspection import Concern
from inspector.cli import main
from inspector.serve.tokens import DEFAULT_SCOPES, Tokens
from tests.support.serving import Client
from tests.support.store_steps import add


@pytest.fixture
def persons(filled):
    """A memory that a person wrote and pinned."""
    memory = add(filled.store, "Deploys happen on Tuesdays", confidence=1.0, source=PERSON)
    curate.pin(filled, [memory.id], actor=PERSON)
    return memory.id


@pytest.fixture
def agent(server):
    """A client with the scopes of an agent; `client` has every scope."""
    return Client(server.port, Tokens().add("agent", DEFAULT_SCOPES).secret)


def now(workspace, id):
    with workspace.store.read() as reader:
        return reader.memory(id)


def ids(workspace):
    with workspace.store.read() as reader:
        return set(reader.memory_ids())


def test_an_agents_edit_of_a_persons_memory_waits_for_a_person(agent, filled, persons):
    before = now(filled, persons)
    answered = agent.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen at will", "reason": "I saw it"})
    proposal = answered.shape["proposal"]
    assert (answered.status, answered.shape["operation"], proposal["state"]) == (200, None, "open")
    assert now(filled, persons) == before
    (waiting,) = proposals.pending(filled)
    assert [(each.name, each.before, each.after) for each in waiting.fields] == [
        ("content", "Deploys happen on Tuesdays", "Deploys happen at will")
    ]
    assert (waiting.proposal.reason, waiting.is_stale) == ("I saw it", False)


def test_what_a_person_accepts_is_done_and_stays_the_persons(agent, filled, persons):
    agent.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen on Wednesdays"})
    (waiting,) = proposals.pending(filled)
    changes = proposals.accept(filled, [waiting.proposal.id], actor=PERSON)
    after = now(filled, persons)
    assert (after.content, after.source, after.pinned) == ("Deploys happen on Wednesdays", PERSON, True)
    assert proposals.pending(filled) == []
    curate.undo_operation(filled, changes.seq, actor=PERSON)
    assert now(filled, persons).content == "Deploys happen on Tuesdays"


def test_what_a_person_refuses_changes_nothing_and_is_decided_once(agent, filled, persons):
    agent.api("DELETE", f"/memories/{persons}")
    (waiting,) = proposals.pending(filled)
    before = now(filled, persons)
    proposals.refuse(filled, [waiting.proposal.id], actor=PERSON)
    assert now(filled, persons) == before
    for decide in (proposals.accept, proposals.refuse):
        with pytest.raises(UserError, match="was refused already"):
            decide(filled, [waiting.proposal.id], actor=PERSON)


def test_an_agents_deletion_of_a_persons_memory_is_a_proposal_too(agent, filled, persons):
    assert agent.api("DELETE", f"/memories/{persons}").shape["proposal"]["kind"] == "forget"
    assert now(filled, persons).status == "active"
    (waiting,) = proposals.pending(filled)
    proposals.accept(filled, [waiting.proposal.id], actor=PERSON)
    assert now(filled, persons).status == "deleted"


def test_the_same_proposal_is_kept_once_and_a_flood_is_refused(agent, filled, persons, monkeypatch):
    for _ in range(3):
        agent.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen at will"})
    assert len(proposals.pending(filled)) == 1
    monkeypatch.setattr(proposals, "MAX_OPEN", 2)
    assert agent.api("PATCH", f"/memories/{persons}", {"content": "Never"}).status == 200
    flood = agent.api("PATCH", f"/memories/{persons}", {"content": "Always"})
    assert (flood.status, "wait for a person" in flood.shape["detail"]) == (422, True)


def test_a_wrong_field_or_version_is_refused_before_anything_is_proposed(agent, filled, persons):
    assert agent.api("PATCH", f"/memories/{persons}", {"confidence": 2}).status == 400
    assert agent.api("PATCH", f"/memories/{persons}", {"content": "x", "version": 99}).status == 409
    assert agent.api("PATCH", f"/memories/{persons}", {}).status == 422
    assert proposals.pending(filled) == []


def test_a_proposal_about_a_memory_that_has_changed_since_is_not_carried_out(agent, filled, persons):
    agent.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen at will"})
    curate.edit(filled, [persons], {"content": "Deploys happen on Mondays"}, actor=PERSON)
    (waiting,) = proposals.pending(filled)
    assert waiting.is_stale
    with pytest.raises(UserError, match="version"):
        proposals.accept(filled, [waiting.proposal.id], actor=PERSON)
    assert now(filled, persons).content == "Deploys happen on Mondays"


def test_with_curate_it_is_done_at_once_signed_by_the_agent_and_unpinned(client, filled, persons):
    answered = client.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen at will"}, X_Client="codex")
    assert answered.shape["proposal"] is None
    after = now(filled, persons)
    assert (after.content, after.source, after.agent, after.pinned) == (
        "Deploys happen at will",
        "agent",
        "codex",
        False,
    )


def test_an_agents_own_memory_is_changed_at_once(agent, filled):
    own = agent.api("POST", "/memories", {"content": "The tests take eight minutes"}).shape["memory"]["id"]
    assert agent.api("PATCH", f"/memories/{own}", {"content": "The tests take nine"}).shape["proposal"] is None
    assert agent.api("DELETE", f"/memories/{own}").shape["proposal"] is None
    assert now(filled, own).status == "deleted"


def test_a_purge_takes_proposals_with_it(agent, filled, persons):
    agent.api("PATCH", f"/memories/{persons}", {"content": "zanzibar is the password"})
    curate.forget(filled, [persons], actor=PERSON)
    curate.purge(filled, [persons], actor=PERSON)
    assert proposals.pending(filled) == []
    assert b"zanzibar" not in filled.store.path.read_bytes()


def test_the_command_line_lists_accepts_and_refuses(agent, filled, persons, capsys):
    for content in ("Deploys happen at will", "Deploys happen never"):
        agent.api("PATCH", f"/memories/{persons}", {"content": content, "reason": "seen"}, X_Client="codex")
    store = ["--db", str(filled.store.path)]
    assert main([*store, "proposals"]) == 0
    listed = capsys.readouterr().out
    assert f"proposal 1: edit memory {persons}, by codex at " in listed
    assert "content: Deploys happen on Tuesdays → Deploys happen at will" in listed
    assert main([*store, "accept", "1"]) == 0
    assert main([*store, "proposals", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["proposals"][0]["is_stale"] is True
    assert main([*store, "accept", "2"]) == 2
    assert main([*store, "refuse", "2", "2"]) == 0
    assert main([*store, "refuse", "7"]) == 2
    assert "There is no proposal 7." in capsys.readouterr().err


def test_the_reference_servers_deletions_are_proposals_too(agent, filled):
    own = agent.api("POST", "/memories", {"content": "Marek likes tea", "entities": ["Marek"]}).shape["memory"]["id"]
    persons = add(filled.store, "Marek works at Bosch", entities=["Marek"], source=PERSON).id
    reported = agent.api("POST", "/reference/delete_entities", {"entityNames": ["Marek"]}).shape
    assert (
        reported["message"]
        == "Entities deleted successfully, but for 1 of a person's, which wait for a person's decision"
    )
    assert [now(filled, id).status for id in (own, persons)] == ["deleted", "active"]
    assert [each.memory.id for each in proposals.pending(filled)] == [persons]


def test_the_reference_servers_tools_keep_to_the_cap_of_the_token_too(agent, filled):
    Tokens().change("agent", max_confidence=0.6)
    before = ids(filled)
    ada = {"name": "Ada", "entityType": "person", "observations": ["Ada likes tea"]}
    agent.api("POST", "/reference/create_entities", {"entities": [ada]})
    relation = {"from": "Ada", "to": "Lagos", "relationType": "lives in"}
    agent.api("POST", "/reference/create_relations", {"relations": [relation]})
    more = {"entityName": "Ada", "contents": ["Ada rides a bike"]}
    agent.api("POST", "/reference/add_observations", {"observations": [more]})
    assert [now(filled, id).confidence for id in ids(filled) - before] == [0.6] * 4


def test_health_shows_what_waits(agent, filled, persons):
    agent.api("PATCH", f"/memories/{persons}", {"content": "Deploys happen at will"}, X_Client="codex")
    agent.api("DELETE", "/memories/4", X_Client="codex")
    (finding,) = (each for each in inspection.metadata_findings(filled) if each.concern is Concern.PROPOSALS)
    assert (finding.count, finding.ids) == (2, (persons, 4))
    assert finding.items[0].why == "codex proposes another text"
    assert finding.items[1].why == "codex proposes to forget it"
    assert finding.repairs == ()


def test_a_token_may_claim_no_more_confidence_than_its_cap(agent, filled):
    Tokens().change("agent", max_confidence=0.6)
    stored = agent.api("POST", "/memories", {"content": "The cat sleeps", "confidence": 0.95}).shape["memory"]
    assert stored["confidence"] == 0.6
    unsaid = agent.api("POST", "/memories", {"content": "Wholly another thing"}).shape["memory"]
    assert unsaid["confidence"] == 0.6
    lower = agent.api("PATCH", f"/memories/{stored['id']}", {"confidence": 0.3}).shape["memory"]
    raised = agent.api("PATCH", f"/memories/{stored['id']}", {"confidence": 1.0}).shape["memory"]
    assert (lower["confidence"], raised["confidence"]) == (0.3, 0.6)
    assert Tokens().rotate("agent").max_confidence == 0.6


def test_a_cap_is_set_and_shown_on_the_command_line(capsys):
    assert main(["token", "add", "careful", "--scope", "read,write", "--max-confidence", "0.7"]) == 0
    assert main(["token", "change", "careful", "--max-confidence", "0.5"]) == 0
    assert "now allows read, write, confidence at most 0.5" in capsys.readouterr().out
    assert main(["token", "change", "careful", "--max-confidence", "7"]) == 2
    assert main(["--serve", "--max-confidence", "0.5"]) == 2
    assert "--max-confidence goes with --stdio" in capsys.readouterr().err


def test_an_agents_copy_raises_no_confidence_of_a_persons_memory(agent, filled):
    persons = add(filled.store, "The staging password rotates monthly", confidence=0.4, source=PERSON).id
    reported = agent.api(
        "POST", "/memories", {"content": "The staging password rotates monthly", "confidence": 1.0}
    ).shape
    assert (reported["memory"]["id"], reported["duplicate"] is None) == (persons, False)
    assert now(filled, persons).confidence == 0.4


def test_what_a_person_corrected_or_merged_is_the_persons(agent, filled):
    own = agent.api("POST", "/memories", {"content": "The ferry leaves at noon"}).shape["memory"]["id"]
    curate.edit(filled, [own], {"content": "The ferry leaves at one"}, actor=PERSON)
    assert agent.api("PATCH", f"/memories/{own}", {"content": "At two"}).shape["proposal"]["state"] == "open"
    other = agent.api("POST", "/memories", {"content": "Marek likes tea in the morning"}).shape["memory"]["id"]
    persons = add(filled.store, "Marek drinks his tea black", source=PERSON).id
    curate.merge(filled, [other, persons], actor=PERSON)
    assert agent.api("DELETE", f"/memories/{other}").shape["proposal"]["kind"] == "forget"


def test_another_text_is_signed_by_the_agent_who_wrote_it_and_no_surer_than_it_may_claim(agent, filled):
    codex = {"X_Client": "codex"}
    fields = {"content": "The lamp in hall 7 blinks", "confidence": 0.9}
    own = agent.api("POST", "/memories", fields, **codex).shape["memory"]["id"]
    Tokens().change("agent", max_confidence=0.5)
    agent.api("PATCH", f"/memories/{own}", {"tags": ["hall"]}, X_Client="cursor")
    assert (now(filled, own).agent, now(filled, own).confidence) == ("codex", 0.9)
    agent.api("PATCH", f"/memories/{own}", {"content": "The lamp in hall 7 is dark"}, X_Client="cursor")
    assert (now(filled, own).agent, now(filled, own).confidence) == ("cursor", 0.5)
