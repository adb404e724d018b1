"""The command hook, for agents that call commands instead of tools: reads an event from standard input, prints
memories.

It never disturbs the agent: on any error it prints nothing, writes a line to its log and exits with 0 (a hook that
exits with 2 would erase what the user has typed). With a running server it only sends an HTTP request, to answer within
240 ms; without one it opens the store itself, and full text answers alone.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core import folders, formatting, safe_files
from core.clock import SystemClock, to_iso
from core.errors import UserError
from inspector.cli import OK
from inspector.commands import terminal

SERVER_SECONDS = 2.0
MAX_PRINTED = 10_000  # characters; what is longer does not reach the agent whole
MAX_EVENT_BYTES = 20_000_000  # bytes
MAX_TRANSCRIPT_BYTES = 50_000_000  # bytes from its end; what an agent marked before them is not looked for
HARVESTED = ("SessionEnd", "PreCompact", "Stop", "SubagentStop")  # events after which markers are looked for
START_TOKENS = 600  # of what a session starts with, unless --budget says otherwise
MAX_LINE_BYTES = 5_000_000  # bytes of a transcript's line
CLIENT = "hook"


def hook(options: argparse.Namespace) -> int:
    section, name = "", "UserPromptSubmit"
    try:
        event = _event()
        name = str(event.get("hook_event_name", name))
        if name in HARVESTED:
            _keep_marked(options, event)
        elif name == "SessionStart":
            section = _briefing(options)[:MAX_PRINTED]
        else:
            section = _memories(options, event)[:MAX_PRINTED]
    except Exception as error:  # never disturb the agent
        _log(f"{type(error).__name__}: {error}")
    try:
        _print(options, section, name)
    except Exception as error:
        _log(f"{type(error).__name__}: {error}")
    return OK


def _print(options: argparse.Namespace, section: str, event: str) -> None:
    """Print the section as text, or with --json as the object that a hook answers, also where it is empty."""
    if terminal.wants_json(options):
        from inspector import wire

        terminal.show(options, wire.hook_output(section, event), "")
    elif section:
        terminal.show(options, {}, section)


def _event() -> dict[str, Any]:
    event = json.loads(sys.stdin.buffer.read(MAX_EVENT_BYTES))
    if not isinstance(event, dict):
        raise UserError("The event is not a JSON object.")
    return event


def _briefing(options: argparse.Namespace) -> str:
    """Return the section that a session starts with: of the project, or of everything where it has no memories."""
    from core.services.briefing import briefing
    from core.services.workspace import Workspace
    from inspector import wire

    budget = START_TOKENS if options.budget is None else terminal.number(options.budget, "--budget")
    project = os.environ.get("MEMORY_INSPECTOR_PROJECT", "")
    with Workspace.open(terminal.store_path(options), read_only=True) as workspace:
        found = briefing(workspace, project, budget) or briefing(workspace, budget=budget)
    return wire.noticed(found)


def _memories(options: argparse.Namespace, event: dict[str, Any]) -> str:
    """Return the section for the event's prompt; empty where there is none."""
    prompt = event.get("prompt") or event.get("user_prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return ""
    arguments: dict[str, Any] = {"query": prompt}
    if options.budget is not None:
        arguments["token_budget"] = terminal.number(options.budget, "--budget")
    if options.k is not None:
        arguments["k"] = terminal.number(options.k, "--k")
    if options.profile is not None:
        arguments["profile"] = options.profile
    section = _ask(options, arguments, str(event.get("session_id", "")))
    if options.to is not None:
        safe_files.replace(terminal.path(options.to, "--to"), section)
    return section


def _ask(options: argparse.Namespace, arguments: dict[str, Any], session: str) -> str:
    """Return the section from the running server, else from the store itself."""
    store = terminal.store_path(options)
    url = _running(store)
    if url is not None:
        try:
            with_section = {**arguments, "detail": "full"}
            return str(_post(url, "/api/v1/recall", with_section, session)["prompt"])
        except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
            _log(f"The server at {url} did not answer ({error}); the store was asked itself.")
    from core.services import query
    from core.services.workspace import Workspace
    from inspector import wire

    with Workspace.open(store, read_only=True) as workspace:
        return wire.section(query.ask(workspace, query.question_of(arguments)))


def _keep_marked(options: argparse.Namespace, event: dict[str, Any]) -> None:
    """Store what the agent marked with [MEMORY …] in its transcript; duplicates are not stored again. Before a session
    ends, only what was written since the last time is read: `Stop` comes with every turn."""
    transcript = Path(str(event["transcript_path"]))
    is_end = event["hook_event_name"] == "SessionEnd"
    # An empty line ends a marker, as its message does.
    written = "\n\n".join(_agent_texts(transcript, 0 if is_end else _read_before(transcript)))
    if "[MEMORY" not in written:
        return
    from core.services import remember
    from core.services.workspace import Workspace

    with Workspace.open(terminal.store_path(options)) as workspace:
        fields = {"session": str(event.get("session_id", ""))[:200]}
        kept, complaints = remember.remember_marked(workspace, written, actor=CLIENT, fields=fields)
    new = sum(each.duplicate is None for each in kept)
    _log(f"{formatting.memories(new)} kept of {len(kept) + len(complaints)} marked.")
    for complaint in complaints:
        _log(complaint)


def _read_before(transcript: Path) -> int:
    """Return how many bytes of a transcript were read before, and note that all there are now will have been."""
    folder = folders.cache() / "transcripts"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    note = folder / hashlib.sha256(str(transcript).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with safe_files.reading(transcript) as (_, size), safe_files.holding(note) as file:
        known = file.read(20)
        before = int(known) if known.isdigit() else 0
        file.seek(0)
        file.truncate()
        file.write(b"%d" % size)
    return before if before <= size else 0  # a shorter one is another


def _agent_texts(transcript: Path, start: int = 0) -> list[str]:
    """Return the texts the agent itself wrote, without tool results and side conversations."""
    texts = []
    for line in _lines(transcript, start):
        try:
            entry = json.loads(line)
            if entry["type"] == "assistant" and not entry.get("isSidechain"):
                content = entry["message"]["content"]
                blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
                texts += [str(block["text"]) for block in blocks if block.get("type") == "text" and block.get("text")]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # a line of another kind
    return texts


def _lines(transcript: Path, start: int) -> Iterator[bytes]:
    """Yield the lines of a regular file from `start`, at most its last MAX_TRANSCRIPT_BYTES bytes; a pipe or a device,
    which may never end, is refused. A partial first line is no JSON and is skipped."""
    with safe_files.reading(transcript) as (file, size):
        left = min(size - min(start, size), MAX_TRANSCRIPT_BYTES)  # what is written from now on is not waited for
        file.seek(size - left)
        while left > 0 and (line := file.readline(min(left, MAX_LINE_BYTES))):
            left -= len(line)
            yield line


def _running(store: Path) -> str | None:
    from inspector.serve.running import running

    return running(store)


def _post(url: str, path: str, arguments: dict[str, Any], session: str) -> Any:
    from inspector.serve.tokens import DEFAULT, Tokens

    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SERVER_SECONDS)
    headers = {
        "Authorization": f"Bearer {Tokens().find(DEFAULT).secret}",
        "Content-Type": "application/json",
        "X-Client": CLIENT,
        "X-Session": session.encode("ascii", "replace").decode()[:100],
    }
    try:
        connection.request("POST", path, json.dumps(arguments), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise ValueError(answer.get("detail", response.status))
        return answer
    finally:
        connection.close()


def _log(sentence: str) -> None:
    """Write a line to the log, if it can be written."""
    try:
        folders.cache().mkdir(parents=True, exist_ok=True)
        line = f"{to_iso(SystemClock().now())} {' '.join(sentence.split())[:500]}\n"
        with safe_files.appending(folders.cache() / "hook.log") as log:
            log.write(line.encode("utf-8", "replace"))
    except (OSError, UserError):
        pass
