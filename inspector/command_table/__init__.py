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
    "Adding and finding memories": memories.COMMANDS,
    "Queries": queries.COMMANDS,
    "Curating": curation.COMMANDS,
    "Evaluation": evaluation.COMMANDS,
    "Import and export": exchange.COMMANDS,
    "Serving agents": serving.COMMANDS,
    "Embedding models": models.COMMANDS,
    "The store": store.COMMANDS,
    "Your shell": shell.COMMANDS,
}

COMMANDS = tuple(command for commands in SECTIONS.values() for command in commands)

GROUPS = {
    "model": "Embedding models: list, info, fetch, use.",
    "token": "Tokens of the server: show, list, add, change, rotate, remove.",
}

SHARED_OPTIONS = (
    argument("--db", metavar="FILE", help="the store (default: in your data folder, or $MEMORY_INSPECTOR_DB)"),
    argument("--sample", action="store_true", help="use the sample store, created on first use"),
    argument("--json", action="store_true", help="print JSON"),
)
"""Options of every command, before or after its name."""

STANDALONE_OPTIONS = (
    argument("--tour", metavar="FOLDER", help="save a picture of every view of the desktop in FOLDER"),
    argument("--self-test", action="store_true", help="check that this installation works, in a temporary folder"),
)
"""Options in place of a command; without either, the window opens."""
