"""The manual page is made from the table of commands and leaves out nothing."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from inspector import manual
from inspector.cli import BUG, CHECK_FAILED, OK, STOPPED, WRONG_USE, main
from inspector.command_table import COMMANDS, SECTIONS, SHARED_OPTIONS, STANDALONE_OPTIONS


@pytest.fixture(scope="module")
def read() -> str:
    """The page as it is read, on one line; without a formatter, its source with the escapes taken out."""
    source = manual.page("1.2.3")
    if shutil.which("groff") is None:
        return source.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    command = ["groff", "-man", "-Tutf8", "-P-cbou", "-rHY=0", "-rLL=250n"]
    shown = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    return " ".join(shown.stdout.split())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_there_with_its_options_and_its_example(read, command):
    assert f"{command.name} " in read
    assert " ".join(command.example.split()) in read
    for each in command.arguments:
        assert all(name in read for name in each.names if each.is_option)


def test_what_every_command_takes_the_sections_and_the_exit_codes_are_there(read):
    for each in (*SHARED_OPTIONS, *STANDALONE_OPTIONS):
        assert each.names[0] in read
    assert all(title in read for title in SECTIONS)
    assert set(manual.EXIT_CODES) == {OK, CHECK_FAILED, WRONG_USE, BUG, STOPPED}
    assert "1.2.3" in read


def test_no_line_of_text_is_taken_for_a_request():
    assert manual._text(".db files\n'quoted' \\ back") == "\\&.db files\n\\&'quoted' \\(rs back"


def test_the_command_prints_the_page(capsys):
    assert main(["man"]) == OK
    assert capsys.readouterr().out.startswith(".TH MEMORY\\-INSPECTOR 1")
