"""The manual that ships with the program: its topics, their sections, and search in all of them.

Topics are the Markdown files of `resources/docs`. They are read once, on first use: the whole manual is about 150 kB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from core.errors import UserError, suggestion
from inspector import resources

TOPICS = (
    "desktop", "cli", "agents", "profiles", "evaluation", "models", "promises", "benchmarks", "glossary",
    "architecture", "contributing", "changelog",
)  # fmt: skip
"""The topics in reading order; `resources/docs` holds one file of each name."""

EXCERPT_CHARS = 110


@dataclass(frozen=True, slots=True)
class Topic:
    """One page. `about` is the sentence below its title, `text` its Markdown without comments."""

    name: str
    title: str
    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, up to the next heading; `anchor` is what a link to it names."""

    topic: str
    anchor: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A section in which every word of a search occurs, with an excerpt around the first of them."""

    section: Section
    excerpt: str


@cache
def topic(name: str) -> Topic:
    """Return a topic by its name. An unknown name raises a UserError that names the nearest topic."""
    if name not in TOPICS:
        raise UserError(
            f"There is no help topic {name[:40]!r}{suggestion(name, TOPICS)}; there are {', '.join(TOPICS)}."
        )
    text = _without_comments(resources.path(f"docs/{name}.md").read_text("utf-8"))
    title, about = [line for line in text.splitlines() if line][:2]
    return Topic(name, title.removeprefix("# "), about, text)


def topics() -> tuple[Topic, ...]:
    return tuple(topic(name) for name in TOPICS)


@cache
def sections(name: str) -> tuple[Section, ...]:
    """Return the sections of a topic in their order; the first is its title and introduction."""
    found: list[Section] = []
    heading, below = "", list[str]()
    for line in (*_outside_code(topic(name).text), (True, "# ")):
        is_heading = line[0] and re.match(r"#{1,6} ", line[1])
        if is_heading and heading:
            level = len(heading) - len(heading.lstrip("#"))
            title = heading[level:].strip()
            found.append(Section(name, anchor(title), title, level, "\n".join(below).strip()))
            below = []
        if is_heading:
            heading = line[1]
        else:
            below.append(line[1])
    return tuple(found)


def section(name: str, wanted: str) -> Section:
    """Return the section of a topic with this anchor. An unknown anchor raises a UserError that names the nearest."""
    known = {each.anchor: each for each in sections(name)}
    if wanted not in known:
        raise UserError(f"The help topic {name} has no section {wanted[:40]!r}{suggestion(wanted, known)}.")
    return known[wanted]


def with_subsections(wanted: Section) -> str:
    """Return the Markdown of a section with its heading and the sections below it."""
    all_of_topic = sections(wanted.topic)
    start = all_of_topic.index(wanted)
    below = all_of_topic[start + 1 :]
    end = next((number for number, each in enumerate(below) if each.level <= wanted.level), len(below))
    return "\n\n".join(_markdown(each) for each in (wanted, *below[:end]))


def anchor(title: str) -> str:
    """Return the anchor of a heading, as GitHub makes it: small letters, hyphens for spaces, no punctuation."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def search(query: str) -> tuple[Match, ...]:
    """Return the sections that contain every word of the query, those with a word in their title first."""
    words = query.lower().split()
    if not words:
        return ()
    in_title, in_text = list[Match](), list[Match]()
    for each in (each for name in TOPICS for each in sections(name)):
        title, text = each.title.lower(), each.text.lower()
        if all(word in title or word in text for word in words):
            found = Match(each, _excerpt(each.text, words))
            (in_title if any(word in title for word in words) else in_text).append(found)
    return (*in_title, *in_text)


def _excerpt(text: str, words: Iterable[str]) -> str:
    """Return the text around the first of the words, on one line and without Markdown's signs."""
    plain = " ".join(re.sub(r"\]\([^()]{1,200}\)|[`*|\[#]|-{3,}|^- ", " ", text, flags=re.MULTILINE).split())
    places = [place for word in words if (place := plain.lower().find(word)) >= 0]
    start = max(0, min(places, default=0) - EXCERPT_CHARS // 4)
    start = plain.find(" ", start) + 1 if start else 0
    cut = plain[start : start + EXCERPT_CHARS]
    return ("… " if start else "") + (f"{cut.rsplit(' ', 1)[0]} …" if len(plain) > start + EXCERPT_CHARS else cut)


def _markdown(each: Section) -> str:
    return f"{'#' * each.level} {each.title}\n\n{each.text}".rstrip()


def _without_comments(text: str) -> str:
    """Leave out the lines that mark what is generated."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("<!--"))


def _outside_code(text: str) -> Iterator[tuple[bool, str]]:
    """Yield each line with whether it stands outside a code block, where # begins a heading."""
    is_code = False
    for line in text.split("\n"):
        is_fence = line.startswith("```")
        is_code ^= is_fence
        yield not is_code and not is_fence, line
