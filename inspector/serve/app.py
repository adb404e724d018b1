"""The server: over HTTP, in the main thread or in one of its own, and over standard input."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
import logging
import secrets
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
from inspector.serve import forwarding, listening, reference, rest, workers
from inspector.serve.dispatcher import MAX_HEAVY, Tool, ToolDispatcher
from inspector.serve.http_guards import ErrorResponses, HttpGuards, Message, Receive, Send, problem
from inspector.serve.messages import is_message
from inspector.serve.relay import Relay, RelayDispatcher, relay_to
from inspector.serve.running import announced
from inspector.serve.stdio import READY, StdioServer
from inspector.serve.tokens import Scope, Tokens
from inspector.serve.tools import TOOLS
from inspector.serve.workers import Worker

log = logging.getLogger(__name__)

HOST, PORT = "127.0.0.1", 7823
WILDCARD_HOSTS = ("0.0.0.0", "::")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_SESSIONS = 256
SESSION_HEADER = b"mcp-session-id"
IDLE_SECONDS = 1800.0
WAIT_SECONDS = 10.0  # for MCP to load, and for the store to be read by a health check
REPORT_SECONDS = 1.0  # between two reports of a worker to the others
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)
COMPATIBLE = {"reference": reference.TOOLS}


@dataclass(frozen=True, slots=True)
class Serving:
    """The options of the server: address, further tools, and how long calls are kept."""

    host: str = HOST
    port: int = PORT
    allow_remote: bool = False
    compat: str = ""
    workers: int = 1
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    retention: Retention = field(default_factory=Retention)

    def tools(self) -> tuple[Tool, ...]:
        if self.compat and self.compat not in COMPATIBLE:
            raise UserError(f"--compat must be one of {', '.join(COMPATIBLE)}, not {self.compat[:40]!r}.")
        return (*TOOLS, *COMPATIBLE.get(self.compat, ()))

    def bind(self) -> socket.socket:
        """Return the socket to listen on; refuse wrong options before a store is opened or created."""
        self.tools()
        workers.check(self.workers)
        if self.host not in LOOPBACK and not self.allow_remote:
            raise UserError(f"{self.host} can be reached from other machines; --allow-remote allows it.")
        return listening.bind(self.host, self.port)


@contextlib.contextmanager
def open_dispatcher(
    workspace: Workspace, serving: Serving, worker: Worker | None = None, through: Relay | None = None
) -> Iterator[ToolDispatcher]:
    """Yield a dispatcher with its call recorder, and load the embedding model in the background, unless calls are
    answered `through` another server. Of several workers the first embeds; their parent logs the statistics of all."""
    tools = serving.tools()
    recorder = Recorder(workspace, serving.retention)
    if through is None:
        workspace.embeddings.start(only_load=worker is not None and worker.number > 0)
        workspace.expect_questions()
    max_heavy = workers.share(MAX_HEAVY, serving.workers)
    try:
        yield RelayDispatcher(workspace, recorder, tools, max_heavy=max_heavy, relay=through)
    finally:
        recorder.close()
        if worker is None:
            with contextlib.suppress(UserError):  # the store may be gone by now
                log_metrics(workspace)


def log_metrics(workspace: Workspace) -> None:
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
    `start` and `stop`. It may be one of several workers that share a socket."""

    def __init__(
        self,
        workspace: Workspace,
        serving: Serving,
        bound: socket.socket | None = None,
        worker: Worker | None = None,
    ) -> None:
        self.serving = serving
        self.worker = worker
        self.workspace = workspace
        self._socket = bound or serving.bind()
        self.tokens = Tokens()
        self.tokens.all()  # made now, if there are none yet
        self.port: int = self._socket.getsockname()[1]
        host = f"[{self.serving.host}]" if ":" in self.serving.host else self.serving.host
        self.url = f"http://{host}:{self.port}"
        self._draining = asyncio.Event()
        self._mcp = _Mcp(self)
        self._server = listening.BoundedServer(self._app(), self._drain, serving.workers)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until a signal or `stop`."""
        with (
            open_dispatcher(self.workspace, self.serving, self.worker) as self.dispatcher,
            announced(self.workspace.store.location.path, self.url, self.serving.secret),
        ):
            self._server.run(sockets=[self._socket, *([self.worker.own] if self.worker else ())])

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
            state = _state_of_all(parts)
            waits = {"failed": "failing", "loading": "loading"}.get(state, "")
            return JSONResponse({"status": waits or "ready", "version": version, **parts}, 503 if waits else 200)

        @contextlib.asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            # The routes of the table need the dispatcher, which is open by now.
            streams = workers.share(rest.MAX_STREAMS, self.serving.workers)
            app.router.routes.extend(rest.routes(self.dispatcher, version, self._draining, self.tokens, streams))
            async with self._mcp.loading(version, [*hosts]), anyio.create_task_group() as group:
                if self.worker is not None:
                    group.start_soon(self._report)
                yield
                group.cancel_scope.cancel()

        is_wildcard = self.serving.host in WILDCARD_HOSTS
        handlers: Any = {404: rest.not_found, 405: rest.not_found, Exception: rest.not_found}
        return Starlette(
            routes=[Route("/mcp", self._mcp), Route("/health", health), Route("/ready", ready)],
            middleware=[
                Middleware(ErrorResponses),
                Middleware(
                    HttpGuards, hosts=hosts, tokens=self.tokens, secret=self.serving.secret, is_wildcard=is_wildcard
                ),
            ],
            exception_handlers=handlers,
            lifespan=lifespan,
        )

    async def _component_states(self) -> dict[str, str]:
        """Return the state of the store, the model and MCP, and of all workers: ready, loading, failed, or, for a model
        that full text does without, unavailable."""

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
        parts = {"mcp": self._mcp.state, "store": store, "model": model}
        if self.worker is not None:
            self.worker.report(_state_of_all(parts))
            parts["workers"] = self.worker.state_of_all
        return parts

    async def _report(self) -> None:
        """Keep the other workers informed of the state of this one."""
        while not self._draining.is_set():
            await self._component_states()  # which reports it
            with anyio.move_on_after(REPORT_SECONDS):
                await self._draining.wait()

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


def _state_of_all(parts: dict[str, str]) -> str:
    """Return ready, or what keeps a server from it: failed or loading."""
    return next((state for state in ("failed", "loading") if state in parts.values()), "ready")


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
        worker = self._server.worker
        if worker is None:
            await self._app(scope, receive, send)
        else:
            await self._route(worker, scope, receive, send)

    async def _route(self, worker: Worker, scope: Message, receive: Receive, send: Send) -> None:
        """Answer in the worker that holds the session: outside, the number of its worker follows each session's id."""
        given = dict(scope["headers"]).get(SESSION_HEADER, b"")
        id, _, number = given.rpartition(b".")
        if id and len(number) <= 2 and number.isdigit() and int(number) < len(worker.ports):
            if int(number) != worker.number:
                await forwarding.forward(worker.ports[int(number)], scope, receive, send)
                return
            others = [each for each in scope["headers"] if each[0] != SESSION_HEADER]
            scope = {**scope, "headers": [*others, (SESSION_HEADER, id)]}

        async def name_worker(message: Message) -> None:
            if message["type"] == "http.response.start":
                suffix = b".%d" % worker.number
                message["headers"] = [
                    (name, value + suffix if name.lower() == SESSION_HEADER else value)
                    for name, value in message["headers"]
                ]
            await send(message)

        await self._app(scope, receive, name_worker)

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
            max_sessions=workers.share(MAX_SESSIONS, self._server.serving.workers),
            session_idle_timeout=IDLE_SECONDS,
            security_settings=TransportSecuritySettings(
                allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
            ),
        )
        return StreamableHTTPASGIApp(manager), manager


def load_stdio(
    workspace: Workspace, serving: Serving, scopes: frozenset[Scope], max_confidence: float, stdio: StdioServer
) -> None:
    """Load MCP and serve it behind standard input and output, until the session is over."""
    from inspector.serve import mcp
    from inspector.serve.stdio_session import StdioSession

    with open_dispatcher(workspace, serving, through=relay_to(workspace.store.location.path)) as dispatcher:
        session = StdioSession(mcp.build(dispatcher, program.version(), scopes, max_confidence), stdio.write)
        program.limit_garbage_collection()
        session.run(lambda ready: stdio.tell(READY, ready))
