"""The fields of a filter, described once: engine condition, options, tool arguments and window facets follow from it.

To add a field: add it to `Filter` in model.py and a row here. Which tools take it is listed in serve/tools.py; a facet
also needs its counts in `Facets` of services/browse.py, and a column of lists (as tags are) its own condition in the
engine. This module imports nothing of the core: the help of the command line reads it, and loading the model would add
3 ms to 53.
"""

from __future__ import annotations

from typing import NamedTuple

# How a memory is compared with the wanted values.
ONE_OF = "one of"  # the value is one of them
ANY_OF = "any of"  # it has at least one of them
FLAG = "flag"  # it has this truth value
FROM = "from"  # the moment is this one or later
BEFORE = "before"  # the moment is earlier
MOMENTS = (FROM, BEFORE)


class FilterField(NamedTuple):
    """`name` is the field of `Filter` and the argument of REST and MCP; `attribute` that of a memory, and the engine's
    column. `option` is without dashes; empty texts mean that a field is not offered there."""

    name: str
    attribute: str
    match: str = ONE_OF
    option: str = ""
    metavar: str = ""
    help: str = ""
    description: str = ""
    title: str = ""


FIELDS = (
    FilterField("types", "type", option="type", metavar="TYPE", help="only this type (may be repeated)",
                description="Only these types.", title="Type"),
    FilterField("tags", "tags", ANY_OF, option="tag", metavar="TAG", help="only with this tag (may be repeated)",
                description="Only with one of these tags.", title="Tags"),
    FilterField("statuses", "status", option="status", metavar="STATUS", help="active, superseded, archived, …",
                description="Only of these statuses; active by default.", title="Status"),
    FilterField("collections", "collection", option="collection", metavar="NAME", help="only of this collection",
                description="Only of these collections.", title="Collection"),
    FilterField("sessions", "session", option="session", metavar="ID", help="only of this session",
                description="Only of these sessions.", title="Session"),
    FilterField("users", "user", description="Only about these users."),
    FilterField("agents", "agent", option="agent", metavar="NAME", help="only from this agent",
                description="Only from these agents."),
    FilterField("sources", "source", title="Source"),
    FilterField("pinned", "pinned", FLAG, option="pinned", help="only pinned memories",
                description="Only pinned ones, or only others."),
    FilterField("since", "created_at", FROM, option="since", metavar="TIME",
                help="only made since this time or age (7d, 12h)",
                description="Only made since this ISO 8601 time, or age (7d)."),
    FilterField("until", "created_at", BEFORE, option="until", metavar="TIME",
                help="only made before this time or age (7d, 12h)",
                description="Only made before it."),
)  # fmt: skip
