"""Commands that change memories, and undo."""

from __future__ import annotations

from inspector.command_table.row import DRY_RUN, FIELDS, REASON, SECRETS, Command, argument

MEMORIES = argument("memory", nargs="+", help="ids or uids")

APPLY = argument("--apply", action="store_true", help="apply the plan; without it nothing changes")

COMMANDS = (
    Command(
        "edit",
        "curation:edit",
        "Change fields of memories; --version refuses if the memory has changed since.",
        'memory-inspector edit 12 --confidence 0.9 --reason "seen it twice"',
        (
            MEMORIES,
            argument("--content", help="the new text, or - to read it from standard input"),
            *FIELDS,
            argument("--version", metavar="N", help="only if the memory is still at this version"),
            SECRETS,
            REASON,
            DRY_RUN,
        ),
    ),
    Command(
        "pin",
        "curation:pin",
        "Pin memories: a pinned memory never decays.",
        "memory-inspector pin 12 13",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "unpin",
        "curation:unpin",
        "Unpin memories, so that they decay again.",
        "memory-inspector unpin 12",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "archive",
        "curation:archive",
        "Archive memories: queries no longer return them; `restore` reverts it.",
        "memory-inspector archive 12",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "forget",
        "curation:forget",
        "Forget memories: no profile returns them; `undo` or `restore` reverts it.",
        "memory-inspector forget 12 13",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "reinforce",
        "curation:reinforce",
        "Strengthen memories by 0.1.",
        "memory-inspector reinforce 12",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "purge",
        "curation:purge",
        "Delete forgotten memories permanently, also from the journal. Cannot be undone.",
        "memory-inspector purge --apply",
        (
            argument("memory", nargs="*", help="ids or uids of forgotten memories (default: all of them)"),
            argument("--with-backups", action="store_true", help="delete the backups too, which still hold them"),
            APPLY,
            REASON,
        ),
    ),
    Command(
        "decay",
        "curation:decay",
        "Reduce the strength of memories for the time since the last run, as OpenMem defines it.",
        "memory-inspector decay --dry-run",
        (DRY_RUN,),
    ),
    Command(
        "consolidate",
        "curation:consolidate",
        "Plan merges of near-duplicates and archivals of decayed memories; --apply carries it out.",
        "memory-inspector consolidate --collection default",
        (
            argument("--collection", action="append", default=[], metavar="NAME", help="only of this collection"),
            argument("--half-life", metavar="DAYS", help="half-life of unused memories in days (default: 30)"),
            argument(
                "--min-retention",
                former_names=("--least",),
                metavar="0..1",
                help="archive below this confidence · decay (default: 0.05)",
            ),
            APPLY,
            REASON,
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
            REASON,
            DRY_RUN,
        ),
    ),
    Command(
        "unlink",
        "curation:unlink",
        "Remove links.",
        "memory-inspector unlink 12 13",
        (
            argument("source", help="its id or uid"),
            argument("target", nargs="+", help="one or more"),
            argument("--kind", help="only links of this kind"),
            REASON,
            DRY_RUN,
        ),
    ),
    Command(
        "supersede",
        "curation:supersede",
        "Replace older memories by a newer one.",
        "memory-inspector supersede 13 12",
        (argument("new", help="its id or uid"), argument("old", nargs="+", help="one or more"), REASON, DRY_RUN),
    ),
    Command(
        "merge",
        "curation:merge",
        "Merge memories into the first; the others are superseded.",
        "memory-inspector merge 12 13 14",
        (MEMORIES, argument("--content", help="text of the merged memory (default: the first one's)"), REASON, DRY_RUN),
    ),
    Command(
        "split",
        "curation:split",
        "Split a memory into several; the original is archived.",
        'memory-inspector split 12 "first thing" "second thing"',
        (argument("memory", help="its id or uid"), argument("content", nargs="+", help="the texts"), REASON, DRY_RUN),
    ),
    Command(
        "contradictions",
        "curation:list_contradictions",
        "List memories that contradict each other, with the evidence score of each.",
        "memory-inspector contradictions",
        (argument("--all", action="store_true", help="also resolved ones"),),
    ),
    Command(
        "resolve",
        "curation:resolve",
        "Resolve a contradiction: keep-a, keep-b, merge, both-valid, defer or not-a-contradiction.",
        "memory-inspector resolve 7 keep-a --dry-run",
        (
            argument("contradiction", help="its number, as shown by `contradictions`"),
            argument(
                "verdict", metavar="VERDICT", help="keep-a, keep-b, merge, both-valid, defer or not-a-contradiction"
            ),
            argument("--scope", default="", help="for both-valid: the scope in which each is valid"),
            argument("--content", help="for merge: text of the merged memory"),
            argument("--dry-run", action="store_true", help="only show which queries would change"),
            REASON,
        ),
    ),
    Command(
        "proposals",
        "proposals:list_proposals",
        "List changes that agents propose to memories that a person wrote or pinned.",
        "memory-inspector proposals",
    ),
    Command(
        "accept",
        "proposals:accept",
        "Apply proposals of agents, all of those named or none.",
        "memory-inspector accept 3",
        (argument("proposal", nargs="+", help="its number, as shown by `proposals`"), REASON),
    ),
    Command(
        "refuse",
        "proposals:refuse",
        "Refuse proposals of agents; the memories stay as they are.",
        "memory-inspector refuse 3 4 5",
        (argument("proposal", nargs="+", help="its number, as shown by `proposals`"),),
    ),
    Command(
        "undo",
        "curation:undo",
        "Undo an operation: the last one, one by its number, or all of a client since a time.",
        "memory-inspector undo --client codex --since 2026-11-15T09:00:00Z",
        (
            argument("operation", nargs="?", help="its number, as shown by `history` and --json"),
            argument("--client", metavar="NAME", help="everything this actor did"),
            argument("--since", metavar="TIME", help="from this time on"),
            DRY_RUN,
        ),
    ),
    Command("redo", "curation:redo", "Redo what the last undo reverted.", "memory-inspector redo", (DRY_RUN,)),
    Command(
        "history",
        "curation:history",
        "Show every version of a memory: who, when, why, and what changed.",
        "memory-inspector history 12",
        (
            argument("memory", help="its id or uid"),
            argument("--back-to", metavar="N", help="restore the content of version N"),
        ),
    ),
)
