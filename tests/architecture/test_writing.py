"""Files are written in one place: every other way of writing one is found in the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("inspector/**/*.py")])
THE_PLACE = "core/safe_files.py"

OF_OS = {"fdopen", "link", "mkfifo", "mknod", "open", "rename", "renames", "replace", "symlink", "truncate"}
OF_SHUTIL = {"copy", "copy2", "copyfile", "copytree", "make_archive", "move", "unpack_archive"}
OF_TEMPFILE = {"NamedTemporaryFile", "SpooledTemporaryFile", "TemporaryFile", "mkstemp", "mktemp"}
OF_A_PATH = {"hardlink_to", "rename", "touch", "write_bytes", "write_text"}
OF_OTHERS = {
    "QFile",
    "QSaveFile",
    "QTemporaryFile",
    "extract",
    "extractall",
    "FileHandler",
    "RotatingFileHandler",
    "tofile",
}
MODULES = {"os": OF_OS, "shutil": OF_SHUTIL, "tempfile": OF_TEMPFILE, "io": {"open", "FileIO"}, "np": {"save", "savez"}}


def writes(source: str) -> Iterator[tuple[int, str]]:
    """Every call in a module that may write a file by itself: its line, and how it is written."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            taken = sorted({each.name for each in node.names} & MODULES[node.module])
            yield from ((node.lineno, f"from {node.module} import {name}") for name in taken)
        if isinstance(node, ast.Call) and _writes(node):
            yield node.lineno, ast.unparse(node)


def _writes(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id="open"):
            return _may_write(call, position=1)
        case ast.Name(id=name):
            return name in OF_OTHERS
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            leads_nowhere = name == "open" and bool(call.args) and ast.unparse(call.args[0]) == "os.devnull"
            return name in MODULES[module] and not leads_nowhere
        case ast.Attribute(value=ast.Call(func=ast.Attribute(attr="grab")), attr="save"):
            return True
        case ast.Attribute(attr="open"):
            return _may_write(call, position=0)
        case ast.Attribute(attr="replace"):  # a text's takes two
            return len(call.args) == 1 and not call.keywords
        case ast.Attribute(attr=name):
            return name in OF_A_PATH | OF_OTHERS
    return False


def _may_write(call: ast.Call, position: int) -> bool:
    """Whether `open` is called with a mode that writes, be it one of two."""
    given = [each.value for each in call.keywords if each.arg == "mode"] or call.args[position : position + 1]
    texts = [each.value for mode in given for each in ast.walk(mode) if isinstance(each, ast.Constant)]
    return any(isinstance(each, str) and set(each) & set("wax+") and set(each) <= set("wax+rbt") for each in texts)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_written_in_one_place_only(path):
    if str(path.relative_to(ROOT)) != THE_PLACE:
        assert list(writes(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "line",
    [
        "open('a', 'w')",
        "open('a', mode='ab')",
        "path.open('x')",
        "path.open(mode='r+')",
        "path.open('ab' if have else 'wb')",
        "path.write_text('a')",
        "path.write_bytes(b'a')",
        "path.replace(other)",
        "path.rename(other)",
        "path.touch()",
        "os.open('a', os.O_RDONLY)",
        "os.fdopen(3, 'w')",
        "os.replace('a', 'b')",
        "os.link('a', 'b')",
        "shutil.copy2('a', 'b')",
        "shutil.move('a', 'b')",
        "tempfile.mkstemp()",
        "tempfile.NamedTemporaryFile()",
        "archive.extractall()",
        "QSaveFile('a')",
        "window.grab().save('a')",
        "from os import replace",
        "from shutil import copyfile",
    ],
)
def test_a_planted_way_of_writing_is_found(line):
    assert [number for number, _ in writes(f"'''A module.'''\n{line}\n")] == [2]


@pytest.mark.parametrize(
    "line",
    ["open('a')", "path.open('rb')", "'a'.replace('a', 'b')", "store.open(path, writable=True)", "path.read_text()"],
)
def test_reading_is_not_taken_for_writing(line):
    assert list(writes(line)) == []
