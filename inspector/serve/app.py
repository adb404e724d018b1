"""The server: over HTTP, in the main thread or in one of its own, and over standard input."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.errors import UserError
from core.formatting import counted
from core.services import audit
from core.services.recorder import Recorder, Retention
from core.services.workspace import Workspace
from inspector import program
from inspector.serve import listening, reference, rest
from inspector.serve.dispatcher import Tool, ToolDispatcher
from inspector.serve.http_guards import ErrorResponses, HttpGuards, Message, Receive, Send, problem
from inspector.serve.running import announced
from inspector.serve.stdio import StdioTransport, is_message
from inspector.serve.tokens import DEFAULT_SCOPES, Scope, Tokens
from inspector.serve.tools import TOOLS

log = logging.getLogger(__name__)

HOST, PORT = "127.0.0.1", 7823
WILDCARD_HOSTS = ("0.0.0.0", "::")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_SESSIONS = 256
IDLE_SECONDS = 1800.0
WAIT_SECONDS = 10.0  # for MCP to load, and for the store to be read by a health check
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)
COMPATIBLE = {"reference": reference.TOOLS}


@dataclass(frozen=True, slots=True)
class Serving:
    """The options of the server: address, further tools, and how long calls are kept."""

    host: str = HOST
    port: int = PORT
    allow_remote: bool = False
    compat: str = ""
    retention: Retention = field(default_factory=Retention)

    def tools(self) -> tuple[Tool, ...]:
        if self.compat and self.compat not in COMPATIBLE:
            raise UserError(f"--compat must be one of {', '.join(COMPATIBLE)}, not {self.compat[:40]!r}.")
        return (*TOOLS, *COMPATIBLE.get(self.compat, ()))

    def bind(self) -> socket.socket:
        """Return the socket to listen on; refuse wrong options before a store is opened or created."""
        self.tools()
        if self.host not in LOOPBACK and not self.allow_remote:
            raise UserError(f"{self.host} can be reached from other machines; --allow-remote allows it.")
        return listening.bind(self.host, self.port)


@contextlib.contextmanager
def open_dispatcher(workspace: Workspace, serving: Serving) -> Iterator[ToolDispatcher]:
    """Yield a dispatcher with its call recorder, and load the embedding model in the background."""
    tools = serving.tools()
    recorder = Recorder(workspace, serving.retention)
    workspace.embeddings.start()
    workspace.expect_questions()
    try:
        yield ToolDispatcher(workspace, recorder, tools)
    finally:
        recorder.close()
        with contextlib.suppress(UserError):  # the store may be gone by now
            _log_metrics(workspace)


def _log_metrics(workspace: Workspace) -> None:
    """Log statistics of recalls, once all calls are recorded: in total and per client."""
    found = audit.metrics(workspace)
    for name, each in {"all clients": found.total, **found.by_client}.items():
        log.info(
            "%s: %s, %s, p50 %.1f, p95 %.1f, p99 %.1f ms, %.1f %% without results, %.1f %% full text only",
            name, counted(each.calls, "call"), counted(each.recalls, "recall"), each.p50_ms, each.p95_ms, each.p99_ms,
            100 * each.zero_hit_rate, 100 * each.fallback_rate,
        )  # fmt: skip


class HttpServer:
    """The HTTP server. It is bound when it is made, so that its address is known; `run` serves, or a thread between
    `start` and `stop`."""

    def __init__(self, workspace: Workspace, serving: Serving, bound: socket.socket | None = None) -> None:
        self.serving = serving
        self.workspace = workspace
        self._socket = bound or serving.bind()
        self.tokens = Tokens()
        self.tokens.all()  # made now, if there are none yet
        self.port: int = self._socket.getsockname()[1]
        host = f"[{self.serving.host}]" if ":" in self.serving.host else self.serving.host
        self.url = f"http://{host}:{self.port}"
        self._draining = asyncio.Event()
        self._mcp = _Mcp(self)
        self._server = listening.BoundedServer(self._app(), self._drain)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until a signal or `stop`."""
        with (
            open_dispatcher(self.workspace, self.serving) as self.dispatcher,
            announced(self.workspace.store.location.path, self.url),
        ):
            self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serve in a thread; return when the server answers."""
        self._thread = threading.Thread(target=self.run, name="serving", daemon=True)
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
            if not self._thread.is_alive():
                raise UserError("The server could not be started; its log says more.")

    def stop(self) -> None:
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _app(self) -> Any:
        version = program.version()
        hosts = frozenset(f"{name}:{self.port}" for name in self._names())

        async def health(request: Request) -> Response:
            """Answer whether something has failed; what is still loading has not."""
            parts = await self._component_states()
            is_well = "failed" not in parts.values()
            shape = {"status": "ok" if is_well else "failing", "version": version, **parts}
            return JSONResponse(shape, 200 if is_well else 503)

        async def ready(request: Request) -> Response:
            """Answer whether every call would be answered now with all the server can do."""
            parts = await self._component_states()
            waits = "failing" if "failed" in parts.values() else "loading" if "loading" in parts.values() else ""
            return JSONResponse({"status": waits or "ready", "version": version, **parts}, 503 if waits else 200)

        @contextlib.asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            # The routes of the table need the dispatcher, which is open by now.
            app.router.routes.extend(rest.routes(self.dispatcher, version, self._draining, self.tokens))
            async with self._mcp.loading(version, [*hosts]):
                yield

        is_wildcard = self.serving.host in WILDCARD_HOSTS
        handlers: Any = {404: rest.not_found, 405: rest.not_found, Exception: rest.not_found}
        return Starlette(
            routes=[Route("/mcp", self._mcp), Route("/health", health), Route("/ready", ready)],
            middleware=[
                Middleware(ErrorResponses),
                Middleware(HttpGuards, hosts=hosts, tokens=self.tokens, is_wildcard=is_wildcard),
            ],
            exception_handlers=handlers,
            lifespan=lifespan,
        )

    async def _component_states(self) -> dict[str, str]:
        """Return the state of the store, the model and MCP: ready, loading, failed, or, for a model that full text does
        without, unavailable."""

        def read_states() -> tuple[str, str]:
            try:
                with self.workspace.store.read() as reader:
                    reader.journal_entries(limit=1)
                return "ready", str(self.workspace.embeddings.state)
            except (UserError, OSError) as error:
                log.warning("The store cannot be read: %s", error)
                return "failed", str(self.workspace.embeddings.state)

        store, model = "failed", str(self.workspace.embeddings.state)
        with anyio.move_on_after(WAIT_SECONDS):
            store, model = await anyio.to_thread.run_sync(read_states, abandon_on_cancel=True)
        return {"mcp": self._mcp.state, "store": store, "model": model}

    def _names(self) -> tuple[str, ...]:
        """Return the host names under which this server may be called."""
        loopback = ("127.0.0.1", "localhost", "[::1]")
        if self.serving.host in LOOPBACK:
            return loopback
        host = f"[{self.serving.host}]" if ":" in self.serving.host else self.serving.host
        return (*loopback, host, socket.gethostname().lower())

    async def _drain(self) -> None:
        self._draining.set()
        self.dispatcher.stopping.set()
        self._mcp.end_streams()


class _Mcp:
    """MCP below /mcp. The SDK takes a second to import, so a thread loads it, and the first call waits for a limited
    time; loading that fails is retried."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._ready = asyncio.Event()
        self._again = threading.Event()
        self._stopping = threading.Event()
        self._why_not = ""
        self._app: Any = None
        self._manager: Any = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST" and not is_message(scope["state"]["body"]):
            await problem(400, "The body is not a JSON-RPC 2.0 message.")(scope, receive, send)
            return
        with anyio.move_on_after(WAIT_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set():
            why = f"MCP could not be loaded ({self._why_not}) and is tried again" if self._why_not else "MCP is loading"
            await problem(503, f"{why}; call once more in a moment.", **{"Retry-After": "1"})(scope, receive, send)
            return
        await self._app(scope, receive, send)

    @property
    def state(self) -> str:
        return "ready" if self._ready.is_set() else "failed" if self._why_not else "loading"

    def try_again(self) -> None:
        """Retry loading now instead of after the wait."""
        self._again.set()

    @contextlib.asynccontextmanager
    async def loading(self, version: str, hosts: list[str]) -> AsyncIterator[None]:
        stopping = asyncio.Event()

        async def serve() -> None:
            if not await asyncio.to_thread(self._load, version, hosts):
                return
            async with self._manager.run():  # entered and left in one task, as the SDK wants it
                self._ready.set()
                await stopping.wait()

        task = asyncio.create_task(serve())
        yield
        stopping.set()
        self._stopping.set()
        self._again.set()
        await task

    def end_streams(self) -> None:
        if self._manager is not None:
            for transport in list(self._manager._server_instances.values()):
                transport.close_standalone_sse_stream()

    def _load(self, version: str, hosts: list[str]) -> bool:
        """Build MCP, however often that fails; return False when the server stops first."""
        for seconds in itertools.chain(RETRY_SECONDS, itertools.repeat(RETRY_SECONDS[-1])):
            try:
                self._app, self._manager = self._build(version, hosts)
                return True
            except Exception as error:
                self._why_not = str(error)
                log.exception("MCP could not be loaded; another attempt follows")
            self._again.wait(seconds)
            if self._stopping.is_set():
                return False
            self._again.clear()
            importlib.invalidate_caches()  # folders that could not be listed
        return False

    def _build(self, version: str, hosts: list[str]) -> tuple[Any, Any]:
        from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        from inspector.serve import mcp

        manager = StreamableHTTPSessionManager(
            app=mcp.build(self._server.dispatcher, version),
            json_response=True,
            max_sessions=MAX_SESSIONS,
            session_idle_timeout=IDLE_SECONDS,
            security_settings=TransportSecuritySettings(
                allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
            ),
        )
        return StreamableHTTPASGIApp(manager), manager


def serve_stdio(
    workspace: Workspace,
    serving: Serving,
    scopes: frozenset[Scope] = DEFAULT_SCOPES,
    max_confidence: float = 1.0,
) -> None:
    """Serve MCP on standard input and output, until the input ends or a signal comes."""
    import mcp_types as types
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    from inspector.serve import mcp

    async def serve(dispatcher: ToolDispatcher) -> None:
        server = mcp.build(dispatcher, program.version(), scopes, max_confidence)
        async with anyio.create_task_group() as group:

            async def stop_on_signal() -> None:
                with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                    async for _ in signals:
                        group.cancel_scope.cancel()
                        return

            group.start_soon(stop_on_signal)
            lines = StdioTransport()

            async def answer_what_is_no_message(writing: Any) -> None:
                async for complaint in lines.complaints:
                    message = types.jsonrpc_message_adapter.validate_python(complaint)
                    await writing.send(SessionMessage(message))

            given: Any = lines
            async with stdio_server(stdin=given) as (reading, writing):
                group.start_soon(answer_what_is_no_message, writing)
                await server.run(reading, writing, server.create_initialization_options())
            group.cancel_scope.cancel()

    with open_dispatcher(workspace, serving) as dispatcher:
        anyio.run(serve, dispatcher)
