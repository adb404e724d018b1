"""The one command: `python -m tests.benchmarks`; tables in Markdown, and in a file as Markdown or JSON if wanted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from inspector import program
from tests.benchmarks import generator, looking, recalling, serving, starting, writing
from tests.benchmarks.peers import harness
from tests.benchmarks.tables import Table, as_json, markdown
from tests.benchmarks.workload import Workload, cache, workload


def _desktop() -> list[Table]:
    from tests.benchmarks import desktop  # needs Qt

    return desktop.measure(generator.SIZES["1M"])


OF_A_SIZE: dict[str, Callable[[Workload], list[Table]]] = {
    "look": looking.measure,
    "add": writing.measure,
    "open": starting.opening,
}
OF_NO_SIZE: dict[str, Callable[[], list[Table]]] = {
    "start": starting.programs,
    "embed": starting.embedding,
    "serve": serving.measure,
    "desktop": _desktop,
}
PEERS = "peers"
MEASURES = (*OF_NO_SIZE, "recall", *OF_A_SIZE, PEERS)


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    tables: list[Table] = []

    def keep(made: list[Table]) -> None:
        for table in made:
            print(markdown(table), flush=True)
        tables.extend(made)
        # After each measure, since the next one may take long or be stopped.
        if asked.markdown:
            asked.markdown.write_text("\n".join(map(markdown, tables)), "utf-8")
        if asked.json:
            asked.json.write_text(as_json(tables), "utf-8")

    program.limit_garbage_collection()  # as a server does
    for name in asked.only:
        if name in OF_NO_SIZE:
            keep(OF_NO_SIZE[name]())
    for size in asked.size:
        for name in asked.only:
            if name == PEERS:
                keep(harness.measure(workload(size), asked.peers))
            elif name == "recall":
                keep(recalling.measure(workload(size), asked.profiles, asked.questions))
            elif name in OF_A_SIZE:
                keep(OF_A_SIZE[name](workload(size)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="How fast it is. What takes part takes turns in one run, and every ratio is of one run.",
        epilog=f"Filled stores and the peers' environments are kept in {cache()}; delete it to begin anew.",
    )
    parser.add_argument("--size", type=_sizes, default=_sizes("10k,100k"), help="1k,10k,100k,1M (10k,100k)")
    parser.add_argument(
        "--only",
        type=_several("a measure", MEASURES),
        default=tuple(name for name in MEASURES if name != PEERS),
        help=f"{','.join(MEASURES)} (all but peers, who are installed first)",
    )
    parser.add_argument("--peers", type=_several("a peer", harness.PEERS), default=harness.PEERS, help="which of them")
    parser.add_argument("--profiles", type=lambda text: text.split(","), default=(), help="which recall (all)")
    parser.add_argument("--questions", type=int, metavar="N", help="so many of the 200 for recall")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also as Markdown")
    return parser


def _several(what: str, known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def chosen(text: str) -> tuple[str, ...]:
        names = tuple(text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not {what}; there are {', '.join(known)}")
        return names

    return chosen


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(generator.SIZES[name] for name in _several("a size", tuple(generator.SIZES))(text))


if __name__ == "__main__":
    sys.exit(main())
