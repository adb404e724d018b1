"""The table of tools: what agents can do, with arguments and answers. MCP, REST and their documents are built from
it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import filters, formatting
from core.errors import NeedsPerson, UserError
from core.model import LinkId, LinkKind, LinkStatus, Memory, MemoryId, Status
from core.services import audit, browse, contradictions, curate, health, proposals, query, remember, why_not
from core.services.contradictions import Resolution
from core.services.proposals import ProposalKind
from core.services.query import Question
from core.services.remember import Policy
from inspector import wire
from inspector.serve import schemas
from inspector.serve.dispatcher import CallRefused, Tool, ToolCall, ToolResult
from inspector.serve.schemas import (
    INTEGER,
    LINK,
    MEMORY,
    NUMBER,
    OBJECT,
    STRING,
    answer,
    arguments,
    array,
    optional,
)
from inspector.serve.tokens import Scope
from inspector.serve.tool_schemas import (
    CHANGED_OR_PROPOSED,
    DUPLICATES,
    MEMORY_FIELDS,
    MEMORY_OF_VERSION,
    ONE_MEMORY,
    QUERY_FIELDS,
    REASON,
    RESULT,
    WHY,
    filter_arguments,
)

MAX_KNOWN_CHARS = 1_000  # of the known memory's text in the text answer; the JSON has all of it

NOTHING_CHANGED: dict[str, Any] = {"operation": None, "memories": [], "links": []}


def store(call: ToolCall) -> ToolResult:
    fields = {name: value for name, value in call.arguments.items() if name not in ("reason", "duplicates")}
    fields, capped = call.within_cap(fields, Memory._field_defaults["confidence"])
    policy = Policy(call.get("duplicates", Policy.DEFAULT))
    done = remember.remember(call.workspace, fields, duplicates=policy, **_who(call))
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
    return ToolResult(wire.remembered(done), text)


def recall(call: ToolCall) -> ToolResult:
    found = query.ask(call.workspace, _question(call))
    shape = wire.recalled(found)
    if not found.memories:
        return ToolResult(shape, "No memory matches this query.", answer=found)
    ids = ", ".join(str(memory.id) for memory in found.memories)
    warnings = "".join(f"\nNote: {warning}" for warning in shape["warnings"])
    return ToolResult(shape, f"{shape['prompt']}\n\nTheir ids, in this order: {ids}.{warnings}", answer=found)


def get(call: ToolCall) -> ToolResult:
    found = browse.detail(call.workspace, _name(call))
    return ToolResult(wire.detail(found), accessed=frozenset((found.memory.id,)))


def list_memories(call: ToolCall) -> ToolResult:
    wanted = filters.from_values(call.arguments)
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
    return ToolResult(wire.explanation(query.explain(call.workspace, _question(call), _name(call))))


def explain_absence(call: ToolCall) -> ToolResult:
    question, name = _question(call), _name(call)
    found = query.explain(call.workspace, question, name)
    missed = None
    if found.rank is None:
        missed = why_not.why_not(call.workspace, question, name, is_given_up=call.is_given_up)
    return ToolResult({**wire.explanation(found), "why_not": wire.why_not(missed) if missed else None})


def history(call: ToolCall) -> ToolResult:
    return ToolResult({"versions": [wire.revision(each) for each in audit.history(call.workspace, _name(call))]})


def stats(call: ToolCall) -> ToolResult:
    info = health.info(call.workspace)
    return ToolResult(wire.stats(info, call.workspace.embeddings.status(), audit.metrics(call.workspace)))


def _question(call: ToolCall) -> Question:
    return query.question_of(call.arguments)


def _name(call: ToolCall) -> str:
    name = call.arguments["memory"]
    if isinstance(name, float):  # JSON schema lets 12.0 pass for a whole number
        raise UserError("memory must be a whole number or a uid.")
    return str(name)


def _id(call: ToolCall) -> MemoryId:
    return browse.find(call.workspace, _name(call)).id


def _who(call: ToolCall) -> dict[str, Any]:
    return {"actor": call.caller.actor, "reason": call.get("reason", "")}


def _version(call: ToolCall) -> dict[str, Any]:
    return {"expected_version": call.get("version")}


TOOLS = (
    Tool(
        "memory_store", "Remember",
        "Store one fact, decision, gotcha or preference that later sessions will need. State it in one or two "
        "self-contained sentences. A duplicate is not stored a second time; credentials are redacted.",
        Scope.WRITE, store, "POST", "/memories",
        arguments(
            {"content": schemas.text("The memory itself."), **MEMORY_FIELDS, "duplicates": DUPLICATES,
             "reason": REASON},
            ["content"],
        ),
        answer(memory=MEMORY, operation=schemas.OPERATION, embedded=schemas.BOOLEAN, redacted=schemas.LIST_OF_TEXTS,
               duplicate=optional(OBJECT), suspected_contradictions=array(OBJECT), not_compared=INTEGER),
    ),
    Tool(
        "memory_recall", "Recall",
        "Recall what is known about a subject, before you start a task or when you lack a fact. Returns the best "
        "memories with their scores, and a section for a prompt.",
        Scope.READ, recall, "POST", "/recall",
        arguments(QUERY_FIELDS, ["query"]),
        answer(query=STRING, profile=STRING, mode=STRING, why_this_mode=STRING, warnings=schemas.LIST_OF_TEXTS,
               results=array(RESULT), prompt=STRING),
        is_idempotent=True,
    ),
    Tool(
        "memory_get", "Read one memory",
        "Get one memory with all its fields and links.",
        Scope.READ, get, "GET", "/memories/{memory}",
        arguments(ONE_MEMORY, ["memory"]),
        answer(memory=MEMORY, links=array(LINK), embedded=schemas.BOOLEAN, truncated=schemas.BOOLEAN),
        is_idempotent=True,
    ),
    Tool(
        "memory_list", "List memories",
        "List memories, newest first, a page at a time; `before` of an answer gets the next page.",
        Scope.READ, list_memories, "GET", "/memories",
        arguments({
            **filter_arguments("types", "tags"), "statuses": schemas.texts("Only these.", list(Status)),
            **filter_arguments("collections", "sessions", "agents", "pinned"),
            "limit": schemas.whole("How many (default: 20).", 1, 500),
            "before": schemas.whole("Continue after this id of an earlier page.", 1, 2**63 - 1),
        }),
        answer(memories=array(MEMORY), total=INTEGER, before=optional(INTEGER)),
        is_idempotent=True,
    ),
    Tool(
        "memory_update", "Correct a memory",
        "Change fields of a memory that is wrong or incomplete. Give the version you have read, so that no newer "
        "change is overwritten. A change of what a person wrote or pinned "
        "waits as a proposal.",
        Scope.WRITE, update, "PATCH", "/memories/{memory}",
        arguments({
            **MEMORY_OF_VERSION, "content": schemas.text("The new text."), **MEMORY_FIELDS, "reason": REASON,
        }, ["memory"]),
        answer(memory=MEMORY, **CHANGED_OR_PROPOSED),
        is_idempotent=True,
    ),
    Tool(
        "memory_forget", "Forget",
        "Forget a memory: it is not returned any more. A person can restore it; nothing is lost. To forget what a "
        "person wrote or pinned waits as a proposal.",
        Scope.WRITE, forget, "DELETE", "/memories/{memory}",
        arguments({**MEMORY_OF_VERSION, "reason": REASON}, ["memory"]), answer(**CHANGED_OR_PROPOSED),
        is_destructive=True, is_idempotent=True,
    ),
    Tool(
        "memory_pin", "Pin",
        "Pin a memory, so that it never decays, or unpin it. A person's decision: needs the scope curate.",
        Scope.CURATE, pin, "POST", "/memories/{memory}/pin",
        arguments(
            {**MEMORY_OF_VERSION, "pinned": schemas.flag("false unpins (default: true)."), "reason": REASON}, ["memory"]
        ),
        schemas.CHANGED, is_idempotent=True,
    ),
    Tool(
        "memory_link", "Link",
        "Link one memory to another.",
        Scope.WRITE, link, "POST", "/links",
        arguments({
            "source": schemas.MEMORY_NAME, "target": schemas.MEMORY_NAME, "reason": REASON,
            "kind": schemas.text("How they relate (default: relates).", enum=list(LinkKind)),
            "weight": schemas.share("How strongly (default: 1)."),
        }, ["source", "target"]),
        answer(link=LINK, **schemas.CHANGED["properties"]),
    ),
    Tool(
        "memory_reinforce", "Reinforce",
        "Reinforce a memory that has proved right and useful: its strength grows by 0.1. A person's decision: needs "
        "the scope curate.",
        Scope.CURATE, reinforce, "POST", "/memories/{memory}/reinforce",
        arguments({**MEMORY_OF_VERSION, "reason": REASON}, ["memory"]),
        answer(strength=NUMBER, **schemas.CHANGED["properties"]),
    ),
    Tool(
        "memory_contradictions", "List contradictions",
        "List memories that contradict each other, with the evidence score of each and the rule that found them.",
        Scope.READ, list_contradictions, "GET", "/contradictions",
        arguments({"decided_too": schemas.flag("Also resolved ones.")}), answer(clusters=array(OBJECT)),
        is_idempotent=True,
    ),
    Tool(
        "memory_resolve", "Resolve a contradiction",
        "Resolve a contradiction by a person's verdict; dry_run only shows which queries would change. Needs the "
        "scope curate.",
        Scope.CURATE, resolve, "POST", "/contradictions/{contradiction}/resolve",
        arguments({
            "contradiction": schemas.whole("Its number, as shown by memory_contradictions.", 1, 2**63 - 1),
            "verdict": schemas.text("A is the link's source, B its target.", enum=list(Resolution)),
            "scope": schemas.text("For both-valid: the scope in which each is valid."),
            "content": schemas.text("For merge: text of the merged memory."),
            "dry_run": schemas.flag("Only show the impact."), "reason": REASON,
        }, ["contradiction", "verdict"]),
        answer(impact=array(OBJECT), **schemas.CHANGED["properties"]),
        is_destructive=True,
    ),
    Tool(
        "memory_explain", "Explain a rank",
        "Explain one memory's rank for a query: the tree of its score down to each word, and its rank after each "
        "stage. Read-only: not even an access is counted.",
        Scope.READ, explain, "POST", "/explain",
        arguments({**QUERY_FIELDS, **ONE_MEMORY}, ["query", "memory"]), WHY, is_idempotent=True,
    ),
    Tool(
        "memory_why_not", "Why not this one",
        "Explain why a memory was not returned for a query, and find the smallest single change that would return "
        "it. Read-only: not even an access is counted.",
        Scope.READ, explain_absence, "POST", "/why-not",
        arguments({**QUERY_FIELDS, **ONE_MEMORY}, ["query", "memory"]),
        answer(**WHY["properties"], why_not=optional(OBJECT)),
        is_idempotent=True, is_heavy=True,
    ),
    Tool(
        "memory_history", "History of a memory",
        "List every version of a memory: who changed it, when, why, and which words.",
        Scope.READ, history, "GET", "/memories/{memory}/history",
        arguments(ONE_MEMORY, ["memory"]), answer(versions=array(OBJECT)), is_idempotent=True,
    ),
    Tool(
        "memory_stats", "Statistics",
        "Show what the store holds, whether the model is ready, and how recalls went: number, p50 / p95 / p99, "
        "zero-hit and fallback rate, per client.",
        Scope.READ, stats, "GET", "/stats",
        arguments({}),
        answer(memories=INTEGER, by_status=OBJECT, by_type=OBJECT, by_collection=OBJECT, by_agent=OBJECT, links=INTEGER,
               operations=INTEGER, model=OBJECT, recalls=OBJECT, by_client=OBJECT),
        is_idempotent=True,
    ),
)  # fmt: skip
