"""Whatever the OpenAPI document allows or forbids: no call of it makes the server fail."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from core.services.workspace import Workspace
from inspector.serve import rest
from inspector.serve.app import HttpServer, Serving
from inspector.serve.dispatcher import ToolDispatcher
from inspector.serve.tokens import DEFAULT, Tokens
from inspector.serve.tools import TOOLS

DOCUMENT = rest.openapi(ToolDispatcher(None, None, TOOLS), "1")  # type: ignore[arg-type]  # the document is made of the table alone
OPERATIONS = [found.ok() for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]


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
