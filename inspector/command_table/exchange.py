"""Files in and out."""

from __future__ import annotations

from inspector.command_table.row import LIST_FILTERS, REASON, SECRETS, Command, argument

COMMANDS = (
    Command(
        "export",
        "exchange:export_file",
        "Write memories to a new file (.jsonl, .csv) or a new folder of Markdown.",
        "memory-inspector export memories.jsonl",
        (
            argument("file", metavar="FILE", help="which must not exist yet"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--bare", action="store_true", help="JSON lines without vectors and history"),
            *LIST_FILTERS,
        ),
    ),
    Command(
        "import",
        "exchange:import_file",
        "Add the memories of a file, all of it or nothing; --dry-run only counts.",
        "memory-inspector import memories.jsonl --dry-run",
        (
            argument("file", metavar="FILE", help="or a folder of Markdown"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--dry-run", action="store_true", help="only say what is new, known, in conflict or rejected"),
            argument("--duplicates", default="judge", help="judge, or keep: add what is known already all the same"),
            argument("--skip-conflicts", action="store_true", help="leave out what is known with another text"),
            SECRETS,
            REASON,
        ),
    ),
)
