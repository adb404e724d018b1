"""The recorder: records the calls of agents and their results in the background, so that no answer waits for it.

One thread takes the calls from a queue and writes all that wait in one transaction; it also makes the record of an
answer, which holds everything needed of its snapshot. The results of a recall are counted as accessed in the same
transaction, by the client of the call. A crash can lose the most recent calls, never a memory: memories are written by
the calls themselves.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from core.changes import Op
from core.errors import UserError
from core.model import MemoryId
from core.pipeline.stages.recall import FullText
from core.services import query
from core.services.query import Answer, plain_question
from core.services.workspace import Workspace
from core.store.records import Call as Call
from core.store.records import CallOutcome as CallOutcome
from core.store.records import CallResult
from core.write import secrets

log = logging.getLogger(__name__)

MAX_NEAR = 10  # dropped memories that are recorded with the reason
BATCH = 200
BY_DESIGN = "full_text_by_design"  # a profile without vectors
BY_LIKE = "like"  # the index was unavailable, so a LIKE search answered
MAX_WAITING = 10_000
MAX_ANSWERS = 500  # waiting; each holds its candidates, some hundred kilobytes


@dataclass(frozen=True, slots=True)
class Retention:
    """How many calls are kept, and for how many days, measured from call to call."""

    calls: int = 50_000
    days: int = 90


@dataclass(frozen=True, slots=True)
class Recall:
    """A call whose answer is not yet made a record."""

    call: Call
    answer: Answer


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call, the memories it accessed, and whether a recall returned them."""

    call: Call
    accessed: frozenset[MemoryId] = frozenset()
    is_recall: bool = False


def recall_record(answer: Answer, *, at: Call) -> CallRecord:
    """Return the record of an answer: the question, the funnel with its times, the results and the nearest dropped
    ones."""
    trace = answer.ranking.trace
    returned = [CallResult(each.id, each.value) for each in answer.ranking.results]
    # The last stage first: its drops came closest.
    drops = list(islice((drop for stage in reversed(trace.stages) for drop in stage.iterate_drops()), MAX_NEAR))
    near = [CallResult(drop.memory_id, drop.score, str(drop.reason.kind)) for drop in drops]
    funnel = {
        "parameters_hash": trace.parameters_hash,
        "elapsed_ms": trace.elapsed_ms,
        "why_this_mode": trace.why_this_mode,
        "warnings": list(trace.warnings),
        "sources": [{"name": each.name, "found": each.found, "ms": each.elapsed_ms} for each in trace.sources],
        "stages": [
            {"name": each.name, "entered": each.entered, "left": each.remaining, "ms": each.elapsed_ms}
            for each in trace.stages
        ],
        "near": [drop.reason.sentence for drop in drops],
    }
    question = {**plain_question(answer.question), "k": answer.query.k}
    mode = str(trace.mode) if query.wants_vectors(answer.profile) else BY_DESIGN
    if any(source.kind == FullText.__name__ and source.failure for source in trace.sources):
        mode = BY_LIKE
        details = "The full-text index is unavailable, so LIKE answered: client=%s session=%s latency=%.0fms"
        log.warning(details, at.client, secrets.clean(at.session), at.elapsed_ms)
    call = replace(at, question=question, mode=mode, trace=funnel, results=(*returned, *near))
    return CallRecord(call, frozenset(each.id for each in answer.ranking.results), is_recall=True)


def _records(batch: Iterable[object]) -> Iterator[CallRecord]:
    """Yield the records of a batch; one that fails is logged and loses no other."""
    for each in batch:
        try:
            if isinstance(each, Recall):
                yield recall_record(each.answer, at=each.call)
            elif isinstance(each, CallRecord):
                yield each
        except Exception:
            log.exception("A call was not recorded")


class Recorder:
    """Runs as long as its server; `note` never waits and never fails."""

    def __init__(self, workspace: Workspace, retention: Retention | None = None) -> None:
        self._workspace = workspace
        self._retention = retention or Retention()
        self._queue: queue.Queue[CallRecord | Recall | threading.Event | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def note_recall(self, answer: Answer, *, at: Call) -> None:
        """Queue an answer, to be made a record in the background; at once, if too many wait."""
        self.note(Recall(at, answer) if self._queue.qsize() < MAX_ANSWERS else recall_record(answer, at=at))

    def note(self, noted: CallRecord | Recall) -> None:
        try:
            self._queue.put_nowait(noted)
        except queue.Full:
            log.warning("The recorder is behind, so a call was not recorded.")

    def flush(self) -> None:
        """Wait until everything noted so far is written."""
        written = threading.Event()
        self._queue.put(written)
        written.wait()

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            batch = [self._queue.get()]
            while len(batch) < BATCH and not self._queue.empty():
                batch.append(self._queue.get())
            try:
                self._write(_records(batch))
            except UserError as error:  # a full disk, a moved file: calls go on without a record
                log.warning("Calls were not recorded: %s", error)
            except Exception:
                log.exception("Calls were not recorded")
            for each in batch:
                if isinstance(each, threading.Event):
                    each.set()
            if None in batch:
                return

    def _write(self, batch: Iterable[CallRecord]) -> None:
        """Write one transaction for each client, since an access is attributed to its client."""
        by_client: dict[str, list[CallRecord]] = {}
        for noted in batch:
            by_client.setdefault(noted.call.client, []).append(noted)
        for client, calls in by_client.items():
            with self._workspace.store.transact(Op.TOUCH, client) as transaction:
                accesses: dict[MemoryId, tuple[int, int]] = {}
                for noted in calls:
                    transaction.record_call(noted.call)
                    for id in noted.accessed:
                        accessed, returned = accesses.get(id, (0, 0))
                        accesses[id] = accessed + 1, returned + noted.is_recall
                transaction.count_accesses(accesses)
                transaction.trim_calls(self._retention.calls, self._retention.days)
