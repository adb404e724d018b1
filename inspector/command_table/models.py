"""Commands for embedding models."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

COMMANDS = (
    Command(
        "model list",
        "models:list_models",
        "List the embedding models and which are installed.",
        "memory-inspector model list",
    ),
    Command(
        "model info",
        "models:info",
        "Show one model: size, licence, prefixes, files.",
        "memory-inspector model info all-MiniLM-L6-v2",
        (argument("name", nargs="?", metavar="MODEL", help="default: the default model"),),
    ),
    Command(
        "model fetch",
        "models:fetch",
        "Download a model and verify it; an interrupted download resumes.",
        "memory-inspector model fetch",
        (
            argument("name", nargs="?", metavar="MODEL", help="default: the default model"),
            argument("--from", dest="named", metavar="FOLDER", help="use the files of this folder"),
        ),
    ),
    Command(
        "model use",
        "models:use",
        "Search this store with another model; its memories are embedded again.",
        "memory-inspector model use all-MiniLM-L6-v2",
        (argument("name", metavar="MODEL", help="as `model list` names it"),),
    ),
)
