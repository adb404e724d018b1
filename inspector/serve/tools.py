"""The table of tools: what agents can do, with arguments and answers. MCP, REST and their documents are built from
it."""

from __future__ import annotations

from core.model import LinkKind, Status
from core.services.contradictions import Resolution
from inspector.serve import schemas
from inspector.serve import tool_functions as does
from inspector.serve.dispatcher import Tool
from inspector.serve.schemas import (
    INTEGER,
    LINK,
    LIST_OF_TEXTS,
    MEMORY,
    NUMBER,
    OBJECT,
    answer,
    arguments,
    array,
    component,
    optional,
    with_optional,
)
from inspector.serve.tokens import Scope
from inspector.serve.tool_schemas import (
    CHANGED_OR_PROPOSED,
    DETAIL_OF_MEMORY,
    DUPLICATES,
    EXPLAINED,
    EXPLAINED_IN_FULL,
    MEMORY_FIELDS,
    MEMORY_OF_VERSION,
    ONE_MEMORY,
    QUERY_FIELDS,
    REASON,
    RECALLED,
    SHARES,
    STORED,
    filter_arguments,
)

_RARELY_EXPLAINED = frozenset(QUERY_FIELDS.keys() - {"query", "detail", "k", "profile", "session"})
_ONE_TO_STORE = {"content": schemas.text("The memory itself."), **MEMORY_FIELDS}

