"""The set-up behind `make run` and `make test`, and the lock that it installs."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "environment.py"
LOCK = ROOT / "packaging" / "requirements.lock"
PYPROJECT = ROOT / "pyproject.toml"


def load_environment() -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


environment = load_environment()


# The lock


def locked_entries() -> list[str]:
    """Each requirement of the lock with its hashes, as one line."""
    text = "\n".join(line for line in LOCK.read_text().splitlines() if not line.lstrip().startswith("#"))
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def locked_versions() -> dict[str, list[Version]]:
    """The versions of each package; more than one where they differ by Python or platform."""
    versions: dict[str, list[Version]] = {}
    for entry in locked_entries():
        requirement = Requirement(entry.partition("--hash")[0])
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        versions.setdefault(canonicalize_name(requirement.name), []).append(Version(pin.version))
    return versions


def wanted_requirements() -> list[Requirement]:
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    return [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["dev"]]


def test_every_locked_package_has_a_version_and_hashes():
    assert locked_versions()
    for entry in locked_entries():
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


@pytest.mark.parametrize("wanted", wanted_requirements(), ids=lambda wanted: wanted.name)
def test_the_lock_satisfies_what_pyproject_asks_for(wanted):
    versions = locked_versions()[canonicalize_name(wanted.name)]
    assert all(wanted.specifier.contains(version) for version in versions)


def test_the_lock_never_holds_the_qt_that_loses_references():
    qt = {name: found for name, found in locked_versions().items() if name.startswith(("pyside6", "shiboken6"))}
    assert set(qt) == {"pyside6-essentials", "shiboken6"}
    assert all(version < Version("6.12.dev0") for versions in qt.values() for version in versions)


def test_the_lock_names_no_index_no_host_and_no_path():
    text = LOCK.read_text()
    assert "://" not in text
    assert not re.search(r"\b[a-z0-9-]+\.(org|com|net|io|dev|local|internal)\b", text)
    assert not re.search(r"(^|\s)(~|\.{0,2}/|[A-Z]:\\)", text)
    assert not re.search(r"^--?[a-z]", text, re.MULTILINE)  # an option such as --index-url


# The stamp


def test_the_stamp_changes_with_everything_that_the_venv_follows_from(tmp_path):
    lock, pyproject = tmp_path / "lock", tmp_path / "pyproject"
    lock.write_text("anyio==4.0")
    pyproject.write_text("[project]")

    def stamp(interpreter: str = "cpython-311", place: str = "here") -> str:
        return environment.stamp(lock, pyproject, interpreter, tmp_path / place)

    before = stamp()
    assert stamp() == before
    assert stamp(interpreter="cpython-313") != before
    assert stamp(place="there") != before
    lock.write_text("anyio==4.1")
    with_other_lock = stamp()
    assert with_other_lock != before
    pyproject.write_text("[project]\n")
    assert stamp() not in (before, with_other_lock)


def test_a_venv_is_mended_in_place_only_if_the_same_interpreter_finished_it(tmp_path):
    wanted = environment.stamp(LOCK, PYPROJECT, "cpython-311", tmp_path)
    assert environment.same_interpreter(environment.stamp(PYPROJECT, LOCK, "cpython-311", tmp_path), wanted)
    assert not environment.same_interpreter(environment.stamp(LOCK, PYPROJECT, "cpython-313", tmp_path), wanted)
    assert not environment.same_interpreter("", wanted)


# An old Python


def test_an_old_python_gets_one_sentence_that_names_both_versions():
    with pytest.raises(environment.Trouble) as refusal:
        environment.refuse_old_python((3, 10))
    assert "3.11" in str(refusal.value)
    assert "3.10" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize("version", [(3, 11), (3, 14), (4, 0)])
def test_a_python_that_is_new_enough_is_welcome(version):
    environment.refuse_old_python(version)


def test_an_old_python_can_parse_the_script():
    ast.parse(SCRIPT.read_text(), feature_version=(3, 8))


# What a failed command says


def test_the_last_words_are_the_last_error_and_not_the_warning_after_it():
    output = "Collecting anyio\nERROR: first\nERROR: No matching distribution.\nWARNING: a newer pip exists\n"
    assert environment.last_words(output) == "No matching distribution"


def test_the_last_words_without_an_error_are_the_last_line():
    assert environment.last_words("Traceback\n  File\nTimeout: read timed out\n\n") == "Timeout: read timed out"
    assert environment.last_words("") == "it gave no reason"


# Whole runs, in a small checkout of its own


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a path with spaces whose system lacks no library and whose model fetch always succeeds."""
    root = tmp_path / "path with spaces"
    for folder in ("packaging", "inspector"):
        (root / folder).mkdir(parents=True)
    shutil.copy(SCRIPT, root / "packaging")
    shutil.copy(LOCK, root / "packaging")
    shutil.copy(PYPROJECT, root)
    (root / "inspector" / "desktop_needs.py").write_text("def missing_libraries(for_window): return ()\n")
    (root / "inspector" / "__main__.py").write_text("")
    return root


def prepare(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the checkout's script where pip has no index and no folder to find a package in."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return subprocess.run(
        [sys.executable, checkout / "packaging" / "environment.py", *arguments],
        env={**surroundings, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def plant_ready_venv(checkout: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    stamp = environment.stamp(
        checkout / "packaging" / "requirements.lock",
        checkout / "pyproject.toml",
        sys.implementation.cache_tag,
        checkout,
    )
    (checkout / ".venv" / environment.STAMP.name).write_text(stamp)


def test_a_ready_environment_says_so_in_one_line_and_changes_nothing(checkout):
    plant_ready_venv(checkout)
    before = sorted((checkout / ".venv").rglob("*"))
    run = prepare(checkout, "--require-model")
    assert (run.returncode, run.stdout, run.stderr) == (0, "The environment is ready.\n", "")
    assert sorted((checkout / ".venv").rglob("*")) == before


def test_without_the_model_a_run_goes_on_with_a_sentence(checkout):
    plant_ready_venv(checkout)
    (checkout / "inspector" / "__main__.py").write_text("raise SystemExit('the index does not answer')")
    run = prepare(checkout)
    assert run.returncode == 0
    sentence, ready = run.stdout.splitlines()
    assert "the index does not answer" in sentence
    assert "full text" in sentence
    assert ready == "The environment is ready."


def test_without_a_required_model_the_run_ends_with_the_code_of_the_fetch(checkout):
    plant_ready_venv(checkout)
    (checkout / "inspector" / "__main__.py").write_text("raise SystemExit(7)")
    run = prepare(checkout, "--require-model")
    assert run.returncode == 7
    assert "ready" not in run.stdout
    assert len(run.stderr.splitlines()) == 1


def test_a_half_made_venv_is_made_anew_and_packages_out_of_reach_end_in_one_sentence(checkout):
    plant_ready_venv(checkout)
    (checkout / ".venv" / environment.STAMP.name).unlink()
    leftover = checkout / ".venv" / "leftover"
    leftover.touch()
    run = prepare(checkout)
    assert not leftover.exists()
    assert (checkout / ".venv" / "pyvenv.cfg").exists()
    assert run.returncode == 2
    assert "check the network" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (checkout / ".venv" / environment.STAMP.name).exists()
