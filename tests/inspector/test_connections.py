"""Connecting a client: its own shape, merged into its own file beside whatever else stands there."""

from __future__ import annotations

import json
import stat
import subprocess
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
def test_a_client_that_starts_the_server_itself_gets_the_command(run, tmp_path, client):
    code, out, _ = run(client.name, "--db", str(tmp_path / "a b.db"), "--json")
    assert code == 0
    server = json.loads(out)["config"][client.key]["memory-inspector"]
    assert server["command"] == sys.executable
    assert server["args"] == ["-P", "-m", "inspector", "--db", str(tmp_path / "a b.db"), "--serve", "--stdio"]


def test_each_client_gets_a_running_server_in_its_own_format(run):
    def reported(name):
        code, out, err = run(name, "--url", URL, "--json")
        return json.loads(out)["config"] if code == 0 else err

    assert reported("claude-code")["mcpServers"]["memory-inspector"] == {
        "type": "http",
        "url": URL,
        "headers": {"Authorization": "Bearer ${MEMORY_INSPECTOR_TOKEN}"},
    }
    assert reported("cursor")["mcpServers"]["memory-inspector"]["headers"]["Authorization"].endswith(
        "${env:MEMORY_INSPECTOR_TOKEN}"
    )
    assert reported("vscode")["inputs"][0]["password"] is True
    assert reported("codex")["mcp_servers"]["memory-inspector"]["bearer_token_env_var"] == "MEMORY_INSPECTOR_TOKEN"
    assert "starts its servers itself" in reported("claude-desktop")


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


def test_an_unknown_client_gets_the_list_of_known_ones(run):
    assert run("emacs")[2] == (
        "The client is one of claude-code, claude-desktop, cursor, vscode, codex, generic, not 'emacs'.\n"
    )
    assert "Only a known client has a file" in run("generic", "--write")[2]


def test_a_link_stays_a_link_and_a_private_file_private(run, tmp_path):
    real = tmp_path / "dotfiles" / "config.toml"
    real.parent.mkdir()
    real.write_bytes(b"# mine\r\n[other]\r\nkey = 1\r\n")
    real.chmod(0o600)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").symlink_to(real)
    assert run("codex", "--write")[0] == 0
    assert (tmp_path / ".codex" / "config.toml").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert real.read_bytes().startswith(b"# mine\r\n[other]\r\n")
    assert "memory-inspector" in tomllib.loads(real.read_text())["mcp_servers"]


def test_a_comment_after_our_table_is_left_alone(run, tmp_path):
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.memory-inspector]\ncommand = "old"\n\n# about the next one\n[next]\nkey = 1\n')
    assert run("codex", "--write")[0] == 0
    assert "# about the next one\n[next]" in path.read_text()


