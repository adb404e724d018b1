"""Dispatches every tool call, from MCP or REST: checks scope and arguments, runs the tool, records the outcome."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.changes import PERSON
from core.errors import CannotOpen, NoSpace, NotFound, ReadOnly, StaleEdit, UserError
from core.model import MemoryId
from core.services.query import Answer
from core.services.recorder import Call, CallOutcome, CallRecord, Recorder
from core.services.remember import redacted
from core.services.workspace import Workspace
from inspector.serve import agent_wording, schemas
from inspector.serve.schemas import Schema
from inspector.serve.tokens import Scope

log = logging.getLogger(__name__)

MAX_NAME_CHARS = 100
MAX_SECONDS = 10.0  # of a call that can be long
MAX_HEAVY = 4  # at once, of the threads that answer
FAILED_INSIDE = "The server had an internal error; its log says more."


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool: the client's name, its session, its token's scopes and its maximum confidence."""

    client: str
    scopes: frozenset[Scope]
    session: str = ""
    max_confidence: float = 1.0

    @property
    def actor(self) -> str:
        """Return its name in the journal; a caller of the server can never pass for a person."""
        name = "".join(char for char in self.client if char.isprintable()).strip()[:MAX_NAME_CHARS]
        return redacted(name) if name and name != PERSON else "agent"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as a tool gets it."""

    workspace: Workspace
    caller: Caller
    arguments: Mapping[str, Any]
    is_given_up: Callable[[], bool] = lambda: False

    def get(self, name: str, default: Any = None) -> Any:
        value = self.arguments.get(name)
        return default if value is None else value

    def within_cap(self, fields: dict[str, Any], default: float = 0.0) -> tuple[dict[str, Any], str]:
        """Return the fields of a memory with their confidence lowered to the token's maximum, and a sentence if it was;
        `default` is the confidence without the field."""
        cap = self.caller.max_confidence
        if fields.get("confidence", default) <= cap:
            return fields, ""
        return {**fields, "confidence": cap}, f" Its confidence is {cap:g}, the most this token may claim."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool: JSON, a text for a reader, and what the recorder stores."""

    shape: dict[str, Any]
    text: str = ""
    answer: Answer | None = None
    accessed: frozenset[MemoryId] = frozenset()


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the table of tools. Its REST route is `method` `path`; names in braces there are arguments."""

    name: str
    title: str
    about: str
    scope: Scope
    run: Callable[[ToolCall], ToolResult]
    method: str
    path: str
    input: Schema
    output: Schema
    is_destructive: bool = False
    is_idempotent: bool = False
    one_of: tuple[str, ...] = ()  # arguments of which exactly one is needed; said in OpenAPI, checked by the tool
    fields_of: str = ""  # the tool that describes the arguments that both have
    unlisted: frozenset[str] = frozenset()  # arguments of that tool that `about` alone mentions: a model has read them
    is_heavy: bool = False  # asks again and again, so that only a few run at once

    @property
    def is_read_only(self) -> bool:
        return self.scope is Scope.READ


class CallRefused(Exception):
    """A call that was refused with one sentence; `status` is its HTTP status."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


_STATUS = ((NotFound, 404), (StaleEdit, 409), (ReadOnly, 403), (NoSpace, 507), (CannotOpen, 503), (UserError, 422))


def status_of(error: UserError) -> int:
    """Return the HTTP status of a user error."""
    return next(status for kind, status in _STATUS if isinstance(error, kind))


@dataclass(slots=True)
class ToolDispatcher:
    """Runs tool calls; safe to use from several threads at once."""

    workspace: Workspace
    recorder: Recorder
    tools: Sequence[Tool]
    by_name: dict[str, Tool] = field(init=False)
    stopping: threading.Event = field(default_factory=threading.Event)
    max_heavy: int = MAX_HEAVY
    _heavy: threading.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = {tool.name: tool for tool in self.tools}
        self._heavy = threading.Semaphore(self.max_heavy)

    def call(self, name: str, arguments: Any, caller: Caller, *, is_access: bool = True) -> ToolResult:
        """Run a call and return its result; anything else raises CallRefused with one sentence. Memories that are read
        count as accessed, unless no client receives them."""
        tool = self.by_name.get(name)
        if tool is None:
            raise CallRefused(404, f"There is no tool {name[:60]!r}.")
        began, at = time.perf_counter(), self.workspace.store.clock.now()
        reply, refused = None, None
        try:
            reply = self._run(tool, arguments, caller)
        except CallRefused as error:
            refused = error
        call = Call(
            at=at,
            client=caller.actor,
            session=caller.session,
            tool=name,
            elapsed_us=round((time.perf_counter() - began) * 1e6),
            outcome=_outcome(refused),
            complaint=str(refused or ""),
            operation=None if reply is None else reply.shape.get("operation"),
        )
        log.info("%s by %s: %s in %.1f ms", name, caller.actor, call.outcome, call.elapsed_us / 1000)
        if refused is not None or reply is None:
            self.recorder.note(CallRecord(call))
            raise refused or CallRefused(500, FAILED_INSIDE)
        if reply.answer is not None:
            self.recorder.note_recall(reply.answer, at=call)
        else:
            self.recorder.note(CallRecord(call, reply.accessed if is_access else frozenset()))
        return reply

    @contextlib.contextmanager
    def _room_for(self, tool: Tool) -> Iterator[None]:
        """Limit heavy calls, so that they never take all threads."""
        if not tool.is_heavy:
            yield
        elif self._heavy.acquire(blocking=False):
            try:
                yield
            finally:
                self._heavy.release()
        else:
            raise CallRefused(503, f"{self.max_heavy} calls of {tool.name} are being answered; ask again in a moment.")

    def _given_up(self) -> Callable[[], bool]:
        """Return a function that says whether a long call must end: it took too long, or the server stops."""
        until = time.monotonic() + MAX_SECONDS
        return lambda: self.stopping.is_set() or time.monotonic() > until

    def _run(self, tool: Tool, arguments: Any, caller: Caller) -> ToolResult:
        # The one permission check there is: MCP and REST both come through here.
        if tool.scope not in caller.scopes:
            raise CallRefused(403, f"{tool.name} needs a token with the scope {tool.scope}.")
        arguments = schemas.plain(tool.input, arguments)
        try:
            schemas.check(tool.input, arguments)
        except UserError as error:
            raise CallRefused(400, str(error)) from error
        try:
            with self._room_for(tool):
                return tool.run(ToolCall(self.workspace, caller, arguments, self._given_up()))
        except CallRefused:
            raise
        except UserError as error:
            raise CallRefused(status_of(error), agent_wording.for_agent(str(error))) from error
        except Exception as error:
            log.exception("%s failed", tool.name)
            raise CallRefused(500, FAILED_INSIDE) from error


def _outcome(refused: CallRefused | None) -> CallOutcome:
    if refused is None:
        return CallOutcome.ANSWERED
    return CallOutcome.FAILED if refused.status == 500 else CallOutcome.REFUSED
