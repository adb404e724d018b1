"""Every command with its arguments: one table, read by the parser, the README's test and the help.

It stays light: `--help` must not wait for a model, a window or a server to be imported. What a command does stands in
`inspector/commands/`, which is imported only when the command is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Argument:
    names: tuple[str, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Command:
    """`run` is "module:function" below inspector.commands; it gets the parsed arguments, returns the exit code."""

    name: str
    run: str
    about: str
    example: str
    arguments: tuple[Argument, ...] = ()


def argument(*names: str, **options: Any) -> Argument:
    return Argument(names, options)


_LIST_FILTERS = (
    argument("--type", action="append", default=[], metavar="TYPE", help="only this type (may be repeated)"),
    argument("--tag", action="append", default=[], metavar="TAG", help="only with this tag (may be repeated)"),
    argument("--status", action="append", default=[], metavar="STATUS", help="active, superseded, archived, …"),
    argument("--collection", action="append", default=[], metavar="NAME", help="only of this collection"),
    argument("--session", action="append", default=[], metavar="ID", help="only of this session"),
    argument("--agent", action="append", default=[], metavar="NAME", help="only from this agent"),
    argument("--pinned", action="store_true", help="only pinned memories"),
)

_ASKING = (
    argument("--profile", default="inspector", metavar="NAME", help="which design answers (default: inspector)"),
    argument("--k", metavar="N", help="how many results (default: the profile's)"),
    argument("--as-of", metavar="TIME", help="ask as of another time: ages and decay as of then"),
    argument("--state-at", metavar="TIME", help="ask the store as it stood then, rebuilt from the journal"),
    argument("--set", action="append", default=[], metavar="STEP.FIELD=VALUE", help="change a parameter (repeatable)"),
    argument("--budget", metavar="TOKENS", help="at most so many tokens"),
    argument("--min-confidence", metavar="0..1", help="only memories at least this sure"),
    argument("--context", metavar="JSON", help="only where the context fits, such as '{\"task.success\": true}'"),
    argument("--near", metavar="JSON", help='nearest first: {"field": …, "target": [x, y], "max_distance": …}'),
    argument("--user", action="append", default=[], metavar="NAME", help="only of this user"),
    argument("--exact", action="store_true", help="search the file itself, and not what is kept of it in memory"),
    *_LIST_FILTERS,
)

_REASON = argument("--reason", default="", help="why; kept in the journal")
_DRY_RUN = argument("--dry-run", action="store_true", help="do it, say what would change, and take it back at once")
_APPLY = argument("--apply", action="store_true", help="carry it out; without this nothing is changed")
_FIELDS = (
    argument("--summary", help="its gist in a few words"),
    argument("--type", help="fact, decision, gotcha, preference, …"),
    argument("--tag", action="append", dest="tags", metavar="TAG", help="may be repeated"),
    argument("--entity", action="append", dest="entities", metavar="NAME", help="may be repeated"),
    argument("--file", action="append", dest="files", metavar="PATH", help="may be repeated"),
    argument("--collection", help="which part of the store it belongs to"),
    argument("--session", help="the conversation it comes from"),
    argument("--user", help="whom it concerns"),
    argument("--confidence", metavar="0..1", help="how sure it is"),
    argument("--importance", help="normal or high"),
    argument("--context", metavar="JSON", help="an object with params, spatial, robot, task, env, …"),
)
_SECRETS = argument("--allow-secrets", action="store_true", help="keep credentials instead of redacting them")
_MEMORIES = argument("memory", nargs="+", help="ids or uids")

_MEASURED = (
    argument(
        "--memories", metavar="FILE", help="measure on these memories (JSON lines: id, text, …) in a store of its own"
    ),
    argument("--queries", metavar="FILE", help="with these judged queries (JSON lines: text, relevant, …; CSV; qrels)"),
    argument("--no-model", action="store_true", help="full text alone"),
)

COMMANDS = (
    Command(
        "init",
        "store:init",
        "Make a new store.",
        "memory-inspector --db notes.db init",
        (argument("--with-sample", action="store_true", help="fill it with the sample memory"),),
    ),
    Command(
        "remember",
        "memories:remember",
        "Keep a memory; the text may also come from standard input as -.",
        'memory-inspector remember "Migrations need a lock timeout" --type gotcha --tag postgres',
        (
            argument("content", help="the text, or - to read it from standard input"),
            *_FIELDS,
            argument("--pin", action="store_true", help="never let it decay"),
            argument("--markers", action="store_true", help="keep what the text marks with [MEMORY type=… tags=…] …"),
            argument("--duplicates", default="default", help="default, oro, or keep: what counts as known already"),
            _SECRETS,
            _REASON,
        ),
    ),
    Command(
        "embed",
        "memories:embed",
        "Embed the memories that wait for it; may be stopped and taken up again.",
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
            *_LIST_FILTERS,
            argument("--limit", default="50", metavar="N", help="how many (default: 50)"),
            argument("--before", metavar="ID", help="go on after this id of an earlier page"),
        ),
    ),
    Command(
        "recall",
        "queries:recall",
        "Ask; with --explain how every score came about. Changes nothing.",
        'memory-inspector recall "why do migrations hang?" --profile openmem --k 3 --explain',
        (
            argument("query", help="what to look for"),
            *_ASKING,
            argument("--explain", action="store_true", help="show how each score came about, and what was dropped"),
            argument("--prompt", action="store_true", help="print only the section for an agent's prompt"),
        ),
    ),
    Command(
        "explain",
        "queries:explain",
        "Why a memory was returned, or why not and what would change that.",
        'memory-inspector explain "why do migrations hang?" 12',
        (argument("query", help="what was asked"), argument("memory", help="its id or uid"), *_ASKING),
    ),
    Command(
        "profiles",
        "queries:profiles",
        "The published designs that can answer, with their parameters.",
        "memory-inspector profiles oro",
        (argument("name", nargs="?", help="only this one, with every parameter"),),
    ),
    Command(
        "eval",
        "evaluation:evaluate_profiles",
        "How well profiles rank what was judged, on a golden set of the store or on files alone.",
        "memory-inspector eval --set support --profile inspector --profile oro --min ndcg@10=0.5",
        (
            *_MEASURED,
            argument(
                "--profile", action="append", default=[], metavar="NAME", help="may be repeated; the first is compared"
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
                "--min", action="append", default=[], metavar="METRIC=N", help="exit code 1 if the first is below"
            ),
            argument("--run-out", metavar="FILE", help="write the first profile's rankings as JSON lines"),
        ),
    ),
    Command(
        "judge",
        "evaluation:judge",
        "Say how relevant a memory is for a query: 0 not at all, 1 and more; none takes it back.",
        'memory-inspector judge "why do migrations hang?" 12 2 --set support',
        (
            argument("query"),
            argument("memory", help="its id or uid"),
            argument("grade"),
            argument("--set", default="golden", metavar="NAME", help="which golden set (default: golden)"),
            argument("--category", default="", metavar="NAME", help="of the query"),
        ),
    ),
    Command(
        "judgements",
        "evaluation:judgements",
        "The golden sets of the store; with a file take over its judgements (JSON lines, CSV, TREC qrels).",
        "memory-inspector judgements judged.csv --set support",
        (
            argument("file", nargs="?"),
            argument("--set", default="golden", metavar="NAME", help="which golden set (default: golden)"),
            argument("--topics", metavar="FILE", help="for qrels: the queries' texts, id and text separated by a tab"),
            argument("--to", metavar="FILE", help="write the set to a new file: .csv, with who and when, or .jsonl"),
        ),
    ),
    Command(
        "tune",
        "evaluation:tune",
        "Search a profile's parameters for those that rank a golden set best; a part of it is held out.",
        "memory-inspector tune --set support --profile oro-hybrid --vary fuse.k=10,30,60 --save mine",
        (
            *_MEASURED,
            argument("--set", metavar="NAME", help="a golden set of the store"),
            argument("--profile", default="inspector", metavar="NAME", help="whose parameters (default: inspector)"),
            argument(
                "--vary", action="append", default=[], metavar="STEP.FIELD=A,B", help="what to try (may be repeated)"
            ),
            argument("--objective", default="ndcg@10", metavar="METRIC", help="what to search for (default: ndcg@10)"),
            argument(
                "--held-out", default="0.3", metavar="0..1", help="the share the search never sees (default: 0.3)"
            ),
            argument("--tries", metavar="N", help="so many combinations at random instead of all"),
            argument("--save", metavar="NAME", help="keep the winner as a profile of this store"),
        ),
    ),
    Command(
        "weave",
        "memories:weave",
        "Link imported memories by session, topic and reference, for the graph profile.",
        "memory-inspector weave",
    ),
    Command(
        "edit",
        "curation:edit",
        "Change fields of memories; --version refuses when somebody else was quicker.",
        'memory-inspector edit 12 --confidence 0.9 --reason "seen it twice"',
        (
            _MEMORIES,
            argument("--content", help="the new text, or - to read it from standard input"),
            *_FIELDS,
            argument("--version", metavar="N", help="only if the memory is still at this version"),
            _SECRETS,
            _REASON,
            _DRY_RUN,
        ),
    ),
    Command(
        "pin", "curation:pin", "Never let memories decay.", "memory-inspector pin 12 13", (_MEMORIES, _REASON, _DRY_RUN)
    ),
    Command(
        "unpin",
        "curation:unpin",
        "Let memories decay again.",
        "memory-inspector unpin 12",
        (_MEMORIES, _REASON, _DRY_RUN),
    ),
    Command(
        "archive",
        "curation:archive",
        "Put memories out of the way; `restore` brings them back.",
        "memory-inspector archive 12",
        (_MEMORIES, _REASON, _DRY_RUN),
    ),
    Command(
        "forget",
        "curation:forget",
        "Let no profile return memories any more; `undo` or `restore` brings them back.",
        "memory-inspector forget 12 13",
        (_MEMORIES, _REASON, _DRY_RUN),
    ),
    Command(
        "reinforce",
        "curation:reinforce",
        "Strengthen memories by 0.1.",
        "memory-inspector reinforce 12",
        (_MEMORIES, _REASON, _DRY_RUN),
    ),
    Command(
        "purge",
        "curation:purge",
        "Remove forgotten memories for good, also from the journal; nothing brings them back.",
        "memory-inspector purge --apply",
        (
            argument("memory", nargs="*", help="ids or uids of forgotten memories (default: all of them)"),
            argument("--with-backups", action="store_true", help="delete the backups too, which still hold them"),
            _APPLY,
            _REASON,
        ),
    ),
    Command(
        "decay",
        "curation:decay",
        "Let the strength of memories fade for the time since this was last done, as OpenMem defines it.",
        "memory-inspector decay --dry-run",
        (_DRY_RUN,),
    ),
    Command(
        "consolidate",
        "curation:consolidate",
        "Plan merges of near-duplicates and archivals of what has faded; --apply carries the plan out.",
        "memory-inspector consolidate --collection default",
        (
            argument("--collection", action="append", default=[], metavar="NAME", help="only of this collection"),
            argument("--half-life", metavar="DAYS", help="of what is not used (default: 30)"),
            argument("--least", metavar="0..1", help="archive below this confidence · decay (default: 0.05)"),
            _APPLY,
            _REASON,
        ),
    ),
    Command(
        "link",
        "curation:link",
        "Link one memory to others.",
        "memory-inspector link 12 13 --kind supports --weight 0.8",
        (
            argument("source", help="its id or uid"),
            argument("target", nargs="+", help="one or more"),
            argument(
                "--kind", default="relates", help="relates, supports, contradicts, depends_on, … (default: relates)"
            ),
            argument("--weight", metavar="0..1", help="default: 1"),
            _REASON,
            _DRY_RUN,
        ),
    ),
    Command(
        "unlink",
        "curation:unlink",
        "Take links away.",
        "memory-inspector unlink 12 13",
        (
            argument("source"),
            argument("target", nargs="+"),
            argument("--kind", help="only links of this kind"),
            _REASON,
            _DRY_RUN,
        ),
    ),
    Command(
        "supersede",
        "curation:supersede",
        "Let a newer memory take the place of older ones.",
        "memory-inspector supersede 13 12",
        (argument("new"), argument("old", nargs="+"), _REASON, _DRY_RUN),
    ),
    Command(
        "merge",
        "curation:merge",
        "Make one memory of several; the first stays, the others are superseded by it.",
        "memory-inspector merge 12 13 14",
        (_MEMORIES, argument("--content", help="the text it shall have (default: the first one's)"), _REASON, _DRY_RUN),
    ),
    Command(
        "split",
        "curation:split",
        "Make several memories of one; the whole is archived.",
        'memory-inspector split 12 "first thing" "second thing"',
        (argument("memory", help="its id or uid"), argument("content", nargs="+", help="the texts"), _REASON, _DRY_RUN),
    ),
    Command(
        "contradictions",
        "curation:list_contradictions",
        "Memories that stand against each other, with what speaks for each.",
        "memory-inspector contradictions",
        (argument("--all", action="store_true", help="also those that are decided"),),
    ),
    Command(
        "resolve",
        "curation:resolve",
        "Decide a contradiction: keep-a, keep-b, merge, both-valid, defer or not-a-contradiction.",
        "memory-inspector resolve 7 keep-a --dry-run",
        (
            argument("contradiction", help="its number, as `contradictions` tells it"),
            argument("verdict"),
            argument("--scope", default="", help="for both-valid: what makes both true"),
            argument("--content", help="for merge: the text it shall have"),
            argument("--dry-run", action="store_true", help="only show which queries would change"),
            _REASON,
        ),
    ),
    Command(
        "undo",
        "curation:undo",
        "Take an operation back: the last one, one by its number, or all that a client did since a time.",
        "memory-inspector undo --client codex --since 2026-11-15T09:00:00Z",
        (
            argument("operation", nargs="?", help="its number, as `history` and --json tell it"),
            argument("--client", metavar="NAME", help="everything this actor did"),
            argument("--since", metavar="TIME", help="from this time on"),
            _DRY_RUN,
        ),
    ),
    Command("redo", "curation:redo", "Do again what the last undo took back.", "memory-inspector redo", (_DRY_RUN,)),
    Command(
        "history",
        "curation:history",
        "Every version of a memory with who, when, why and what changed.",
        "memory-inspector history 12",
        (
            argument("memory", help="its id or uid"),
            argument("--back-to", metavar="N", help="make it say again what version N said"),
        ),
    ),
    Command(
        "export",
        "exchange:export_file",
        "Write memories to a new file (.jsonl, .csv) or a new folder of Markdown.",
        "memory-inspector export memories.jsonl",
        (
            argument("file"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--bare", action="store_true", help="JSON lines without vectors and history"),
            *_LIST_FILTERS,
        ),
    ),
    Command(
        "import",
        "exchange:import_file",
        "Add the memories of a file, all of it or nothing; --dry-run only counts.",
        "memory-inspector import memories.jsonl --dry-run",
        (
            argument("file"),
            argument("--format", help="jsonl, csv or markdown (default: by the name)"),
            argument("--dry-run", action="store_true", help="only say what is new, known, in conflict or rejected"),
            argument("--skip-conflicts", action="store_true", help="leave out what is known with another text"),
            _SECRETS,
            _REASON,
        ),
    ),
    Command(
        "model list",
        "models:list_models",
        "Show the embedding models and which are here.",
        "memory-inspector model list",
    ),
    Command(
        "model info",
        "models:info",
        "Show one model: size, licence, prefixes, files.",
        "memory-inspector model info all-MiniLM-L6-v2",
        (argument("name", nargs="?", help="default: the default model"),),
    ),
    Command(
        "model fetch",
        "models:fetch",
        "Bring a model here and verify it; an interrupted download is taken up again.",
        "memory-inspector model fetch",
        (
            argument("name", nargs="?", help="default: the default model"),
            argument("--from", dest="named", metavar="FOLDER", help="take the files from this folder"),
        ),
    ),
    Command(
        "model use",
        "models:use",
        "Search this store with another model; its memories are embedded anew.",
        "memory-inspector model use all-MiniLM-L6-v2",
        (argument("name"),),
    ),
    Command(
        "check",
        "store:check",
        "Look at every page, index row and vector; exit code 1 when something is wrong.",
        "memory-inspector check --repair",
        (argument("--repair", action="store_true", help="mend what can be mended, after a backup"),),
    ),
    Command(
        "backup",
        "store:backup",
        "Copy the store safely, even while it is in use.",
        "memory-inspector backup --to /media/usb/memories.db",
        (
            argument("--to", metavar="FILE", help="where to (default: the backups folder)"),
            argument("--list", action="store_true", dest="only_list", help="show the backups there are"),
        ),
    ),
    Command(
        "restore",
        "store:restore",
        "Put a backup back, the newest by default; or bring memories back, by their ids.",
        "memory-inspector restore",
        (argument("what", nargs="*", help="a backup's path, or memories' ids or uids"), _REASON, _DRY_RUN),
    ),
    Command(
        "serve",
        "serving:serve",
        "Serve the store to agents: MCP at /mcp and REST at /api/v1, or MCP on standard input with --stdio.",
        "memory-inspector --serve --port 7823",
        (
            argument("--stdio", action="store_true", help="speak MCP on standard input and output"),
            argument("--host", default="127.0.0.1", help="where to listen (default: this machine only)"),
            argument("--port", default="7823", metavar="N", help="0 takes any that is free (default: 7823)"),
            argument("--allow-remote", action="store_true", help="let --host be reached from other machines"),
            argument("--compat", metavar="NAME", help="reference: also the nine tools of the reference memory server"),
            argument("--scope", action="append", metavar="NAME", help="with --stdio: only read, write or curate"),
            argument("--tethered", action="store_true", help="end with the program that started it: when input ends"),
            argument("--keep-calls", default="50000", metavar="N", help="how many calls are recorded (default: 50000)"),
            argument("--keep-days", default="90", metavar="N", help="for how many days (default: 90)"),
        ),
    ),
    Command(
        "connect",
        "serving:connect",
        "Show what an agent's client must be told to use this store; --write merges it into the client's file.",
        "memory-inspector connect claude-code --write",
        (
            argument("client", help="claude-code, claude-desktop, cursor, vscode, codex or generic"),
            argument("--url", metavar="URL", help="of a running server's /mcp, instead of starting one"),
            argument("--compat", metavar="NAME", help="reference: also the reference memory server's tools"),
            argument("--write", action="store_true", help="merge it into the client's file"),
        ),
    ),
    Command(
        "token show",
        "serving:token_show",
        "Print a token, made on first use.",
        "memory-inspector token show",
        (argument("name", nargs="?", default="default", help="which one (default: the one with every scope)"),),
    ),
    Command(
        "token list", "serving:token_list", "The tokens there are and what they open.", "memory-inspector token list"
    ),
    Command(
        "token add",
        "serving:token_add",
        "Make a further token that opens only some things.",
        "memory-inspector token add reader --scope read",
        (
            argument("name", nargs="?", default="reader", help="what to call it (default: reader)"),
            argument("--scope", action="append", metavar="NAME", help="read, write or curate (default: read)"),
        ),
    ),
    Command(
        "token rotate",
        "serving:token_rotate",
        "Give a token a new secret; the old one is refused at once, by running servers too.",
        "memory-inspector token rotate",
        (argument("name", nargs="?", default="default"),),
    ),
    Command(
        "token remove",
        "serving:token_remove",
        "Let a token be refused from now on.",
        "memory-inspector token remove reader",
        (argument("name"),),
    ),
    Command(
        "hook",
        "hook:hook",
        "For an agent's hooks: reads an event from standard input, prints the relevant memories. Never fails.",
        "memory-inspector hook --budget 500",
        (
            argument("--budget", metavar="TOKENS", help="at most so many tokens"),
            argument("--k", metavar="N", help="at most so many memories"),
            argument("--profile", metavar="NAME", help="which design answers"),
            argument("--to", metavar="FILE", help="also write the section to this file"),
        ),
    ),
    Command("info", "store:info", "What the store holds and how it is.", "memory-inspector info"),
)

GROUPS = {
    "model": "Embedding models: list, info, fetch, use.",
    "token": "Tokens of the server: show, list, add, rotate, remove.",
}
