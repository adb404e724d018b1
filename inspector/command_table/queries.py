"""Commands that run queries and explain results."""

from __future__ import annotations

from inspector.command_table.row import LIST_FILTERS, Command, argument

# How much `recall --explain` prints: each part of a tree once, or wherever it stands.
BRIEF, FULL = "brief", "full"

ASKING = (
    argument("--profile", default="inspector", metavar="PROFILE", help="profile (default: inspector)"),
    argument("--k", metavar="N", help="number of results (default: the profile's)"),
    argument("--as-of", metavar="TIME", help="compute ages and decay as of this time"),
    argument("--state-at", metavar="TIME", help="query the store as it was then, rebuilt from the journal"),
    argument("--set", action="append", default=[], metavar="STEP.FIELD=VALUE", help="change a parameter (repeatable)"),
    argument("--budget", metavar="TOKENS", help="maximum number of tokens"),
    argument("--min-confidence", metavar="0..1", help="minimum confidence"),
    argument(
        "--context", metavar="JSON", help="only memories whose context matches, such as '{\"task.success\": true}'"
    ),
    argument("--near", metavar="JSON", help='nearest first: {"field": …, "target": [x, y], "max_distance": …}'),
    argument("--user", action="append", default=[], metavar="NAME", help="only of this user"),
    argument(
        "--exact",
        action="store_true",
        help="exact vector search; in a large store the default is approximate",
    ),
    *LIST_FILTERS,
)

COMMANDS = (
    Command(
        "recall",
        "queries:recall",
        "Run a query; --explain shows how every score is computed. Read-only.",
        'memory-inspector recall "why do migrations hang?" --profile openmem --k 3 --explain',
        (
            argument("query", help="the query"),
            *ASKING,
            argument(
                "--explain",
                nargs="?",
                const=BRIEF,
                default="",
                metavar=f"={FULL}",
                help=f"show how each score is computed, and what was dropped; ={FULL} repeats what was shown above",
            ),
            argument("--prompt", action="store_true", help="print only the section for an agent's prompt"),
        ),
    ),
    Command(
        "explain",
        "queries:explain",
        "Explain why a memory was returned, or why not and what would change that.",
        'memory-inspector explain "why do migrations hang?" 12',
        (argument("query", help="the query"), argument("memory", help="its id or uid"), *ASKING),
    ),
    Command(
        "profiles",
        "queries:profiles",
        "List the profiles with their parameters.",
        "memory-inspector profiles oro",
        (argument("name", nargs="?", metavar="PROFILE", help="only this one, with every parameter"),),
    ),
)
