"""Write what is generated: the command reference in cli.md, the table of tools in agents.md, and the answers with which
a server over standard input opens a session."""

from __future__ import annotations

from pathlib import Path

from inspector import manual
from inspector.serve import handshake, handshake_answers, tools_markdown

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
DOCS = RESOURCES / "docs"
GENERATED = {"cli": ("commands", manual.reference), "agents": ("tools", tools_markdown.markdown)}


def with_generated(page: str, mark: str, generated: str) -> str:
    """Return a page with what stands between its marks replaced."""
    start, end = f"<!-- {mark}: made by `make docs` -->", "<!-- end -->"
    before, _, rest = page.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"The page has no {start} … {end}.")
    return f"{before}{start}\n{generated}\n{end}{after}"


def main() -> None:
    for name, (mark, generate) in GENERATED.items():
        path = DOCS / f"{name}.md"
        old = path.read_text("utf-8")
        new = with_generated(old, mark, generate())
        if new != old:
            path.write_text(new, "utf-8")
            print(f"Wrote resources/docs/{name}.md.")
    (RESOURCES / handshake.ANSWERS).write_text(handshake_answers.text(), "utf-8")


if __name__ == "__main__":
    main()
