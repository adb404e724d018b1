"""Which text of a memory is embedded: decided here, stored with every vector, so a change re-embeds."""

from __future__ import annotations

from core.model import Memory

# Change this name whenever embedded_text changes: vectors of two recipes are never compared.
RECIPE = "names-content-1"


def embedded_text(memory: Memory) -> str:
    """Return the content, led by the names it is about and does not say itself.

    A turn of talk or a note often leaves out who or what it concerns; a question rarely does. On dialogue
    the same model finds almost twice as much when the speaker's name stands before the text.
    """
    content = memory.content.casefold()
    unsaid = [name for name in memory.entities if name.casefold() not in content]
    return f"{', '.join(unsaid)}: {memory.content}" if unsaid else memory.content
