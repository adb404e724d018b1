"""The types of a row of the table, and the arguments that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.filter_fields import FIELDS as FILTER_FIELDS
from core.filter_fields import FLAG, MOMENTS


@dataclass(frozen=True)
class Argument:
    """An argument as argparse takes it. Shell completion offers values by its placeholder: FILE, PROFILE, …;
    `former_names` are accepted too, but named in no help, completion or manual."""

    names: tuple[str, ...]
    options: dict[str, Any]
    former_names: tuple[str, ...] = ()

    @property
    def is_option(self) -> bool:
        return self.names[0].startswith("-")

    @property
    def placeholder(self) -> str:
        """Return what stands for its value in the help; empty for a switch."""
        if self.options.get("action") == "store_true":
            return ""
        return str(self.options.get("metavar") or self.names[0].strip("-").replace("-", "_").upper())

    @property
    def help(self) -> str:
        return str(self.options.get("help", ""))


@dataclass(frozen=True)
class Command:
    """One command. `run` is "module:function" below inspector.commands: it gets the parsed arguments and returns the
    exit code. `former_names` are accepted too, but named in no help, completion or manual."""

    name: str
    run: str
    about: str
    example: str
    arguments: tuple[Argument, ...] = ()
    former_names: tuple[str, ...] = ()


def argument(*names: str, former_names: tuple[str, ...] = (), **options: Any) -> Argument:
    return Argument(names, options, former_names)


LIST_FILTERS = tuple(
    argument(f"--{field.option}", action="store_true", help=field.help)
    if field.match == FLAG
    else argument(f"--{field.option}", metavar=field.metavar, help=field.help)
    if field.match in MOMENTS
    else argument(f"--{field.option}", action="append", default=[], metavar=field.metavar, help=field.help)
    for field in FILTER_FIELDS
    if field.option
)

REASON = argument("--reason", default="", help="reason; kept in the journal")

DRY_RUN = argument("--dry-run", action="store_true", help="show what would change, without changing it")

FIELDS = (
    argument("--summary", help="short summary"),
    argument("--type", help="fact, decision, gotcha, preference, …"),
    argument("--tag", action="append", dest="tags", metavar="TAG", help="may be repeated"),
    argument("--entity", action="append", dest="entities", metavar="NAME", help="may be repeated"),
    argument("--file", action="append", dest="files", metavar="PATH", help="may be repeated"),
    argument("--collection", help="collection it belongs to"),
    argument("--session", help="session it comes from"),
    argument("--user", help="user it is about"),
    argument("--confidence", metavar="0..1", help="confidence, 0 to 1"),
    argument("--importance", help="normal or high"),
    argument("--context", metavar="JSON", help="an object with params, spatial, robot, task, env, …"),
)

SECRETS = argument("--allow-secrets", action="store_true", help="keep credentials instead of redacting them")
