"""The server for agents."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

_MAX_CONFIDENCE = argument(
    "--max-confidence", metavar="0..1", help="the most that agents may claim of what they write (default: 1)"
)

COMMANDS = (
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
            argument(
                "--compat", metavar="COMPAT", help="reference: also the nine tools of the reference memory server"
            ),
            argument(
                "--scope",
                action="append",
                metavar="SCOPE",
                help="with --stdio: read, write, curate (default: read,write)",
            ),
            _MAX_CONFIDENCE,
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
            argument("client", metavar="CLIENT", help="claude-code, claude-desktop, cursor, vscode, codex or generic"),
            argument("--url", metavar="URL", help="of a running server's /mcp, instead of starting one"),
            argument("--compat", metavar="COMPAT", help="reference: also the reference memory server's tools"),
            argument("--curate", action="store_true", help="let its agents pin, reinforce, supersede and decide"),
            argument("--write", action="store_true", help="merge it into the client's file"),
        ),
    ),
    Command(
        "token show",
        "serving:token_show",
        "Print a token, made on first use.",
        "memory-inspector token show",
        (argument("name", nargs="?", default="default", help="which one (default: the one called default)"),),
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
            argument("--scope", action="append", metavar="SCOPE", help="read, write or curate (default: read)"),
            _MAX_CONFIDENCE,
        ),
    ),
    Command(
        "token change",
        "serving:token_change",
        "Let a token open other things than before; running servers see it at once.",
        "memory-inspector token change --scope read,write,curate",
        (
            argument("name", nargs="?", default="default", help="which one (default: the one called default)"),
            argument("--scope", action="append", metavar="SCOPE", help="read, write or curate"),
            _MAX_CONFIDENCE,
        ),
    ),
    Command(
        "token rotate",
        "serving:token_rotate",
        "Give a token a new secret; the old one is refused at once, by running servers too.",
        "memory-inspector token rotate",
        (argument("name", nargs="?", default="default", help="which one (default: the one called default)"),),
    ),
    Command(
        "token remove",
        "serving:token_remove",
        "Let a token be refused from now on.",
        "memory-inspector token remove reader",
        (argument("name", help="which one"),),
    ),
    Command(
        "hook",
        "hook:hook",
        "For an agent's hooks: reads an event from standard input, prints the relevant memories. Never fails.",
        "memory-inspector hook --budget 500",
        (
            argument("--budget", metavar="TOKENS", help="at most so many tokens"),
            argument("--k", metavar="N", help="at most so many memories"),
            argument("--profile", metavar="PROFILE", help="which design answers"),
            argument("--to", metavar="FILE", help="also write the section to this file"),
        ),
    ),
)