TOOLS = (
    Tool(
        "memory_store", "Remember",
        "Store one fact, decision, gotcha or preference that later sessions will need, or several with `memories`. "
        "State each in one or two self-contained sentences. A duplicate is not stored a second time; credentials are "
        "redacted.",
        Scope.WRITE, does.store, "POST", "/memories",
        arguments({
            **_ONE_TO_STORE,
            "memories": schemas.several(
                "Several, each an object of the fields above.",
                arguments(_ONE_TO_STORE, ["content"]), is_like_the_tool=True,
            ),
            "duplicates": DUPLICATES, "reason": REASON,
        }),
        with_optional(answer(operation=schemas.OPERATION), **STORED, results=array(component("StoredOne"))),
        one_of=("content", "memories"),
    ),
    Tool(
        "memory_recall", "Recall",
        "Recall what is known about a subject, before you start a task or when you lack a fact. Returns the best "
        "memories, best first, each with why it was found. A text cut by … is whole in memory_get.",
        Scope.READ, does.recall, "POST", "/recall",
        arguments(QUERY_FIELDS, ["query"]), RECALLED,
        is_idempotent=True,
    ),
    Tool(
        "memory_get", "Read memories",
        "Get a memory with all its fields and links, or several with `memories`.",
        Scope.READ, does.get, "GET", "/memories/{memory}",
        arguments({**ONE_MEMORY, "memories": schemas.several("Ids or uids.", schemas.MEMORY_NAME)}),
        with_optional(
            answer(), **DETAIL_OF_MEMORY["properties"], memories=array(component("MemoryDetail")), missing=LIST_OF_TEXTS
        ),
        is_idempotent=True,
    ),
    Tool(
        "memory_list", "List memories",
        "List memories, newest first, a page at a time; `before` of an answer gets the next page.",
        Scope.READ, does.list_memories, "GET", "/memories",
        arguments({
            **filter_arguments("types", "tags"), "statuses": schemas.texts("Only of these.", list(Status)),
            **filter_arguments("collections", "sessions", "agents", "pinned", "since", "until"),
            "limit": schemas.whole("1 to 500; default 20.", 1, 500),
            "before": schemas.whole("Continue after this id.", 1, 2**63 - 1),
        }),
        answer(memories=array(MEMORY), total=INTEGER, before=optional(INTEGER)),
        is_idempotent=True, fields_of="memory_recall",
    ),
    Tool(
        "memory_update", "Correct a memory",
        "Change fields of a memory that is wrong or incomplete; they are those of memory_store. Give the version you "
        "have read, so that no newer change is overwritten. A change of what a person wrote or pinned waits as a "
        "proposal.",
        Scope.WRITE, does.update, "PATCH", "/memories/{memory}",
        arguments({
            **MEMORY_OF_VERSION, "content": schemas.text("The new text."), **MEMORY_FIELDS, "reason": REASON,
        }, ["memory"]),
        answer(memory=MEMORY, **CHANGED_OR_PROPOSED),
        is_idempotent=True, fields_of="memory_store",
    ),
    Tool(
        "memory_forget", "Forget",
        "Forget a memory: it is not returned any more; a person can restore it. To forget what a person wrote or "
        "pinned waits as a proposal.",
        Scope.WRITE, does.forget, "DELETE", "/memories/{memory}",
        arguments({**MEMORY_OF_VERSION, "reason": REASON}, ["memory"]), answer(**CHANGED_OR_PROPOSED),
        is_destructive=True, is_idempotent=True, fields_of="memory_update",
    ),
    Tool(
        "memory_pin", "Pin",
        "Pin a memory, so that it never decays, or unpin it: a person's decision.",
        Scope.CURATE, does.pin, "POST", "/memories/{memory}/pin",
        arguments(
            {**MEMORY_OF_VERSION, "pinned": schemas.flag("false unpins (default: true)."), "reason": REASON}, ["memory"]
        ),
        schemas.CHANGED, is_idempotent=True, fields_of="memory_update",
    ),
    Tool(
        "memory_link", "Link",
        "Link one memory to another.",
        Scope.WRITE, does.link, "POST", "/links",
        arguments({
            "source": schemas.MEMORY_NAME, "target": schemas.MEMORY_NAME, "reason": REASON,
            "kind": schemas.text("Default: relates.", enum=list(LinkKind)),
            "weight": schemas.share("0 to 1; default 1."),
        }, ["source", "target"]),
        answer(link=LINK, **schemas.CHANGED["properties"]),
        fields_of="memory_update",
    ),
    Tool(
        "memory_reinforce", "Reinforce",
        "Reinforce a memory that has proved right and useful, a person's decision: its strength grows by 0.1.",
        Scope.CURATE, does.reinforce, "POST", "/memories/{memory}/reinforce",
        arguments({**MEMORY_OF_VERSION, "reason": REASON}, ["memory"]),
        answer(strength=NUMBER, **schemas.CHANGED["properties"]),
        fields_of="memory_update",
    ),
    Tool(
        "memory_contradictions", "List contradictions",
        "List memories that contradict each other, with the evidence for each.",
        Scope.READ, does.list_contradictions, "GET", "/contradictions",
        arguments({"decided_too": schemas.flag("Also resolved.")}), answer(clusters=array(OBJECT)),
        is_idempotent=True,
    ),
    Tool(
        "memory_resolve", "Resolve a contradiction",
        "Resolve a contradiction by a person's verdict; dry_run only shows which queries would change.",
        Scope.CURATE, does.resolve, "POST", "/contradictions/{contradiction}/resolve",
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
        "Explain one memory's rank for a query: its score in parts, its rank in each list and after each stage. Takes "
        "every argument of memory_recall. Changes nothing.",
        Scope.READ, does.explain, "POST", "/explain",
        arguments({**ONE_MEMORY, **QUERY_FIELDS}, ["query", "memory"]),
        with_optional(EXPLAINED, parts=SHARES, losses=SHARES, lists=OBJECT, steps=array(OBJECT), **EXPLAINED_IN_FULL),
        is_idempotent=True, fields_of="memory_recall", unlisted=_RARELY_EXPLAINED,
    ),
    Tool(
        "memory_why_not", "Why not this one",
        "Explain why a memory was not returned for a query, and find the smallest single change that would return "
        "it. Takes every argument of memory_recall. Changes nothing.",
        Scope.READ, does.explain_absence, "POST", "/why-not",
        arguments({**ONE_MEMORY, **QUERY_FIELDS}, ["query", "memory"]),
        with_optional(
            {**EXPLAINED, "required": [*EXPLAINED["required"], "why_not"]},
            why_not=optional(OBJECT), lists=OBJECT, steps=array(OBJECT), **EXPLAINED_IN_FULL,
        ),
        is_idempotent=True, is_heavy=True, fields_of="memory_recall", unlisted=_RARELY_EXPLAINED,
    ),
    Tool(
        "memory_history", "History of a memory",
        "List every version of a memory: who changed it, when, why, and which words.",
        Scope.READ, does.history, "GET", "/memories/{memory}/history",
        arguments(ONE_MEMORY, ["memory"]), answer(versions=array(OBJECT)), is_idempotent=True,
    ),
    Tool(
        "memory_stats", "Statistics",
        "Show what the store holds, whether the model is ready, and how recalls went, per client.",
        Scope.READ, does.stats, "GET", "/stats",
        arguments({}),
        answer(memories=INTEGER, by_status=OBJECT, by_type=OBJECT, by_collection=OBJECT, by_agent=OBJECT, links=INTEGER,
               operations=INTEGER, model=OBJECT, recalls=OBJECT, by_client=OBJECT),
        is_idempotent=True,
    ),
)  # fmt: skip
