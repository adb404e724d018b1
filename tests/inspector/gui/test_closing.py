"""Closing a window or a store: writes are done, and long work is stopped instead of waited for."""

from __future__ import annotations

from inspector.gui.models.plain_table import PlainTable

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
    on_sample.store.long("Checking the store", check_on(rounds), lambda _: None)
    qtbot.waitUntil(lambda: rounds != [])
    on_sample.close()
    assert len(rounds) < ROUNDS


def test_another_store_is_opened_without_waiting_for_a_long_check_which_is_said_to_be_stopped(qtbot, on_sample, sample):
    rounds, reported = [], []
    on_sample.store.failed.connect(reported.append)
    on_sample.store.long("Checking the store", check_on(rounds), lambda _: None)
    qtbot.waitUntil(lambda: rounds != [])
    with qtbot.waitSignal(on_sample.store.opened):
        on_sample.store.open(sample)
    assert reported == ["Checking the store was stopped."]
    assert len(rounds) < ROUNDS
    assert on_sample.status.progress.isHidden()


def look_at_everything(qtbot, window):
    for name in window.views:
        window.do(name)
    window.query_lab()
    with qtbot.waitSignal(window.query_viewmodel.answered):
        window.query_view.ask("why do migrations hang?")
    for view in (window.contradictions_view, window.decay_view, window.graph_view, window.activity_view.journal):
        qtbot.waitUntil(lambda view=view: bool(rows(view)))
    qtbot.waitUntil(lambda: len(window.graph_view.canvas.dots) > 1)
    qtbot.waitUntil(lambda: window.health_view.facts.rowCount() > 0 and window.health_view.items.rowCount() > 0)


def rows(view):
    """What the tables of a view hold."""
    return [model.row(row) for model in view.findChildren(PlainTable) for row in range(model.rowCount())]


def test_nothing_of_a_store_stays_in_any_view_when_it_is_closed(qtbot, on_sample):
    on_sample.activity()
    on_sample.activity_view.tabs.setCurrentIndex(1)
    look_at_everything(qtbot, on_sample)
    on_sample.store.close()
    assert [name for name, view in on_sample.views.items() if name != "health" and rows(view)] == []
    assert on_sample.graph_view.canvas.dots == {}
    health = on_sample.health_view
    assert all(entry.finding is None for entry in health.entries.rows)
    assert (health.facts.rowCount(), health.items.rowCount()) == (0, 0)


def test_nothing_of_one_store_stands_in_any_view_when_another_has_opened(qtbot, on_sample, tmp_path):
    on_sample.activity()
    on_sample.activity_view.tabs.setCurrentIndex(1)
    look_at_everything(qtbot, on_sample)
    seen = []
    on_sample.store.opened.connect(lambda: seen.extend(rows(on_sample.graph_view) + rows(on_sample.decay_view)))
    with qtbot.waitSignal(on_sample.store.opened):
        on_sample.store.create(tmp_path / "empty.db")
    assert seen == []
    assert on_sample.graph_view.canvas.dots == {}
