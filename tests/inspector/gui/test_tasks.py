"""Work in the background: where it lands, in which order, how it is stopped, what becomes of errors."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import QObject, QThread, Signal

from core.changes import Changes, Op
from core.errors import UserError
from inspector.gui.ops import OperationQueue, Tickets
from inspector.gui.tasks import Lane, Tasks


@pytest.fixture
def tasks(qtbot):
    made = Tasks()
    yield made
    made.finish(lambda: None, wait=True)


@pytest.fixture
def ops(tasks):
    return OperationQueue(tasks)


def changes(clock):
    return Changes(Op.EDIT, clock.now(), 1, frozenset({1}))


def test_work_runs_elsewhere_and_its_result_lands_on_the_gui_thread(qtbot, tasks):
    seen = []

    def work(_):
        return threading.current_thread()

    def land(result, error):
        seen.append((result, error, QThread.isMainThread()))

    tasks.start(Lane.READ, work, land)
    qtbot.waitUntil(lambda: seen != [])
    worker, error, is_here = seen[0]
    assert worker is not threading.main_thread()
    assert error is None
    assert is_here


def test_writes_keep_their_order(qtbot, tasks):
    done = []
    for number in range(20):
        tasks.start(Lane.WRITE, lambda _, number=number: number, lambda result, _: done.append(result))
    qtbot.waitUntil(lambda: len(done) == 20)
    assert done == list(range(20))


def test_an_answer_that_is_no_longer_wanted_is_dropped(qtbot, ops):
    tickets, landed = Tickets(), []
    first_may_go_on = threading.Event()
    first = tickets.take()
    ops.read(lambda: first_may_go_on.wait(5) and "first", landed.append, wanted=first)
    second = tickets.take()
    ops.read(lambda: "second", landed.append, wanted=second)
    qtbot.waitUntil(lambda: landed == ["second"])
    first_may_go_on.set()
    third = tickets.take()
    ops.read(lambda: "third", landed.append, wanted=third)
    qtbot.waitUntil(lambda: "third" in landed)
    assert landed == ["second", "third"]


def test_an_error_of_the_user_becomes_a_sentence(qtbot, ops):
    def refuse():
        raise UserError("That cannot be.")

    with qtbot.waitSignal(ops.failed) as reported:
        ops.read(refuse, lambda _: None)
    assert reported.args == ["That cannot be."]


def test_a_bug_in_the_background_surfaces_on_the_gui_thread(qtbot, ops):
    def stumble():
        raise ZeroDivisionError("a bug")

    with qtbot.captureExceptions() as raised:
        ops.read(stumble, lambda _: None)
        qtbot.waitUntil(lambda: raised != [])
    assert raised[0][0] is ZeroDivisionError


def test_a_write_reports_what_it_changed(qtbot, ops, clock):
    made = []
    with qtbot.waitSignal(ops.changed) as reported:
        ops.write(lambda: ("made", changes(clock)), made.append)
    assert made == ["made"]
    assert reported.args[0].memories == {1}


def test_long_work_shows_its_progress_and_can_be_stopped(qtbot, ops):
    begun, may_go_on = threading.Event(), threading.Event()

    def work(task):
        task.progress("counting", 1, 3)
        begun.set()
        may_go_on.wait(5)
        task.progress("counting", 2, 3)
        return "never"

    ended = []
    with qtbot.waitSignal(ops.progressed) as reported:
        task = ops.long("Counting", work, ended.append)
    assert reported.args[1:] == ["counting", 1, 3]
    with qtbot.waitSignals([ops.failed, ops.ended]):
        task.cancel()
        may_go_on.set()
    assert ended == []


def test_nothing_lands_after_the_end(qtbot, tasks):
    landed, closed = [], []
    may_go_on = threading.Event()
    tasks.start(Lane.READ, lambda _: may_go_on.wait(5), lambda *_: landed.append("late"))
    may_go_on.set()
    tasks.finish(lambda: closed.append(True), wait=True)
    tasks.start(Lane.READ, lambda _: 1, lambda *_: landed.append("refused"))
    assert closed == [True]
    assert landed == []


def test_at_the_end_long_work_is_stopped_instead_of_waited_for(qtbot, tasks):
    begun, given_up, closed = threading.Event(), threading.Event(), threading.Event()

    def endless(task):
        while not given_up.is_set():  # by the test, so that a failure ends too
            begun.set()
            task.progress("checking", 0, 0)

    task = tasks.start(Lane.LONG, endless, lambda *_: None, "Checking")
    qtbot.waitUntil(begun.is_set)
    try:
        assert tasks.finish(closed.set) == [task]
        qtbot.waitUntil(closed.is_set)
    finally:
        given_up.set()


def test_every_write_that_was_asked_for_is_done_before_the_end(qtbot, tasks):
    done, may_go_on = [], threading.Event()
    tasks.start(Lane.WRITE, lambda _: may_go_on.wait(5), lambda *_: None)
    for number in range(3):
        tasks.start(Lane.WRITE, lambda _, number=number: done.append(number), lambda *_: None)
    closed = threading.Event()
    tasks.finish(closed.set)
    may_go_on.set()
    qtbot.waitUntil(closed.is_set)
    assert done == [0, 1, 2]


def test_reports_that_come_faster_than_they_are_shown_are_left_out(qtbot, tasks):
    shown, reported = [], threading.Event()
    tasks.progressed.connect(lambda task, what, done, total: shown.append(done))

    def work(task):
        for done in range(1_000):
            task.progress("counting", done, 1_000)
        reported.set()

    landed = []
    tasks.start(Lane.LONG, work, lambda *_: landed.append(True))
    assert reported.wait(5)  # meanwhile the GUI thread shows nothing
    qtbot.waitUntil(lambda: landed != [])
    assert shown == [0]


class Emitter(QObject):
    signalled = Signal(object)


def test_this_qt_counts_references_right(qtbot):
    """PySide6 6.12.0 drops a reference of True at each emit on Python 3.11, and the process dies in the end."""
    emitter = Emitter()
    before = sys.getrefcount(True), sys.getrefcount(None)
    for _ in range(5_000):
        emitter.signalled.emit(None)
    after = sys.getrefcount(True), sys.getrefcount(None)
    assert abs(after[0] - before[0]) < 1_000
    assert abs(after[1] - before[1]) < 1_000
