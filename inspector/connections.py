"""The MCP configuration of each client: its file and its format.

Sources: the clients' own documents, as of November 2026. Claude Desktop starts its servers itself and reads no HTTP
entries; Codex takes its token from an environment variable only; the others expand variables in a header.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import safe_files
from core.errors import UserError, suggestion

SERVER = "memory-inspector"
TOKEN_VARIABLE = "MEMORY_INSPECTOR_TOKEN"

# Keys that Codex accepts only for a server it starts, and only for one it calls.
_OF_COMMANDS = ("command", "args", "env", "env_vars", "cwd")
_OF_ADDRESSES = ("url", "bearer_token_env_var", "http_headers", "env_http_headers")


@dataclass(frozen=True, slots=True)
class Client:
    """A client: the key under which its file lists servers, and its syntax for a variable."""

    name: str
    title: str
    key: str = "mcpServers"
    variable: str = "${MEMORY_INSPECTOR_TOKEN}"
    speaks_http: bool = True
    says_type: bool = False
    is_of_project: bool = False

    def path(self, project: Path) -> Path | None:
        """Return the file the client reads; None for an unknown client."""
        home = Path.home()
        match self.name:
            case "claude-code":
                return project / ".mcp.json"
            case "cursor":
                return project / ".cursor" / "mcp.json"
            case "vscode":
                return project / ".vscode" / "mcp.json"
            case "codex":
                return Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml"
            case "claude-desktop":
                places = {
                    "darwin": home / "Library" / "Application Support" / "Claude",
                    "win32": Path(os.environ.get("APPDATA") or home) / "Claude",
                }
                return places.get(sys.platform, home / ".config" / "Claude") / "claude_desktop_config.json"
        return None


CLIENTS = (
    Client("claude-code", "Claude Code", says_type=True, is_of_project=True),
    Client("claude-desktop", "Claude Desktop", speaks_http=False),
    Client("cursor", "Cursor", variable="${env:MEMORY_INSPECTOR_TOKEN}", is_of_project=True),
    Client(
        "vscode",
        "VS Code",
        key="servers",
        variable="${input:memory-inspector-token}",
        says_type=True,
        is_of_project=True,
    ),
    Client("codex", "Codex", key="mcp_servers"),
    Client("generic", "Any MCP client", says_type=True),
)


@dataclass(frozen=True, slots=True)
class ConnectionMethod:
    """How to reach the store: a command to start, or the address of a running server."""

    program: list[str]
    store: str | None = None
    url: str | None = None
    compat: str = ""
    curate: bool = False

    @property
    def arguments(self) -> list[str]:
        named = [] if self.store is None else ["--db", self.store]
        compat = ["--compat", self.compat] if self.compat else []
        scope = ["--scope", "read,write,curate"] if self.curate else []
        return [*self.program[1:], *named, "--serve", "--stdio", *compat, *scope]


def client(name: str) -> Client:
    for each in CLIENTS:
        if each.name == name:
            return each
    names = [each.name for each in CLIENTS]
    raise UserError(f"The client is one of {', '.join(names)}, not {name[:40]!r}{suggestion(name, names)}.")


def entry(client: Client, way: ConnectionMethod) -> dict[str, Any]:
    """Return the configuration as the client's file writes it."""
    if way.url is None:
        server: dict[str, Any] = {"command": way.program[0], "args": way.arguments}
    elif client.name == "codex":
        server = {"url": way.url, "bearer_token_env_var": TOKEN_VARIABLE}
    else:
        server = {"url": way.url, "headers": {"Authorization": f"Bearer {client.variable}"}}
    if client.says_type:
        server = {"type": "stdio" if way.url is None else "http", **server}
    whole: dict[str, Any] = {client.key: {SERVER: server}}
    if client.name == "vscode" and way.url is not None:
        asked = {"type": "promptString", "id": "memory-inspector-token", "description": "Memory Inspector's token"}
        whole["inputs"] = [{**asked, "password": True}]
    return whole


