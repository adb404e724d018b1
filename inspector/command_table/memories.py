"""Commands that add and find memories."""

from __future__ import annotations

from inspector.command_table.row import FIELDS, LIST_FILTERS, REASON, SECRETS, Command, argument

COMMANDS = (
    Command(
        "remember",
        "memories:remember",
        "Add a memory; - reads the text from standard input.",
        'memory-inspector remember "Migrations need a lock timeout" --type gotcha --tag postgres',
        (
            argument("content", help="the text, or - to read it from standard input"),
            *FIELDS,
            argument("--pin", action="store_true", help="never let it decay"),
            argument("--markers", action="store_true", help="add what the text marks with [MEMORY type=… tags=…] …"),
            argument("--duplicates", default="judge", help="judge, oro, or keep: the duplicate rule"),
            SECRETS,
            REASON,
        ),
    ),
    Command(
        "embed",
        "memories:embed",
        "Embed memories that have no vector yet; can be stopped and resumed.",
        "memory-inspector embed",
    ),
    Command(
        "get",
        "memories:get",
        "Show one memory with its links.",
        "memory-inspector get 12",
        (argument("memory", help="its id or uid"),),
    ),
    Command(
        "list",
        "memories:list_memories",
        "List memories, newest first.",
        "memory-inspector list --type gotcha --tag postgres --limit 10",
        (
            *LIST_FILTERS,
            argument("--limit", default="50", metavar="N", help="how many (default: 50)"),
            argument("--before", metavar="ID", help="continue after this id of the previous page"),
        ),
    ),
    Command(
        "infer-links",
        "memories:infer_links",
        "Infer links of imported memories from session, topic and reference, for profiles that rank by links.",
        "memory-inspector infer-links",
        former_names=("weave",),
    ),
)
