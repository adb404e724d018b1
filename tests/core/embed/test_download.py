"""A download is resumed where it stopped, and what is not right is deleted."""

from __future__ import annotations

import hashlib

import pytest

from core.embed.download import download
from core.errors import UserError
from core.progress import Cancelled, silent

CONTENT = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def serve(content=CONTENT, *, ranges=True, break_after=None):
    def answer(handler, _):
        start = 0
        asked = handler.headers.get("Range")
        if asked and ranges:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(content):
                handler.send_error(416)
                return
        handler.send_response(206 if start else 200)
        handler.send_header("Content-Length", str(len(content) - start))
        handler.end_headers()
        handler.wfile.write(content[start : start + break_after if break_after else None])

    return answer


def test_a_file_arrives_whole_and_progress_is_reported(server, tmp_path):
    server.answer = serve()
    reported = []
    download(server.address + "/model.onnx", tmp_path / "model.onnx", SHA256, lambda *step: reported.append(step))
    assert (tmp_path / "model.onnx").read_bytes() == CONTENT
    assert reported[-1] == ("fetching model.onnx", len(CONTENT), len(CONTENT))


def test_a_broken_download_is_kept_and_resumed(server, tmp_path):
    target = tmp_path / "model.onnx"
    server.answer = serve(break_after=300_000)
    with pytest.raises(UserError, match="broke off.*kept for the next attempt"):
        download(server.address + "/f", target, SHA256, silent)
    assert not target.exists()
    server.answer = serve()
    download(server.address + "/f", target, SHA256, silent)
    assert target.read_bytes() == CONTENT
    assert server.requests[-1][1]["Range"] == "bytes=300000-"


def test_a_cancelled_download_is_resumed_too(server, tmp_path):
    server.answer = serve()

    def cancel(what, done, total):
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        download(server.address + "/f", tmp_path / "f", SHA256, cancel)
    download(server.address + "/f", tmp_path / "f", SHA256, silent)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert "Range" in server.requests[-1][1]


def test_a_server_that_cannot_resume_sends_everything_again(server, tmp_path):
    (tmp_path / "f.part").write_bytes(CONTENT[:1000])
    server.answer = serve(ranges=False)
    download(server.address + "/f", tmp_path / "f", SHA256, silent)
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_part_that_is_already_whole_needs_no_more(server, tmp_path):
    (tmp_path / "f.part").write_bytes(CONTENT)
    server.answer = serve()
    download(server.address + "/f", tmp_path / "f", SHA256, silent)
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_an_altered_file_is_thrown_away(server, tmp_path):
    server.answer = serve(CONTENT[:-1] + b"x")
    with pytest.raises(UserError, match="arrived altered"):
        download(server.address + "/f", tmp_path / "f", SHA256, silent)
    assert list(tmp_path.glob("f*")) == []


def test_a_server_that_says_no_or_is_not_there_gives_one_sentence(server, tmp_path):
    with pytest.raises(UserError, match="answered 404"):
        download(server.address + "/f", tmp_path / "f", SHA256, silent)
    with pytest.raises(UserError, match="could not be fetched"):
        download("http://127.0.0.1:9/f", tmp_path / "f", SHA256, silent)
