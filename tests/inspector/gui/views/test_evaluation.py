"""A journey through Evaluation: a golden set, profiles compared on it, one query followed, one profile tuned."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.services import evaluate, profiles
from core.services.workspace import Workspace
from inspector import sample as samples

LEFT = Qt.MouseButton.LeftButton
QUERIES = 8


@pytest.fixture
def judged(sample, tmp_path):
    """The sample with a few judged queries: in a file, and in the store as the set `few`."""
    path = tmp_path / "few.jsonl"
    lines = samples.judged_queries().read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:QUERIES]), "utf-8")
    with Workspace.open(sample) as workspace:
        evaluate.import_judgements(workspace, path, "few", judge="person")
    return path


@pytest.fixture
def view(qtbot, judged, on_sample):
    on_sample.evaluation()
    qtbot.waitUntil(lambda: on_sample.evaluation_viewmodel.sets != {})
    return on_sample.evaluation_view


@pytest.fixture
def viewmodel(on_sample):
    return on_sample.evaluation_viewmodel


def tick(view, *names):
    for row in range(view.profiles.count()):
        item = view.profiles.item(row)
        item.setCheckState(Qt.CheckState.Checked if item.text() in names else Qt.CheckState.Unchecked)


@pytest.fixture
def measured(qtbot, view, viewmodel):
    tick(view, "inspector", "recursive-light")
    with qtbot.waitSignals([viewmodel.reported, viewmodel.explained], timeout=30_000):
        qtbot.mouseClick(view.run, LEFT)
    return view


def test_without_a_golden_set_there_is_a_word_and_a_next_step(qtbot, on_sample, sample):
    on_sample.evaluation()
    view, viewmodel = on_sample.evaluation_view, on_sample.evaluation_viewmodel
    qtbot.waitUntil(lambda: viewmodel.offers_sample)
    assert view.to_lab.isVisible()
    assert view._nothing.title.text() == "No golden set yet"
    assert not view.run.isEnabled()
    on_sample.export_judgements()
    assert "No golden set yet" in on_sample.status.message.text()
    qtbot.mouseClick(view.bring_sample, LEFT)
    qtbot.waitUntil(lambda: "sample" in viewmodel.sets)
    assert view.tabs.isVisible()
    assert view.golden_set.currentText() == "sample"
    assert view.counts.text() == "32 queries, 94 judgements"
    qtbot.waitUntil(lambda: on_sample.query_view.rating.golden_set.currentText() == "sample")


def test_profiles_are_measured_compared_and_drawn_and_nothing_changes(measured, sample, qtmodeltester):
    before = sample.read_bytes()
    page = measured.results
    for model in (page.lines, page.categories, measured.queries.asked, measured.queries.sides[0].places):
        qtmodeltester.check(model)
        assert model.rowCount() > 0
    first, second = page.lines.rows
    assert (first.profile, second.profile) == ("inspector", "recursive-light")
    columns = {page.lines.headerData(column, Qt.Orientation.Horizontal): column for column in range(11)}
    assert page.lines.index(0, columns["Difference"]).data() == "first"
    assert page.lines.index(1, columns["ndcg@10"]).data() == f"{second.means['ndcg@10']:.4f}"
    assert page.lines.index(1, columns["p"]).data()
    assert "Paired bootstrap" in page.lines.index(1, columns["p"]).data(Qt.ItemDataRole.ToolTipRole)
    assert f"recursive-light: recall@10 {second.means['recall@10']:.3f}" in page.bars.accessibleDescription()
    assert "inspector" in page.bars.tip(0.0 - 0.2)
    assert page.bars.tip(-0.49) == ""
    assert {line.category for line in page.categories.rows} > {"gotcha"}
    assert page.verdict.text().startswith("Best by ndcg@10: inspector")
    assert sample.read_bytes() == before


def test_another_metric_orders_the_queries_anew(qtbot, measured, viewmodel):
    with qtbot.waitSignal(viewmodel.listed) as listed:
        measured.by.setCurrentText("mrr")
    assert {each.metric for each in listed.args[0]} == {"mrr"}
    assert measured.results.verdict.text().startswith("Best by mrr:")


def test_the_worst_change_comes_first_with_both_traces_side_by_side(qtbot, on_sample, measured, viewmodel):
    page = measured.queries
    measured.show_page(1)
    changes = [each.difference for each in page.asked.rows]
    assert changes == sorted(changes)
    assert changes[0] < 0
    assert len(changes) == QUERIES
    assert "worse" in page.note.text()
    a, b = page.sides
    assert (a.title.text(), b.title.text()) == ("A: inspector", "B: recursive-light")
    assert a.explanation.title.text() != b.explanation.title.text()
    assert a.explanation.tree_model.rowCount() > 0
    shared = {place.memory.id for place in b.places.rows}
    row = next(number for number, place in enumerate(a.places.rows) if number and place.memory.id in shared)
    with qtbot.waitSignal(viewmodel.explained):
        a.table.selectRow(row)
    chosen = a.places.row(row).memory.id
    assert b.places.row(b.table.currentIndex().row()).memory.id == chosen
    with qtbot.waitSignal(viewmodel.listed):
        page.after.setCurrentText("inspector")
    assert {each.difference for each in page.asked.rows} == {0}
    text = page.asked.row(0).before.query.text
    page.list.activated.emit(page.asked.index(0, 0))
    assert on_sample.work.currentWidget() is on_sample.query_view
    assert on_sample.query_view.query.text() == text


def test_a_run_can_be_stopped_and_one_profile_is_too_few(qtbot, on_sample, view, viewmodel):
    tick(view, "oro")
    qtbot.mouseClick(view.run, LEFT)
    assert "two or more profiles" in view.state.text()
    tick(view, "oro", "inspector")
    with qtbot.waitSignal(on_sample.store.failed) as reported:
        qtbot.mouseClick(view.run, LEFT)
        qtbot.mouseClick(view.stop, LEFT)
    assert reported.args == ["Evaluating few was stopped."]
    assert viewmodel.measured is None
    assert view.run.isVisible()


def test_a_golden_set_goes_to_a_file_and_comes_from_one_whole_or_not_at_all(
    qtbot, on_sample, view, viewmodel, judged, tmp_path
):
    target = tmp_path / "out.csv"
    with qtbot.waitSignal(on_sample.store.message):
        viewmodel.export_file(target)
    renamed = target.rename(tmp_path / "back.csv")
    viewmodel.import_file(renamed)
    qtbot.waitUntil(lambda: "back" in viewmodel.sets)
    assert viewmodel.sets["back"] == viewmodel.sets["few"]
    assert view.golden_set.currentText() == "back"
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("query,memory,grade\nx,nobody,1\n")
    with qtbot.waitSignal(on_sample.store.failed) as reported:
        viewmodel.import_file(wrong)
    assert "'nobody', which is not in the store" in reported.args[0]
    assert "wrong" not in viewmodel.sets


def test_a_rating_made_meanwhile_marks_the_result_as_of_before(qtbot, on_sample, measured, viewmodel, sample):
    with Workspace.open(sample) as other:
        evaluate.judge(other, "few", "something else", "1", 1, judge="person")
    qtbot.waitUntil(lambda: viewmodel.is_outdated)
    assert "changed since" in measured.state.text()
    qtbot.waitUntil(lambda: viewmodel.sets["few"][0] == QUERIES + 1)


def test_a_profile_is_tuned_and_the_best_kept_until_it_is_undone(qtbot, on_sample, view, sample):
    page, tuning = view.tune, view.tune._viewmodel
    view.show_page(2)
    assert not page.run.isEnabled()
    page.base.setCurrentText("oro-hybrid")
    page.parameter.setCurrentText("fuse.k")
    assert page.values.text() == "30, 60, 120"
    page.values.setText("many")
    with qtbot.waitSignal(tuning.refused):
        qtbot.mouseClick(page.add, LEFT)
    assert "fuse.k must be" in page.note.text()
    page.values.setText("5, 60")
    with qtbot.waitSignal(tuning.space_changed):
        qtbot.keyClick(page.values, Qt.Key.Key_Return)
    assert page.varied.row(0) == ("fuse.k", [5, 60])
    with qtbot.waitSignal(tuning.found, timeout=30_000):
        qtbot.mouseClick(page.run, LEFT)
    assert [name for name, _ in page.rows.rows] == ["before", "trial 1", "trial 2"]
    assert "on held-out queries" in page.note.text()
    page.name.setText("Not a name")
    with qtbot.waitSignal(tuning.refused) as reported:
        qtbot.mouseClick(page.save, LEFT)
    assert "lower-case letters" in reported.args[0]
    page.name.setText("mine")
    qtbot.mouseClick(page.save, LEFT)
    qtbot.waitUntil(lambda: view.profiles.findItems("mine", Qt.MatchFlag.MatchExactly) != [])
    with Workspace.open(sample, read_only=True) as other:
        assert [each.name for each in profiles.saved(other)] == ["mine"]
    on_sample.undo()
    qtbot.waitUntil(lambda: view.profiles.findItems("mine", Qt.MatchFlag.MatchExactly) == [])


def test_tuning_keeps_qts_rules_and_a_parameter_can_be_left_alone_again(qtbot, view, qtmodeltester):
    page, tuning = view.tune, view.tune._viewmodel
    with qtbot.waitSignal(tuning.space_changed):
        tuning.vary("bm25.limit", "1")
    qtmodeltester.check(page.varied)
    qtmodeltester.check(page.rows)
    page.space.selectRow(0)
    qtbot.mouseClick(page.remove, LEFT)
    assert tuning.space == {}
    assert page.varied.rowCount() == 0
