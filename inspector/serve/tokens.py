"""API tokens: 256 random bits each, in a file that only its owner can read, each with its scopes."""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core import folders, safe_files
from core.errors import UserError

DEFAULT = "default"
_BITS = 256


class Scope(StrEnum):
    """What a token allows: to read, to write memories, and to decide what a person decides (pins, verdicts)."""

    READ = "read"
    WRITE = "write"
    CURATE = "curate"


EVERY_SCOPE = frozenset(Scope)
DEFAULT_SCOPES = frozenset({Scope.READ, Scope.WRITE})  # an agent's, unless a person gives it more or less on purpose


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `max_confidence` is the maximum confidence of what its holder writes."""

    name: str
    secret: str
    scopes: frozenset[Scope]
    max_confidence: float = 1.0


class Tokens:
    """The tokens of this user. The file is read again when it changes, so that a rotated token counts at once."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or folders.data() / "tokens.json"
        self._seen: tuple[int, int] | None = None
        self._known: list[Token] = []

    def all(self) -> list[Token]:
        """Return every token; the first time, the default one is created."""
        try:
            stat = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._create()
            stat = self.path.stat()
        if (stat.st_mtime_ns, stat.st_size) != self._seen:
            self._known = self._read()
            self._seen = (stat.st_mtime_ns, stat.st_size)
        return self._known

    def check(self) -> None:
        """Refuse a file that cannot be read; nothing is created."""
        if self.path.exists():
            self._read()

    def find(self, name: str) -> Token:
        for token in self.all():
            if token.name == name:
                return token
        known = ", ".join(token.name for token in self.all())
        raise UserError(f"There is no token {name[:40]!r}; there are {known}.")

    def holder(self, given: str) -> Token | None:
        """Return the token with this secret; every one is compared in full, so that the time shows nothing."""
        found = None
        for token in self.all():
            if hmac.compare_digest(token.secret.encode(), given.encode("utf-8", "replace")):
                found = token
        return found

    def add(self, name: str, scopes: Iterable[Scope], max_confidence: float = 1.0) -> Token:
        if not name.strip() or not name.isprintable() or len(name) > 60:
            raise UserError("A token's name is a few printable letters.")
        if any(token.name == name for token in self.all()):
            raise UserError(f"There is already a token {name!r}; `token rotate` gives it a new secret.")
        token = replace(_new(name, scopes), max_confidence=max_confidence)
        self._write([*self.all(), token])
        return token

    def rotate(self, name: str) -> Token:
        """Give a token a new secret; the old one is refused from now on."""
        old = self.find(name)
        fresh = replace(old, secret=_new_secret())
        self._write([fresh if token is old else token for token in self.all()])
        return fresh

    def change(self, name: str, scopes: Iterable[Scope] | None = None, max_confidence: float | None = None) -> Token:
        """Change a token's scopes or maximum confidence; its secret stays, and running servers apply it at once."""
        old = self.find(name)
        changed = replace(
            old,
            scopes=old.scopes if scopes is None else frozenset(scopes),
            max_confidence=old.max_confidence if max_confidence is None else max_confidence,
        )
        self._write([changed if token is old else token for token in self.all()])
        return changed

    def remove(self, name: str) -> None:
        if name == DEFAULT:
            raise UserError("The default token stays; `token rotate` makes the old one useless.")
        gone = self.find(name)
        self._write([token for token in self.all() if token is not gone])

    def _read(self) -> list[Token]:
        try:
            written = json.loads(self.path.read_text("utf-8"))
            return [
                Token(
                    each["name"],
                    each["secret"],
                    frozenset(map(Scope, each["scopes"])),
                    float(each.get("max_confidence", 1.0)),
                )
                for each in written["tokens"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{self.path} cannot be read as tokens; move it away and new ones are made.") from error

    def _create(self) -> None:
        """Write the file under another name, then rename it: of two programs that start at once one wins, and both use
        it."""
        with self._writable(), contextlib.suppress(FileExistsError):
            safe_files.create(self.path, _written([_new(DEFAULT, DEFAULT_SCOPES)]))

    def _write(self, tokens: Sequence[Token]) -> None:
        with self._writable():
            safe_files.replace(self.path, _written(tokens))

    @contextlib.contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            yield
        except OSError as error:
            raise UserError(
                f"{self.path} cannot be written: {error.strerror}; MEMORY_INSPECTOR_HOME names another folder for it."
            ) from error


def scopes_of(names: Sequence[str]) -> frozenset[Scope]:
    """Return scopes from `read`, `read,write`, or several such texts."""
    given = [each.strip() for name in names for each in name.split(",")]
    try:
        return frozenset(map(Scope, given))
    except ValueError as error:
        raise UserError(f"A scope is one of {', '.join(Scope)}, not {', '.join(given)[:60]!r}.") from error


def _written(tokens: Sequence[Token]) -> bytes:
    shape = [
        {
            "name": token.name,
            "secret": token.secret,
            "scopes": sorted(token.scopes),
            "max_confidence": token.max_confidence,
        }
        for token in tokens
    ]
    return json.dumps({"tokens": shape}, indent=2).encode()


def _new(name: str, scopes: Iterable[Scope]) -> Token:
    return Token(name, _new_secret(), frozenset(scopes))


def _new_secret() -> str:
    return secrets.token_urlsafe(_BITS // 8)
