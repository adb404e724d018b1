"""What a shell and a system want to know of the program."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

COMMANDS = (
    Command(
        "completion",
        "shell:completion",
        "Print the completion script of a shell.",
        "memory-inspector completion bash > ~/.local/share/bash-completion/completions/memory-inspector",
        (argument("shell", metavar="SHELL", help="bash, zsh or fish"),),
    ),
    Command(
        "man",
        "shell:man",
        "Print the manual page.",
        "memory-inspector man | man -l -",
    ),
)
