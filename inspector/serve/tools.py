"""The table of tools: what agents can do, what each wants and gives back. MCP, REST and their documents come of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import telling
from core.errors import NeedsPerson, UserError
from core.model import Filter, LinkId, LinkKind, LinkStatus, Memory, MemoryId, Status
from core.services import audit, browse, contradictions, curate, health, proposals, query, remember, why_not
from core.services.contradictions import VerdictOn
from core.services.proposals import ProposalKind
from core.services.query import Question
from core.services.remember import Policy
from inspector import wire
from inspector.serve import schemas
from inspector.serve.door import Asked, Refused, Reply, Tool
from inspector.serve.schemas import INTEGER, LINK, MEMORY, NUMBER, OBJECT, STRING, answer, arguments, maybe, several
from inspector.serve.tokens import Scope

MAX_KNOWN_CHARS = 1_000  # of the known memory's text in a refusal for a reader; the shape holds all of it

_MEMORY_FIELDS = {
    "summary": schemas.text("Its gist in a few words."),
    "type": schemas.text("fact, decision, gotcha, preference, pattern, …"),
    "tags": schemas.texts("Words to find it by."),
    "entities": schemas.texts("Names of the people, services or things it is about."),
    "files": schemas.texts("Paths of the files it is about."),
    "collection": schemas.text("Which part of the store it belongs to; `default` unless you were told another."),
    "session": schemas.text("The conversation it comes from."),
    "user": schemas.text("Whom it concerns."),
    "confidence": schemas.share("How sure it is; 0.8 unless you know better."),
    "importance": schemas.text("normal or high.", enum=["normal", "high"]),
    "context": schemas.mapping("Structured facts: params, spatial, robot, task, env, …"),
}
_REASON = schemas.text("Why; kept in the journal for the people who read it.")
_DUPLICATES = schemas.text(
    "judge (the default): what is known already is not stored, and you are shown the known memory; keep: store it.",
    enum=[Policy.DEFAULT, Policy.KEEP],
)
_ASKING = {
    "query": schemas.text("What you want to know, in your own words."),
    "profile": schemas.text("Which design ranks; the default is the best measured one."),
    "k": {"type": "integer", "description": "How many memories at most (from 1; what is too many is cut and said)."},
    "token_budget": schemas.whole("At most so many tokens of memories.", 1, 1_000_000),
    "types": schemas.texts("Only these types."),
    "tags": schemas.texts("Only with one of these tags."),
    "collections": schemas.texts("Only of these collections."),
    "session": schemas.text("Only of this session."),
    "users": schemas.texts("Only concerning these users."),
    "agents": schemas.texts("Only from these agents."),
    "statuses": schemas.texts("Only of these statuses; active ones unless said otherwise.", list(Status)),
    "min_confidence": schemas.share("Only memories at least this sure."),
    "context": schemas.mapping('Only where the context fits, such as {"task.success": true}.'),
    "spatial": schemas.mapping('Nearest first: {"field": …, "target": [x, y], "max_distance": …}.'),
    "as_of": schemas.text("Rank as of this time (ISO 8601): ages and decay as of then."),
    "exact": schemas.flag(
        "Search the file itself, slower. Only vector lists of large stores, whose note says approximate, can differ."
    ),
    "parameters": schemas.mapping('The profile\'s own parameters, such as {"decay.half_life_days": 90}.'),
}
NOTHING_CHANGED: dict[str, Any] = {"operation": None, "memories": [], "links": []}
_PARTS = several(answer(name=STRING, value=NUMBER))
_RESULT = answer(rank=INTEGER, score=NUMBER, memory=MEMORY, parts=_PARTS, losses=_PARTS)
_WHY = answer(
    memory=MEMORY, query=STRING, profile=STRING, returned=schemas.BOOLEAN, rank=maybe(INTEGER), score=maybe(NUMBER),
    reason=maybe(OBJECT), steps=several(OBJECT),
)  # fmt: skip


def store(asked: Asked) -> Reply:
    fields = {name: value for name, value in asked.arguments.items() if name not in ("reason", "duplicates")}
    fields, capped = asked.within_cap(fields, Memory._field_defaults["confidence"])
    policy = Policy(asked.get("duplicates", Policy.DEFAULT))
    done = remember.remember(asked.workspace, fields, duplicates=policy, **_who(asked))
    if done.duplicate is not None:
        known = " ".join(done.memory.content[:MAX_KNOWN_CHARS].split())
        text = f"{done.duplicate.sentence} It says: {known}\nNothing new was stored; duplicates: keep stores yours too."
    else:
        text = f"Stored as memory {done.memory.id}."
        if done.suspicions:
            others = ", ".join(str(id) for id, _ in done.suspicions)
            text += f" It may contradict memory {others}; a person will decide."
        if done.not_compared:
            text += f" There was no time to compare it with {telling.memories(done.not_compared)}."
    text += capped
    if done.redacted:
        text += f" Credentials were taken out of it first ({', '.join(done.redacted)})."
    return Reply(wire.remembered(done), text)


def recall(asked: Asked) -> Reply:
    found = query.ask(asked.workspace, _question(asked))
    shape = wire.recalled(found)
    if not found.memories:
        return Reply(shape, "No memory fits this query.", answer=found)
    ids = ", ".join(str(memory.id) for memory in found.memories)
    warnings = "".join(f"\nNote: {warning}" for warning in shape["warnings"])
    return Reply(shape, f"{shape['prompt']}\n\nTheir ids, in this order: {ids}.{warnings}", answer=found)


def get(asked: Asked) -> Reply:
    found = browse.detail(asked.workspace, _name(asked))
    return Reply(wire.detail(found), accessed=frozenset((found.memory.id,)))


def list_memories(asked: Asked) -> Reply:
    wanted = Filter(
        types=tuple(asked.get("types", ())),
        tags=tuple(asked.get("tags", ())),
        statuses=tuple(map(Status, asked.get("statuses", ()))),
        collections=tuple(asked.get("collections", ())),
        sessions=tuple(asked.get("sessions", ())),
        agents=tuple(asked.get("agents", ())),
        pinned=asked.get("pinned"),
    )
    before = asked.get("before")
    page = browse.page(
        asked.workspace, wanted, before=None if before is None else MemoryId(before), limit=asked.get("limit", 20)
    )
    return Reply(wire.page(page))


def update(asked: Asked) -> Reply:
    fields = {name: value for name, value in asked.arguments.items() if name not in ("memory", "version", "reason")}
    id = _id(asked)
    known = browse.find(asked.workspace, str(id)).confidence if "content" in fields else 0.0
    fields, capped = asked.within_cap(fields, known)
    try:
        changes = curate.edit(asked.workspace, [id], fields, **_terms(asked))
    except NeedsPerson:
        shape, text = _proposed(asked, id, ProposalKind.EDIT, fields)
    else:
        shape, text = {**wire.changes(changes), "proposal": None}, f"Changed memory {id}."
    return Reply({"memory": wire.memory(browse.find(asked.workspace, str(id))), **shape}, text + capped)


def forget(asked: Asked) -> Reply:
    id = _id(asked)
    try:
        changes = curate.forget(asked.workspace, [id], **_terms(asked))
    except NeedsPerson:
        return Reply(*_proposed(asked, id, ProposalKind.FORGET))
    shape = {**wire.changes(changes), "proposal": None}
    return Reply(shape, f"Memory {id} is forgotten; a person can bring it back.")


def _proposed(
    asked: Asked, id: MemoryId, kind: ProposalKind, fields: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], str]:
    """A change of what a person stands behind is kept for a person to decide on, and answered as that."""
    made = proposals.propose(asked.workspace, id, kind, fields, **_version(asked), **_who(asked))
    text = (
        f"Memory {id} was written, or pinned, by a person, so nothing was changed: your change waits as proposal "
        f"{made.id} until a person accepts or refuses it."
    )
    return {**NOTHING_CHANGED, "proposal": wire.proposal(made)}, text


def _terms(asked: Asked) -> dict[str, Any]:
    """By whom, why, of which version, and whether what a person stands behind may be changed."""
    return {"is_curator": _is_curator(asked), **_version(asked), **_who(asked)}


def _is_curator(asked: Asked) -> bool:
    return Scope.CURATE in asked.caller.scopes


def pin(asked: Asked) -> Reply:
    id, pinned = _id(asked), asked.get("pinned", True)
    changes = curate.pin(asked.workspace, [id], pinned=pinned, **_version(asked), **_who(asked))
    return Reply(wire.changes(changes), f"Memory {id} is {'pinned' if pinned else 'no longer pinned'}.")


def link(asked: Asked) -> Reply:
    fields = {name: asked.arguments[name] for name in ("kind", "weight") if name in asked.arguments}
    if fields.get("kind") == LinkKind.SUPERSEDES and not _is_curator(asked):
        raise Refused(403, "Retiring a memory is a person's decision: it needs a token with the scope curate.")
    source, target = (browse.find(asked.workspace, str(asked.arguments[end])).id for end in ("source", "target"))
    if fields.get("kind") == LinkKind.CONTRADICTS:
        fields["status"] = LinkStatus.OPEN  # a suspicion, for a person to decide
    made, changes = curate.link(asked.workspace, source, [target], {"kind": "relates", **fields}, **_who(asked))
    return Reply({"link": wire.link(made[0]), **wire.changes(changes)}, f"Linked {source} to {target}.")


def reinforce(asked: Asked) -> Reply:
    id = _id(asked)
    changes = curate.reinforce(asked.workspace, [id], **_version(asked), **_who(asked))
    memory = browse.find(asked.workspace, str(id))
    text = f"Memory {id} has the strength {memory.strength:.2f}."
    return Reply({"strength": memory.strength, **wire.changes(changes)}, text)


def list_contradictions(asked: Asked) -> Reply:
    found = contradictions.clusters(asked.workspace, open_only=not asked.get("decided_too", False))
    return Reply({"clusters": [wire.cluster(cluster) for cluster in found]})


def resolve(asked: Asked) -> Reply:
    id, verdict = LinkId(asked.arguments["contradiction"]), VerdictOn(asked.arguments["verdict"])
    told = {"scope": asked.get("scope", ""), "content": asked.get("content")}
    impacts = contradictions.preview(asked.workspace, id, verdict, **told)
    shape: dict[str, Any] = {"impact": [wire.impact(each) for each in impacts]}
    if asked.get("dry_run", False):
        return Reply({**shape, **NOTHING_CHANGED}, "This was a dry run: nothing was changed.")
    changes = contradictions.resolve(asked.workspace, id, verdict, **told, **_who(asked))
    return Reply({**shape, **wire.changes(changes)}, f"Decided: {verdict}.")


def explain(asked: Asked) -> Reply:
    return Reply(wire.explanation(query.explain(asked.workspace, _question(asked), _name(asked))))


def explain_absence(asked: Asked) -> Reply:
    question, name = _question(asked), _name(asked)
    found = query.explain(asked.workspace, question, name)
    missed = None
    if found.rank is None:
        missed = why_not.why_not(asked.workspace, question, name, is_given_up=asked.is_given_up)
    return Reply({**wire.explanation(found), "why_not": wire.why_not(missed) if missed else None})


def history(asked: Asked) -> Reply:
    return Reply({"versions": [wire.revision(each) for each in audit.history(asked.workspace, _name(asked))]})


def stats(asked: Asked) -> Reply:
    info = health.info(asked.workspace)
    return Reply(wire.stats(info, asked.workspace.embeddings.status(), audit.metrics(asked.workspace)))


def _question(asked: Asked) -> Question:
    return query.question_of(asked.arguments)


def _name(asked: Asked) -> str:
    name = asked.arguments["memory"]
    if isinstance(name, float):  # JSON schema lets 12.0 pass for a whole number
        raise UserError("memory must be a whole number or a uid.")
    return str(name)


def _id(asked: Asked) -> MemoryId:
    return browse.find(asked.workspace, _name(asked)).id


def _who(asked: Asked) -> dict[str, Any]:
    return {"actor": asked.caller.actor, "reason": asked.get("reason", "")}


def _version(asked: Asked) -> dict[str, Any]:
    return {"expected_version": asked.get("version")}


_ONE = {"memory": schemas.MEMORY_NAME}
_OF_VERSION = {**_ONE, "version": schemas.whole("Only if the memory is still at this version.", 1, 2**63 - 1)}

_PROPOSAL = answer(id=INTEGER, memory=INTEGER, kind=STRING, state=STRING)
_CHANGED_OR_PROPOSED = {**schemas.CHANGED["properties"], "proposal": maybe(_PROPOSAL)}

TOOLS = (
    Tool(
        "memory_store", "Remember",
        "Keep one fact, decision, gotcha or preference that will be of use in later sessions. Say it in one or two "
        "self-contained sentences. What is known already is not stored twice; credentials are taken out.",
        Scope.WRITE, store, "POST", "/memories",
        arguments(
            {"content": schemas.text("The memory itself."), **_MEMORY_FIELDS, "duplicates": _DUPLICATES,
             "reason": _REASON},
            ["content"],
        ),
        answer(memory=MEMORY, operation=schemas.OPERATION, embedded=schemas.BOOLEAN, redacted=schemas.LIST_OF_TEXTS,
               duplicate=maybe(OBJECT), suspected_contradictions=several(OBJECT), not_compared=INTEGER),
    ),
    Tool(
        "memory_recall", "Recall",
        "Ask what is remembered about something, before you start a task or when you lack a fact. Gives the best "
        "memories with their scores and a ready section for a prompt.",
        Scope.READ, recall, "POST", "/recall",
        arguments(_ASKING, ["query"]),
        answer(query=STRING, profile=STRING, mode=STRING, why_this_mode=STRING, warnings=schemas.LIST_OF_TEXTS,
               results=several(_RESULT), prompt=STRING),
        is_idempotent=True,
    ),
    Tool(
        "memory_get", "Read one memory",
        "Read one memory whole, with its links.",
        Scope.READ, get, "GET", "/memories/{memory}",
        arguments(_ONE, ["memory"]),
        answer(memory=MEMORY, links=several(LINK), embedded=schemas.BOOLEAN, truncated=schemas.BOOLEAN),
        is_idempotent=True,
    ),
    Tool(
        "memory_list", "List memories",
        "List memories, newest first, a page at a time; `before` of an answer asks for the next page.",
        Scope.READ, list_memories, "GET", "/memories",
        arguments({
            "types": _ASKING["types"], "tags": _ASKING["tags"], "statuses": schemas.texts("Only these.", list(Status)),
            "collections": _ASKING["collections"], "sessions": schemas.texts("Only of these sessions."),
            "agents": _ASKING["agents"], "pinned": schemas.flag("Only pinned ones, or only others."),
            "limit": schemas.whole("How many (default: 20).", 1, 500),
            "before": schemas.whole("Go on after this id of an earlier page.", 1, 2**63 - 1),
        }),
        answer(memories=several(MEMORY), total=INTEGER, before=maybe(INTEGER)),
        is_idempotent=True,
    ),
    Tool(
        "memory_update", "Correct a memory",
        "Change fields of a memory that is wrong or incomplete. Give the version you have read, so that nobody's "
        "newer change is overwritten. What a person wrote or pinned is only proposed to be changed.",
        Scope.WRITE, update, "PATCH", "/memories/{memory}",
        arguments({
            **_OF_VERSION, "content": schemas.text("The new text."), **_MEMORY_FIELDS, "reason": _REASON,
        }, ["memory"]),
        answer(memory=MEMORY, **_CHANGED_OR_PROPOSED),
        is_idempotent=True,
    ),
    Tool(
        "memory_forget", "Forget",
        "Let a memory never be returned again. A person can bring it back; nothing is lost. What a person wrote or "
        "pinned is only proposed to be forgotten.",
        Scope.WRITE, forget, "DELETE", "/memories/{memory}",
        arguments({**_OF_VERSION, "reason": _REASON}, ["memory"]), answer(**_CHANGED_OR_PROPOSED),
        is_destructive=True, is_idempotent=True,
    ),
    Tool(
        "memory_pin", "Pin",
        "Pin a memory, so that it never fades, or unpin it. A person's decision: needs the scope curate.",
        Scope.CURATE, pin, "POST", "/memories/{memory}/pin",
        arguments(
            {**_OF_VERSION, "pinned": schemas.flag("false unpins (default: true)."), "reason": _REASON}, ["memory"]
        ),
        schemas.CHANGED, is_idempotent=True,
    ),
    Tool(
        "memory_link", "Link",
        "Say how one memory relates to another.",
        Scope.WRITE, link, "POST", "/links",
        arguments({
            "source": schemas.MEMORY_NAME, "target": schemas.MEMORY_NAME, "reason": _REASON,
            "kind": schemas.text("How they relate (default: relates).", enum=list(LinkKind)),
            "weight": schemas.share("How strongly (default: 1)."),
        }, ["source", "target"]),
        answer(link=LINK, **schemas.CHANGED["properties"]),
    ),
    Tool(
        "memory_reinforce", "Reinforce",
        "Say that a memory has proved right and useful: its strength grows by 0.1. A person's decision: needs "
        "the scope curate.",
        Scope.CURATE, reinforce, "POST", "/memories/{memory}/reinforce",
        arguments({**_OF_VERSION, "reason": _REASON}, ["memory"]),
        answer(strength=NUMBER, **schemas.CHANGED["properties"]),
    ),
    Tool(
        "memory_contradictions", "List contradictions",
        "Memories that stand against each other, with what speaks for each and the rule that found them.",
        Scope.READ, list_contradictions, "GET", "/contradictions",
        arguments({"decided_too": schemas.flag("Also those that are decided.")}), answer(clusters=several(OBJECT)),
        is_idempotent=True,
    ),
    Tool(
        "memory_resolve", "Decide a contradiction",
        "Carry out a person's verdict on a contradiction; dry_run only shows which queries would change. Needs the "
        "scope curate.",
        Scope.CURATE, resolve, "POST", "/contradictions/{contradiction}/resolve",
        arguments({
            "contradiction": schemas.whole("Its number, as memory_contradictions tells it.", 1, 2**63 - 1),
            "verdict": schemas.text("A is the link's source, B its target.", enum=list(VerdictOn)),
            "scope": schemas.text("For both-valid: what makes both true."),
            "content": schemas.text("For merge: the text it shall have."),
            "dry_run": schemas.flag("Only show the impact."), "reason": _REASON,
        }, ["contradiction", "verdict"]),
        answer(impact=several(OBJECT), **schemas.CHANGED["properties"]),
        is_destructive=True,
    ),
    Tool(
        "memory_explain", "Explain a rank",
        "How one memory fared for a query: its rank, the tree of its score down to each word, its way through the "
        "stages. Changes nothing, not even a count.",
        Scope.READ, explain, "POST", "/explain",
        arguments({**_ASKING, **_ONE}, ["query", "memory"]), _WHY, is_idempotent=True,
    ),
    Tool(
        "memory_why_not", "Why not this one",
        "Why a memory was not returned for a query, and the smallest single change that would bring it in, found by "
        "asking again. Changes nothing, not even a count.",
        Scope.READ, explain_absence, "POST", "/why-not",
        arguments({**_ASKING, **_ONE}, ["query", "memory"]),
        answer(**_WHY["properties"], why_not=maybe(OBJECT)),
        is_idempotent=True, is_heavy=True,
    ),
    Tool(
        "memory_history", "History of a memory",
        "Every version of a memory: who changed it, when, why, and which words.",
        Scope.READ, history, "GET", "/memories/{memory}/history",
        arguments(_ONE, ["memory"]), answer(versions=several(OBJECT)), is_idempotent=True,
    ),
    Tool(
        "memory_stats", "Statistics",
        "What the store holds, whether the model is ready, and how recalls went: number, p50 / p95 / p99, zero-hit "
        "and fallback rate, per client.",
        Scope.READ, stats, "GET", "/stats",
        arguments({}),
        answer(memories=INTEGER, by_status=OBJECT, by_type=OBJECT, by_collection=OBJECT, by_agent=OBJECT, links=INTEGER,
               operations=INTEGER, model=OBJECT, recalls=OBJECT, by_client=OBJECT),
        is_idempotent=True,
    ),
)  # fmt: skip
