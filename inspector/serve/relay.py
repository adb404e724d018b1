"""Calls that one process of this user has answered by another that serves the same store.

A server over standard input asks a running server for what it reads, so that the model and the search cache are loaded
once for all clients. What it writes it writes itself, so that a server that goes away in the middle leaves nothing in
doubt; only the vectors of what it writes are asked for. The running server's note (`running.py`), which only this user
can read, holds the secret that opens this way, and no token does: a caller's name and scopes are taken as they are
stated.
"""

from __future__ import annotations

import base64
import http.client
import json
import logging
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from core.errors import UserError
from core.model import Embedding, Space
from inspector.serve import running
from inspector.serve.dispatcher import Caller, CallRefused, ToolDispatcher, ToolResult
from inspector.serve.http_guards import RELAY_PATH
from inspector.serve.tokens import Scope
from inspector.serve.tools import TOOLS

log = logging.getLogger(__name__)

SECONDS = 30.0  # for an answer; the longest call ends after 10
_BROKEN = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)


@dataclass(frozen=True, slots=True)
class Relay:
    """The way to a running server. Each call has a connection of its own: one that was kept could be closed just as it
    is used."""

    url: str
    secret: str

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the server's answer; one of `_BROKEN` if there is none."""
        place = urlsplit(self.url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        try:
            connection.request("POST", RELAY_PATH, json.dumps(asked), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status != 200:
                raise ValueError(answer.get("detail", response.status))
            return dict(answer)
        finally:
            connection.close()

    def call(self, name: str, arguments: Any, caller: Caller) -> ToolResult:
        stated = {**asdict(caller), "scopes": sorted(caller.scopes)}
        answer = self.ask({"tool": name, "arguments": arguments, "caller": stated})
        if "refused" in answer:
            raise CallRefused(int(answer["status"]), str(answer["refused"]))
        return ToolResult(answer["shape"], answer["text"])


class RelayedEmbedder:
    """The model of a running server."""

    is_instant = True

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self.space = Space(**relay.ask({"embed": "space"})["space"])

    def embed_document(self, text: str) -> Embedding:
        return self._embed("document", text)

    def embed_query(self, text: str) -> Embedding:
        return self._embed("query", text)

    def _embed(self, kind: str, text: str) -> Embedding:
        try:
            found = self._relay.ask({"embed": kind, "text": text})
            return Embedding(base64.b64decode(found["vector"]), found["truncated"])
        except _BROKEN as error:
            raise UserError("The server that holds the model is gone.") from error


@dataclass(slots=True)
class RelayDispatcher(ToolDispatcher):
    """Has what only reads answered by a running server, as long as there is one, and does the rest itself."""

    relay: Relay | None = None
    _relayed: frozenset[str] = field(init=False, default=frozenset(tool.name for tool in TOOLS if tool.is_read_only))

    def call(self, name: str, arguments: Any, caller: Caller, *, is_access: bool = True) -> ToolResult:
        relay = self.relay
        if relay is not None and name in self._relayed:
            try:
                return relay.call(name, arguments, caller)
            except _BROKEN as error:
                log.warning("The server at %s did not answer (%s); the store is asked itself.", relay.url, error)
                self._find_another(relay)
        elif relay is not None:
            self._share_model(relay)
        return ToolDispatcher.call(self, name, arguments, caller, is_access=is_access)

    def _share_model(self, relay: Relay) -> None:
        """Take the server's model for what is written now, once it is loaded there."""
        try:
            embedder = RelayedEmbedder(relay)
            if self.workspace.embeddings.embedder() is None:
                self.workspace.embeddings.use(embedder)
        except (OSError, http.client.HTTPException):
            self._find_another(relay)
        except _BROKEN as error:
            log.info("The server at %s has no model to share (%s).", relay.url, error)

    def _find_another(self, gone: Relay) -> None:
        """Go on with the server that has taken its place, or with a model and a search cache of our own."""
        found = relay_to(self.workspace.store.location.path)
        if self.relay is not gone or found == gone:  # another thread was here, or it is there and only slow
            return
        self.relay = found
        self.workspace.embeddings.release()
        if found is None:
            self.workspace.embeddings.start()
            self.workspace.expect_questions()


def relay_to(store: Any) -> Relay | None:
    """Return the way to a server that serves this store now."""
    note = running.note(store)
    return Relay(note["url"], note["secret"]) if note is not None and note.get("secret") else None


def answer(dispatcher: ToolDispatcher, asked: dict[str, Any]) -> dict[str, Any]:
    """Answer what another process of this user asks, in the server; CallRefused if it cannot be answered here."""
    try:
        if "embed" in asked:
            return _embedded(dispatcher, str(asked["embed"]), str(asked.get("text", "")))
        stated = asked["caller"]
        scopes = frozenset(map(Scope, stated["scopes"]))
        caller = Caller(str(stated["client"]), scopes, str(stated["session"]), float(stated["max_confidence"]))
        name, arguments = str(asked["tool"]), asked["arguments"]
    except (KeyError, TypeError, ValueError) as error:
        raise CallRefused(400, "This is not what another process of the program asks.") from error
    try:
        reply = dispatcher.call(name, arguments, caller)
    except CallRefused as refused:
        return {"refused": str(refused), "status": refused.status}
    return {"shape": reply.shape, "text": reply.text}


def _embedded(dispatcher: ToolDispatcher, kind: str, text: str) -> dict[str, Any]:
    embedder = dispatcher.workspace.embeddings.embedder()
    if embedder is None:
        raise CallRefused(503, "The model is not loaded.")
    if kind == "space":
        return {"space": asdict(embedder.space)}
    made = embedder.embed_query(text) if kind == "query" else embedder.embed_document(text)
    return {"vector": base64.b64encode(made.vector).decode(), "truncated": made.truncated}
