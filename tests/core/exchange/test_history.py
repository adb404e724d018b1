"""The format of an export is its own: the same bytes as version 0.1 wrote, whatever the tables of an engine are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.changes import PERSON
from core.errors import UserError
from core.exchange import history
from core.services import exchange
from core.services.workspace import Workspace
from core.store import row_format

FILES = Path(__file__).parents[2] / "data" / "version-0.1"


def test_an_export_of_version_0_1_comes_out_again_byte_by_byte(tmp_path):
    with Workspace.create(tmp_path / "new.db") as workspace:
        exchange.import_file(workspace, FILES / "export.jsonl", actor=PERSON)
        exchange.export(workspace, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (FILES / "export.jsonl").read_bytes()


def test_a_store_of_version_0_1_is_exported_as_it_was_then(tmp_path):
    (tmp_path / "former.db").write_bytes(gzip.decompress((FILES / "store.db.gz").read_bytes()))
    with Workspace.open(tmp_path / "former.db") as workspace:
        exchange.export(workspace, tmp_path / "now.jsonl")
    assert (tmp_path / "now.jsonl").read_bytes() == (FILES / "export.jsonl").read_bytes()


def test_images_travel_with_every_field_of_the_row_format():
    assert history.IMAGE_FIELDS["memory"] == {*row_format.MEMORY_FIELDS, "tags"}
    assert history.IMAGE_FIELDS["link"] == set(row_format.LINK_FIELDS)


def test_an_image_with_a_field_that_the_format_does_not_have_is_refused():
    image = {"entity": "link", "key": "1", "before": None, "after": {"id": 1, "colour": "red"}}
    record = {"seq": 1, "at": "2026-11-01T09:00:00Z", "op": "link", "actor": "a", "reason": ""}
    with pytest.raises(UserError, match="a link has no colour"):
        history.read_operation({**record, "images": [image], "undoes": [], "vectors": []})