def test_the_written_command_runs_in_a_project_with_a_core_of_its_own(run, tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("raise RuntimeError('not yours')")
    server = json.loads(run("generic", "--json")[1])["config"]["mcpServers"]["memory-inspector"]
    done = subprocess.run(
        [server["command"], *server["args"]], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_a_link_planted_under_the_name_of_our_own_file_is_not_written_through(run, tmp_path):
    victim = tmp_path / ".bashrc"
    victim.write_text("alias ls='ls --color'\n")
    for planted in ("..mcp.json.memory-inspector", ".mcp.json.memory-inspector"):
        (tmp_path / planted).symlink_to(victim)
    assert run("claude-code", "--write")[0] == 0
    assert victim.read_text() == "alias ls='ls --color'\n"
    assert "memory-inspector" in json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    assert stat.S_IMODE((tmp_path / ".mcp.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("leads_to", ["a file", "nothing", "a folder's file"])
def test_a_link_in_a_project_is_refused_and_its_target_left_as_it_is(run, tmp_path, leads_to):
    victim = tmp_path / "home" / "settings.json"
    victim.parent.mkdir()
    if leads_to != "nothing":
        victim.write_text("{}")
    project = tmp_path / ".cursor"
    if leads_to == "a folder's file":
        (tmp_path / "home" / "mcp.json").write_text("{}")
        project.symlink_to(tmp_path / "home")
    else:
        project.mkdir()
        (project / "mcp.json").symlink_to(victim)
    code, _, err = run("cursor", "--write")
    assert code == 2
    assert "is a symbolic link to" in err
    assert "nothing was written" in err
    assert victim.exists() == (leads_to != "nothing")
    for each in (tmp_path / "home").iterdir():
        assert each.read_text() == "{}"


def test_curating_is_given_to_a_client_on_purpose(run):
    def arguments(*more):
        return json.loads(run("generic", "--json", *more)[1])["config"]["mcpServers"]["memory-inspector"]["args"]

    assert "--scope" not in arguments()
    assert arguments("--curate")[-2:] == ["--scope", "read,write,curate"]
    code, _, err = run("cursor", "--url", URL, "--curate")
    assert (code, "token change" in err) == (2, True)


STDIO = """# mine
model = "x"

[mcp_servers.memory-inspector]
command = "old"  # by hand
args = [
  "--serve",  # [not a table]
  "--stdio",
]
startup_timeout_sec = 20
{inline}
{table}
# about the other one
[mcp_servers.other]
command = "o"
"""


@pytest.mark.parametrize(
    ("inline", "table"),
    [
        ('env = { MEMORY_INSPECTOR_DB = "/x.db" }', ""),
        ('env.MEMORY_INSPECTOR_DB = "/x.db"', ""),
        ("", '[mcp_servers.memory-inspector.env]\nMEMORY_INSPECTOR_DB = "/x.db"\n'),
        ("", '[mcp_servers."memory-inspector".env]\nMEMORY_INSPECTOR_DB = "/x.db"\n'),
    ],
)
def test_codex_gets_an_address_over_an_entry_with_an_environment_and_back(run, tmp_path, inline, table):
    """Codex refuses its whole file where a server has both an address and an environment."""
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(STDIO.format(inline=inline, table=table))
    assert run("codex", "--write")[0] == 0
    kept = tomllib.loads(path.read_text())["mcp_servers"]["memory-inspector"]
    assert (kept["env"], kept["startup_timeout_sec"]) == ({"MEMORY_INSPECTOR_DB": "/x.db"}, 20)
    assert (kept["command"], kept["args"][-2:]) == (sys.executable, ["--serve", "--stdio"])
    assert run("codex", "--url", URL, "--write")[0] == 0
    whole = tomllib.loads(path.read_text())
    assert whole["mcp_servers"]["memory-inspector"] == {
        "url": URL,
        "bearer_token_env_var": "MEMORY_INSPECTOR_TOKEN",
        "startup_timeout_sec": 20,
    }
    assert (whole["model"], whole["mcp_servers"]["other"]) == ("x", {"command": "o"})
    assert "# about the other one\n[mcp_servers.other]" in path.read_text()
    assert run("codex", "--write")[0] == 0
    back = tomllib.loads(path.read_text())["mcp_servers"]["memory-inspector"]
    assert back.keys() == {"command", "args", "startup_timeout_sec"}


def test_an_entry_that_is_written_in_one_line_with_others_is_left_as_it_is(run, tmp_path):
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('mcp_servers = { memory-inspector = { command = "old" } }\n')
    code, _, err = run("codex", "--url", URL, "--write")
    assert (code, "left as it is" in err) == (2, True)
    assert path.read_text() == 'mcp_servers = { memory-inspector = { command = "old" } }\n'


def test_a_missing_store_is_created_before_a_client_is_configured(run, tmp_path):
    new = tmp_path / "notes" / "new.db"
    new.parent.mkdir()
    code, out, _ = run("claude-code", "--db", str(new))
    assert code == 0
    assert "There is no store yet; --write makes it." in out
    assert not new.exists()
    code, out, _ = run("claude-code", "--db", str(new), "--write")
    assert (code, f"Made the store {new}." in out) == (0, True)
    server = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["memory-inspector"]
    done = subprocess.run(
        [server["command"], *server["args"]], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_a_store_that_cannot_be_created_gets_a_sentence_and_no_client_is_configured(run, tmp_path):
    (tmp_path / "file").write_text("no folder")
    code, _, err = run("claude-code", "--db", str(tmp_path / "file" / "new.db"), "--write")
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / ".mcp.json").exists()
