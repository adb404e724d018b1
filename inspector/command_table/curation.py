"""Changing what is kept, and taking it back."""

from __future__ import annotations

from inspector.command_table.row import DRY_RUN, FIELDS, REASON, SECRETS, Command, argument

MEMORIES = argument("memory", nargs="+", help="ids or uids")

APPLY = argument("--apply", action="store_true", help="carry it out; without this nothing is changed")

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
        "pin", "curation:pin", "Never let memories decay.", "memory-inspector pin 12 13", (MEMORIES, REASON, DRY_RUN)
    ),
    Command(
        "unpin",
        "curation:unpin",
        "Let memories decay again.",
        "memory-inspector unpin 12",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "archive",
        "curation:archive",
        "Put memories out of the way; `restore` brings them back.",
        "memory-inspector archive 12",
        (MEMORIES, REASON, DRY_RUN),
    ),
    Command(
        "forget",
        "curation:forget",
        "Let no profile return memories any more; `undo` or `restore` brings them back.",
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
        "Remove forgotten memories for good, also from the journal; nothing brings them back.",
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
        "Let the strength of memories fade for the time since this was last done, as OpenMem defines it.",
        "memory-inspector decay --dry-run",
        (DRY_RUN,),
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
        "Take links away.",
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
        "Let a newer memory take the place of older ones.",
        "memory-inspector supersede 13 12",
        (argument("new", help="its id or uid"), argument("old", nargs="+", help="one or more"), REASON, DRY_RUN),
    ),
    Command(
        "merge",
        "curation:merge",
        "Make one memory of several; the first stays, the others are superseded by it.",
        "memory-inspector merge 12 13 14",
        (MEMORIES, argument("--content", help="the text it shall have (default: the first one's)"), REASON, DRY_RUN),
    ),
    Command(
        "split",
        "curation:split",
        "Make several memories of one; the whole is archived.",
        'memory-inspector split 12 "first thing" "second thing"',
        (argument("memory", help="its id or uid"), argument("content", nargs="+", help="the texts"), REASON, DRY_RUN),
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
            argument(
                "verdict", metavar="VERDICT", help="keep-a, keep-b, merge, both-valid, defer or not-a-contradiction"
            ),
            argument("--scope", default="", help="for both-valid: what makes both true"),
            argument("--content", help="for merge: the text it shall have"),
            argument("--dry-run", action="store_true", help="only show which queries would change"),
            REASON,
        ),
    ),
    Command(
        "proposals",
        "proposals:list_proposals",
        "What agents propose to change of memories that a person wrote or pinned, waiting for your decision.",
        "memory-inspector proposals",
    ),
    Command(
        "accept",
        "proposals:accept",
        "Carry out proposals of agents, all of those named or none.",
        "memory-inspector accept 3",
        (argument("proposal", nargs="+", help="its number, as `proposals` tells it"), REASON),
    ),
    Command(
        "refuse",
        "proposals:refuse",
        "Refuse proposals of agents; the memories stay as they are.",
        "memory-inspector refuse 3 4 5",
        (argument("proposal", nargs="+", help="its number, as `proposals` tells it"),),
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
            DRY_RUN,
        ),
    ),
    Command("redo", "curation:redo", "Do again what the last undo took back.", "memory-inspector redo", (DRY_RUN,)),
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
)
