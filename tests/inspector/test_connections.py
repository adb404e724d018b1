"""Connecting a client: its own shape, merged into its own file beside whatever else stands there."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from inspector.cli import main
from inspector.connections import CLIENTS

URL = "http://127.0.0.1:7823/mcp"


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)

    def run(*arguments):
        code = main(["connect", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_client_that_starts_the_server_itself_is_told_the_command(run, tmp_path, client):
    code, out, _ = run(client.name, "--db", str(tmp_path / "a b.db"), "--json")
    assert code == 0
    server = json.loads(out)["config"][client.key]["memory-inspector"]
    assert server["command"] == sys.executable
    assert server["args"] == ["-m", "inspector", "--db", str(tmp_path / "a b.db"), "--serve", "--stdio"]


def test_each_client_is_told_of_a_running_server_in_its_own_words(run):
    def told(name):
        code, out, err = run(name, "--url", URL, "--json")
        return json.loads(out)["config"] if code == 0 else err

    assert told("claude-code")["mcpServers"]["memory-inspector"] == {
        "type": "http",
        "url": URL,
        "headers": {"Authorization": "Bearer ${MEMORY_INSPECTOR_TOKEN}"},
    }
    assert told("cursor")["mcpServers"]["memory-inspector"]["headers"]["Authorization"].endswith(
        "${env:MEMORY_INSPECTOR_TOKEN}"
    )
    assert told("vscode")["inputs"][0]["password"] is True
    assert told("codex")["mcp_servers"]["memory-inspector"]["bearer_token_env_var"] == "MEMORY_INSPECTOR_TOKEN"
    assert "starts its servers itself" in told("claude-desktop")


@pytest.mark.parametrize("name", ["claude-code", "claude-desktop", "cursor", "vscode", "codex"])
def test_writing_twice_leaves_one_entry_and_everything_else_as_it_was(run, tmp_path, name):
    (client,) = [each for each in CLIENTS if each.name == name]
    path = client.path(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if name == "codex":
        before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "o"\n'
        path.write_text(before + '\n[mcp_servers.memory-inspector]\ncommand = "old"\n\n[tail]\nkeep = true\n')
    else:
        path.write_text(json.dumps({"theme": "dark", client.key: {"other": {"command": "o"}}}))
    for _ in range(2):
        assert run(name, "--write")[0] == 0
    written = path.read_text()
    whole = tomllib.loads(written) if name == "codex" else json.loads(written)
    assert set(whole[client.key]) == {"other", "memory-inspector"}
    assert whole[client.key]["memory-inspector"]["command"] == sys.executable
    if name == "codex":
        assert written.startswith(before)
        assert whole["tail"] == {"keep": True}
    else:
        assert whole["theme"] == "dark"


def test_a_file_that_cannot_be_merged_is_left_as_it_is(run, tmp_path):
    for name, path, content in (
        ("claude-code", ".mcp.json", "{ // comments\n}"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}'),
        ("codex", ".codex/config.toml", "= no toml"),
    ):
        file = Path(tmp_path / path)
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
        code, _, err = run(name, "--write")
        assert code == 2
        assert "left as it is" in err
        assert file.read_text() == content


def test_an_unknown_client_is_told_which_there_are(run):
    assert run("emacs")[2] == (
        "The client is one of claude-code, claude-desktop, cursor, vscode, codex, generic, not 'emacs'.\n"
    )
    assert "Only a known client has a file" in run("generic", "--write")[2]
