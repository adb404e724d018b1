"""`help` prints the manual: its topics, a section, a command; plain when piped, in a pager on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from inspector import help_topics
from inspector.cli import OK, WRONG_USE, main
from inspector.commands import terminal_markdown


def test_without_a_topic_all_are_listed(capsys):
    assert main(["help"]) == OK
    shown = capsys.readouterr().out
    assert all(f"{each.name} " in shown and each.about in shown for each in help_topics.topics())


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_a_topic_is_printed_plain_when_it_is_piped(name, capsys):
    assert main(["help", name]) == OK
    shown = capsys.readouterr().out
    assert shown.startswith(f"{help_topics.topic(name).title}\n")
    assert "\x1b" not in shown
    assert "<!--" not in shown


@pytest.mark.parametrize(
    ("words", "first"), [(["recall"], "recall"), (["token", "add"], "token add"), (["profiles#oro"], "oro")]
)
def test_a_command_or_a_section_is_printed_alone(words, first, capsys):
    assert main(["help", *words]) == OK
    assert capsys.readouterr().out.startswith(f"{first}\n")


@pytest.mark.parametrize(("word", "near"), [("profils", "profiles"), ("recal", "recall"), ("profiles#orro", "oro")])
def test_an_unknown_topic_gets_one_sentence_with_the_nearest(word, near, capsys):
    assert main(["help", word]) == WRONG_USE
    said = capsys.readouterr().err
    assert f"(perhaps {near}?)" in said
    assert len(said.splitlines()) == 1


def test_json_holds_the_markdown(capsys):
    assert main(["help", "glossary", "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["text"].startswith("# Glossary\n")
    assert main(["help", "--json"]) == OK
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["topics"]] == list(help_topics.TOPICS)


def on_a_terminal(*arguments: str, pager: str) -> str:
    """What the program writes on a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PAGER": pager, "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "inspector", *arguments]
    with subprocess.Popen(command, stdout=theirs, stdin=theirs, env=environment) as running:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other end is closed
            pass
        running.wait()
    os.close(ours)
    return shown.decode()


def test_on_a_terminal_a_long_topic_goes_to_the_pager_and_headings_are_bold():
    assert on_a_terminal("help", "glossary", pager="head -n 1") == "\x1b[1mGlossary\x1b[0m\r\n"


def test_without_a_pager_it_is_printed():
    assert "Search cache" in on_a_terminal("help", "glossary", pager="there-is-no-such-pager")


def test_paragraphs_are_filled_and_tables_aligned():
    markdown = "## A\n\none\ntwo [three](b.md#c)\n\n- item\n  goes on\n\n| a | b |\n|---|---|\n| 1 | long words |\n\n"
    markdown += "```\n# code\n```"
    shown = terminal_markdown.rendered(markdown, 20).replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert shown.split("\n") == [
        "A", "", "one two three", "", "- item goes on", "", "a  b", "-  ----------", "1  long words", "", "    # code",
    ]  # fmt: skip


def test_a_table_that_is_too_wide_is_wrapped_within_its_columns():
    shown = terminal_markdown.rendered("| a | b |\n|---|---|\n| word | " + "long " * 20 + "|", 30)
    assert max(map(len, shown.split("\n"))) <= 30


def test_search_finds_every_word_and_puts_titles_first():
    found = help_topics.search("Half-Life oro")
    assert found
    assert all("half-life" in f"{each.section.title} {each.section.text}".lower() for each in found)
    assert help_topics.search("glossary")[0].section.title == "Glossary"
    assert help_topics.search("  ") == ()
    assert help_topics.search("zzzz") == ()


def test_a_section_comes_with_what_is_below_it():
    whole = help_topics.with_subsections(help_topics.section("cli", "queries"))
    assert "### recall" in whole
    assert "## Curating" not in whole


def test_a_number_sign_in_code_is_no_heading():
    assert "set everything up" in help_topics.section("contributing", "the-two-commands").text
