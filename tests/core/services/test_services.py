"""Browsing, health and exchange as front-ends call them."""

from __future__ import annotations

import pytest

from core.changes import Op
from core.errors import NotFound, UserError
from core.model import Filter
from core.services import browse, exchange, health, remember


def keep(workspace, content, **fields):
    return remember.remember(workspace, {"content": content, **fields}, actor="test").memory


def test_a_memory_is_found_by_id_and_by_uid(workspace):
    memory = keep(workspace, "a", uid="my-uid")
    assert browse.find(workspace, str(memory.id)) == browse.find(workspace, "my-uid") == memory


@pytest.mark.parametrize("name", ["99", "nobody", "", "-1", "9" * 40, "1.5", "\0"])
def test_an_unknown_name_gets_a_sentence(workspace, name):
    keep(workspace, "a")
    with pytest.raises(NotFound):
        browse.find(workspace, name)


def test_looking_changes_nothing(workspace):
    memory = keep(workspace, "a")
    browse.detail(workspace, str(memory.id))
    browse.page(workspace, Filter())
    health.info(workspace)
    health.findings(workspace)
    assert browse.find(workspace, str(memory.id)) == memory
    assert health.info(workspace).operations == 1


@pytest.mark.parametrize("limit", [0, -1, 10**9])
def test_a_page_of_no_size_is_refused(workspace, limit):
    with pytest.raises(UserError, match="A page holds from 1"):
        browse.page(workspace, Filter(), limit=limit)


def test_repair_backs_up_first_and_leaves_a_sound_store_alone(workspace):
    memory = keep(workspace, "words")
    assert health.repair(workspace, actor="test") == ([], None)
    with workspace.store.transact(Op.EDIT, "vandal") as transaction:
        transaction.reader()._connection.execute("delete from fulltext")
    mended, kept = health.repair(workspace, actor="test")
    assert [finding.problem for finding in mended] == ["fulltext_drift"]
    assert kept.exists()
    assert health.findings(workspace) == []
    with workspace.store.read() as reader:
        assert [id for id, _ in reader.matching("words")] == [memory.id]
        assert reader.journal_entries()[0].op is Op.REPAIR


def test_a_backup_never_writes_over_a_file(workspace, tmp_path):
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(UserError, match="already exists"):
        health.back_up(workspace, target)
    assert target.read_text() == "precious"


def test_restoring_without_a_backup_says_so(workspace):
    with pytest.raises(UserError, match="There is no backup of"):
        health.restore(workspace.store.path, None)


def test_an_import_is_all_or_nothing(workspace, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"kind":"memory","content":"fine","uid":"a"}\n{"kind":"memory","content":""}\n')
    with pytest.raises(UserError, match="Line 2: content is empty"):
        exchange.import_file(workspace, file, actor="test")
    file.write_text(
        '{"kind":"memory","content":"fine","uid":"a"}\n'
        '{"kind":"link","source":"a","target":"ghost","kind_of_link":"relates"}\n'
    )
    with pytest.raises(UserError, match="Line 2: there is no memory ghost"):
        exchange.import_file(workspace, file, actor="test")
    assert browse.page(workspace, Filter()).total == 0


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"not json", b"[1]", b'{"kind":"song"}', b'{"kind":"header"}', b"[" * 99999]
)
def test_a_file_of_another_kind_gets_a_sentence(workspace, tmp_path, content):
    file = tmp_path / "in.jsonl"
    file.write_bytes(content)
    with pytest.raises(UserError):
        exchange.import_file(workspace, file, actor="test")


def test_a_missing_file_gets_a_sentence(workspace, tmp_path):
    with pytest.raises(UserError, match="cannot be read: No such file"):
        exchange.import_file(workspace, tmp_path / "none", actor="test")
