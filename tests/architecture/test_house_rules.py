"""The laws of the house, checked on the source itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from store_steps import add

from core.services.workspace import Workspace

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("inspector/**/*.py")])


def run(program: str, *, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=False)


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    return run("import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))", cwd=tree)


def test_the_import_contracts_hold():
    checked = lint_imports(ROOT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("core/text.py", "import inspector.wire", "core knows no front-end"),
        ("core/services/browse.py", "import PySide6", "core knows no front-end"),
        ("core/model.py", "import core.draft", "core reads top to bottom"),
        ("core/embed/recipe.py", "import core.store.protocol", "core reads top to bottom"),
        ("core/search_cache/feed.py", "import apsw", "the search cache knows no engine"),
        ("core/search_cache/queries.py", "import core.store.sqlite.search", "the search cache knows no engine"),
        ("core/stray.py", "", "core reads top to bottom"),
        ("core/services/remember.py", "import apsw", "only the store speaks to SQLite"),
        ("core/services/browse.py", "import core.store.sqlite.journal", "only the composition root knows an engine"),
        ("core/store/protocol.py", "import core.store.sqlite.engine", "the store reads top to bottom"),
        ("core/store/stray.py", "", "the store reads top to bottom"),
        ("inspector/wire/plain.py", "import core.store.protocol", "front-ends knock on services"),
        ("inspector/wire/plain.py", "import inspector.cli", "the program reads top to bottom"),
        ("inspector/gui/views/browse.py", "import core.services.browse", "views call no service"),
        ("inspector/gui/ops.py", "import inspector.gui.models", "views talk to viewmodels, viewmodels to services"),
        ("inspector/gui/stray.py", "", "views talk to viewmodels, viewmodels to services"),
        ("inspector/sample.py", "import PySide6", "what is not the desktop never loads Qt"),
    ],
)
def test_a_planted_violation_breaks_its_contract(tmp_path, file, line, contract):
    for name in ("core", "inspector", "pyproject.toml"):
        source = ROOT / name
        if source.is_dir():  # without what another process of the suite may just be compiling
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path)
    with (tmp_path / file).open("a", encoding="utf-8") as planted:
        planted.write(f"\n{line}\n")
    checked = lint_imports(tmp_path)
    assert checked.returncode == 1
    assert re.search(f"{contract} BROKEN", checked.stdout), checked.stdout


WATCH = (
    "import sys, json, atexit, io\n"
    "real, sys.stdout = sys.stdout, io.StringIO()\n"
    "tops = lambda: sorted({name.partition('.')[0] for name in sys.modules})\n"
    "atexit.register(lambda: print(json.dumps(tops()), file=real))\n"
)
PROGRAM = "import sys; from inspector.cli import main; sys.argv[1:] = {}; main()"


@pytest.mark.parametrize("program", ["import core", PROGRAM.format("['--help']")])
def test_the_core_and_the_help_load_neither_qt_nor_a_server_nor_a_model_runtime(program):
    loaded = set(json.loads(run(WATCH + program).stdout))
    assert "core" in loaded
    assert not loaded & {"PySide6", "shiboken6", "pyqtgraph", "mcp", "starlette", "uvicorn", "pydantic"}
    assert not loaded & {"onnxruntime", "fastembed", "numpy", "apsw", "sqlite_vec"}


@pytest.mark.parametrize("command", [["list"], ["get", "1"]], ids=" ".join)
def test_what_asks_no_question_loads_no_numpy(command, tmp_path):
    store = tmp_path / "store.db"
    with Workspace.create(store) as workspace:
        add(workspace.store, "a memory")
    loaded = set(json.loads(run(WATCH + PROGRAM.format([*command, "--db", str(store)])).stdout))
    assert "apsw" in loaded
    assert "numpy" not in loaded


@pytest.mark.parametrize(
    ("forbidden", "only_in"),
    [
        (r"datetime\.now\(|datetime\.utcnow\(|time\.time\(", {"core/clock.py"}),
        (r"\bprint\(", {"inspector/cli.py", "inspector/commands/terminal.py"}),
        (r"\b(select [a-z_*]+ from|insert into [a-z_]+|update [a-z_]+ set|delete from) ", {"core/store/"}),
        (r"processEvents", set()),
        (r"import \*", set()),
    ],
)
def test_each_thing_is_in_its_one_place(forbidden, only_in):
    offenders = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        if not any(str(path.relative_to(ROOT)).startswith(place) for place in only_in)
        for line in path.read_text("utf-8").splitlines()
        if re.search(forbidden, line)
    ]
    assert offenders == []


@pytest.mark.parametrize(
    ("forbidden", "places"),
    [
        (
            r"QtWidgets|QtGui|QtSvg|pyqtgraph",
            tuple(f"inspector/gui/{name}" for name in ("viewmodels", "models", "ops.py", "tasks.py", "watch.py")),
        ),
        (
            r"import threading|QThread|QRunnable|ThreadPool",
            tuple(
                f"inspector/gui/{name}" for name in ("view", "widgets", "models", "ops.py", "main_window.py", "app.py")
            ),
        ),
        (r"RichText|AutoText|setHtml|insertHtml", ("inspector/gui",)),
        (r"\.exec\(\)", ("inspector/gui/views", "inspector/gui/widgets", "inspector/gui/main_window.py")),
    ],
)
def test_the_desktop_keeps_to_its_habits(forbidden, places):
    offenders = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        if str(path.relative_to(ROOT)).startswith(places)
        for line in path.read_text("utf-8").splitlines()
        if re.search(forbidden, line)
    ]
    assert offenders == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_opens_with_a_sentence_saying_what_it_is_for(path):
    assert path.read_text("utf-8").startswith('"""'), path


def test_no_module_hides_what_it_is_behind_a_word_for_anything():
    names = {path.stem for path in SOURCES}
    assert not names & {"utils", "helpers", "common", "base", "misc", "manager"}
