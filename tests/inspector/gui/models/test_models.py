"""Every model keeps Qt's own rules, and shows what the core says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QModelIndex, Qt

from core import draft
from core.model import Memory
from core.pipeline.trace import Operator, leaf, term
from core.search_types import Order, SortColumn
from inspector.gui.models.json_tree import JsonTree
from inspector.gui.models.memory_table import COLUMNS, PAGES_KEPT, MemoryTable
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.models.term_tree import TermTree

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@dataclass
class Row:
    memory: Memory
    marks: tuple[str, ...] = ()


def rows(first, count):
    made = NOW - timedelta(days=3)
    return [Row(draft.memory({"content": f"memory {number}"}, made)) for number in range(first, first + count)]


@pytest.fixture
def table(qtbot, qtmodeltester):
    """A model that is checked by Qt at every step."""
    model = MemoryTable(page_size=10)
    qtmodeltester.check(model)
    return model


def test_a_table_of_memories_asks_for_the_pages_that_are_looked_at(qtbot):
    table = MemoryTable(page_size=10)  # unchecked: Qt's tester looks at every row
    asked = []
    table.page_wanted.connect(asked.append)
    table.show_list(1_000_000, NOW)
    assert table.rowCount() == 1_000_000
    assert table.index(123_456, 0).data() is None
    assert table.index(123_457, 0).data() is None
    assert asked == [12_345]
    table.put_page(12_345, rows(123_450, 10))
    assert table.index(123_456, 0).data() == "memory 123456"
    assert table.memory_id(123_456) is not None
    assert asked == [12_345]


def test_a_list_of_the_same_length_keeps_its_rows_until_new_ones_come(table):
    resets = []
    table.modelReset.connect(lambda: resets.append(True))
    table.show_list(10, NOW)
    table.put_page(0, rows(0, 10))
    asked = []
    table.page_wanted.connect(asked.append)
    table.show_list(10, NOW)
    assert table.index(0, 0).data() == "memory 0"
    assert asked == [0]
    table.put_page(0, rows(5, 10))
    assert table.index(0, 0).data() == "memory 5"
    assert len(resets) == 1


def test_only_so_many_pages_are_kept(qtbot):
    table = MemoryTable(page_size=10)
    table.show_list((PAGES_KEPT + 5) * 10, NOW)
    for number in range(PAGES_KEPT + 5):
        table.put_page(number, rows(number * 10, 10))
    asked = []
    table.page_wanted.connect(asked.append)
    table.index(0, 0).data()
    assert asked == [0]


def test_dates_are_relative_and_absolute_in_the_tip(table):
    table.show_list(1, NOW)
    table.put_page(0, rows(0, 1))
    created = next(number for number, each in enumerate(COLUMNS) if each.column is SortColumn.CREATED)
    assert table.index(0, created).data() == "3 d ago"
    assert "2026-11-12" in table.index(0, created).data(Qt.ItemDataRole.ToolTipRole)


def test_the_sorted_column_says_so_and_numbers_stand_on_the_right(table):
    table.show_order(Order(SortColumn.CONFIDENCE, descending=False))
    titles = [table.headerData(number, Qt.Orientation.Horizontal) for number in range(len(COLUMNS))]
    assert "Confidence ↑" in titles
    assert "Created" in titles
    number = titles.index("Confidence ↑")
    assert table.index(0, 0).data(Qt.ItemDataRole.DecorationRole) is None
    right = table.headerData(number, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
    assert right & int(Qt.AlignmentFlag.AlignRight)


def test_every_column_can_be_sorted_by_and_is_shown_once():
    assert {each.column for each in COLUMNS} == set(SortColumn)
    assert len({each.title for each in COLUMNS}) == len(COLUMNS)


def test_markup_in_a_memory_is_never_read_as_markup():
    tip = plain_tip("<img src=x>\n<b>&amp;</b>")
    assert tip == "<qt>&lt;img src=x&gt;<br>&lt;b&gt;&amp;amp;&lt;/b&gt;</qt>"
    assert plain_tip("") == ""


def test_a_small_table_shows_its_columns(qtbot, qtmodeltester):
    model = PlainTable(
        (TableColumn[str]("Word", lambda word: word), TableColumn[str]("Length", lambda word: str(len(word)), True))
    )
    qtmodeltester.check(model)
    model.show_rows(["one", "three"])
    assert model.index(1, 1).data() == "5"
    assert model.row(1) == "three"
    assert model.row(2) is None
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Length"
    model.show_rows([])
    assert model.rowCount() == 0


def test_a_json_tree_shows_and_edits_values_of_their_own_kind(qtbot, qtmodeltester):
    model = JsonTree()
    qtmodeltester.check(model)
    model.show_object({"task": {"success": True, "tries": 3}, "place": [1.5, 2], "note": "as it is"})
    task = model.index(0, 0)
    assert task.data() == "task"
    assert model.rowCount(task) == 2
    assert model.parent(model.index(1, 0, task)) == task
    edited = []
    model.edited.connect(edited.append)
    assert model.setData(model.index(1, 1, task), "4")
    assert model.setData(model.index(2, 1), "5")
    assert edited[-1] == {"task": {"success": True, "tries": 4}, "place": [1.5, 2], "note": "5"}
    assert not model.setData(model.index(0, 1), "a branch")
    assert model.flags(model.index(2, 1)) & Qt.ItemFlag.ItemIsEditable
    place_in_a_list = model.index(0, 0, model.index(1, 0))
    assert not model.flags(place_in_a_list) & Qt.ItemFlag.ItemIsEditable
    model.show_object({"note": "x"}, is_editable=False)
    assert not model.flags(model.index(0, 1)) & Qt.ItemFlag.ItemIsEditable


def test_a_term_tree_shows_each_number_with_its_formula(qtbot, qtmodeltester):
    share = term("bm25", Operator.RECIPROCAL_RANK, leaf("weight", 1), leaf("k", 10), leaf("rank", 2), raw=3.5)
    score = term("score", Operator.PRODUCT, term("fused", Operator.SUM, share), leaf("confidence", 0.5))
    model = TermTree()
    qtmodeltester.check(model)
    model.show_terms([score])
    root = model.index(0, 0)
    assert [model.index(0, column).data() for column in range(3)] == ["score", "0.04167", "0.08333 × 0.5"]
    fused = model.index(0, 0, root)
    bm25 = model.index(0, 0, fused)
    assert bm25.data() == "BM25"
    assert model.index(0, 2, fused).data() == "1 / (10 + 2)"
    assert model.index(0, 3, fused).data() == "raw 3.5"
    assert model.rowCount(bm25) == 3
    assert model.parent(fused) == root
    assert model.rowCount(QModelIndex()) == 1


def test_keys_of_a_json_tree_are_added_renamed_and_taken_away(qtbot, qtmodeltester):
    model = JsonTree()
    model.show_object({"robot": {"type": "UR5e"}, "steps": [1, 2, 3]})
    qtmodeltester.check(model)
    reported = []
    model.edited.connect(reported.append)
    robot, steps = model.index(0, 0), model.index(1, 0)
    made = model.add(robot)
    assert reported[-1] == {"robot": {"type": "UR5e", "key": None}, "steps": [1, 2, 3]}
    assert model.setData(made, "reach")
    assert not model.setData(made, "type")
    assert not model.setData(made, " ")
    assert model.setData(made.siblingAtColumn(1), "0.85")
    assert reported[-1]["robot"] == {"type": "UR5e", "reach": 0.85}
    model.remove(model.index(1, 0, steps))
    assert reported[-1]["steps"] == [1, 3]
    assert model.data(model.index(1, 0, steps)) == "1"
    assert not model.setData(model.index(1, 0, steps), "name")
    nested = model.add(QModelIndex())
    assert model.setData(nested.siblingAtColumn(1), '{"a": {"b": [1]}}')
    assert reported[-1]["key"] == {"a": {"b": [1]}}
    model.remove(robot)
    assert reported[-1] == {"steps": [1, 3], "key": {"a": {"b": [1]}}}


def test_a_json_tree_that_is_only_read_takes_no_edit(qtbot):
    model = JsonTree()
    model.show_object({"a": 1}, is_editable=False)
    assert not model.setData(model.index(0, 1), "2")
    assert not model.setData(model.index(0, 0), "b")
