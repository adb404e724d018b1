"""Make the checkout ready to run and test: `.venv`, the packages, the project, Qt's libraries, the model.

Every step looks before it acts, so that a second run does nothing and a run that was cut off is repaired by
the next. The stamp inside `.venv` is taken away before the first change and written after the last one: a
`.venv` without its stamp is half-made.

Runs with the system's Python and the standard library alone. Python 3.8 must be able to parse the whole file,
or an old Python would show a syntax error in place of the sentence that it is too old.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "memory-inspector.stamp"
LOCK = ROOT / "packaging" / "requirements.lock"
PYPROJECT = ROOT / "pyproject.toml"

# A step is announced before it runs, even where the output is a pipe.
say = functools.partial(print, flush=True)

# Offline, apt would otherwise wait two minutes for every one of its sources.
APT_GET = ("apt-get", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20")


class Trouble(Exception):
    """What keeps the project from being used, worded as one sentence for the person who can mend it."""

    def __init__(self, sentence: str, exit_code: int = 2) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def main(arguments: list[str]) -> int:
    """Take the steps that are still to be taken; 0 means that the project can be used."""
    # A plain kill then ends the child process as Ctrl-C does: an orphaned pip would go on writing into the
    # .venv that the next run makes anew.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        refuse_old_python(sys.version_info[:2])
        just_installed = prepare_packages()
        prepare_desktop()
        prepare_model(required="--require-model" in arguments, announce=just_installed)
    except Trouble as trouble:
        say(trouble, file=sys.stderr)
        return trouble.exit_code
    except OSError as error:
        say(f"The environment cannot be made: {error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("Interrupted; the next run repairs what is half-made.", file=sys.stderr)
        return 130
    say("The environment is ready.")
    return 0


def refuse_old_python(version: tuple[int, ...]) -> None:
    """Say so in a sentence, before pip says it in fifty lines."""
    if version < OLDEST_PYTHON:
        oldest, found = (".".join(map(str, numbers)) for numbers in (OLDEST_PYTHON, version))
        raise Trouble(
            f"Memory Inspector needs Python {oldest} or newer and this is Python {found}: "
            f"install a newer one and name it, as in `make run PYTHON=python{oldest}`."
        )


def prepare_packages() -> bool:
    """Install the locked packages and the project, unless the stamp says that just these are there."""
    wanted = stamp(LOCK, PYPROJECT, sys.implementation.cache_tag, ROOT)
    found = STAMP.read_text(encoding="utf-8") if VENV_PYTHON.exists() and STAMP.exists() else ""
    if found == wanted:
        return False
    if same_interpreter(found, wanted):
        STAMP.unlink()
    else:
        make_venv()
    install_locked_packages()
    install_project()
    STAMP.write_text(wanted, encoding="utf-8")
    return True


def stamp(lock: Path, pyproject: Path, interpreter: str, place: Path) -> str:
    """What the contents of a `.venv` follow from: the interpreter, and below it a hash of all the rest.

    The place counts because an editable install points to it: a moved checkout installs itself again.
    """
    contents = hashlib.sha256()
    for part in (lock.read_bytes(), pyproject.read_bytes(), os.fsencode(place)):
        contents.update(hashlib.sha256(part).digest())
    return f"{interpreter}\n{contents.hexdigest()}\n"


def same_interpreter(found: str, wanted: str) -> bool:
    """Whether pip can mend the `.venv` in place; no stamp, or that of another Python, means to start over."""
    return found.partition("\n")[0] == wanted.partition("\n")[0]


def make_venv(venv: Path = VENV) -> None:
    """Make an environment from nothing: what an interrupted run left there cannot be trusted."""
    ensure_venv_can_be_made()
    if venv.is_symlink():
        venv.unlink()  # what it points to is not ours to remove
    elif venv.exists():
        say(f"Removing an old or half-made {venv.name}.")
        shutil.rmtree(venv)
    say(f"Making {venv.name}.")
    # With .venv activated, python3 is .venv's own, which is gone by now: ask the interpreter behind it.
    interpreter = getattr(sys, "_base_executable", None) or sys.executable
    made = run_quietly(interpreter, "-m", "venv", venv)
    if made.returncode:
        raise Trouble(f"A virtual environment cannot be made ({last_words(made.stdout)}).")


def ensure_venv_can_be_made() -> None:
    """Debian ships ensurepip, without which a virtual environment has no pip, in a package of its own."""
    if importlib.util.find_spec("ensurepip"):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if may_use_apt():
        say(f"Installing {package}.")
        why_not = apt_install([package])
        if not why_not:
            return
        raise Trouble(f"{package} is needed and cannot be installed ({why_not}).")
    raise Trouble(f"{package} is needed: as root, run `apt-get update && apt-get install -y {package}`.")


def install_locked_packages(lock: Path = LOCK, python: Path = VENV_PYTHON) -> None:
    """Install exactly the files whose hashes the lock holds."""
    say(f"Installing the packages of {lock.name} (about 180 MB to download the first time).")
    installed = pip_install("--require-hashes", "-r", lock, python=python)
    if installed.returncode:
        raise Trouble(
            f"The packages cannot be installed ({last_words(installed.stdout)}): "
            "check the network and run the same command again."
        )


def install_project() -> None:
    """Install the checkout as editable; the lock holds the build backend, so this needs no network."""
    say("Installing the project.")
    installed = pip_install("--no-deps", "--no-build-isolation", "--editable", ".")
    if installed.returncode:
        raise Trouble(f"The project itself cannot be installed ({last_words(installed.stdout)}).")


def pip_install(*arguments: str | Path, python: Path = VENV_PYTHON) -> subprocess.CompletedProcess[str]:
    """Run an environment's pip as a module: the first line of its script breaks in a path with spaces."""
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    return run_quietly(python, "-m", "pip", "install", *options, *arguments)


