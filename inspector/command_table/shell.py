"""Commands for help, completion and the man page."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

COMMANDS = (
    Command(
        "help",
        "shell:show_help",
        "Print a topic of the manual, or a command's section; without a topic, list them.",
        "memory-inspector help profiles",
        (
            argument(
                "topic",
                nargs="*",
                metavar="TOPIC",
                help="a topic, a section as in profiles#oro, a term as in glossary#bm25, or a command",
            ),
        ),
    ),
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
