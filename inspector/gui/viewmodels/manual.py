"""The viewmodel of the manual: the open page, the history of visited pages, and search in all pages."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from inspector import glossary, help_topics

LISTED_LEVEL = 2  # of the open page the list shows the sections down to this level


@dataclass(frozen=True, slots=True)
class ManualPage:
    """What is shown: a topic, and the number of the heading or the text of the glossary entry to scroll to."""

    topic: help_topics.Topic
    heading: int
    entry: str = ""


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A line of the list: a topic, a section of the open topic, or a match of the search."""

    title: str
    location: str
    about: str = ""
    is_section: bool = False


class ManualViewModel(QObject):
    """The manual. `opened` carries the page to show, `listed` the entries of the list."""

    opened = Signal(object)
    listed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.query = ""
        self._visited: list[str] = []
        self._at = -1

    @property
    def location(self) -> str:
        """Return the open page as `topic#section`; empty before the first one is opened."""
        return self._visited[self._at] if self._visited else ""

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._visited) - 1

    def open(self, location: str) -> None:
        """Open a page by `topic#section` or `glossary#term`. An unknown section opens the page at its beginning."""
        if location != self.location:
            self._visited[self._at + 1 :] = [location]
            self._at += 1
        self._show()

    def follow(self, link: str) -> None:
        """Open what a link on the open page leads to, such as `profiles.md#oro`."""
        page, _, anchor = link.partition("#")
        topic = page.removesuffix(".md") or self.location.partition("#")[0]
        if topic in help_topics.TOPICS:
            self.open(f"{topic}#{anchor}" if anchor else topic)

    def back(self) -> None:
        if self.can_go_back:
            self._at -= 1
            self._show()

    def forward(self) -> None:
        if self.can_go_forward:
            self._at += 1
            self._show()

    def search(self, query: str) -> None:
        """List what contains every word of the query, or the topics where there is none."""
        self.query = query.strip()
        self._list()

    def _show(self) -> None:
        name, _, anchor = self.location.partition("#")
        anchors = [each.anchor for each in help_topics.sections(name)]
        term = glossary.find(anchor) if name == glossary.TOPIC and anchor not in anchors else None
        heading = anchor if term is None else term.section.anchor
        number = anchors.index(heading) if heading in anchors else 0
        self.opened.emit(ManualPage(help_topics.topic(name), number, "" if term is None else term.text))
        if not self.query:
            self._list()

    def _list(self) -> None:
        self.listed.emit(self._found() if self.query else self._topics())

    def _topics(self) -> list[ManualEntry]:
        entries = list[ManualEntry]()
        for topic in help_topics.topics():
            entries.append(ManualEntry(topic.title, topic.name, topic.about))
            if topic.name == self.location.partition("#")[0]:
                entries += [
                    ManualEntry(each.title, f"{topic.name}#{each.anchor}", is_section=True)
                    for each in help_topics.sections(topic.name)[1:]
                    if each.level <= LISTED_LEVEL
                ]
        return entries

    def _found(self) -> list[ManualEntry]:
        titles = {topic.name: topic.title for topic in help_topics.topics()}
        return [
            ManualEntry(
                titles[each.section.topic] + (f" › {each.section.title}" if each.section.level > 1 else ""),
                f"{each.section.topic}#{each.section.anchor}",
                each.excerpt,
            )
            for each in help_topics.search(self.query)
        ]
