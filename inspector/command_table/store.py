"""Commands for the store as a whole."""

from __future__ import annotations

from inspector.command_table.row import DRY_RUN, REASON, Command, argument

COMMANDS = (
    Command(
        "init",
        "store:init",
        "Create a new store.",
        "memory-inspector --db notes.db init",
        (argument("--with-sample", action="store_true", help="fill it with the sample memories"),),
    ),
    Command(
        "check",
        "store:check",
        "Check every page, index row and vector; exit code 1 if something is wrong.",
        "memory-inspector check --repair",
        (argument("--repair", action="store_true", help="repair what can be repaired, after a backup"),),
    ),
    Command(
        "backup",
        "store:backup",
        "Copy the store safely, even while it is in use.",
        "memory-inspector backup --to /media/usb/memories.db",
        (
            argument("--to", metavar="FILE", help="where to (default: the backups folder)"),
            argument("--list", action="store_true", dest="only_list", help="list the backups"),
        ),
    ),
    Command(
        "restore",
        "store:restore",
        "Restore a backup, the newest by default; or restore memories, by their ids.",
        "memory-inspector restore",
        (argument("what", nargs="*", help="a backup's path, or memories' ids or uids"), REASON, DRY_RUN),
    ),
    Command("info", "store:info", "Show statistics and state of the store.", "memory-inspector info"),
)