def written(client: Client, entry: dict[str, Any]) -> str:
    return _toml(entry) if client.name == "codex" else json.dumps(entry, indent=2, ensure_ascii=False) + "\n"


def merge(client: Client, entry: dict[str, Any], project: Path) -> Path:
    """Add our entry to the client's file; everything else in it stays as it is."""
    path = client.path(project)
    if path is None:
        raise UserError("Only a known client has a file to write to; `connect generic` prints what to copy.")
    if client.is_of_project:
        safe_files.refuse_links_below(project, path)  # a repository may contain links
    try:
        path = path.resolve()  # in the user's own folders a link is kept
        old = path.read_bytes().decode("utf-8") if path.exists() else ""
        new = _merged_toml(path, old, entry) if client.name == "codex" else _merged_json(path, old, entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        safe_files.replace(path, new.replace("\n", "\r\n") if "\r\n" in old else new)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text, so it was left as it is.") from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror}; without --write what goes into it is printed."
        ) from error
    return path


def _merged_json(path: Path, old: str, entry: dict[str, Any]) -> str:
    try:
        whole = json.loads(old) if old.strip() else {}
    except ValueError as error:
        raise UserError(f"{path} is not plain JSON, so it was left as it is; copy the entry by hand.") from error
    for key, ours in entry.items():
        theirs = whole.setdefault(key, type(ours)()) if isinstance(whole, dict) else None
        if not isinstance(theirs, type(ours)):
            raise UserError(f"{path} holds something unexpected at {key}, so it was left as it is.")
        if isinstance(theirs, dict):
            theirs.update(ours)
        else:
            theirs += [each for each in ours if each not in theirs]
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _merged_toml(path: Path, old: str, entry: dict[str, Any]) -> str:
    """Return a TOML file with our lines replaced and every other line as it was, comments and other keys of our table
    included; only the keys of the other connection method go (Codex refuses both together)."""
    try:
        tomllib.loads(old)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is not TOML, so it was left as it is; copy the entry by hand.") from error
    ours = entry["mcp_servers"][SERVER]
    superseded = {*ours, *(_OF_COMMANDS if "url" in ours else _OF_ADDRESSES)}
    new = "".join(_with_ours(old.replace("\r\n", "\n"), entry, superseded))
    if f"[mcp_servers.{SERVER}]" not in new:
        new = new.rstrip("\n") + ("\n\n" if new.strip() else "") + _toml(entry)
    try:
        written = tomllib.loads(new)["mcp_servers"][SERVER]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        written = {}
    if {name: value for name, value in written.items() if name in superseded} != ours:
        raise UserError(f"{path} names {SERVER} in a way of its own, so it was left as it is.")
    return new


def _with_ours(old: str, entry: dict[str, Any], superseded: set[str]) -> Iterator[str]:
    """Return a file's statements with our lines below our table's name, without those that they replace."""
    table: tuple[str, ...] = ()
    for statement in _statements(old):
        holds = tomllib.loads(statement)
        is_header = statement.lstrip().startswith("[")
        if is_header:
            table = _path(holds)
        of_ours = table[2:] if table[:2] == ("mcp_servers", SERVER) else None
        if of_ours is None or not holds:  # of others, or a comment
            yield statement
        elif is_header and not of_ours:
            yield _toml(entry)
        elif (of_ours or tuple(holds))[0] not in superseded:
            yield statement


def _statements(text: str) -> Iterator[str]:
    """Yield a file's lines, with those of a multi-line value together."""
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        try:
            tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        yield pending
        pending = ""
    yield pending


def _path(holds: Any) -> tuple[str, ...]:
    """Return the name of a table from its header."""
    names: list[str] = []
    while isinstance(holds, dict) and holds:
        (name,) = holds
        names.append(name)
        holds = holds[name]
    return tuple(names)


def _toml(entry: dict[str, Any]) -> str:
    """Return a text or a list of texts as TOML, which JSON writes alike."""
    lines = [f"[mcp_servers.{SERVER}]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in entry["mcp_servers"][SERVER].items()]
    return "\n".join(lines) + "\n"
