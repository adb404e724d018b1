"""Models computed by a local Ollama, over its HTTP interface."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from typing import Any

from core.embed import recipe
from core.embed.catalogue import Model
from core.embed.embedder import packed_unit_vector
from core.errors import UserError
from core.model import Embedding, Space

TIMEOUT_SECONDS = 20
DEFAULT_PORT = 11434

# No proxy: memories are sent to this address only.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class OllamaEmbedder:
    """A model of a running Ollama; its digest there is part of the identity."""

    is_instant = False

    def __init__(self, model: Model, address: str | None = None) -> None:
        self.model = model
        self._address = (address or _configured_address()).rstrip("/")
        self._name = model.name.removeprefix("ollama/")
        self.space = Space(model.name, "", model.dimension, self._digest(), recipe.RECIPE)

    def embed_document(self, text: str) -> Embedding:
        return self._embed(self.model.document_prefix + text)

    def embed_query(self, text: str) -> Embedding:
        return self._embed(self.model.query_prefix + text)

    def _embed(self, text: str) -> Embedding:
        answer = self._ask("/api/embed", {"model": self._name, "input": [text], "truncate": True})
        vectors = answer.get("embeddings")
        if not isinstance(vectors, list) or len(vectors) != 1 or not isinstance(vectors[0], list):
            raise UserError(f"Ollama at {self._address} gave no vector: {str(answer.get('error', ''))[:100]}")
        # Ollama truncates silently; a token count at the model's limit means that it probably did.
        truncated = int(answer.get("prompt_eval_count") or 0) >= self.model.max_tokens
        return Embedding(packed_unit_vector(vectors[0], self.space.dimension), truncated)

    def _digest(self) -> str:
        for offered in self._ask("/api/tags").get("models") or []:
            if str(offered.get("name", "")).removesuffix(":latest") == self._name:
                return str(offered.get("digest", ""))
        raise UserError(f"Ollama at {self._address} does not have {self._name}; `ollama pull {self._name}` gets it.")

    def _ask(self, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"})
            with _opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise UserError(f"Ollama at {self._address} answered {error.code} to {path}.") from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise UserError(f"Ollama does not answer at {self._address}; start it, or use another model.") from error
        if not isinstance(found, dict):
            raise UserError(f"What answers at {self._address} is not Ollama.")
        return found


def _configured_address() -> str:
    """Return OLLAMA_HOST as Ollama itself reads it: a host, optionally with a port and a scheme."""
    host = os.environ.get("OLLAMA_HOST") or "127.0.0.1"
    if "://" in host:
        return host
    host = host.replace("0.0.0.0", "127.0.0.1")
    has_port = host.rpartition(":")[2].isdecimal() and not host.endswith("]")
    return f"http://{host}" if has_port else f"http://{host}:{DEFAULT_PORT}"
