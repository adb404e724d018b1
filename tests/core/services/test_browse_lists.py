"""Lists of any length: in order of any column, filtered, page by page, found again after a change."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import draft
from core.changes import Op
from core.errors import UserError
from core.model import Filter, LinkKind, LinkStatus, Status
from core.search_types import Order, Selection, SortColumn
from core.services import browse, curate, query, recorder
from core.services.query import Question
from core.services.recorder import Call, Recorder
from core.services.workspace import Workspace


def keep(workspace, content, **fields):
    """Straight into the store: what is remembered is judged, and texts as alike as these would be one."""
    with workspace.store.transact(Op.REMEMBER, "test") as transaction:
        return transaction.add_memory(draft.memory({"content": content, **fields}, transaction.now))


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(browse, "ROWS_A_PAGE", 3)


def contents(workspace, selection=None, order=None):
    listed = browse.listing(workspace, selection or Selection(), order or Order(SortColumn.ID, descending=False))
    pages = [browse.rows(workspace, listed, number) for number in range(listed.total // browse.ROWS_A_PAGE + 1)]
    found = [row.memory.content for page in pages for row in page]
    assert len(found) == listed.total
    return found


@pytest.fixture
def varied(workspace, clock):
    for number in range(10):
        clock.advance(timedelta(days=1))
        keep(
            workspace, f"Note {'abcdefghij'[number]} speaks of topic{number % 3}",
            type=("fact", "decision")[number % 2], tags=[f"t{number % 3}"], confidence=number / 10,
            collection=("one", "two")[number % 2], session=f"s{number // 5}",
        )  # fmt: skip
    return workspace


def test_every_page_of_every_order_follows_the_one_before(varied, small_pages):
    for order in (Order(column, descending) for column in SortColumn for descending in (False, True)):
        listed = browse.listing(varied, Selection(), order)
        assert listed.total == 10
        assert [len(browse.rows(varied, listed, number)) for number in (0, 3, 4)] == [3, 1, 0]
        ids = [row.memory.id for number in range(4) for row in browse.rows(varied, listed, number)]
        assert sorted(ids) == list(range(1, 11)), order
        for place, id in enumerate(ids):
            assert browse.listing(varied, Selection(), order, keep=id).position == place, order


def test_the_beginning_of_any_list_is_its_first_page_and_says_whether_there_is_more(varied, small_pages):
    for order in (Order(column, descending) for column in SortColumn for descending in (False, True)):
        for wanted in (Selection(), Selection(text="topic1"), Selection(filter=Filter(tags=("t0",)))):
            whole = browse.listing(varied, wanted, order)
            begun, rows = browse.first_page(varied, wanted, order, keep=whole.ids[1])
            assert begun.ids == whole.ids[:3], order
            assert [row.memory.id for row in rows] == list(begun.ids)
            assert (begun.is_whole, begun.position) == (whole.total <= 3, 1)


def test_a_list_is_in_the_order_of_its_column(varied):
    by_confidence = contents(varied, order=Order(SortColumn.CONFIDENCE, descending=True))
    assert by_confidence[0].startswith("Note j")
    assert by_confidence[-1].startswith("Note a")


@pytest.mark.parametrize(
    ("selection", "letters"),
    [
        (Selection(text="topic1"), "beh"),
        (Selection(text="note topi"), "abcdefghij"),
        (Selection(text="topic1 nothing"), ""),
        (Selection(text='"NEAR( topic2 *'), ""),
        (Selection(text="***"), ""),
        (Selection(filter=Filter(types=("decision",))), "bdfhj"),
        (Selection(filter=Filter(tags=("t0",))), "adgj"),
        (Selection(filter=Filter(sessions=("s1",), collections=("one",))), "gi"),
        (Selection(min_confidence=0.7), "hij"),
        (Selection(max_confidence=0.1), "ab"),
        (Selection(min_age_days=8), "ab"),
        (Selection(max_age_days=1), "ij"),
        (Selection(never_recalled=True), "abcdefghij"),
    ],
)
def test_a_selection_keeps_what_it_says(varied, selection, letters):
    assert [content[5] for content in contents(varied, selection)] == list(letters)


@given(st.text(max_size=30))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_typed_is_never_an_error(workspace, typed):
    browse.listing(workspace, Selection(text=typed), Order())


def test_typing_chinese_narrows_letter_by_letter(workspace):
    keep(workspace, "数据库迁移需要锁超时")
    keep(workspace, "部署在星期二")
    for typed in ("数", "数据", "数据库迁"):
        assert contents(workspace, Selection(text=typed)) == ["数据库迁移需要锁超时"]


def test_a_memory_that_the_filter_hides_has_no_place(varied):
    wanted = Selection(filter=Filter(types=("decision",)))
    assert browse.listing(varied, wanted, Order(), keep=1).position is None


def test_never_recalled_leaves_out_what_was_used(workspace):
    keep(workspace, "used", access_count=1)
    keep(workspace, "unused")
    assert contents(workspace, Selection(never_recalled=True)) == ["unused"]


def test_marks_say_what_is_worth_a_look(workspace, clock):
    first = keep(workspace, "The pool has 10 connections", confidence=0.3)
    second = keep(workspace, "The pool has another size altogether")
    curate.link(
        workspace, second.id, [first.id], {"kind": LinkKind.CONTRADICTS, "status": LinkStatus.OPEN}, actor="test"
    )
    clock.advance(timedelta(days=100))
    marks = {
        row.memory.id: row.marks for row in browse.rows(workspace, browse.listing(workspace, Selection(), Order()), 0)
    }
    assert marks[first.id] == ("contradiction", "unsure", "stale", "never recalled")
    curate.pin(workspace, [second.id], actor="test")
    assert browse.overview(workspace, str(second.id)).marks == ("contradiction", "never recalled", "not embedded")


def test_a_portrait_has_the_memories_at_the_other_ends(workspace):
    one, two = keep(workspace, "one"), keep(workspace, "two is another thing")
    curate.link(workspace, one.id, [two.id], {"kind": "supports"}, actor="test")
    [neighbour] = browse.overview(workspace, str(two.id)).neighbours
    assert neighbour.other.content == "one"
    assert not neighbour.is_outgoing


def test_a_portrait_reports_where_a_memory_was_recalled_and_where_it_nearly_was(workspace, clock):
    one, two = keep(workspace, "The pool is small"), keep(workspace, "A roof with a swimming pool, blue and deep")
    answer = query.ask(workspace, Question(text="pool", k=1))
    recording = Recorder(workspace)
    call = Call(at=clock.now(), client="codex", tool="memory_recall", elapsed_us=900)
    recording.note(recorder.recall_record(answer, at=call))
    recording.flush()
    recording.close()
    won = answer.ranking.results[0].id
    other = two.id if won == one.id else one.id
    [recall] = browse.overview(workspace, str(won)).recalls
    assert (recall.client, recall.query, recall.profile, recall.rank) == ("codex", "pool", "inspector", 1)
    [near] = browse.overview(workspace, str(other)).recalls
    assert (near.rank, near.missed) == (None, "outranked")


def test_facets_count_what_there_is(varied):
    found = browse.facets(varied)
    assert found.types == {"decision": 5, "fact": 5}
    assert found.tags == {"t0": 4, "t1": 3, "t2": 3}
    assert found.statuses == {str(Status.ACTIVE): 10}
    assert found.sessions == {"s0": 5, "s1": 5}


def test_all_of_a_list_can_be_named_up_to_a_limit(varied, monkeypatch):
    assert len(browse.all_ids(varied, Selection(min_confidence=0.5))) == 5
    monkeypatch.setattr(browse, "MAX_AT_ONCE", 4)
    with pytest.raises(UserError, match="At most 4 memories"):
        browse.all_ids(varied, Selection(min_confidence=0.5))


def test_another_process_s_commit_is_noticed(workspace):
    before = workspace.other_commits()
    keep(workspace, "our own is no news")
    assert workspace.other_commits() == before
    with Workspace.open(workspace.store.path) as other:
        keep(other, "from elsewhere")
    assert workspace.other_commits() != before
