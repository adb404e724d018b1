"""The arguments and answers that several tools of the table share, as JSON Schema.

A description says what a name does not: every model reads all of them, so each word is paid for in every session.
"""

from __future__ import annotations

from core import filters
from core.filter_fields import ANY_OF, FLAG, MOMENTS, ONE_OF
from core.services.remember import Policy
from inspector.serve import schemas
from inspector.serve.schemas import (
    BOOLEAN,
    INTEGER,
    LINK,
    LIST_OF_TEXTS,
    MEMORY,
    NUMBER,
    OBJECT,
    STRING,
    Schema,
    answer,
    array,
    component,
    optional,
    with_optional,
)

BRIEF, FULL = "brief", "full"
DETAIL = schemas.text("full: every number and the trace, long. Default: brief.", enum=[BRIEF, FULL])

MEMORY_FIELDS = {
    "summary": schemas.text("A short summary."),
    "type": schemas.text("fact, decision, gotcha, preference, pattern, …"),
    "tags": schemas.texts("Words to find it by."),
    "entities": schemas.texts("People, services or things it is about."),
    "files": schemas.texts("Paths of files it is about."),
    "collection": schemas.text("Default: default."),
    "session": schemas.text("Conversation it comes from."),
    "user": schemas.text("User it is about."),
    "confidence": schemas.share("0 to 1; default 0.8."),
    "importance": schemas.text("", enum=["normal", "high"]),
    "context": schemas.mapping("Structured facts: params, spatial, robot, task, env, …"),
}
REASON = schemas.text("Kept in the journal.")
DUPLICATES = schemas.text("keep: store also what is known. Default: judge.", enum=[Policy.DEFAULT, Policy.KEEP])


def filter_arguments(*names: str) -> dict[str, Schema]:
    """Return the arguments that filter memories, as `filter_fields` describes them."""
    made = {
        FLAG: lambda field: schemas.flag(field.description),
        ONE_OF: lambda field: schemas.texts(field.description, filters.choices(field)),
        ANY_OF: lambda field: schemas.texts(field.description),
        **dict.fromkeys(MOMENTS, lambda field: schemas.text(field.description)),
    }
    return {field.name: made[field.match](field) for field in filters.named(names)}


QUERY_FIELDS = {
    "query": schemas.text("In natural language."),
    "detail": DETAIL,
    "k": {"type": "integer", "description": "Maximum number of memories."},
    "token_budget": schemas.whole("Maximum tokens.", 1, 1_000_000),
    **filter_arguments("types", "tags", "collections", "since", "until"),
    "session": schemas.text("Only of this session."),
    **filter_arguments("users", "agents", "statuses"),
    "min_confidence": schemas.share("0 to 1."),
    "context": schemas.mapping('Only memories whose context matches, such as {"task.success": true}.'),
    "spatial": schemas.mapping('Nearest first: {"field": …, "target": [x, y], "max_distance": …}.'),
    "as_of": schemas.text("Rank as of this time (ISO 8601)."),
    "profile": schemas.text("Ranking profile; default: the best."),
    "parameters": schemas.mapping('Of the profile, such as {"decay.half_life_days": 90}.'),
    "exact": schemas.flag("Exact vector search, slower."),
}
SHARES = array(component("Share"))

ONE_MEMORY = {"memory": schemas.MEMORY_NAME}
MEMORY_OF_VERSION = {
    **ONE_MEMORY,
    "version": schemas.whole("Only if it is still at this version.", 1, 2**63 - 1),
}

CHANGED_OR_PROPOSED = {**schemas.CHANGED["properties"], "proposal": optional(component("Proposal"))}
STORED = {
    "memory": MEMORY, "embedded": BOOLEAN, "redacted": LIST_OF_TEXTS, "duplicate": optional(OBJECT),
    "suspected_contradictions": array(OBJECT), "not_compared": INTEGER,
}  # fmt: skip
DETAIL_OF_MEMORY = answer(memory=MEMORY, links=array(LINK), embedded=BOOLEAN, truncated=BOOLEAN)
_REASON = with_optional(answer(kind=STRING, sentence=STRING), facts=OBJECT)
EXPLAINED = answer(
    memory=component("BriefMemory"), returned=BOOLEAN, rank=optional(INTEGER), score=optional(NUMBER),
    reason=optional(_REASON), warnings=LIST_OF_TEXTS,
)  # fmt: skip
_FULL = {
    "query": STRING, "as_of": STRING, "profile": STRING, "k": INTEGER, "mode": STRING, "why_this_mode": STRING,
    "trace": OBJECT,
}  # fmt: skip
EXPLAINED_IN_FULL = {**_FULL, "explanation": optional(OBJECT), "absent": array(OBJECT)}
RECALLED = with_optional(
    answer(notice=STRING, results=array(component("Result")), warnings=LIST_OF_TEXTS),
    **{name: _FULL[name] for name in ("query", "profile", "mode", "why_this_mode", "trace")}, prompt=STRING,
)  # fmt: skip

# What the OpenAPI document describes once; the parts that a shape need not have are those of detail: full.
COMPONENTS = {
    **schemas.COMPONENTS,
    "Proposal": answer(id=INTEGER, memory=INTEGER, kind=STRING, state=STRING),
    "BriefMemory": with_optional(answer(id=INTEGER, type=STRING), text=STRING, age=STRING, about=LIST_OF_TEXTS),
    "Share": answer(name=STRING, value=NUMBER),
    "Result": with_optional(
        answer(id=INTEGER, text=STRING, type=STRING, age=STRING, score=NUMBER, why=STRING),
        about=LIST_OF_TEXTS, rank=INTEGER, memory=MEMORY, parts=SHARES, losses=SHARES,
    ),
    "StoredOne": answer(
        stored=BOOLEAN, memory=optional(INTEGER), version=optional(INTEGER), suspected_contradictions=array(INTEGER),
        sentence=STRING,
    ),
    "MemoryDetail": DETAIL_OF_MEMORY,
}  # fmt: skip
