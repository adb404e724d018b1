"""The tools as a model reads them: few tokens, one type a field, a description for each, and only what it may call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from serving import over_http
from tokens_o200k import estimated_tokens

from inspector.serve import mcp, reference
from inspector.serve.dispatcher import ToolDispatcher
from inspector.serve.tokens import Scope, Tokens, scopes_of
from inspector.serve.tools import TOOLS

EVERY_TOOL = (*TOOLS, *reference.TOOLS)
DISPATCHER = ToolDispatcher(None, None, EVERY_TOOL)  # type: ignore[arg-type]  # the list is made of the table alone
LISTED = {tool.name: mcp.listed(tool, DISPATCHER) for tool in EVERY_TOOL}
MAX_TOKENS_OF_A_MODEL = 2_300
MAX_TOKENS_WHOLE = 5_000


def schemas_within(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema of a field, with where it stands."""
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}", field
        yield from schemas_within(field, f"{path}.{name}")
    if "items" in schema:
        yield f"{path}[]", schema["items"]
        yield from schemas_within(schema["items"], f"{path}[]")


FIELDS = [
    each
    for tool in EVERY_TOOL
    for schema in (tool.input, LISTED[tool.name].input_schema)
    for each in schemas_within(schema, tool.name)
]


def test_the_list_of_tools_stays_within_its_tokens():
    whole = [LISTED[tool.name].model_dump(by_alias=True, exclude_none=True, mode="json") for tool in TOOLS]
    of_a_model = [{name: each[name] for name in ("name", "description", "inputSchema")} for each in whole]
    assert estimated_tokens(of_a_model) <= MAX_TOKENS_OF_A_MODEL
    assert estimated_tokens(whole) <= MAX_TOKENS_WHOLE


def test_every_field_has_exactly_one_type():
    for path, schema in FIELDS:
        assert isinstance(schema.get("type"), str), path
        assert not schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "not"}, path


def test_no_listed_schema_has_a_union_or_refers_to_what_is_not_there():
    for name, tool in LISTED.items():
        for path, schema in schemas_within(tool.output_schema, name):
            assert isinstance(schema.get("type", ""), str), path
            assert not schema.keys() & {"anyOf", "oneOf", "allOf", "$ref"}, path


@pytest.mark.parametrize("tool", reference.TOOLS, ids=lambda tool: tool.name)
def test_every_argument_of_the_reference_tools_is_described(tool):
    for path, schema in schemas_within(LISTED[tool.name].input_schema, tool.name):
        assert schema.get("description") or path.endswith("[]"), path


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_argument_is_described_by_its_tool_or_by_the_one_it_names(tool):
    described = DISPATCHER.by_name[tool.fields_of].input["properties"] if tool.fields_of else {}
    for name, schema in LISTED[tool.name].input_schema["properties"].items():
        known = {**described.get(name, {}), **schema}
        assert known.get("description") or known.get("enum"), name


@pytest.mark.parametrize("tool", EVERY_TOOL, ids=lambda tool: tool.name)
def test_whatever_a_tool_takes_fits_its_listed_schema(tool):
    """The listed schema may allow more, since a refusal says the limits, but never less."""
    full, listed = tool.input, LISTED[tool.name].input_schema
    assert set(listed["properties"]) == set(full["properties"]) - tool.unlisted
    assert listed.get("required", []) == full.get("required", [])
    assert "additionalProperties" not in json.dumps(listed)
    for name, schema in listed["properties"].items():
        assert schema["type"] == full["properties"][name]["type"]
        assert schema.get("enum") == full["properties"][name].get("enum")
    jsonschema.Draft202012Validator.check_schema(listed)


@pytest.mark.parametrize("scopes", ["read", "write", "read,write", "read,write,curate"])
def test_a_token_is_shown_only_the_tools_that_it_may_call(server, scopes):
    import anyio

    allowed = scopes_of([scopes])
    token = Tokens().add("some", allowed).secret

    async def main() -> set[str]:
        async with over_http(server, token, "auto") as session:
            return {tool.name for tool in (await session.list_tools()).tools}

    assert anyio.run(main) == {tool.name for tool in EVERY_TOOL if tool.scope in allowed}
    assert set(Scope) >= allowed
