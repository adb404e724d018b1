"""The nine tools of the reference MCP memory server over this store, so that its users switch by changing one line.

There, entities have observations, and relations lead from entity to entity. Here each of them is a memory, so that it
is found, explained, edited and undone like any other: an observation is a memory that names its entity, an entity is
one of type `entity` (whose text is its name), a relation one of type `relation`. Whatever else in the store names an
entity is seen as an observation of it. Names, shapes and sentences are those of the reference server 2026.8.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from core.errors import UserError
from core.model import Filter, Memory, Status
from core.services import browse, proposals, remember
from core.services.remember import Policy
from core.services.workspace import Workspace
from inspector.serve import schemas
from inspector.serve.dispatcher import Tool, ToolCall, ToolResult
from inspector.serve.schemas import BOOLEAN, LIST_OF_TEXTS, STRING, Schema, answer, arguments, array
from inspector.serve.tokens import Scope

ENTITY, RELATION, OBSERVATION = "entity", "relation", "observation"


def _texts(about: str) -> Schema:
    return {**LIST_OF_TEXTS, "description": about}


def _list(about: str, items: Schema) -> Schema:
    return {**array(items), "description": about}


_ENTITY = answer(
    name=schemas.text("Name of the entity."), entityType=schemas.text("Its type, such as person."),
    observations=_texts("What is known of it, one fact each."),
)  # fmt: skip
_RELATION = answer(**{
    "from": schemas.text("Name of the entity it leads from."), "to": schemas.text("Name of the entity it leads to."),
    "relationType": schemas.text("How they relate, in the active voice."),
})  # fmt: skip
_GRAPH = answer(entities=array(_ENTITY), relations=array(_RELATION))
_DONE = answer(success=BOOLEAN, message=STRING)


def create_entities(call: ToolCall) -> ToolResult:
    known = _Graph(call.workspace)
    made = []
    for entity in call.arguments["entities"]:
        if entity["name"] in known.nodes:
            continue
        context = {"entity_type": entity["entityType"]}
        _keep(call, {"content": entity["name"], "type": ENTITY, "entities": [entity["name"]], "context": context})
        for observation in dict.fromkeys(entity["observations"]):
            _keep(call, {"content": observation, "type": OBSERVATION, "entities": [entity["name"]]})
        known.nodes.add(entity["name"])
        made.append(entity)
    return _reply({"entities": made}, made)


def create_relations(call: ToolCall) -> ToolResult:
    known = [_plain(relation) for relation in _Graph(call.workspace).relations]
    made = []
    for relation in call.arguments["relations"]:
        if relation not in known and relation not in made:
            words = f"{relation['from']} {relation['relationType']} {relation['to']}"
            names = list(dict.fromkeys((relation["from"], relation["to"])))
            _keep(call, {"content": words, "type": RELATION, "entities": names, "context": {"relation": relation}})
            made.append(relation)
    return _reply({"relations": made}, made)


def add_observations(call: ToolCall) -> ToolResult:
    graph = _Graph(call.workspace)
    for addition in call.arguments["observations"]:
        if addition["entityName"] not in graph.types:
            raise UserError(f"Entity with name {addition['entityName'][:100]} not found")
    results = []
    for addition in call.arguments["observations"]:
        name = addition["entityName"]
        new = [each for each in dict.fromkeys(addition["contents"]) if each not in graph.observations(name)]
        for observation in new:
            _keep(call, {"content": observation, "type": OBSERVATION, "entities": [name]})
        results.append({"entityName": name, "addedObservations": new})
    return _reply({"results": results}, results)


def delete_entities(call: ToolCall) -> ToolResult:
    names = set(call.arguments["entityNames"])
    return _forgotten(call, "Entities", lambda memory: bool(names & set(memory.entities)))


def delete_observations(call: ToolCall) -> ToolResult:
    gone = {(each["entityName"], text) for each in call.arguments["deletions"] for text in each["observations"]}
    return _forgotten(
        call,
        "Observations",
        lambda memory: (
            memory.type not in (ENTITY, RELATION) and any((name, memory.content) in gone for name in memory.entities)
        ),
    )


def delete_relations(call: ToolCall) -> ToolResult:
    gone = call.arguments["relations"]
    return _forgotten(call, "Relations", lambda memory: memory.type == RELATION and _plain(memory) in gone)


def read_graph(call: ToolCall) -> ToolResult:
    graph = _Graph(call.workspace)
    return _graph(graph, graph.types)


def search_nodes(call: ToolCall) -> ToolResult:
    graph, wanted = _Graph(call.workspace), call.arguments["query"].casefold()

    def fits(name: str) -> bool:
        return any(wanted in each.casefold() for each in (name, graph.types[name], *graph.observations(name)))

    return _graph(graph, [name for name in graph.types if fits(name)])


def open_nodes(call: ToolCall) -> ToolResult:
    graph = _Graph(call.workspace)
    return _graph(graph, [name for name in call.arguments["names"] if name in graph.types])


class _Graph:
    """The store's active memories as entities, observations and relations."""

    def __init__(self, workspace: Workspace) -> None:
        self.memories = [
            memory for memory in browse.all_memories(workspace, Filter(statuses=(Status.ACTIVE,))) if memory.entities
        ]
        self.relations = [memory for memory in self.memories if memory.type == RELATION]
        self.nodes: set[str] = set()  # what was made an entity, not only named by some memory
        self.types: dict[str, str] = {}
        self._observations: dict[str, list[str]] = {}
        for memory in self.memories:
            if memory.type == ENTITY:
                self.nodes.add(memory.content)
                self.types[memory.content] = str(memory.context.get("entity_type", ENTITY))
            elif memory.type != RELATION:
                for name in memory.entities:
                    self.types.setdefault(name, ENTITY)
                    self._observations.setdefault(name, []).append(memory.content)

    def observations(self, name: str) -> list[str]:
        return self._observations.get(name, [])


