"""What each tool of the table does: it asks the services and answers with JSON and, for a model, with a text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core import filters, formatting
from core.errors import NeedsPerson, NotFound, UserError
from core.model import LinkId, LinkKind, LinkStatus, Memory, MemoryId
from core.services import audit, browse, contradictions, curate, health, proposals, query, remember, why_not
from core.services.contradictions import Resolution
from core.services.proposals import ProposalKind
from core.services.query import Question
from core.services.remember import Policy, RememberResult
from inspector import wire
from inspector.serve import agent_wording
from inspector.serve.dispatcher import CallRefused, ToolCall, ToolResult
from inspector.serve.tokens import Scope
from inspector.serve.tool_schemas import FULL

MAX_KNOWN_CHARS = 1_000  # of the known memory's text in the text answer; the JSON has all of it

_USUAL_CONFIDENCE = Memory._field_defaults["confidence"]
NOTHING_CHANGED: dict[str, Any] = {"operation": None, "memories": [], "links": []}


def store(call: ToolCall) -> ToolResult:
    """Store one memory, or several as one operation, each answered by itself."""
    given = call.arguments
    if ("content" in given) == ("memories" in given):
        raise UserError("Give either content, for one memory, or memories, for several.")
    shared = {name: value for name, value in given.items() if name not in ("memories", "reason", "duplicates")}
    capped = [call.within_cap({**shared, **own}, _USUAL_CONFIDENCE) for own in given.get("memories", [{}])]
    how = {"duplicates": Policy(call.get("duplicates", Policy.DEFAULT)), **_who(call)}
    if "content" in given:
        ((fields, cap),) = capped
        done = remember.remember(call.workspace, fields, **how)
        return ToolResult(wire.remembered(done), _sentence(done, cap))
    several = remember.remember_several(call.workspace, [fields for fields, _ in capped], **how)
    texts = [_sentence(done, cap) for done, (_, cap) in zip(several, capped, strict=True)]
    lines = (f"{place}. {text}" for place, text in enumerate(texts, 1))
    return ToolResult(wire.remembered_several(several, texts), "\n".join(lines))


def _sentence(done: RememberResult | UserError, capped: str) -> str:
    """Return what became of a memory, for a reader."""
    if isinstance(done, UserError):
        return f"Not stored: {agent_wording.for_agent(str(done))}"
    if done.duplicate is not None:
        known = " ".join(done.memory.content[:MAX_KNOWN_CHARS].split())
        text = f"{done.duplicate.sentence} It says: {known}\nNothing new was stored; duplicates: keep stores yours too."
    else:
        text = f"Stored as memory {done.memory.id}."
        if done.contradictions:
            others = ", ".join(str(id) for id, _ in done.contradictions)
            text += f" It may contradict memory {others}; a person will decide."
        if done.not_compared:
            text += f" Time ran out before it was compared with {formatting.memories(done.not_compared)}."
    text += capped
    if done.redacted:
        text += f" Credentials were redacted ({', '.join(done.redacted)})."
    return text


def recall(call: ToolCall) -> ToolResult:
    found = query.ask(call.workspace, _question(call))
    brief = _for_agent(wire.brief.recalled(found))
    shape = _for_agent(wire.recalled(found)) if _is_full(call) else brief
    return ToolResult(shape, wire.brief.recalled_text(brief), answer=found)


def get(call: ToolCall) -> ToolResult:
    """Return one memory, or several; of several, the names of those that do not exist are given."""
    named = [call.arguments["memory"]] if "memory" in call.arguments else []
    if not named and "memories" not in call.arguments:
        raise UserError("Give memory, for one, or memories, for several.")
    if "memories" not in call.arguments:
        found = browse.detail(call.workspace, _name(call))
        return ToolResult(wire.detail(found), accessed=frozenset((found.memory.id,)))
    several, missing = [], []
    for name in dict.fromkeys((*named, *call.arguments["memories"])):
        try:
            several.append(browse.detail(call.workspace, name))
        except NotFound:
            missing.append(name)
    return ToolResult(wire.details(several, missing), accessed=frozenset(each.memory.id for each in several))


def list_memories(call: ToolCall) -> ToolResult:
    wanted = filters.from_values(call.arguments, _now(call))
    before = call.get("before")
    page = browse.page(
        call.workspace, wanted, before=None if before is None else MemoryId(before), limit=call.get("limit", 20)
    )
    return ToolResult(wire.page(page))


def update(call: ToolCall) -> ToolResult:
    fields = {name: value for name, value in call.arguments.items() if name not in ("memory", "version", "reason")}
    id = _id(call)
    known = browse.find(call.workspace, str(id)).confidence if "content" in fields else 0.0
    fields, capped = call.within_cap(fields, known)
    try:
        changes = curate.edit(call.workspace, [id], fields, **_terms(call))
    except NeedsPerson:
        shape, text = _proposed(call, id, ProposalKind.EDIT, fields)
    else:
        shape, text = {**wire.changes(changes), "proposal": None}, f"Changed memory {id}."
    return ToolResult({"memory": wire.memory(browse.find(call.workspace, str(id))), **shape}, text + capped)


def forget(call: ToolCall) -> ToolResult:
    id = _id(call)
    try:
        changes = curate.forget(call.workspace, [id], **_terms(call))
    except NeedsPerson:
        return ToolResult(*_proposed(call, id, ProposalKind.FORGET))
    shape = {**wire.changes(changes), "proposal": None}
    return ToolResult(shape, f"Memory {id} is forgotten; a person can restore it.")


def _proposed(
    call: ToolCall, id: MemoryId, kind: ProposalKind, fields: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], str]:
    """Keep a change of what a person wrote or pinned as a proposal, and answer with it."""
    made = proposals.propose(call.workspace, id, kind, fields, **_version(call), **_who(call))
    text = (
        f"Memory {id} was written, or pinned, by a person, so nothing was changed: your change waits as proposal "
        f"{made.id} until a person accepts or refuses it."
    )
    return {**NOTHING_CHANGED, "proposal": wire.proposal(made)}, text


def _terms(call: ToolCall) -> dict[str, Any]:
    """Return actor, reason, expected version, and whether what a person wrote or pinned may be changed."""
    return {"is_curator": _is_curator(call), **_version(call), **_who(call)}


def _is_curator(call: ToolCall) -> bool:
    return Scope.CURATE in call.caller.scopes


def pin(call: ToolCall) -> ToolResult:
    id, pinned = _id(call), call.get("pinned", True)
    changes = curate.pin(call.workspace, [id], pinned=pinned, **_version(call), **_who(call))
    return ToolResult(wire.changes(changes), f"Memory {id} is {'pinned' if pinned else 'no longer pinned'}.")


def link(call: ToolCall) -> ToolResult:
    fields = {name: call.arguments[name] for name in ("kind", "weight") if name in call.arguments}
    if fields.get("kind") == LinkKind.SUPERSEDES and not _is_curator(call):
        raise CallRefused(403, "Retiring a memory is a person's decision: it needs a token with the scope curate.")
    source, target = (browse.find(call.workspace, str(call.arguments[end])).id for end in ("source", "target"))
    if fields.get("kind") == LinkKind.CONTRADICTS:
        fields["status"] = LinkStatus.OPEN  # a possible contradiction, for a person to decide
    made, changes = curate.link(call.workspace, source, [target], {"kind": "relates", **fields}, **_who(call))
    return ToolResult({"link": wire.link(made[0]), **wire.changes(changes)}, f"Linked {source} to {target}.")


def reinforce(call: ToolCall) -> ToolResult:
    id = _id(call)
    changes = curate.reinforce(call.workspace, [id], **_version(call), **_who(call))
    memory = browse.find(call.workspace, str(id))
    text = f"Memory {id} has the strength {memory.strength:.2f}."
    return ToolResult({"strength": memory.strength, **wire.changes(changes)}, text)


def list_contradictions(call: ToolCall) -> ToolResult:
    found = contradictions.clusters(call.workspace, open_only=not call.get("decided_too", False))
    return ToolResult({"clusters": [wire.cluster(cluster) for cluster in found]})


def resolve(call: ToolCall) -> ToolResult:
    id, verdict = LinkId(call.arguments["contradiction"]), Resolution(call.arguments["verdict"])
    terms = {"scope": call.get("scope", ""), "content": call.get("content")}
    impacts = contradictions.preview(call.workspace, id, verdict, **terms)
    shape: dict[str, Any] = {"impact": [wire.impact(each) for each in impacts]}
    if call.get("dry_run", False):
        return ToolResult({**shape, **NOTHING_CHANGED}, "This was a dry run: nothing was changed.")
    changes = contradictions.resolve(call.workspace, id, verdict, **terms, **_who(call))
    return ToolResult({**shape, **wire.changes(changes)}, f"Decided: {verdict}.")


def explain(call: ToolCall) -> ToolResult:
    found = query.explain(call.workspace, _question(call), _name(call))
    if _is_full(call):
        return ToolResult(_for_agent(wire.explanation(found)))
    shape = _for_agent(wire.brief.explanation(found))
    return ToolResult(shape, wire.brief.explanation_text(shape))


def explain_absence(call: ToolCall) -> ToolResult:
    question, name = _question(call), _name(call)
    found = query.explain(call.workspace, question, name)
    missed = None
    if found.rank is None:
        missed = why_not.why_not(call.workspace, question, name, is_given_up=call.is_given_up)
    if _is_full(call):
        return ToolResult(_for_agent({**wire.explanation(found), "why_not": wire.why_not(missed) if missed else None}))
    shape = _for_agent(wire.brief.why_not(found, missed))
    return ToolResult(shape, wire.brief.why_not_text(shape))


def _is_full(call: ToolCall) -> bool:
    return bool(call.get("detail") == FULL)


def _for_agent(shape: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose sentences about the run are for agents; the memories in it stay as they are."""
    said: dict[str, Any] = {"warnings": [agent_wording.for_agent(each) for each in shape["warnings"]]}
    if "why_this_mode" in shape:
        said["why_this_mode"] = agent_wording.for_agent(shape["why_this_mode"])
    return {**shape, **said}


def history(call: ToolCall) -> ToolResult:
    return ToolResult({"versions": [wire.revision(each) for each in audit.history(call.workspace, _name(call))]})


def stats(call: ToolCall) -> ToolResult:
    info = health.info(call.workspace)
    return ToolResult(wire.stats(info, call.workspace.embeddings.status(), audit.metrics(call.workspace)))


def _question(call: ToolCall) -> Question:
    return query.question_of(call.arguments, _now(call))


def _now(call: ToolCall) -> datetime:
    return call.workspace.store.clock.now()


def _name(call: ToolCall) -> str:
    return str(call.arguments["memory"])


def _id(call: ToolCall) -> MemoryId:
    return browse.find(call.workspace, _name(call)).id


def _who(call: ToolCall) -> dict[str, Any]:
    return {"actor": call.caller.actor, "reason": call.get("reason", "")}


def _version(call: ToolCall) -> dict[str, Any]:
    return {"expected_version": call.get("version")}
