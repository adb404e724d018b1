"""Golden sets for front-ends: judging, measuring profiles, tuning, and measuring on files alone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core import draft, folders, profiles
from core.changes import Changes, Op
from core.clock import parse_iso, to_iso
from core.embed import recipe
from core.embed.cache import CachedEmbedder
from core.errors import UserError
from core.evaluate import judgement, report, runner, tune
from core.evaluate.judgement import GoldenQuery as GoldenQuery
from core.evaluate.report import PairedComparison as PairedComparison
from core.evaluate.report import Summary as Summary
from core.evaluate.report import Target as Target
from core.evaluate.runner import Rank
from core.evaluate.runner import Run as Run
from core.evaluate.tune import Tuning as Tuning
from core.evaluate.tune import parse_values as parse_values
from core.formulas import metrics
from core.formulas.metrics import DEFAULT_METRICS as DEFAULT_METRICS
from core.model import Filter, Memory, Uid
from core.pipeline.query import MAX_CHARS
from core.progress import Progress, silent
from core.services import browse, files, query
from core.services.query import Question
from core.services.workspace import Workspace
from core.store.records import Judgement as Judgement
from core.write import secrets

DEPTH = 100  # the length of the scored rankings
FILE_ID = "id"
ADVERSARIAL = "adversarial"  # queries without an answer in the memories: abstaining is right


@dataclass(frozen=True, slots=True)
class ProfileVariant:
    """A profile with some of its parameters changed."""

    profile: str = profiles.DEFAULT.name
    parameters: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        changed = ", ".join(f"{path}={value}" for path, value in (self.parameters or {}).items())
        return f"{self.profile} ({changed})" if changed else self.profile


# Judging


def judge(
    workspace: Workspace,
    golden_set: str,
    asked: str,
    name: str,
    grade: int | None,
    *,
    judge: str,
    category: str = "",
) -> tuple[Judgement | None, Changes]:
    """Judge how relevant a memory is to a query, or without a grade remove the judgement.

    Without a category the query stays in its own.
    """
    golden_set = _set_name(golden_set)
    text = secrets.clean(draft.plain_text("The query", asked, MAX_CHARS).strip())
    if not text:
        raise UserError("The query is empty; give the question that the memory is judged for.")
    uid = browse.find(workspace, name).uid
    with workspace.store.transact(Op.JUDGE, judge) as transaction:
        made = None
        if grade is None:
            transaction.withdraw_judgement(golden_set, text, uid)
        else:
            known = (each.category for each in transaction.reader().judgements(golden_set, text) if each.category)
            named = category or next(known, "")
            made = Judgement(golden_set, text, uid, judgement.checked_grade(grade), judge, transaction.now, named)
            transaction.put_judgement(made)
    return made, transaction.changes


def golden_sets(workspace: Workspace) -> dict[str, tuple[int, int]]:
    """Return each golden set with how many queries and judgements it holds."""
    with workspace.store.read() as reader:
        return reader.golden_sets()


def golden(workspace: Workspace, name: str) -> list[GoldenQuery]:
    """Return the judged queries of a set."""
    with workspace.store.read() as reader:
        found = reader.judgements(name)
    if not found:
        known = ", ".join(golden_sets(workspace))
        others = f"; there are: {known}" if known else ", nor any other yet; judging what a query returns makes one"
        raise UserError(f"There is no golden set {name[:40]!r}{others}.")
    grades: dict[str, dict[str, int]] = {}
    categories: dict[str, str] = {}
    for each in found:
        grades.setdefault(each.query, {})[each.memory] = each.grade
        categories[each.query] = each.category or categories.get(each.query, "")
    return [GoldenQuery(text, text, graded, category=categories[text]) for text, graded in grades.items()]


def import_judgements(
    workspace: Workspace, path: Path, golden_set: str, *, judge: str, topics: Path | None = None
) -> int:
    """Import the judgements of a file (.jsonl, .csv, or TREC qrels) completely or not at all; return how many."""
    golden_set = _set_name(golden_set)
    queries = read_queries(path, topics)
    count = 0
    with workspace.store.transact(Op.JUDGE, judge) as transaction:
        for each in queries:
            for uid, grade in each.grades.items():
                if not transaction.reader().has_uid(Uid(uid)):
                    raise UserError(f"The file judges {uid[:60]!r}, which is not in the store.")
                made = Judgement(golden_set, each.text, Uid(uid), grade, judge, transaction.now, each.category)
                transaction.put_judgement(made)
                count += 1
    return count


def has_all_judged(workspace: Workspace, path: Path) -> bool:
    """Return whether every memory that a file judges is in the store."""
    queries = read_queries(path)
    with workspace.store.read() as reader:
        return all(reader.has_uid(Uid(uid)) for each in queries for uid in each.grades)


def export_judgements(workspace: Workspace, golden_set: str, path: Path) -> int:
    """Write a golden set to a new file that can be imported: .csv, with judge and time, or .jsonl; return how many."""
    queries = golden(workspace, golden_set)
    with workspace.store.read() as reader:
        found = reader.judgements(golden_set)
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            lines = judgement.write_jsonl(queries)
        case ".csv":
            lines = judgement.write_csv(asdict(each) | {"judged_at": to_iso(each.judged_at)} for each in found)
        case _:
            raise UserError("Judgements are written to a file whose name ends in .csv or .jsonl.")
    files.write_new(path, lines)
    return len(found)


def read_queries(path: Path, topics: Path | None = None) -> list[GoldenQuery]:
    """Return the judged queries of a file, in the format of its name; anything but .jsonl and .csv is qrels."""
    try:
        named = dict(line.split("\t", 1) for line in files.read_lines(topics) if "\t" in line) if topics else {}
        match path.suffix.lower():
            case ".jsonl" | ".ndjson":
                return judgement.read_jsonl(files.read_lines(path))
            case ".csv":
                return judgement.read_csv(files.read_lines(path))
            case _:
                return judgement.read_qrels(files.read_lines(path), {id: text.strip() for id, text in named.items()})
    except UserError as error:
        raise UserError(f"{path.name}: {error}") from error


# Measuring


def measure(
    workspace: Workspace,
    queries: Sequence[GoldenQuery],
    variant: ProfileVariant,
    wanted: Sequence[str] = DEFAULT_METRICS,
    *,
    as_of: Mapping[str, datetime] | None = None,
    progress: Progress = silent,
) -> Run:
    """Run every query with one profile and score its rankings. Read-only."""
    return runner.run(variant.name, queries, _rank(workspace, variant, as_of or {}), wanted, progress)


def compare(runs: Sequence[Run], metric: str) -> list[PairedComparison]:
    """Return the comparisons of the first run with each of the others."""
    return [report.compare_paired(runs[0], other, metric) for other in runs[1:]]


def summary(run: Run) -> Summary:
    return report.summary(run)


def regressions(before: Run, after: Run, metric: str) -> list[report.Difference]:
    return report.regressions(before, after, metric)


def without_adversarial(run: Run) -> Run:
    return report.without_category(run, ADVERSARIAL)


def targets(run: Run) -> list[Target]:
    """Return whether a run meets the Recursive Light document's targets."""
    return report.recursive_light_targets(report.summary(run))


