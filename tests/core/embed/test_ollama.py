"""Ollama's HTTP interface, spoken by a small local server."""

from __future__ import annotations

import json
import math
from array import array

import pytest

from core.embed import catalogue
from core.embed.ollama import OllamaEmbedder, _configured_address
from core.errors import UserError

TAGS = {"models": [{"name": "nomic-embed-text:latest", "digest": "0a109f422b47"}]}


def speak(tags=TAGS, embed=None):
    """An Ollama that has the model and embeds by text length."""
    asked = []

    def answer(handler, body):
        if handler.path == "/api/tags":
            reply, code = tags, 200
        else:
            request = json.loads(body)
            asked.append(request)
            vectors = [[float(len(text) + n) for n in range(768)] for text in request["input"]]
            reply, code = embed or ({"embeddings": vectors, "prompt_eval_count": 5}, 200)
        content = json.dumps(reply).encode()
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    answer.asked = asked
    return answer


def connect(server) -> OllamaEmbedder:
    return OllamaEmbedder(catalogue.NOMIC_OLLAMA, server.address)


def test_documents_and_queries_carry_nomics_prefixes(server):
    server.answer = speak()
    embedder = connect(server)
    embedder.embed_document("hello")
    embedder.embed_query("hello")
    assert [request["input"] for request in server.answer.asked] == [
        ["search_document: hello"],
        ["search_query: hello"],
    ]
    assert all(request["model"] == "nomic-embed-text" and request["truncate"] for request in server.answer.asked)


def test_a_vector_comes_back_with_length_one(server):
    server.answer = speak()
    vector = array("f", connect(server).embed_document("hello").vector)
    assert len(vector) == 768
    assert math.sqrt(sum(number * number for number in vector)) == pytest.approx(1, abs=1e-5)


def test_the_digest_is_part_of_the_identity(server):
    server.answer = speak()
    first = connect(server).space
    server.answer = speak({"models": [{"name": "nomic-embed-text:latest", "digest": "other"}]})
    assert first.file_hash == "0a109f422b47"
    assert connect(server).space != first


def test_the_address_is_taken_from_ollamas_own_variable(server, monkeypatch):
    server.answer = speak()
    monkeypatch.setenv("OLLAMA_HOST", server.address.removeprefix("http://"))
    assert OllamaEmbedder(catalogue.NOMIC_OLLAMA).space.dimension == 768


def test_a_text_at_the_models_limit_counts_as_cut(server):
    server.answer = speak(embed=({"embeddings": [[1.0] * 768], "prompt_eval_count": 2048}, 200))
    assert connect(server).embed_document("long").truncated


@pytest.mark.parametrize(
    ("tags", "embed", "sentence"),
    [
        ({"models": []}, None, "ollama pull nomic-embed-text"),
        (["no", "ollama"], None, "is not Ollama"),
        (TAGS, ({"error": "boom"}, 500), "answered 500"),
        (TAGS, ({"error": "no vector"}, 200), "gave no vector"),
        (TAGS, ({"embeddings": [[1.0] * 5]}, 200), "not a vector of 768"),
        (TAGS, ({"embeddings": [[0.0] * 768]}, 200), "not a vector of 768"),
        (TAGS, ({"embeddings": [[None] * 768]}, 200), "did not answer with a vector"),
        (TAGS, ({"embeddings": [[math.nan] * 768]}, 200), "not a vector of 768"),
    ],
)
def test_whatever_goes_wrong_is_one_sentence(server, tags, embed, sentence):
    server.answer = speak(tags, embed)
    with pytest.raises(UserError, match=sentence):
        connect(server).embed_document("hello")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("box", "http://box:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("https://box:1", "https://box:1"),
    ],
)
def test_the_address_is_read_as_ollama_reads_it(monkeypatch, host, address):
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert _configured_address() == address


def test_memories_never_go_through_a_proxy(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.address)
    server.answer = speak()
    with pytest.raises(UserError, match="Ollama does not answer"):
        OllamaEmbedder(catalogue.NOMIC_OLLAMA, "http://127.0.0.1:9")
    assert server.requests == []


@pytest.mark.parametrize("address", ["http://127.0.0.1:abc", "http://", "nonsense"])
def test_an_address_that_is_none_is_one_sentence(address):
    with pytest.raises(UserError):
        OllamaEmbedder(catalogue.NOMIC_OLLAMA, address)


def test_no_ollama_is_one_sentence():
    with pytest.raises(UserError, match="Ollama does not answer"):
        OllamaEmbedder(catalogue.NOMIC_OLLAMA, "http://127.0.0.1:9")
