"""Asking, and seeing why."""

from __future__ import annotations

from inspector.command_table.row import LIST_FILTERS, Command, argument

# How much `recall --explain` prints: each part of a tree once, or wherever it stands.
BRIEF, FULL = "brief", "full"

ASKING = (
    argument("--profile", default="inspector", metavar="PROFILE", help="which design answers (default: inspector)"),
    argument("--k", metavar="N", help="how many results (default: the profile's)"),
    argument("--as-of", metavar="TIME", help="ask as of another time: ages and decay as of then"),
    argument("--state-at", metavar="TIME", help="ask the store as it stood then, rebuilt from the journal"),
    argument("--set", action="append", default=[], metavar="STEP.FIELD=VALUE", help="change a parameter (repeatable)"),
    argument("--budget", metavar="TOKENS", help="at most so many tokens"),
    argument("--min-confidence", metavar="0..1", help="only memories at least this sure"),
    argument("--context", metavar="JSON", help="only where the context fits, such as '{\"task.success\": true}'"),
    argument("--near", metavar="JSON", help='nearest first: {"field": …, "target": [x, y], "max_distance": …}'),
    argument("--user", action="append", default=[], metavar="NAME", help="only of this user"),
    argument(
        "--exact",
        action="store_true",
        help="search the file itself; in a large store the vector list in memory is approximate",
    ),
    *LIST_FILTERS,
)

COMMANDS = (
    Command(
        "recall",
        "queries:recall",
        "Ask; with --explain how every score came about. Changes nothing.",
        'memory-inspector recall "why do migrations hang?" --profile openmem --k 3 --explain',
        (
            argument("query", help="what to look for"),
            *ASKING,
            argument(
                "--explain",
                nargs="?",
                const=BRIEF,
                default="",
                metavar=f"={FULL}",
                help=f"show how each score came about, and what was dropped; ={FULL} repeats what was shown above",
            ),
            argument("--prompt", action="store_true", help="print only the section for an agent's prompt"),
        ),
    ),
    Command(
        "explain",
        "queries:explain",
        "Why a memory was returned, or why not and what would change that.",
        'memory-inspector explain "why do migrations hang?" 12',
        (argument("query", help="what was asked"), argument("memory", help="its id or uid"), *ASKING),
    ),
    Command(
        "profiles",
        "queries:profiles",
        "The published designs that can answer, with their parameters.",
        "memory-inspector profiles oro",
        (argument("name", nargs="?", metavar="PROFILE", help="only this one, with every parameter"),),
    ),
)
