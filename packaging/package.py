"""Build what can be installed, into `dist`: the wheel, the bundle that needs no Python, and the .deb made of it.

`python packaging/package.py` builds all three, `… wheel` only the first. Each is made from the one before, and the
bundle and the .deb are proven by their own `--self-test`, away from the checkout. For Linux; the specs for macOS and
Windows beside this file are read by PyInstaller there.
"""

from __future__ import annotations

import datetime
import email.utils
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import tomllib
from pathlib import Path

import environment
from environment import ROOT, Trouble, last_words, run_quietly, say

sys.path.insert(0, str(ROOT))
from inspector import desktop_needs

NAME = "memory-inspector"
LOCK = ROOT / "packaging" / "package.lock"
LINUX = ROOT / "packaging" / "linux"
BUILD, DIST = ROOT / "build", ROOT / "dist"
VENV = BUILD / "package-venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "package.stamp"
BUNDLE = BUILD / "bundle" / NAME
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = PROJECT["version"]
KINDS = ("wheel", "bundle", "deb")
MAINTAINER = "The Memory Inspector maintainers <maintainers@memory-inspector.invalid>"


def main(arguments: list[str]) -> int:
    wanted = arguments or list(KINDS)
    try:
        if not set(wanted) <= set(KINDS):
            raise Trouble(f"There is {', '.join(KINDS)} to build, not {' '.join(arguments)}.")
        prepare_tools()
        made = [build_wheel()]
        if set(wanted) & {"bundle", "deb"}:
            made.append(build_bundle(made[0]))
        if "deb" in wanted:
            made.append(build_deb())
    except Trouble as trouble:
        say(trouble, file=sys.stderr)
        return trouble.exit_code
    for path in made:
        say(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")
    return 0


def prepare_tools() -> None:
    """An environment with the locked tools and the program's own packages, and with nothing else to find its way in."""
    environment.refuse_old_python(sys.version_info[:2])
    wanted = environment.stamp(LOCK, LOCK, sys.implementation.cache_tag, ROOT)
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    BUILD.mkdir(exist_ok=True)
    environment.make_venv(VENV)
    environment.install_locked_packages(LOCK, PYTHON)
    STAMP.write_text(wanted, encoding="utf-8")


def build_wheel() -> Path:
    say("Building the wheel.")
    run(PYTHON, "-m", "hatchling", "build", "--target", "wheel", "--directory", DIST)
    return DIST / f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"


def build_bundle(wheel: Path) -> Path:
    """The program with its own Python, in one folder, from the installed wheel."""
    say("Building the bundle (a few minutes).")
    installed = environment.pip_install("--no-deps", "--no-index", "--force-reinstall", wheel, python=PYTHON)
    if installed.returncode:
        raise Trouble(f"The wheel cannot be installed ({last_words(installed.stdout)}).")
    where = ("--distpath", BUNDLE.parent, "--workpath", BUILD / "pyinstaller")
    # Not from the checkout, whose packages would be taken in place of the installed ones.
    tool = (PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR")
    run(*tool, *where, LINUX / f"{NAME}.spec", cwd=BUILD)
    prove(BUNDLE / NAME)
    archive = DIST / f"{NAME}-{VERSION}-linux-{platform.machine()}.tar.xz"
    say("Packing the bundle.")
    with tarfile.open(archive, "w:xz", preset=2) as packed:
        packed.add(BUNDLE, f"{NAME}-{VERSION}", filter=owned_by_root)
    return archive


def owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def build_deb() -> Path:
    if shutil.which("dpkg-deb") is None:
        raise Trouble("The .deb needs dpkg-deb, which Debian and Ubuntu have; the wheel and the bundle are in dist.")
    say("Building the .deb.")
    tree = BUILD / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    lay_out(tree)
    architecture = run("dpkg", "--print-architecture").strip()
    write(tree / "DEBIAN" / "control", control(tree, architecture))
    write(tree / "DEBIAN" / "md5sums", checksums(tree))
    deb = DIST / f"{NAME}_{VERSION}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "-z2", "--build", tree, deb)
    with tempfile.TemporaryDirectory() as unpacked:
        run("dpkg-deb", "--extract", deb, unpacked)
        prove(Path(unpacked) / "usr" / "bin" / NAME)
    return deb


def lay_out(tree: Path) -> None:
    """Every file of the .deb in its place; completion and manual are printed by the program itself."""
    share = tree / "usr" / "share"
    shutil.copytree(BUNDLE, tree / "usr" / "lib" / NAME, symlinks=True)
    (tree / "usr" / "bin").mkdir()
    (tree / "usr" / "bin" / NAME).symlink_to(f"../lib/{NAME}/{NAME}")
    copy(LINUX / f"{NAME}.desktop", share / "applications")
    copy(LINUX / f"{NAME}.xml", share / "mime" / "packages")
    copy(LINUX / "copyright", share / "doc" / NAME)
    copy(ROOT / "resources" / "icons" / "app.svg", share / "icons/hicolor/scalable/apps", f"{NAME}.svg")
    write(tree / "usr" / "lib" / "systemd" / "user" / f"{NAME}.service", unit())
    scripts = {
        "bash": f"bash-completion/completions/{NAME}",
        "zsh": f"zsh/vendor-completions/_{NAME}",
        "fish": f"fish/vendor_completions.d/{NAME}.fish",
    }
    for shell, place in scripts.items():
        write(share / place, run(BUNDLE / NAME, "completion", shell))
    pack(share / "man" / "man1" / f"{NAME}.1.gz", run(BUNDLE / NAME, "man"))
    pack(share / "doc" / NAME / "changelog.gz", changelog())
    program = tree / "usr" / "lib" / NAME / NAME
    for path in tree.rglob("*"):  # whatever this user's umask is
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path == program else 0o644)


def unit() -> str:
    """The unit for one user's own installation, with the place of the system's."""
    return re.sub(
        r"^ExecStart=\S+", f"ExecStart=/usr/bin/{NAME}", (LINUX / f"{NAME}.service").read_text("utf-8"), flags=re.M
    ).partition("\n")[2]


def changelog() -> str:
    """The manual's, in Debian's form: its versions that have a number, dated today."""
    page = (ROOT / "resources" / "docs" / "changelog.md").read_text("utf-8")
    today = email.utils.format_datetime(datetime.datetime.now(datetime.UTC))
    versions = re.findall(r"^## (\d\S*)\n\n((?:[- ] .+\n)+)", page, flags=re.M)
    return "\n".join(
        f"{NAME} ({version}) unstable; urgency=medium\n\n{_changes(items)}\n\n -- {MAINTAINER}  {today}\n"
        for version, items in versions
    )


def _changes(items: str) -> str:
    """The items of a Markdown list as those of a Debian changelog."""
    filler = textwrap.TextWrapper(78, initial_indent="  * ", subsequent_indent="    ")
    return "\n".join(filler.fill(" ".join(item.split())) for item in re.split(r"^- ", items, flags=re.M)[1:])


def control(tree: Path, architecture: str) -> str:
    size = sum(path.lstat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    fields = {
        "Package": NAME,
        "Version": VERSION,
        "Architecture": architecture,
        "Maintainer": MAINTAINER,
        "Installed-Size": str(size),
        "Depends": ", ".join(dependencies(tree)),
        "Section": "devel",
        "Priority": "optional",
        "Description": "see, query, explain and correct what agents remember\n"
        " A desktop inspector and a headless server (MCP, REST) on one SQLite file, with\n"
        " a retrieval core that shows every number of a ranking. It brings its own\n"
        " Python and Qt; embedding models are fetched when they are asked for.",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def dependencies(tree: Path) -> list[str]:
    """What Qt needs of the system and the bundle does not bring, by the same table that the program asks."""
    brought = {path.name for path in (tree / "usr" / "lib" / NAME).rglob("*.so*")}
    needs = (*desktop_needs.FOR_OFFSCREEN, *desktop_needs.FOR_X)
    missing = desktop_needs.packages(need for need in needs if need.soname not in brought)
    return [f"libc6 (>= {platform.libc_ver()[1]})", *missing]


def checksums(tree: Path) -> str:
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return "".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n"
        for path in files
        if path.relative_to(tree).parts[0] != "DEBIAN"
    )


def prove(program: Path) -> None:
    """Run the program's own test with no checkout, no Python and no settings in reach, only the user's model."""
    kept = {name: os.environ[name] for name in ("HOME", "MEMORY_INSPECTOR_CACHE") if name in os.environ}
    with tempfile.TemporaryDirectory() as elsewhere:
        tested = subprocess.run(
            [program, "--self-test"], cwd=elsewhere, env={**kept, "PATH": "/nowhere", "LANG": "C.UTF-8"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    say(tested.stdout.rstrip())
    if tested.returncode:
        raise Trouble(f"{program.name} does not pass its own test ({last_words(tested.stderr or tested.stdout)}).")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = run_quietly(*command, cwd=cwd)
    if done.returncode:
        raise Trouble(f"`{Path(str(command[0])).name} {command[1]} …` failed ({last_words(done.stdout)}).")
    return done.stdout


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(source: Path, folder: Path, name: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder / (name or source.name))


def pack(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
