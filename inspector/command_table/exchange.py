"""Commands for import and export."""

from __future__ import annotations

from inspector.command_table.row import LIST_FILTERS, REASON, SECRETS, Command, argument

COMMANDS = (
    Command(
        "export",
        "exchange:export_file",
        "Export memories to a new file (.jsonl, .csv) or a new folder of Markdown.",
        "memory-inspector export memories.jsonl",
        (
            argument("file", metavar="FILE", help="must not exist yet"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--bare", action="store_true", help="JSON lines without vectors and history"),
            *LIST_FILTERS,
        ),
    ),
    Command(
        "import",
        "exchange:import_file",
        "Import the memories of a file, all or none; --dry-run only counts.",
        "memory-inspector import memories.jsonl --dry-run",
        (
            argument("file", metavar="FILE", help="or a folder of Markdown"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--dry-run", action="store_true", help="only count new, known, conflicting and rejected rows"),
            argument("--duplicates", default="judge", help="judge (skip duplicates), or keep (add them, too)"),
            argument("--skip-conflicts", action="store_true", help="skip rows that exist with another text"),
            SECRETS,
            REASON,
        ),
    ),
)