def prepare_desktop() -> None:
    """Install the system libraries of Qt that are missing; all but the window works without them."""
    sys.path.insert(0, str(ROOT))
    from inspector import desktop_needs

    missing = desktop_needs.missing_libraries(for_window=True)
    if not missing:
        return
    why_not = "this takes root on Debian or Ubuntu"
    if may_use_apt():
        packages = desktop_needs.packages(missing)
        say(f"Installing the system libraries of Qt: {' '.join(packages)}.")
        why_not = apt_install(packages)
    if why_not:
        say(
            f"The desktop window lacks system libraries and they were not installed ({why_not}): "
            f"as root, run `{desktop_needs.apt_line(missing)}`; all else works without them."
        )


def may_use_apt() -> bool:
    """Whether packages of the system can be installed without a password."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(packages: list[str] | tuple[str, ...]) -> str:
    """Install packages of Debian; the answer is why it failed, or empty."""
    run_quietly(*APT_GET, "update")  # when it fails, the lists of before may still do
    installed = run_quietly(*APT_GET, "install", "-y", "--no-install-recommends", *packages)
    return last_words(installed.stdout) if installed.returncode else ""


def prepare_model(required: bool, announce: bool) -> None:
    """Have the default embedding model fetched; the command itself knows whether it is there already."""
    if announce:
        say("Fetching the embedding model, unless it is there.")
    fetched = run_quietly(VENV_PYTHON, "-m", "inspector", "model", "fetch")
    if not fetched.returncode:
        return
    sentence = (
        f"The embedding model could not be fetched ({last_words(fetched.stdout)}): "
        "until `.venv/bin/python -m inspector model fetch` succeeds, recall works on full text alone."
    )
    if required:
        raise Trouble(sentence, fetched.returncode)
    say(sentence)


def run_quietly(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it prints: only a failure is worth reading."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=str(cwd),
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def last_words(output: str) -> str:
    """The line in which pip or apt says what went wrong: its last error, or else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR:", "E:"))]
    return (errors or lines or ["it gave no reason"])[-1].removeprefix("ERROR: ").rstrip(".")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
