"""The commands help, completion and man."""

from __future__ import annotations

import argparse

from core.errors import UserError, suggestion
from inspector import completion as scripts
from inspector import connections, glossary, help_topics, manual, program
from inspector.cli import OK
from inspector.command_table import COMMANDS
from inspector.commands import terminal, terminal_markdown


def show_help(options: argparse.Namespace) -> int:
    """Print a topic, a section of one, or the section of a command; without a name, list the topics."""
    if not options.topic:
        found = help_topics.topics()
        width = max(len(each.name) for each in found)
        lines = [f"{each.name:{width}}  {each.about}" for each in found]
        text = "\n".join(
            [*lines, "", "`memory-inspector help TOPIC` prints one, `… help COMMAND` a command's section."]
        )
        shape = {"topics": [{"name": each.name, "title": each.title, "about": each.about} for each in found]}
        terminal.show(options, shape, text)
        return OK
    name, title, markdown = _help_text(" ".join(options.topic).lower())
    terminal.show_pages(
        options, {"topic": name, "title": title, "text": markdown}, terminal_markdown.rendered(markdown)
    )
    return OK


def _help_text(wanted: str) -> tuple[str, str, str]:
    """Return name, title and Markdown of what was asked for: topic, topic#section, glossary#term or command."""
    name, _, anchor = wanted.partition("#")
    commands = [command.name for command in COMMANDS]
    if name in commands and name not in help_topics.TOPICS and not anchor:
        name, anchor = "cli", help_topics.anchor(name)
    if name not in help_topics.TOPICS:
        near = suggestion(name, (*help_topics.TOPICS, *commands))
        known = ", ".join(help_topics.TOPICS)
        raise UserError(f"There is no help topic {name[:40]!r}{near}; there are {known}, and every command.")
    if not anchor:
        topic = help_topics.topic(name)
        return name, topic.title, topic.text.rstrip()
    entry = glossary.find(anchor) if name == glossary.TOPIC else None
    if entry is not None:
        return f"{name}#{anchor}", entry.text.partition(":")[0], entry.text
    section = help_topics.section(name, anchor)
    return f"{name}#{anchor}", section.title, help_topics.with_subsections(section)


def completion(options: argparse.Namespace) -> int:
    if options.shell not in scripts.SHELLS:
        raise UserError(f"There is completion for {', '.join(scripts.SHELLS)}, not for {options.shell[:40]!r}.")
    script = scripts.SHELLS[options.shell](_offers())
    terminal.show(options, {"shell": options.shell, "script": script}, script.rstrip())
    return OK


def man(options: argparse.Namespace) -> int:
    page = manual.page(program.version())
    terminal.show(options, {"page": page}, page.rstrip())
    return OK


def _offers() -> dict[str, tuple[str, ...]]:
    """Return the words that can stand for each placeholder."""
    from core.model import Status
    from core.services import exchange, models, profiles
    from core.services.contradictions import Resolution
    from inspector.serve.tokens import Scope

    return {
        "PROFILE": tuple(profile.name for profile in profiles.published()),
        "MODEL": tuple(offer.model.name for offer in models.choices()),
        "STATUS": tuple(Status),
        "FORMAT": exchange.FORMATS,
        "VERDICT": tuple(Resolution),
        "CLIENT": tuple(client.name for client in connections.CLIENTS),
        "SCOPE": tuple(Scope),
        "COMPAT": ("reference",),
        "SHELL": tuple(scripts.SHELLS),
        "TOPIC": help_topics.TOPICS,
    }
