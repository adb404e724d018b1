"""Closing a window or a store: writes are done, and long work is stopped instead of waited for."""

from __future__ import annotations

ROUNDS = 200  # so that a failure ends too


def check_on(rounds):
    """A long health check that itself never looks whether it is still wanted."""

    def work(workspace, _):
        for _ in range(ROUNDS):
            workspace.store.check()
            rounds.append(True)

    return work


def test_the_window_closes_without_waiting_for_a_long_check(qtbot, on_sample):
    rounds = []
    on_sample.session.long("Looking at the store's health", check_on(rounds), lambda _: None)
    qtbot.waitUntil(lambda: rounds != [])
    on_sample.close()
    assert len(rounds) < ROUNDS


def test_another_store_is_opened_without_waiting_for_a_long_check_which_is_said_to_be_stopped(qtbot, on_sample, sample):
    rounds, told = [], []
    on_sample.session.failed.connect(told.append)
    on_sample.session.long("Looking at the store's health", check_on(rounds), lambda _: None)
    qtbot.waitUntil(lambda: rounds != [])
    with qtbot.waitSignal(on_sample.session.opened):
        on_sample.session.open(sample)
    assert told == ["Looking at the store's health was stopped."]
    assert len(rounds) < ROUNDS
    assert on_sample.status.progress.isHidden()
