"""Commands that measure how well profiles rank."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

MEASURED = (
    argument(
        "--memories", metavar="FILE", help="measure on these memories (JSON lines: id, text, …) in a temporary store"
    ),
    argument("--queries", metavar="FILE", help="with these judged queries (JSON lines: text, relevant, …; CSV; qrels)"),
    argument("--no-model", action="store_true", help="full text only, no model"),
)

COMMANDS = (
    Command(
        "eval",
        "evaluation:evaluate_profiles",
        "Measure profiles on a golden set of the store, or on files.",
        "memory-inspector eval --set support --profile inspector --profile oro --min ndcg@10=0.5",
        (
            *MEASURED,
            argument(
                "--profile",
                action="append",
                default=[],
                metavar="PROFILE",
                help="may be repeated; the others are compared with the first",
            ),
            argument(
                "--set",
                action="append",
                default=[],
                metavar="NAME",
                help="a golden set; or step.field=value, a parameter",
            ),
            argument("--metric", action="append", default=[], metavar="NAME", help="a further one, such as recall@20"),
            argument("--category", action="append", default=[], metavar="NAME", help="only queries of this category"),
            argument(
                "--min",
                action="append",
                default=[],
                metavar="METRIC=N",
                help="exit with 1 if the first profile is below",
            ),
            argument("--run-out", metavar="FILE", help="write the first profile's rankings as JSON lines"),
        ),
    ),
    Command(
        "judge",
        "evaluation:judge",
        "Rate how relevant a memory is to a query: 0 not relevant, 1 or more relevant, none removes the rating.",
        'memory-inspector judge "why do migrations hang?" 12 2 --set support',
        (
            argument("query", help="the query"),
            argument("memory", help="its id or uid"),
            argument("grade", help="0, 1, 2, … or none"),
            argument("--set", default="golden", metavar="NAME", help="which golden set (default: golden)"),
            argument("--category", default="", metavar="NAME", help="of the query"),
        ),
    ),
    Command(
        "judgements",
        "evaluation:judgements",
        "List the golden sets; with a file, import its judgements (JSON Lines, CSV, TREC qrels).",
        "memory-inspector judgements judged.csv --set support",
        (
            argument("file", nargs="?", metavar="FILE", help="the judgements to import"),
            argument("--set", default="golden", metavar="NAME", help="which golden set (default: golden)"),
            argument("--topics", metavar="FILE", help="for qrels: the queries' texts, id and text separated by a tab"),
            argument("--to", metavar="FILE", help="write the set to a new file: .csv, with who and when, or .jsonl"),
        ),
    ),
    Command(
        "tune",
        "evaluation:tune",
        "Find the parameters of a profile that rank a golden set best, checked on held-out queries.",
        "memory-inspector tune --set support --profile oro-hybrid --vary fuse.k=10,30,60 --save mine",
        (
            *MEASURED,
            argument("--set", metavar="NAME", help="a golden set of the store"),
            argument("--profile", default="inspector", metavar="PROFILE", help="whose parameters (default: inspector)"),
            argument(
                "--vary", action="append", default=[], metavar="STEP.FIELD=A,B", help="what to try (may be repeated)"
            ),
            argument("--objective", default="ndcg@10", metavar="METRIC", help="metric to maximise (default: ndcg@10)"),
            argument("--held-out", default="0.3", metavar="0..1", help="share of held-out queries (default: 0.3)"),
            argument("--tries", metavar="N", help="try this many random combinations instead of all"),
            argument("--save", metavar="NAME", help="save the best as a profile of this store"),
        ),
    ),
)
