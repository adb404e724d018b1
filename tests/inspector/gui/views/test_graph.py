"""A journey through Graph: choose the middle, walk by key, expand, filter by kind, activate by a query."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, Qt

from core import draft
from core.model import LinkKind
from core.services import curate, graph
from core.services.graph import Node, layout
from core.services.workspace import Workspace
from inspector.gui.widgets.graph_canvas import GraphCanvas
from inspector.gui.widgets.graph_dot import SCALE

NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def viewmodel(on_sample):
    return on_sample.graph_viewmodel


@pytest.fixture
def view(qtbot, on_sample, viewmodel):
    """The most linked memory in the middle."""
    on_sample.graph()
    view = on_sample.graph_view
    qtbot.waitUntil(lambda: viewmodel.found is not None and view.candidates.rowCount() > 0)
    if viewmodel.centre != view.candidates.row(0).id:
        with qtbot.waitSignal(viewmodel.shown):
            view.centre_first_match()
    return view


def test_nothing_is_computed_until_the_view_is_shown(on_sample, viewmodel):
    assert viewmodel.found is None
    assert on_sample.graph_view._stack.currentIndex() == 0
    assert "Find a memory" in on_sample.graph_view._nothing.sentence.text()


def test_models_keep_qts_rules(view, qtmodeltester):
    for model in (view.candidates, view.neighbours):
        qtmodeltester.check(model)
        assert model.rowCount() > 0


def test_the_memory_of_browse_comes_into_the_middle(qtbot, on_sample, viewmodel):
    wanted = on_sample.detail_viewmodel.memory.id
    on_sample.graph()
    qtbot.waitUntil(lambda: viewmodel.found is not None)
    assert viewmodel.found.centre == wanted
    assert on_sample.graph_view.canvas.current == wanted


def test_every_memory_and_link_of_the_neighbourhood_is_drawn(view, viewmodel):
    found = viewmodel.found
    assert set(view.canvas.dots) == {node.memory.id for node in found.nodes}
    assert view.canvas.accessibleDescription() == f"{len(found.nodes)} memories and {len(found.links)} links"
    assert {kind for kind, box in view.kinds.items() if not box.isHidden()} == set(found.kinds)
    centre = next(node for node in found.nodes if node.hop == 0)
    assert view.neighbours.rowCount() == centre.links


def test_a_search_and_enter_put_another_memory_into_the_middle(qtbot, view, viewmodel):
    before = viewmodel.centre
    qtbot.keyClicks(view.search, "printers")
    qtbot.waitUntil(lambda: all("printer" in memory.content.lower() for memory in view.candidates.rows))
    with qtbot.waitSignal(viewmodel.shown):
        qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert viewmodel.centre == view.candidates.row(0).id != before


def test_arrows_walk_from_dot_to_dot_and_enter_centres(qtbot, view, viewmodel):
    canvas = view.canvas
    before = canvas.current
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(canvas, key)
        if canvas.current != before:
            break
    assert canvas.current != before
    assert view.about.text().startswith(f"Memory {canvas.current},")
    chosen = canvas.current
    with qtbot.waitSignal(viewmodel.shown):
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert viewmodel.centre == chosen
    assert not view.middle.isEnabled()


def test_space_or_a_double_click_expands(qtbot, view, viewmodel):
    view.hops.setCurrentIndex(0)
    qtbot.waitUntil(lambda: all(node.hop < 2 for node in viewmodel.found.nodes))
    few = len(viewmodel.found.nodes)
    edge = next(node.memory.id for node in viewmodel.found.nodes if node.hidden)
    view.canvas.select_memory(edge)
    with qtbot.waitSignal(viewmodel.shown):
        qtbot.keyClick(view.canvas, Qt.Key.Key_Space)
    assert len(viewmodel.found.nodes) > few
    again = next(node.memory.id for node in viewmodel.found.nodes if node.hidden and node.memory.id != edge)
    more = len(viewmodel.found.nodes)
    view.canvas.show_all()
    place = view.canvas.mapFromScene(view.canvas.dots[again].pos())
    with qtbot.waitSignal(viewmodel.shown):
        qtbot.mouseDClick(view.canvas.viewport(), LEFT, pos=place)
    assert len(viewmodel.found.nodes) > more


def test_an_expanded_memory_stays_where_it_is_on_the_screen_with_all_that_was_shown(qtbot, view, viewmodel):
    with qtbot.waitSignal(viewmodel.shown):
        viewmodel.set_hops(1)
    canvas = view.canvas
    canvas.show_all()
    expanded = max((node for node in viewmodel.found.nodes if node.hop), key=lambda node: node.hidden).memory.id
    canvas.select_memory(expanded)
    before = {id: canvas.mapFromScene(dot.pos()) for id, dot in canvas.dots.items()}
    with qtbot.waitSignal(viewmodel.shown):
        viewmodel.expand(expanded)
    assert len(canvas.dots) > len(before)
    for id, place in before.items():
        assert (canvas.mapFromScene(canvas.dots[id].pos()) - place).manhattanLength() <= 2, id
    for id in canvas.dots.keys() - before.keys():
        way = canvas.dots[id].pos() - canvas.dots[expanded].pos()
        assert way.manhattanLength() < 6 * SCALE, "what is new lies around it"


def test_a_kind_is_filtered_out_and_put_on_again(qtbot, view, viewmodel):
    kind = max(viewmodel.found.kinds, key=lambda each: viewmodel.found.kinds[each])
    before = len(viewmodel.found.links)
    with qtbot.waitSignal(viewmodel.shown):
        view.kinds[kind].setChecked(False)
    assert all(link.kind is not kind for link in viewmodel.found.links)
    assert not view.kinds[kind].isHidden()
    with qtbot.waitSignal(viewmodel.shown):
        view.kinds[kind].setChecked(True)
    assert len(viewmodel.found.links) == before


def test_a_query_lights_what_it_activates(qtbot, view, viewmodel):
    words = view.candidates.row(0).content
    qtbot.keyClicks(view.query, words[:40])
    with qtbot.waitSignal(viewmodel.activated):
        qtbot.keyClick(view.query, Qt.Key.Key_Return)
    assert max(dot.glow for dot in view.canvas.dots.values()) > 0
    assert "activated" in view.note.text()
    view.query.clear()
    assert all(dot.glow == 0 for dot in view.canvas.dots.values())


def test_the_whole_picture_is_shown_with_all_of_its_words(view):
    canvas = view.canvas
    canvas.show_all()
    seen = canvas.viewport().rect()
    for dot in canvas.dots.values():
        assert seen.contains(dot.words.area.translated(canvas.mapFromScene(dot.pos())).toAlignedRect())


def test_zoom_keys_and_wheel_move_within_bounds(qtbot, view):
    canvas = view.canvas
    canvas.show_all()
    before = canvas.transform().m11()
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.transform().m11() > before
    for _ in range(40):
        qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.transform().m11() > 0.05
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.transform().m11() == pytest.approx(before)


def test_a_link_of_another_process_appears_and_open_leads_to_browse(qtbot, on_sample, view, viewmodel, sample):
    known = {node.memory.id for node in viewmodel.found.nodes}
    with Workspace.open(sample) as other:
        new = next(memory.id for memory in graph.candidates(other)[::-1] if memory.id not in known)
        curate.link(other, viewmodel.centre, [new], {"kind": LinkKind.DEPENDS_ON.value}, actor="agent")
    qtbot.waitUntil(lambda: new in view.canvas.dots)
    place = view.canvas.mapFromScene(view.canvas.dots[new].pos())
    qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=QPoint(place))
    assert view.canvas.current == new
    qtbot.mouseClick(view.open, LEFT)
    assert on_sample.work.currentWidget() is on_sample.browse_view
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == new)


def crowd(count):
    made = [draft.memory({"content": f"One of a crowd, number {n}"}, NOW)._replace(id=n) for n in range(1, count + 1)]
    places = layout([each.id for each in made], [], {})
    return [Node(each, min(each.id - 1, 2), *places[each.id], links=3, hidden=0) for each in made]


def words_shown(canvas):
    """Where words stand on the screen."""
    shown = [dot.words for dot in canvas.dots.values() if dot.words.isVisible()]
    return [words.area.translated(canvas.mapFromScene(words.pos())) for words in shown]


def test_words_never_cover_each_other_and_coming_closer_shows_those_of_others(qtbot):
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 700)
    canvas.show()
    canvas.show_graph(crowd(300), [])
    far = words_shown(canvas)
    silent = {id for id, dot in canvas.dots.items() if not dot.words.isVisible()}
    assert len(far) > 3
    assert not any(one.intersects(other) for one, other in itertools.combinations(far, 2))
    for _ in range(8):
        qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    qtbot.waitUntil(lambda: not canvas._settling.isActive())
    near = words_shown(canvas)
    assert any(canvas.dots[id].words.isVisible() for id in silent)
    assert not any(one.intersects(other) for one, other in itertools.combinations(near, 2))


def test_the_selected_memory_has_its_words_before_all_others(qtbot):
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 700)
    canvas.show()
    canvas.show_graph(crowd(300), [])
    hidden = next(id for id, dot in canvas.dots.items() if not dot.words.isVisible())
    canvas.select_memory(hidden)
    qtbot.waitUntil(lambda: not canvas._settling.isActive())
    shown = words_shown(canvas)
    assert canvas.dots[hidden].words.isVisible()
    assert not any(one.intersects(other) for one, other in itertools.combinations(shown, 2))