def tune_profile(
    workspace: Workspace,
    queries: Sequence[GoldenQuery],
    base: str,
    space: Mapping[str, Sequence[Any]],
    *,
    metric: str = "ndcg@10",
    held_out: float = 0.3,
    tries: int | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Tuning:
    """Search a profile's parameters for those that rank a golden set best."""
    metrics.metric(metric)
    for values in tune.combinations(space, 1, seed):
        query.profile_for(
            workspace, Question(text="-", profile=base, parameters=values)
        )  # raises for a wrong name before the search
    return tune.tune(
        queries,
        lambda values: _rank(workspace, ProfileVariant(base, values), {}),
        space,
        metric=metric,
        held_out=held_out,
        tries=tries,
        seed=seed,
        progress=progress,
    )


@contextmanager
def temporary_workspace(memories: Path, *, with_model: bool = True, progress: Progress = silent) -> Iterator[Workspace]:
    """Open a temporary store of the memories of a neutral file, each scope a collection, embedded through a cache."""
    with (
        tempfile.TemporaryDirectory(prefix="memory-inspector-") as folder,
        Workspace.create(Path(folder) / "measured.db") as workspace,
    ):
        embedder = CachedEmbedder(workspace.embeddings.load(), folders.cache() / "embeddings") if with_model else None
        if embedder is not None:
            workspace.embeddings.use(embedder)
        records = [fields for fields in _neutral(memories) if fields["content"].strip()]
        with workspace.store.transact(Op.IMPORT, "evaluation") as transaction:
            for done, fields in enumerate(records, 1):
                memory = draft.memory(fields, transaction.now)
                vectors = {embedder.space: embedder.embed_document(recipe.embedded_text(memory))} if embedder else None
                transaction.add_memory(memory, vectors)
                progress("loading", done, len(records))
        yield workspace


def newest_by_scope(workspace: Workspace) -> dict[str, datetime]:
    """Return the time of the newest memory of each scope: the moment at which its queries are asked."""
    newest: dict[str, datetime] = {}
    for memory in browse.all_memories(workspace, Filter()):
        newest[memory.collection] = max(memory.created_at, newest.get(memory.collection, memory.created_at))
    return newest


def question(variant: ProfileVariant, asked: GoldenQuery, as_of: datetime | None = None) -> Question:
    """Return a judged query as the question that a measurement asks."""
    return Question(
        text=asked.text,
        profile=variant.profile,
        parameters=variant.parameters or {},
        k=DEPTH,
        filter=Filter(collections=(asked.scope,)) if asked.scope else Filter(),
        as_of=as_of,
    )


def _rank(workspace: Workspace, variant: ProfileVariant, as_of: Mapping[str, datetime]) -> Rank:
    def rank(asked: GoldenQuery) -> list[str]:
        answer = query.ask(workspace, question(variant, asked, as_of.get(asked.scope)))
        return [_key(memory, asked) for memory in answer.memories]

    return rank


def _key(memory: Memory, asked: GoldenQuery) -> str:
    """Return the key of a memory in judgements: its uid, or the id in its file."""
    return memory.uid if memory.uid in asked.grades else str(memory.provenance.get(FILE_ID, memory.uid))


def count_without_text(memories: Path) -> int:
    """Return how many memories of a neutral file have no text; they are left out."""
    return sum(not fields["content"].strip() for fields in _neutral(memories))


def _neutral(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the fields of the memories of a neutral file: {id, text, created_at, speaker, session, scope}; the speaker
    becomes an entity."""
    for number, line in enumerate(files.read_lines(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            fields = {
                "content": str(record["text"]),
                "collection": record.get("scope") or "default",
                "provenance": {FILE_ID: str(record["id"])},
            }
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(f"{path.name}: Line {number}: this is not a memory with id and text.") from error
        if record.get("session"):
            fields["session"] = record["session"]
        if record.get("speaker"):
            fields["entities"] = [record["speaker"]]
        if record.get("created_at"):
            fields["created_at"] = parse_iso(str(record["created_at"]), "created_at")
        yield fields


def _set_name(name: str) -> str:
    checked: str = secrets.clean(draft.plain_text("The golden set", name, draft.MAX_NAME_CHARS).strip())
    if not checked:
        raise UserError("A golden set needs a name.")
    return checked
