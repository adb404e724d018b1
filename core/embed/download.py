"""Resumable download of one file, which gets its name only if its hash is right."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from pathlib import Path

from core import safe_files
from core.errors import UserError
from core.progress import Progress

CHUNK = 1 << 18
TIMEOUT_SECONDS = 30


def download(url: str, target: Path, sha256: str, progress: Progress) -> None:
    """Download a file, continuing an earlier attempt."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    try:
        _fetch(url, part, progress)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise UserError(
            f"{target.name} could not be fetched ({_cause(error)}); what arrived is kept for the next attempt."
        ) from error
    if hash_of(part) != sha256:
        part.unlink()
        raise UserError(f"{target.name} arrived altered (its hash is not the expected one) and was deleted.")
    safe_files.name(part, target)


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(url: str, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        return  # nothing is left to download; the hash decides whether it is complete
    with answer:
        if have and answer.status != http.client.PARTIAL_CONTENT:
            have = 0  # the server does not support ranges and sends everything
        total = have + int(answer.headers.get("Content-Length") or 0)
        name = part.name.removesuffix(".part")
        if not have:
            part.unlink(missing_ok=True)
        with safe_files.appending(part) as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                have += len(chunk)
                progress(f"fetching {name}", have, total)
        if have < total:
            raise http.client.IncompleteRead(b"", total - have)


def _cause(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    if isinstance(error, http.client.IncompleteRead):
        return "the connection broke off"
    return str(error) or type(error).__name__
