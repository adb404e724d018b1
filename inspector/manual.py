"""The command table as documents: the man page, in the language of man(7), and the manual's reference, in Markdown.

`make docs` writes the reference into `resources/docs/cli.md`; a test fails while it is stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inspector.command_table import SECTIONS, SHARED_OPTIONS, STANDALONE_OPTIONS, Argument, Command

ENVIRONMENT = {
    "MEMORY_INSPECTOR_DB": "the store, where --db does not name one",
    "MEMORY_INSPECTOR_HOME": "the data folder: your own store, the sample, backups, tokens",
    "MEMORY_INSPECTOR_CACHE": "the cache folder: embedding models, and what can be computed again",
}
EXIT_CODES = {
    0: "done",
    1: "a check failed",
    2: "wrong use, or an error that you can repair; one sentence on standard error says which",
    70: "a bug; the sentence says where its details are",
    130: "stopped by Ctrl-C",
}


def page(version: str) -> str:
    return "\n".join([*_lines(version), ""])


def _lines(version: str) -> Iterator[str]:
    yield f'.TH MEMORY\\-INSPECTOR 1 "" "Memory Inspector {_text(version)}" "User Commands"'
    yield ".SH NAME"
    yield "memory\\-inspector \\- see, query, explain and correct what agents remember"
    yield ".SH SYNOPSIS"
    yield ".B memory\\-inspector\n[\\fB\\-\\-db\\fR \\fIFILE\\fR | \\fB\\-\\-sample\\fR] [\\fB\\-\\-json\\fR]"
    yield "[\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]]"
    yield ".SH DESCRIPTION"
    yield "Without a command the window opens, on the store you had last."
    yield "With one, it runs on the store that is named, without a window."
    yield ".SH OPTIONS"
    yield from _arguments((*SHARED_OPTIONS, *STANDALONE_OPTIONS))
    yield from _entry("\\fB\\-\\-version\\fR", "show the version")
    yield from _entry("\\fB\\-\\-help\\fR", "after a command: its usage, with an example")
    yield ".SH COMMANDS"
    for title, commands in SECTIONS.items():
        yield f'.SS "{_text(title)}"'
        for command in commands:
            yield from _command(command)
    yield ".SH ENVIRONMENT"
    for name, about in ENVIRONMENT.items():
        yield from _entry(f"\\fB{_text(name)}\\fR", about)
    yield ".SH EXIT STATUS"
    for code, about in EXIT_CODES.items():
        yield from _entry(f"\\fB{code}\\fR", about)


def reference() -> str:
    """Return every command with its arguments and an example as Markdown, for the manual's page `cli`."""
    return re.sub("\n{3,}", "\n\n", "\n".join(_reference_lines())).rstrip()


def _reference_lines() -> Iterator[str]:
    for title, commands in SECTIONS.items():
        yield f"## {title}\n"
        for command in commands:
            yield f"### {command.name}\n\n{command.about}\n\n```\n{command.example}\n```\n"
            yield from (*_argument_list(command.arguments), "")
    yield "## Options of every command\n"
    yield from _argument_list(SHARED_OPTIONS)
    yield "- `--help`: after a command: its usage, with an example\n"
    yield "## Options without a command\n"
    yield from _argument_list(STANDALONE_OPTIONS)
    yield "- `--version`: show the version\n"
    yield "## Environment variables\n"
    yield from (f"- `{name}`: {about}" for name, about in ENVIRONMENT.items())
    yield "\n## Exit codes\n"
    yield from (f"- `{code}`: {about}" for code, about in EXIT_CODES.items())


def _argument_list(arguments: Iterable[Argument]) -> Iterator[str]:
    for each in arguments:
        names = each.names if each.is_option else (each.placeholder,)
        value = f" {each.placeholder}" if each.is_option and each.placeholder else ""
        yield f"- {', '.join(f'`{name}{value}`' for name in names)}: {each.help}"


def _command(command: Command) -> Iterator[str]:
    words = [f"\\fI{_text(each.placeholder)}\\fR" for each in command.arguments if not each.is_option]
    yield from _entry(" ".join([f"\\fB{_text(command.name)}\\fR", *words]), command.about)
    if command.arguments:
        yield ".RS"
        yield from _arguments(command.arguments)
        yield ".RE"
    yield f".IP\n.EX\n{_text(command.example)}\n.EE"


def _arguments(arguments: Iterable[Argument]) -> Iterator[str]:
    for each in arguments:
        value = f" \\fI{_text(each.placeholder)}\\fR" if each.placeholder else ""
        head = ", ".join(f"\\fB{_text(name)}\\fR{value}" for name in each.names) if each.is_option else value.strip()
        yield from _entry(head, each.help)


def _entry(head: str, about: str) -> Iterator[str]:
    yield f".TP\n{head}\n{_text(about)}"


def _text(plain: str) -> str:
    """Return text that the formatter shows as it is: escapes, hyphens and leading dots are quoted."""
    escaped = plain.replace("\\", "\\(rs").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)
