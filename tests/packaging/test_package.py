"""What `make package` builds: the files of the .deb, the wheel's contents, the locks. The bundle proves itself."""

from __future__ import annotations

import configparser
import importlib.util
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from core.store.sqlite.opening import APPLICATION_ID
from inspector import desktop_needs

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


@pytest.fixture(scope="module")
def package() -> ModuleType:
    sys.path.insert(0, str(PACKAGING))  # as when it is run as a script
    try:
        spec = importlib.util.spec_from_file_location("package", PACKAGING / "package.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(PACKAGING))
    return module


def pins(lock: str) -> dict[str, set[str]]:
    """The versions of each package; more than one where they differ by platform."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", (PACKAGING / lock).read_text("utf-8"), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


# The wheel


def test_the_wheel_holds_every_module_and_every_file_that_comes_along_and_nothing_else(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    sources = subprocess.run(
        ["git", "ls-files", "core", "inspector", "resources"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    if not any(sources):
        pytest.skip("not a checkout of git")
    wanted = {re.sub("^resources/", "inspector/_resources/", name) for name in sources if (ROOT / name).is_file()}
    assert wanted <= held
    assert {Path(name).parts[0] for name in held} == {"core", "inspector"}
    entry_points = zipfile.ZipFile(wheel).read("memory_inspector-0.1.0.dist-info/entry_points.txt").decode()
    assert "memory-inspector = inspector.__main__:main" in entry_points


# The locks


def test_the_package_lock_has_hashes_names_no_host_and_agrees_with_the_other():
    text = (PACKAGING / "package.lock").read_text("utf-8")
    assert "://" not in text
    assert len(re.findall(r"^[\w.-]+==", text, re.MULTILINE)) <= text.count("--hash=sha256:")
    ours, theirs = pins("package.lock"), pins("requirements.lock")
    assert "pyinstaller" in ours.keys() - theirs.keys()
    assert "pytest" not in ours
    assert {name: versions for name, versions in ours.items() if versions != theirs.get(name, versions)} == {}


# The desktop entry, the type, the unit


@pytest.fixture(scope="module")
def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "memory-inspector.desktop", "utf-8")
    return parser["Desktop Entry"]


def test_the_desktop_entry_starts_the_program_on_a_file_of_its_type(entry):
    assert entry["Type"] == "Application"
    assert entry["Exec"] == "memory-inspector %f"
    assert entry["Icon"] == "memory-inspector"
    assert entry["Terminal"] == "false"
    (type_,) = ElementTree.parse(LINUX / "memory-inspector.xml").getroot()
    assert entry["MimeType"] == f"{type_.get('type')};"


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not here")
def test_the_desktop_entry_is_valid():
    checked = subprocess.run(
        ["desktop-file-validate", LINUX / "memory-inspector.desktop"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_the_type_is_known_by_the_number_that_a_store_has_in_its_header(tmp_path):
    from core.services.workspace import Workspace

    Workspace.create(tmp_path / "a store without an ending").close()
    head = (tmp_path / "a store without an ending").read_bytes()[:100]
    outer = ElementTree.parse(LINUX / "memory-inspector.xml").find(f".//{MIME}magic/{MIME}match")
    inner = outer.find(f"{MIME}match")
    assert outer.get("value").replace("\\0", "\0").encode() == head[: len("SQLite format 3") + 1]
    assert int(inner.get("value"), 16) == APPLICATION_ID
    assert head[int(inner.get("offset")) :][:4] == APPLICATION_ID.to_bytes(4, "big")


def test_the_unit_of_the_deb_starts_the_systems_program_and_is_else_that_of_a_user(package):
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read_string(package.unit())
    assert parser["Service"]["ExecStart"] == "/usr/bin/memory-inspector --serve"
    assert parser["Install"]["WantedBy"] == "default.target"
    own = (LINUX / "memory-inspector.service").read_text("utf-8")
    assert set(package.unit().splitlines()) - set(own.splitlines()) == {"ExecStart=/usr/bin/memory-inspector --serve"}


# The .deb


def test_the_debs_changelog_has_this_very_version_in_debians_form(package):
    first, empty, change, *rest = package.changelog().split("\n")
    assert first == f"memory-inspector ({package.VERSION}) unstable; urgency=medium"
    assert empty == ""
    assert change.startswith("  * The store, embeddings, the sample.")
    assert re.fullmatch(r" -- .+ <\S+>  \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", rest[-2])


def test_the_deb_depends_on_what_qt_needs_and_the_bundle_does_not_bring(package, tmp_path):
    inside = tmp_path / "usr" / "lib" / "memory-inspector" / "_internal"
    inside.mkdir(parents=True)
    (inside / "libxcb-cursor.so.0").touch()
    libc, *others = package.dependencies(tmp_path)
    assert libc.startswith("libc6 (>= 2.")
    known = desktop_needs.packages((*desktop_needs.FOR_OFFSCREEN, *desktop_needs.FOR_X))
    assert set(others) == set(known) - {"libxcb-cursor0"}
    control = package.control(tmp_path, "amd64")
    assert re.search(r"^Package: memory-inspector\nVersion: [\d.]+\nArchitecture: amd64\n", control)
    assert re.search(r"^Description: .{10,70}\n( .+\n)+\Z", control, re.MULTILINE)


@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_every_system_has_a_spec_made_from_the_one_list(system):
    text = (PACKAGING / system / "memory-inspector.spec").read_text("utf-8")
    compile(text, "spec", "exec")
    assert "Analysis(**bundle.analysis())" in text
    assert ("NOT BUILT" in text) == (system != "linux")
