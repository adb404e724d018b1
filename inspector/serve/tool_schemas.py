"""The arguments and answers that several tools of the table share, as JSON Schema."""

from __future__ import annotations

from core import filters
from core.filter_fields import FLAG
from core.services.remember import Policy
from inspector.serve import schemas
from inspector.serve.schemas import INTEGER, MEMORY, NUMBER, OBJECT, STRING, Schema, answer, array, optional

MEMORY_FIELDS = {
    "summary": schemas.text("A short summary."),
    "type": schemas.text("fact, decision, gotcha, preference, pattern, …"),
    "tags": schemas.texts("Words to find it by."),
    "entities": schemas.texts("Names of the people, services or things it is about."),
    "files": schemas.texts("Paths of the files it is about."),
    "collection": schemas.text("Collection it belongs to; `default` unless another is agreed."),
    "session": schemas.text("The conversation it comes from."),
    "user": schemas.text("User it is about."),
    "confidence": schemas.share("Confidence, 0 to 1; default 0.8."),
    "importance": schemas.text("normal or high.", enum=["normal", "high"]),
    "context": schemas.mapping("Structured facts: params, spatial, robot, task, env, …"),
}
REASON = schemas.text("Reason; kept in the journal.")
DUPLICATES = schemas.text(
    "judge (the default): what is known already is not stored, and you are shown the known memory; keep: store it.",
    enum=[Policy.DEFAULT, Policy.KEEP],
)


def filter_arguments(*names: str) -> dict[str, Schema]:
    return {
        field.name: schemas.flag(field.description)
        if field.match == FLAG
        else schemas.texts(field.description, filters.choices(field))
        for field in filters.named(names)
    }


QUERY_FIELDS = {
    "query": schemas.text("The query, in natural language."),
    "profile": schemas.text("Ranking profile; the default is the best measured one."),
    "k": {"type": "integer", "description": "Maximum number of memories (from 1; clamped with a note)."},
    "token_budget": schemas.whole("Maximum number of tokens of memories.", 1, 1_000_000),
    **filter_arguments("types", "tags", "collections"),
    "session": schemas.text("Only of this session."),
    **filter_arguments("users", "agents", "statuses"),
    "min_confidence": schemas.share("Minimum confidence."),
    "context": schemas.mapping('Only memories whose context matches, such as {"task.success": true}.'),
    "spatial": schemas.mapping('Nearest first: {"field": …, "target": [x, y], "max_distance": …}.'),
    "as_of": schemas.text("Rank as of this time (ISO 8601): ages and decay as of then."),
    "exact": schemas.flag(
        "Exact vector search, slower. Differs only in large stores, where the note says approximate."
    ),
    "parameters": schemas.mapping('The profile\'s own parameters, such as {"decay.half_life_days": 90}.'),
}
PARTS = array(answer(name=STRING, value=NUMBER))
RESULT = answer(rank=INTEGER, score=NUMBER, memory=MEMORY, parts=PARTS, losses=PARTS)
WHY = answer(
    memory=MEMORY, query=STRING, profile=STRING, returned=schemas.BOOLEAN, rank=optional(INTEGER),
    score=optional(NUMBER), reason=optional(OBJECT), steps=array(OBJECT),
)  # fmt: skip

ONE_MEMORY = {"memory": schemas.MEMORY_NAME}
MEMORY_OF_VERSION = {
    **ONE_MEMORY,
    "version": schemas.whole("Only if the memory is still at this version.", 1, 2**63 - 1),
}

PROPOSAL = answer(id=INTEGER, memory=INTEGER, kind=STRING, state=STRING)
CHANGED_OR_PROPOSED = {**schemas.CHANGED["properties"], "proposal": optional(PROPOSAL)}
