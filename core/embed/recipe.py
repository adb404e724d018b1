"""Which text of a memory is embedded; the name of the recipe is stored with every vector, so a change re-embeds."""

from __future__ import annotations

from core.model import Memory

# Change this name whenever embedded_text changes: vectors of two recipes are never compared.
RECIPE = "names-content-1"


def embedded_text(memory: Memory) -> str:
    """Return the content, preceded by the entities that it does not mention itself.

    A message or a note often leaves out its subject; a question rarely does. On dialogue the same model finds almost
    twice as much if the name of the speaker precedes the text.
    """
    content = memory.content.casefold()
    unsaid = [name for name in memory.entities if name.casefold() not in content]
    return f"{', '.join(unsaid)}: {memory.content}" if unsaid else memory.content
