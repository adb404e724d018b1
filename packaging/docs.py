"""Write what is generated in the manual: the command reference in cli.md and the table of tools in agents.md."""

from __future__ import annotations

from pathlib import Path

from inspector import manual
from inspector.serve import tools_markdown

DOCS = Path(__file__).resolve().parents[1] / "resources" / "docs"
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


if __name__ == "__main__":
    main()
