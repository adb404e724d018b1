"""The command line: parses arguments, runs the command, and turns every user error into one sentence."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from core import formatting
from core.errors import CannotOpen, Fault, UserError, suggestion
from inspector import program
from inspector.command_table import COMMANDS, GROUPS, SHARED_OPTIONS, STANDALONE_OPTIONS, Command
from inspector.command_table.queries import BRIEF

OK, CHECK_FAILED, WRONG_USE, STOPPED, BUG = 0, 1, 2, 130, 70


# Names that other programs use for a command.
OTHER_NAMES = {
    "add": "remember", "store": "remember", "save": "remember", "ask": "recall", "query": "recall", "search": "recall",
    "find": "recall", "show": "get", "ls": "list", "delete": "forget", "remove": "forget", "rm": "forget",
    "update": "edit", "models": "model list", "tokens": "token list", "status": "info", "stats": "info",
    "evaluate": "eval", "create": "init", "new": "init", "start": "--serve", "server": "--serve", "gui": "--sample",
}  # fmt: skip

# `--serve` is a command; a bare `--explain` must not take the question after it for its value.
REWRITTEN_OPTIONS = {"--serve": "serve", "--explain": f"--explain={BRIEF}"}

# The next step for a store that cannot be opened, where the sentence itself has none.
NAME_ANOTHER = "name a store with --db, or make one with `memory-inspector --db FILE init`"
NEXT_STEPS = {
    Fault.EXISTS: "name another file with --db, or use this one",
    Fault.UNWRITABLE_FOLDER: "name a file elsewhere with --db, or another data folder with MEMORY_INSPECTOR_HOME",
    Fault.NOT_A_FILE: NAME_ANOTHER,
    Fault.EMPTY: NAME_ANOTHER,
    Fault.PICTURE: NAME_ANOTHER,
    Fault.NOT_A_DATABASE: NAME_ANOTHER,
    Fault.FOREIGN: NAME_ANOTHER,
}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence that says what to do next."""

    example = ""

    def error(self, message: str) -> NoReturn:
        message = message.replace("the following arguments are required", "missing")
        such_as = f", as in `{self.example}`" if self.example else ""
        raise UserError(f"{message[0].upper()}{message[1:]}{such_as}; `{self.prog} --help` shows its usage.")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse an unknown command, with the name that was probably meant; all choices are commands."""
        if action.choices is not None and value not in action.choices:
            known = OTHER_NAMES.get(value) if self.prog == program.NAME else None
            near = f" (perhaps `{known}`?)" if known else suggestion(str(value), map(str, action.choices))
            raise UserError(f"There is no command {str(value)[:40]!r}{near}; `{self.prog} --help` lists them all.")

    def refuse(self, unexpected: Sequence[str], command: Command | None) -> NoReturn:
        """Refuse unexpected arguments, with what was probably meant."""
        own = command.arguments if command else STANDALONE_OPTIONS
        known = [name for each in (*SHARED_OPTIONS, *own) for name in each.names]
        first = unexpected[0].partition("=")[0]
        if first.startswith("-"):
            hint = suggestion(first, [name for name in known if name.startswith("-")])
        else:
            takes_text = command is not None and any(not each.names[0].startswith("-") for each in command.arguments)
            hint = " (text of several words goes into quotes)" if takes_text else ""
        called = " ".join(filter(None, (self.prog, command.name if command else "")))
        raise UserError(f"{first[:60]!r} was not expected{hint}; `{called} --help` shows its usage.")


class ShowVersion(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(program.NAME, program.version())
        parser.exit()


def parser() -> Parser:
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    for each in SHARED_OPTIONS:
        shared.add_argument(*each.names, **each.options)
    top = Parser(
        prog=program.NAME,
        description="See, query, explain and correct what agents remember.",
        epilog="Examples:\n" + "\n".join(f"  {command.example}" for command in COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    for each in STANDALONE_OPTIONS:
        top.add_argument(*each.names, **each.options)
    top.add_argument("--version", action=ShowVersion, help="show the version")
    below = {"": top.add_subparsers(metavar="COMMAND", parser_class=Parser)}
    for group, about in GROUPS.items():
        sub = below[""].add_parser(group, help=about, description=about)
        below[group] = sub.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        _add(below[group], command, name, shared, help=command.about)
        for former in command.former_names:  # without `help` argparse does not list it
            _add(below[group], command, former, shared)
    return top


def _add(
    commands: argparse._SubParsersAction[Parser], command: Command, name: str, shared: Parser, **options: Any
) -> None:
    """Add the parser of a command under a name."""
    sub = commands.add_parser(
        name,
        description=command.about,
        epilog=f"Example:\n  {command.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
        **options,
    )
    for each in command.arguments:
        added = sub.add_argument(*each.names, **each.options)
        if each.former_names:
            sub.add_argument(*each.former_names, **{**each.options, "dest": added.dest, "help": argparse.SUPPRESS})
    sub.example = command.example
    sub.set_defaults(command=command)


def main(arguments: Sequence[str] | None = None) -> int:
    given = [REWRITTEN_OPTIONS.get(each, each) for each in (sys.argv[1:] if arguments is None else arguments)]
    if len(given) == 1 and _is_a_file(given[0]):  # a file manager opens a store so
        given = ["--db", *given]
    as_json = "--json" in given
    if isinstance(sys.stdout, io.TextIOWrapper):  # a character the terminal cannot show is escaped
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _run(given)
    except UserError as error:
        sentence = str(error)
        if isinstance(error, CannotOpen) and error.fault in NEXT_STEPS:
            sentence = f"{sentence.rstrip('.')}; {NEXT_STEPS[error.fault]}."
        # In a hook, exit code 2 makes the agent's client erase what the user has typed.
        return _complain(sentence, CHECK_FAILED if "hook" in given else WRONG_USE, as_json=as_json)
    except UnicodeEncodeError:
        return _complain("Something in this command is not text in UTF-8.", WRONG_USE, as_json=as_json)
    except KeyboardInterrupt:
        return _complain("Stopped.", STOPPED, as_json=as_json)
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:  # not a bug: a full disk, a missing permission, a name too long
        where = f" ({error.filename})" if error.filename else ""
        return _complain(f"The system refused: {error.strerror or error}{where}.", WRONG_USE, as_json=as_json)
    except Exception as error:
        return _complain(_bug(error), BUG, as_json=as_json)


def _is_a_file(word: str) -> bool:
    """Whether the only argument is a store to open in the window, and not a command."""
    is_command = any(word in (*command.name.split(), *command.former_names) for command in COMMANDS)
    return bool(word) and "\0" not in word and not word.startswith("-") and not is_command and Path(word).is_file()


def _run(given: list[str]) -> int:
    top = parser()
    options, unexpected = top.parse_known_args(given)
    command: Command | None = getattr(options, "command", None)
    if unexpected:
        top.refuse(unexpected, command)
    module, _, function = (command.run if command else _without_command(options)).partition(":")
    run = getattr(importlib.import_module(f"inspector.commands.{module}"), function)
    code: int = run(options)
    sys.stdout.flush()
    return code


def _without_command(options: argparse.Namespace) -> str:
    """Return what runs when no command is named."""
    if options.self_test:
        return "self_test:self_test"
    return "desktop:open_window" if options.tour is None else "desktop:tour"


def _complain(sentence: str, code: int, *, as_json: bool = False) -> int:
    sentence = sentence.encode("utf-8", "replace").decode()
    with contextlib.suppress(OSError, ValueError):  # the reader of the output is gone
        if as_json:
            print(json.dumps({"error": sentence}))
            sys.stdout.flush()
        print(formatting.visible(sentence), file=sys.stderr)
    return code


def _bug(error: Exception) -> str:
    where = program.save_traceback(error)
    return f"This is a bug in Memory Inspector ({type(error).__name__}: {str(error)[:200]}); {where}."
