"""Shell completion is made from the table of commands, and the shells themselves complete with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from core.profiles import PROFILES
from inspector import completion
from inspector.cli import WRONG_USE, main
from inspector.command_table import COMMANDS, GROUPS, SHARED_OPTIONS, STANDALONE_OPTIONS

EVERY_OPTION = {
    name
    for arguments in (SHARED_OPTIONS, STANDALONE_OPTIONS, *(command.arguments for command in COMMANDS))
    for each in arguments
    if each.is_option
    for name in each.names
}


@pytest.fixture(params=completion.SHELLS)
def shell(request) -> str:
    return request.param


@pytest.fixture
def script(shell, capsys) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def test_the_script_lists_every_command_and_every_option(shell, script):
    words = set(re.findall(r"[\w-]+", script))
    assert {word for command in COMMANDS for word in command.name.split()} | set(GROUPS) <= words
    assert {option.lstrip("-") if shell == "fish" else option for option in EVERY_OPTION} <= words
    assert {profile.name for profile in PROFILES} <= words


def test_the_shell_understands_the_script(shell, script, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    (tmp_path / "script").write_text(script, "utf-8")
    checked = subprocess.run([shell, "-n", "script"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def completed(shell: str, script: str, folder: Path, *words: str) -> set[str]:
    """What the shell itself offers for the last of the words."""
    (folder / "script").write_text(script, "utf-8")
    programs = {
        "bash": 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memory_inspector; '
        'printf "%s\\n" "${COMPREPLY[@]}"',
        "fish": "source ./script; complete -C (string join ' ' -- $argv)",
    }
    after = ["bash"] if shell == "bash" else []
    run = subprocess.run(
        [shell, "-c", programs[shell], *after, "memory-inspector", *words],
        cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {line.partition("\t")[0] for line in run.stdout.splitlines()}


@pytest.mark.parametrize("shell", ["bash", "fish"], indirect=True)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["rec"], {"recall"}),
        (["--sample", "recall", "x", "--pro"], {"--profile", "--prompt"}),
        (["recall", "x", "--profile", "or"], {"oro", "oro-hybrid"}),
        (["model", "f"], {"fetch"}),
        (["--serve", "--st"], {"--stdio"}),
        (["resolve", "3", "keep-"], {"keep-a", "keep-b"}),
        (["--db", "a st"], {"a store.db"}),
        (["import", "a"], {"a store.db"}),
    ],
)
def test_a_shell_completes_commands_options_and_values(shell, script, tmp_path, words, offered):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    (tmp_path / "a store.db").touch()
    if shell == "fish":  # which parses the words itself
        words = [word.replace(" ", "\\ ") for word in words]
    assert completed(shell, script, tmp_path, *words) == offered


def test_an_unknown_shell_gets_the_list_of_known_ones(capsys):
    assert main(["completion", "tcsh"]) == WRONG_USE
    assert "bash, zsh, fish" in capsys.readouterr().err
