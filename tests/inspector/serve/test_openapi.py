"""Whatever the OpenAPI document allows or forbids: no call of it makes the server fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from core.services.workspace import Workspace
from inspector.serve import openapi, reference, rest
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import DEFAULT, Tokens
from inspector.serve.tools import TOOLS

DOCUMENT = openapi.document(TOOLS, "1", rest.PREFIX)
EVENTS = f"{rest.PREFIX}/events"  # a stream, which ends with the server
CALLED = schemathesis.openapi.from_dict(DOCUMENT).exclude(path=EVENTS)
OPERATIONS = [found.ok() for found in CALLED.get_all_operations()]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_call_makes_the_server_fail(filled: Workspace, mode):
    server = HttpServer(filled, Serving(port=0))
    server.start()
    token = Tokens().find(DEFAULT).secret
    answered = set()

    def check(operation):
        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        def holds(case):
            response = case.call(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=20)
            case.validate_response(response, checks=[not_a_server_error])
            answered.add((operation.label, response.status_code))

        holds()

    try:
        for operation in OPERATIONS:
            check(operation)
    finally:
        server.stop()
    assert {label for label, _ in answered} == {operation.label for operation in OPERATIONS}
    if mode is GenerationMode.POSITIVE:
        assert {"POST /api/v1/memories", "POST /api/v1/recall", "GET /api/v1/memories", "GET /api/v1/stats"} <= {
            label for label, status in answered if status == 200
        }


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_what_routes_share_is_a_component_that_is_there_and_used():
    document = openapi.document((*TOOLS, *reference.TOOLS), "1", rest.PREFIX)
    components = document["components"]
    there = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in components[kind]}
    assert set(references(document)) == there
    memory = components["schemas"]["Memory"]
    assert json.dumps(document).count(json.dumps(memory)) == 1


def test_the_document_names_the_server_that_was_asked_and_its_stream_of_changes(client, server):
    document = client.api("GET", "/openapi.json").shape
    assert document["servers"] == [{"url": server.url}]
    stream = document["paths"][EVENTS]["get"]
    assert "text/event-stream" in stream["responses"]["200"]["content"]
    assert {tag["name"] for tag in document["tags"]} == {"read", "write", "curate"}
    for path in document["paths"].values():
        for operation in path.values():
            assert operation["tags"]
            assert {"200", "4XX", "5XX"} == set(operation["responses"])
