"""The table of tools in Markdown, for the manual's page about agents; `make docs` writes it there."""

from __future__ import annotations

from inspector.serve.tools import TOOLS


def markdown() -> str:
    """Return a row per tool: its name, its REST route, the scope it needs and what it is for."""
    rows = (
        f"| `{tool.name}` | {tool.method} {tool.path} | {tool.scope} | {_first_sentence(tool.about)} |"
        for tool in TOOLS
    )
    return "\n".join(("| tool | REST | scope | what for |", "|---|---|---|---|", *rows))


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")
