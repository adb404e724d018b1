"""The real default model: meaning, determinism, prefixes, the limit, and silence towards the outside."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from array import array
from pathlib import Path

import pytest

from core import folders
from core.embed import catalogue, places
from core.embed.onnx import OnnxEmbedder
from core.errors import UserError

MODELS = folders.models()


def cosine(a, b) -> float:
    return sum(x * y for x, y in zip(array("f", a.vector), array("f", b.vector), strict=True))


def test_sentences_of_one_meaning_are_far_nearer_than_unrelated_ones(arctic):
    dog, canine = arctic.embed_document("the dog runs outside"), arctic.embed_document("canine ran in the park")
    unrelated = arctic.embed_document("The invoice is due on Friday")
    assert cosine(dog, canine) > max(cosine(dog, unrelated), cosine(canine, unrelated)) + 0.15


def test_a_vector_has_length_one_and_384_numbers(arctic):
    vector = arctic.embed_document("hello")
    assert len(vector.vector) == 384 * 4
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)


def test_the_same_text_always_gives_the_same_vector_whatever_comes_between(arctic):
    first = arctic.embed_document("SQLite needs a lock timeout")
    for other in ("short", "a much longer text about something else entirely " * 20, "抓取杯子", "🙂"):
        arctic.embed_document(other)
    assert arctic.embed_document("SQLite needs a lock timeout") == first
    assert OnnxEmbedder(catalogue.ARCTIC_S, MODELS).embed_document("SQLite needs a lock timeout") == first


def test_a_question_is_embedded_with_its_prefix_and_finds_its_answer(arctic):
    question = arctic.embed_query("why do migrations hang?")
    assert question == arctic.embed_document(catalogue.ARCTIC_S.query_prefix + "why do migrations hang?")
    answer = arctic.embed_document("ALTER TABLE waits for a lock held by a long transaction")
    assert cosine(question, answer) > cosine(question, arctic.embed_document("Tobias prefers CSS modules"))


def test_a_text_beyond_the_models_limit_is_cut_and_says_so(arctic):
    short, long = arctic.embed_document("word " * 400), arctic.embed_document("word " * 600)
    assert (short.truncated, long.truncated) == (False, True)
    assert arctic.embed_document("word " * 600 + "and something else").vector == long.vector


@pytest.mark.parametrize("text", ["", " ", "\n", "\x07", "a" * 100_000, "ﷺ" * 50, "👩‍👩‍👧‍👦"])
def test_any_text_has_a_vector(arctic, text):
    assert len(arctic.embed_document(text).vector) == 384 * 4


def test_the_space_names_the_exact_file_and_recipe(arctic):
    assert arctic.space.model == "snowflake/snowflake-arctic-embed-s"
    assert len(arctic.space.file_hash) == 64
    assert arctic.space.recipe


def test_what_others_put_beside_the_files_changes_no_vector(tmp_path, arctic):
    models = tmp_path / "models"
    folder = places.folder_of(catalogue.ARCTIC_S, models)
    shutil.copytree(places.folder_of(catalogue.ARCTIC_S, MODELS), folder)
    (folder / "special_tokens_map.json").write_text('{"additional_special_tokens": ["concatenate"]}')
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 3, "pad_token": "[PAD]"}')
    text = "concatenate the lists of words"
    assert OnnxEmbedder(catalogue.ARCTIC_S, models).embed_document(text) == arctic.embed_document(text)


@pytest.mark.parametrize("damage", ["alter", "cut", "remove"])
def test_an_altered_half_fetched_or_missing_file_is_refused(tmp_path, damage):
    models = tmp_path / "models"
    folder = places.folder_of(catalogue.ARCTIC_S, models)
    shutil.copytree(places.folder_of(catalogue.ARCTIC_S, MODELS), folder)
    file = folder / "model.onnx"
    if damage == "remove":
        file.unlink()
    else:
        content = bytearray(file.read_bytes())
        content[1000] ^= 1
        file.write_bytes(content if damage == "alter" else content[:-1000])
    with pytest.raises(UserError, match="not here yet" if damage == "remove" else "incomplete or altered"):
        OnnxEmbedder(catalogue.ARCTIC_S, models)


def test_embedding_writes_no_file_and_opens_no_connection(tmp_path):
    program = """
        import json, os, sys
        from pathlib import Path
        asked = []
        outward = {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
        sys.addaudithook(lambda event, args: asked.append(event) if event in outward else None)
        from core.embed import catalogue
        from core.embed.onnx import OnnxEmbedder
        OnnxEmbedder(catalogue.ARCTIC_S, Path(sys.argv[1])).embed_query("hello")
        open_files = []
        for number in os.listdir("/proc/self/fd"):
            try:
                open_files.append(os.readlink(f"/proc/self/fd/{number}"))
            except OSError:
                pass
        json.dump({"asked": asked, "sockets": [name for name in open_files if name.startswith("socket:")]}, sys.stdout)
    """
    home = tmp_path / "fresh-home"
    home.mkdir()
    places_of_user = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR")
    trace = tmp_path / "trace.txt"
    tracing = ["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", str(trace)] if shutil.which("strace") else []
    answer = subprocess.run(
        [*tracing, sys.executable, "-B", "-c", textwrap.dedent(program), str(MODELS)],
        env={**dict.fromkeys(places_of_user, str(home)), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(answer.stdout) == {"asked": [], "sockets": []}
    assert list(home.rglob("*")) == []
    if tracing:
        assert "AF_INET" not in trace.read_text()
