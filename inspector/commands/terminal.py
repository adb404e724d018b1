"""Output of commands: JSON or text, progress on a terminal; and which store a command uses."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import folders, formatting
from core.changes import PERSON as PERSON
from core.errors import CannotOpen, Fault, UserError
from core.location import StoreLocation
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.services.workspace import Workspace

BOLD = re.compile(r"\x1b\[[01]m")
NO_STORE_YET = (
    "You have no store yet; `memory-inspector init` creates one, --db FILE names another, and --sample opens an "
    "example."
)


def store_path(options: argparse.Namespace) -> Path:
    """Return the store to use: --db, --sample, $MEMORY_INSPECTOR_DB, or the user's own."""
    named = getattr(options, "db", None)
    if getattr(options, "sample", False):
        if named is not None:
            raise UserError("--sample and --db name two stores; give one.")
        return folders.sample_store()
    if named is None:
        named = os.environ.get("MEMORY_INSPECTOR_DB")
    return folders.default_store() if named is None else path(StoreLocation(named).file, "--db")


def path(named: str, option: str) -> Path:
    """Return a path as the user wrote it, with ~ for the home folder."""
    if not named or "\0" in named:
        raise UserError(f"{option} needs the path of a file or a folder.")
    try:
        named.encode()
        return Path(named).expanduser().absolute()
    except UnicodeEncodeError as error:
        raise UserError(f"{option} is not a path in UTF-8.") from error
    except RuntimeError as error:
        raise UserError(f"{option} names a home folder that is not known: {named[:60]!r}.") from error


def open_workspace(options: argparse.Namespace, *, read_only: bool = False) -> Workspace:
    """Open the store; with --dry-run every operation on it is rolled back."""
    from core.services.workspace import Workspace  # only now: the hook, which must be quick, may do without a store

    store = store_path(options)
    if getattr(options, "sample", False):
        from inspector import sample

        sample.ensure(store, progress())
    if store == folders.default_store() and not os.path.lexists(store):
        raise CannotOpen(Fault.MISSING, NO_STORE_YET)
    return Workspace.open(store, read_only=read_only, rehearsing=is_dry_run(options))


def create_sample(store: Path) -> None:
    from inspector import sample

    sample.create(store, progress())


def is_dry_run(options: argparse.Namespace) -> bool:
    return getattr(options, "dry_run", False)


def wants_json(options: argparse.Namespace) -> bool:
    return getattr(options, "json", False)


def show(options: argparse.Namespace, shape: Any, text: str) -> None:
    """Print one answer as JSON or text."""
    if is_dry_run(options):
        shape, text = {**shape, "dry_run": True}, f"{text}\nThis was a dry run: nothing was changed."
    written = _escaped_json(json.dumps(shape, ensure_ascii=False, indent=2)) if wants_json(options) else text
    print(formatting.visible(written))


def show_pages(options: argparse.Namespace, shape: Any, text: str) -> None:
    """Show a long text of the program's own: in the pager on a terminal, where \x1b[1m may stand in it, else plain."""
    import shutil  # here and below: only help pays for them, not the start of every command

    if wants_json(options) or not sys.stdout.isatty():
        show(options, shape, BOLD.sub("", text))
    elif text.count("\n") < shutil.get_terminal_size().lines - 2 or not _paged(text):
        print(text)


def _paged(text: str) -> bool:
    """Show a text in $PAGER, or in less; return whether there is one."""
    import shlex
    import subprocess

    command = shlex.split(os.environ.get("PAGER") or "less")
    environment = {**os.environ, "LESS": os.environ.get("LESS", "-FRX")}
    try:
        subprocess.run(command, input=text, text=True, encoding="utf-8", env=environment, check=False)
    except OSError:
        return False
    return True


def _escaped_json(shape: str) -> str:
    """Return JSON in which every character that could control a terminal or hide text is escaped."""

    def escaped(match: re.Match[str]) -> str:
        return json.dumps(match[0])[1:-1]

    return formatting.UNSAFE_CHARS.sub(escaped, shape)


def number(value: str, name: str, *, most_digits: int = 18) -> int:
    try:
        if len(value) > most_digits:
            raise ValueError
        return int(value)
    except ValueError as error:
        raise UserError(f"{name} must be a whole number, not {value[:40]!r}.") from error


def count(value: str, name: str, *, most_digits: int = 18) -> int:
    """Return a whole number that is not negative."""
    if value.startswith("-"):
        raise UserError(f"{name} must be 0 or more, not {value[:40]!r}.")
    return number(value, name, most_digits=most_digits)


def decimal(value: str, name: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise UserError(f"{name} must be a number, not {value[:40]!r}.") from error


def max_confidence(options: argparse.Namespace) -> float | None:
    """Return the cap of --max-confidence, if it is given."""
    if options.max_confidence is None:
        return None
    cap = decimal(options.max_confidence, "--max-confidence")
    if not 0 <= cap <= 1:
        raise UserError(f"--max-confidence must be from 0 to 1, not {options.max_confidence[:20]}.")
    return cap


def assignment(given: str) -> tuple[str, str]:
    """Return path and value of `step.field=value`."""
    path, equals, value = given.partition("=")
    if not equals or not path:
        raise UserError(f"A parameter is set as step.field=value, not {given[:40]!r}.")
    return path.strip(), value.strip()


def json_object(value: str, name: str) -> Any:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} must be a JSON object, not {value[:40]!r}.") from error
    if not isinstance(found, dict):
        raise UserError(f"{name} must be a JSON object, not {value[:40]!r}.")
    return found


def progress() -> Progress:
    """Return a progress report that rewrites one line; silent where standard error is no terminal."""
    if not sys.stderr.isatty():
        return silent

    def bar(what: str, done: int, total: int) -> None:
        share = f"{done / total:4.0%}" if total else f"{done:,}"
        print(f"\r{what} {share}\033[K", end="\n" if total and done >= total else "", file=sys.stderr, flush=True)

    return bar


def one_line(text: str, width: int) -> str:
    """Return text as one line of at most so many characters; control and invisible characters are escaped."""
    flat = formatting.visible(" ".join(text.split()))
    return flat if len(flat) <= width else flat[: width - 1] + "…"
