"""Commands for the server and its clients."""

from __future__ import annotations

from inspector.command_table.row import Command, argument

_MAX_CONFIDENCE = argument(
    "--max-confidence", metavar="0..1", help="maximum confidence of what agents write (default: 1)"
)

COMMANDS = (
    Command(
        "serve",
        "serve:serve",
        "Serve the store to agents: MCP at /mcp and REST at /api/v1, or MCP on standard input with --stdio.",
        "memory-inspector --serve --port 7823",
        (
            argument("--stdio", action="store_true", help="speak MCP on standard input and output"),
            argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)"),
            argument("--port", default="7823", metavar="N", help="port; 0 for any free one (default: 7823)"),
            argument(
                "--workers", default="1", metavar="N", help="number of processes that answer on the port (default: 1)"
            ),
            argument("--allow-remote", action="store_true", help="allow a --host that other machines can reach"),
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
            argument("--tethered", action="store_true", help="exit when standard input closes"),
            argument(
                "--keep-calls", default="50000", metavar="N", help="number of recorded calls to keep (default: 50000)"
            ),
            argument("--keep-days", default="90", metavar="N", help="days to keep recorded calls (default: 90)"),
        ),
    ),
    Command(
        "connect",
        "serving:connect",
        "Show the configuration that connects a client to this store; --write merges it into the client's file.",
        "memory-inspector connect claude-code --write",
        (
            argument("client", metavar="CLIENT", help="claude-code, claude-desktop, cursor, vscode, codex or generic"),
            argument("--url", metavar="URL", help="address of a running server's /mcp, instead of starting one"),
            argument("--compat", metavar="COMPAT", help="reference: also the reference memory server's tools"),
            argument("--curate", action="store_true", help="allow pin, reinforce, supersede and resolve"),
            argument("--write", action="store_true", help="merge it into the client's file"),
        ),
    ),
    Command(
        "token show",
        "serving:token_show",
        "Print a token, created on first use.",
        "memory-inspector token show",
        (argument("name", nargs="?", default="default", help="which one (default: the one called default)"),),
    ),
    Command("token list", "serving:token_list", "List the tokens and their scopes.", "memory-inspector token list"),
    Command(
        "token add",
        "serving:token_add",
        "Create a token with limited scopes.",
        "memory-inspector token add reader --scope read",
        (
            argument("name", nargs="?", default="reader", help="its name (default: reader)"),
            argument("--scope", action="append", metavar="SCOPE", help="read, write or curate (default: read)"),
            _MAX_CONFIDENCE,
        ),
    ),
    Command(
        "token change",
        "serving:token_change",
        "Change the scopes of a token; running servers apply it at once.",
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
        "Remove a token; it is refused from now on.",
        "memory-inspector token remove reader",
        (argument("name", help="which one"),),
    ),
    Command(
        "hook",
        "hook:hook",
        "For an agent's hooks: reads an event from standard input, prints the relevant memories. Never fails.",
        "memory-inspector hook --budget 500",
        (
            argument("--budget", metavar="TOKENS", help="maximum number of tokens"),
            argument("--k", metavar="N", help="maximum number of memories"),
            argument("--profile", metavar="PROFILE", help="profile"),
            argument("--to", metavar="FILE", help="also write the section to this file"),
        ),
    ),
)
