"""Several processes on one port: the parent starts, watches and stops them, and serves nothing itself.

Each worker is a whole server over the same file. They share the listening socket, so that an idle one accepts; the
limits are divided among them; a call that belongs to an MCP session of another worker is forwarded to it.
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import UserError
from core.formatting import counted
from inspector.serve import listening

log = logging.getLogger(__name__)

MAX_WORKERS = 32
MAX_EARLY_DEATHS = 3  # in a row
EARLY_SECONDS = 5.0
STOPPING_SECONDS = 20  # until those that do not end are killed
LOADING, READY, FAILED = range(3)
STATES = ("loading", "ready", "failed")


@dataclass(frozen=True, slots=True)
class Worker:
    """One of several processes: its number, its own socket for calls of its sessions, and what it knows of the others:
    the port of each, and the state of each in memory that all share."""

    number: int
    own: socket.socket
    ports: tuple[int, ...]
    states: mmap.mmap

    def report(self, state: str) -> None:
        self.states[self.number] = STATES.index(state)

    @property
    def state_of_all(self) -> str:
        """Return whether all workers are ready: failed if one has failed, else loading if one is loading."""
        found = set(self.states[: len(self.ports)])
        return STATES[FAILED if FAILED in found else LOADING if LOADING in found else READY]


class Workers:
    """The parent's view: which process is which worker."""

    def __init__(self, count: int, serve: Callable[[Worker], None]) -> None:
        self._serve = serve
        self._sockets = [listening.bind("127.0.0.1", 0) for _ in range(count)]
        self._states = mmap.mmap(-1, count)
        self._numbers: dict[int, int] = {}
        self._started: dict[int, float] = {}
        self._early_deaths = 0
        # Only the parent has the end that is written to, so a worker notices when the parent is gone.
        self._tether, self._held = os.pipe()

    def run(self) -> None:
        """Run the workers until a signal comes; UserError if they cannot be kept running."""
        awaited = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
        try:
            for number in range(len(self._sockets)):
                self._start(number, before)
            while (received := signal.sigwait(awaited)) == signal.SIGCHLD:
                for number in self._reap():
                    self._start(number, before)
                if self._early_deaths >= MAX_EARLY_DEATHS:
                    raise UserError("The workers end as soon as they are started; the log says why.")
            log.info("%s: stopping %s", signal.Signals(received).name, counted(len(self._numbers), "worker"))
        finally:
            self._stop()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _start(self, number: int, mask: set[int | signal.Signals]) -> None:
        sys.stdout.flush()  # or the worker would print it again
        pid = os.fork()
        if pid == 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.close(self._held)
            self._work(number)
        self._numbers[pid] = number
        self._started[pid] = time.monotonic()

    def _work(self, number: int) -> None:
        """Serve, in the worker; never returns."""
        threading.Thread(target=_end_with_the_parent, args=(self._tether,), daemon=True).start()
        ports = tuple(each.getsockname()[1] for each in self._sockets)
        code = 0
        try:
            self._serve(Worker(number, self._sockets[number], ports, self._states))
        except UserError as error:
            log.error("%s", error)
            code = 2
        except Exception:
            log.exception("Worker %d failed", number)
            code = 70
        logging.shutdown()
        os._exit(code)  # a call that was given up may still hold a thread

    def _reap(self) -> list[int]:
        """Return the numbers of the workers that have ended."""
        ended = []
        while self._numbers:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            number = self._numbers.pop(pid)
            self._states[number] = LOADING
            is_early = time.monotonic() - self._started.pop(pid) < EARLY_SECONDS
            self._early_deaths = self._early_deaths + 1 if is_early else 0
            code = os.waitstatus_to_exitcode(status)
            how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            log.warning("Worker %d (process %d) %s", number, pid, how)
            ended.append(number)
        return ended

    def _stop(self) -> None:
        """End every worker; those that are not gone in time are killed."""
        until = time.monotonic() + STOPPING_SECONDS
        for pid in self._numbers:
            os.kill(pid, signal.SIGTERM)
        while self._numbers:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            self._numbers.pop(pid, None)
            left = until - time.monotonic()
            if pid == 0 and (left <= 0 or signal.sigtimedwait({signal.SIGCHLD}, left) is None):
                for each in self._numbers:
                    os.kill(each, signal.SIGKILL)
                until = time.monotonic() + STOPPING_SECONDS
        os.close(self._tether)
        os.close(self._held)
        for bound in self._sockets:
            bound.close()


def check(count: int) -> None:
    """Refuse a number of workers that cannot be."""
    if not 1 <= count <= MAX_WORKERS:
        raise UserError(f"--workers must be from 1 to {MAX_WORKERS}, not {count}.")
    if count > 1 and not hasattr(os, "fork"):
        raise UserError("--workers needs a system with fork; this one has none.")


def share(total: int, count: int) -> int:
    """Return the part of a limit that each of so many workers has."""
    return max(1, total // count)


def _end_with_the_parent(tether: int) -> None:
    """End this worker as a signal would, once the parent is gone."""
    with contextlib.suppress(OSError):
        os.read(tether, 1)
    os.kill(os.getpid(), signal.SIGTERM)
