"""Every command with its arguments: one table, read by the parser, the help, shell completion and the manual page.

It stays light: `--help` must not wait for a model, a window or a server to be imported. What a command does stands in
`inspector/commands/`, which is imported only when the command is run. row.py says what a row is; each other module
holds the rows of one section.
"""

from __future__ import annotations

from inspector.command_table import curation, evaluation, exchange, memories, models, queries, serving, shell, store
from inspector.command_table.row import Argument as Argument
from inspector.command_table.row import Command as Command
from inspector.command_table.row import argument

SECTIONS = {
    "Keeping and finding memories": memories.COMMANDS,
    "Asking": queries.COMMANDS,
    "Curating": curation.COMMANDS,
    "Measuring": evaluation.COMMANDS,
    "Files in and out": exchange.COMMANDS,
    "Serving agents": serving.COMMANDS,
    "Embedding models": models.COMMANDS,
    "The store": store.COMMANDS,
    "Your shell": shell.COMMANDS,
}

COMMANDS = tuple(command for commands in SECTIONS.values() for command in commands)

GROUPS = {
    "model": "Embedding models: list, info, fetch, use.",
    "token": "Tokens of the server: show, list, add, rotate, remove.",
}

SHARED = (
    argument("--db", metavar="FILE", help="the store (default: in your data folder, or $MEMORY_INSPECTOR_DB)"),
    argument("--sample", action="store_true", help="use the sample store, made on first use"),
    argument("--json", action="store_true", help="answer in JSON"),
)
"""What every command takes, before or after its name."""

ALONE = (
    argument("--tour", metavar="FOLDER", help="save a picture of every view of the desktop in FOLDER"),
    argument("--self-test", action="store_true", help="prove that this installation works, in a folder of its own"),
)
"""What stands instead of a command; with neither, the window opens."""
