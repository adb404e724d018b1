"""The command line: parsing what was typed, running it, and turning every error a user may read into a sentence."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from core import folders
from core.errors import UserError
from inspector.command_table import COMMANDS, GROUPS

PROGRAM = "memory-inspector"

OK, CHECK_FAILED, WRONG_USE, STOPPED, BUG = 0, 1, 2, 130, 70


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message[0].upper()}{message[1:]}; `{self.prog} --help` shows how it is called.")


class ShowVersion(argparse.Action):
    """Asks the installation only when it is asked, since that takes longer than all the rest of `--help`."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib import metadata

        print(PROGRAM, metadata.version(PROGRAM))
        parser.exit()


def parser() -> Parser:
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument(
        "--db", metavar="FILE", help="the store (default: in your data folder, or $MEMORY_INSPECTOR_DB)"
    )
    shared.add_argument("--sample", action="store_true", help="use the sample store, made on first use")
    shared.add_argument("--json", action="store_true", help="answer in JSON")
    top = Parser(
        prog=PROGRAM,
        description="See, query, explain and mend what agents remember.",
        epilog="Examples:\n" + "\n".join(f"  {command.example}" for command in COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    top.add_argument("--tour", metavar="DIR", help="save a picture of every view of the desktop in DIR")
    top.add_argument("--version", action=ShowVersion, help="show which version this is")
    below = {"": top.add_subparsers(metavar="COMMAND", parser_class=Parser)}
    for group, about in GROUPS.items():
        sub = below[""].add_parser(group, help=about, description=about)
        below[group] = sub.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        sub = below[group].add_parser(
            name,
            help=command.about,
            description=command.about,
            epilog=f"Example:\n  {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[shared],
        )
        for each in command.arguments:
            sub.add_argument(*each.names, **each.options)
        sub.set_defaults(run=command.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    given = ["serve" if each == "--serve" else each for each in (sys.argv[1:] if arguments is None else arguments)]
    as_json = "--json" in given
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a letter shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _run(given)
    except UserError as error:
        # An agent that runs us as a hook takes 2 for "erase what the user has typed".
        return _complain(str(error), CHECK_FAILED if "hook" in given else WRONG_USE, as_json=as_json)
    except UnicodeEncodeError:
        return _complain("Something in this command is not text in UTF-8.", WRONG_USE, as_json=as_json)
    except KeyboardInterrupt:
        return _complain("Stopped.", STOPPED, as_json=as_json)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:  # the machine's trouble, not a bug: a disk, a right, a name too long
        where = f" ({error.filename})" if error.filename else ""
        return _complain(f"The system refused: {error.strerror or error}{where}.", WRONG_USE, as_json=as_json)
    except Exception as error:
        return _complain(_bug(error), BUG, as_json=as_json)


def _run(given: list[str]) -> int:
    top = parser()
    options = top.parse_args(given)
    if not hasattr(options, "run"):
        options.run = "desktop:open_window" if options.tour is None else "desktop:tour"
    module, _, function = options.run.partition(":")
    run = getattr(importlib.import_module(f"inspector.commands.{module}"), function)
    code: int = run(options)
    sys.stdout.flush()
    return code


def _complain(sentence: str, code: int, *, as_json: bool = False) -> int:
    sentence = sentence.encode("utf-8", "replace").decode()
    with contextlib.suppress(OSError, ValueError):  # nobody listens any more
        if as_json:
            print(json.dumps({"error": sentence}))
            sys.stdout.flush()
        print(sentence, file=sys.stderr)
    return code


def _bug(error: Exception) -> str:
    """Keep the traceback where a report can be made of it, and tell the user in a sentence."""
    try:
        folders.cache().mkdir(parents=True, exist_ok=True)
        log = folders.cache() / "last-bug.txt"
        log.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="replace")
        where = f"the details are in {log}"
    except OSError:
        where = "its details could not be written"
    return f"This is a bug in Memory Inspector ({type(error).__name__}: {str(error)[:200]}); {where}."
