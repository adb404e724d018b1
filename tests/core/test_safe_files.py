"""Writing files: whole or not at all, private, and never through a link."""

from __future__ import annotations

import os
import stat

import pytest

from core import safe_files
from core.errors import UserError


def names_in(folder):
    return sorted(each.name for each in folder.iterdir())


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_a_replaced_one_keeps_its_mode(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("before")
    old.chmod(0o640)
    safe_files.replace(new, "text\r\n")
    safe_files.replace(old, b"after")
    assert (new.read_bytes(), mode_of(new)) == (b"text\r\n", 0o600)
    assert (old.read_bytes(), mode_of(old)) == (b"after", 0o640)
    assert names_in(tmp_path) == ["new", "old"]


@pytest.mark.parametrize("write", ["replace", "appending", "holding", "truncate", "name"])
@pytest.mark.parametrize("leads_somewhere", [True, False])
def test_nothing_is_written_through_a_link(tmp_path, write, leads_somewhere):
    victim, link, own = tmp_path / "victim", tmp_path / "link", tmp_path / "own"
    own.write_text("new")
    if leads_somewhere:
        victim.write_text("precious")
    link.symlink_to(victim)
    with pytest.raises(UserError, match="is a symbolic link to .*victim; nothing was written through it"):
        match write:
            case "replace":
                safe_files.replace(link, "new")
            case "appending":
                with safe_files.appending(link) as file:
                    file.write(b"new")
            case "holding":
                with safe_files.holding(link) as file:
                    file.write(b"new")
            case "truncate":
                safe_files.truncate(link, 0)
            case "name":
                safe_files.name(own, link)
    assert link.is_symlink()
    assert victim.exists() == leads_somewhere
    if leads_somewhere:
        assert victim.read_text() == "precious"


def test_a_new_file_never_takes_the_place_of_anything(tmp_path):
    for name in ("file", "folder", "link"):
        place = tmp_path / name
        match name:
            case "file":
                place.write_text("mine")
            case "folder":
                place.mkdir()
            case "link":
                place.symlink_to(tmp_path / "nowhere")
        with pytest.raises(FileExistsError):
            safe_files.create(place, b"new")
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert names_in(tmp_path) == ["file", "folder", "link"]


def test_what_is_no_plain_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        with pytest.raises(UserError, match="is not a plain file"):
            safe_files.replace(place, "new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("write", [safe_files.replacing, safe_files.creating])
def test_a_writing_that_fails_leaves_everything_as_it_was(tmp_path, write):
    path = tmp_path / "file"
    if write is safe_files.replacing:
        path.write_text("before")
    with pytest.raises(ZeroDivisionError), write(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert names_in(tmp_path) == (["file"] if write is safe_files.replacing else [])
    assert write is safe_files.creating or path.read_text() == "before"


def test_the_name_on_the_way_cannot_be_foreseen_and_is_not_taken_over(tmp_path, monkeypatch):
    names = {safe_files.random_name(tmp_path / "file") for _ in range(50)}
    assert len(names) == 50
    assert {each.parent for each in names} == {tmp_path}
    planted, victim = tmp_path / ".planted", tmp_path / "victim"
    victim.write_text("precious")
    planted.symlink_to(victim)
    monkeypatch.setattr(safe_files, "random_name", lambda _: planted)
    with pytest.raises(FileExistsError):
        safe_files.replace(tmp_path / "file", "new")
    assert victim.read_text() == "precious"


def test_a_link_anywhere_below_a_folder_is_found(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    (project / ".tool").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"\.tool is a symbolic link"):
        safe_files.refuse_links_below(project, project / ".tool" / "config.json")
    safe_files.refuse_links_below(project, project / "new" / "config.json")