def _graph(graph: _Graph, names: Iterable[str]) -> ToolResult:
    wanted = list(dict.fromkeys(names))
    relations = map(_plain, graph.relations)
    shape = {
        "entities": [
            {"name": name, "entityType": graph.types[name], "observations": graph.observations(name)} for name in wanted
        ],
        "relations": [each for each in relations if {each["from"], each["to"]} & set(wanted)],
    }
    return _reply(shape, shape)


def _plain(memory: Memory) -> dict[str, str]:
    relation = memory.context.get("relation")
    relation = relation if isinstance(relation, dict) else {}
    return {end: str(relation.get(end, "")) for end in ("from", "to", "relationType")}


def _keep(call: ToolCall, fields: dict[str, Any]) -> None:
    fields, _ = call.within_cap(fields, Memory._field_defaults["confidence"])
    # Two entities may have the same observation: here that is no duplicate.
    remember.remember(call.workspace, fields, actor=call.caller.actor, duplicates=Policy.KEEP)


def _forgotten(call: ToolCall, what: str, is_meant: Callable[[Memory], bool]) -> ToolResult:
    """Forget memories; those a person wrote or pinned become proposals, unless the caller has the scope curate."""
    ids = [memory.id for memory in _Graph(call.workspace).memories if is_meant(memory)]
    is_curator = Scope.CURATE in call.caller.scopes
    waiting = proposals.forget_or_propose(call.workspace, ids, actor=call.caller.actor, is_curator=is_curator)
    message = f"{what} deleted successfully"
    if waiting:
        message += f", but for {len(waiting)} of a person's, which wait for a person's decision"
    return ToolResult({"success": True, "message": message}, message)


def _reply(shape: dict[str, Any], body: Any) -> ToolResult:
    return ToolResult(shape, json.dumps(body, ensure_ascii=False, indent=2))


def _tool(
    run: Callable[[ToolCall], ToolResult],
    about: str,
    given: dict[str, Schema],
    output: Schema,
    *,
    scope: Scope = Scope.WRITE,
    is_destructive: bool = False,
) -> Tool:
    name = run.__name__
    return Tool(
        name,
        name.replace("_", " ").title(),
        about,
        scope,
        run,
        "POST",
        f"/reference/{name}",
        arguments(given, list(given)),
        output,
        is_destructive=is_destructive,
        is_idempotent=is_destructive or scope is Scope.READ,
    )


_NAME = schemas.text("Name of the entity.")
_DELETION = answer(entityName=_NAME, observations=_texts("The observations to forget, word for word."))
_ADDITION = answer(entityName=_NAME, contents=_texts("The observations to add, one fact each."))
_ADDED = answer(entityName=STRING, addedObservations=LIST_OF_TEXTS)

TOOLS = (
    _tool(create_entities, "Make new entities of the knowledge graph; names that exist are left as they are.",
          {"entities": _list("The entities to make.", _ENTITY)}, answer(entities=array(_ENTITY))),
    _tool(create_relations, "Relate entities to each other, in the active voice; relations that exist are left.",
          {"relations": _list("The relations to make.", _RELATION)}, answer(relations=array(_RELATION))),
    _tool(add_observations, "Add observations to entities that exist.",
          {"observations": _list("What to add, for each entity.", _ADDITION)}, answer(results=array(_ADDED))),
    _tool(delete_entities, "Forget entities with their observations and relations; a person can restore them.",
          {"entityNames": _texts("Names of the entities to forget.")}, _DONE, is_destructive=True),
    _tool(delete_observations, "Forget observations of entities.",
          {"deletions": _list("What to forget, for each entity.", _DELETION)}, _DONE, is_destructive=True),
    _tool(delete_relations, "Forget relations.", {"relations": _list("The relations to forget.", _RELATION)}, _DONE,
          is_destructive=True),
    _tool(read_graph, "The whole knowledge graph.", {}, _GRAPH, scope=Scope.READ),
    _tool(search_nodes, "Entities whose name, type or observations hold a text.",
          {"query": schemas.text("The text to look for.")}, _GRAPH, scope=Scope.READ),
    _tool(open_nodes, "Entities by their names.", {"names": _texts("Names of the entities.")}, _GRAPH,
          scope=Scope.READ),
)  # fmt: skip
