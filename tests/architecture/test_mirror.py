"""Each module of the mirrored packages has a test file of its own, at the same path below tests/."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MIRRORED = (
    "core/curate",
    "core/evaluate",
    "core/formulas",
    "core/pipeline",
    "core/pipeline/stages",
    "core/search_cache",
    "core/write",
    "inspector/gui/viewmodels",
)


def modules_without_tests(root: Path, package: str) -> list[str]:
    """Return the modules of a package that have no test file at the mirrored path."""
    modules = sorted((root / package).glob("*.py"))
    return [
        f"{package}/{module.name}"
        for module in modules
        if module.stem != "__init__" and not (root / "tests" / package / f"test_{module.name}").is_file()
    ]


@pytest.mark.parametrize("package", MIRRORED)
def test_every_module_has_its_own_test_file(package):
    assert list((ROOT / package).glob("*.py")), "the package is there"
    assert modules_without_tests(ROOT, package) == []


def test_a_module_without_a_test_file_is_reported(tmp_path):
    package, tests = tmp_path / "core" / "curate", tmp_path / "tests" / "core" / "curate"
    for folder in (package, tests):
        folder.mkdir(parents=True)
    for name in ("__init__.py", "merging.py", "undo.py"):
        (package / name).touch()
    (tests / "test_undo.py").touch()
    assert modules_without_tests(tmp_path, "core/curate") == ["core/curate/merging.py"]
