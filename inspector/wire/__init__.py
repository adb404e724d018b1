"""Every JSON shape, both directions: what front-ends write for programs is written here and nowhere else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inspector.wire.memories import changes as changes
from inspector.wire.memories import cluster as cluster
from inspector.wire.memories import consolidation as consolidation
from inspector.wire.memories import detail as detail
from inspector.wire.memories import details as details
from inspector.wire.memories import entry as entry
from inspector.wire.memories import impact as impact
from inspector.wire.memories import link as link
from inspector.wire.memories import memory as memory
from inspector.wire.memories import merge as merge
from inspector.wire.memories import page as page
from inspector.wire.memories import purged as purged
from inspector.wire.memories import remembered as remembered
from inspector.wire.memories import remembered_several as remembered_several
from inspector.wire.memories import revision as revision
from inspector.wire.memories import undone as undone
from inspector.wire.plain import plain as plain
from inspector.wire.store import backup as backup
from inspector.wire.store import finding as finding
from inspector.wire.store import info as info
from inspector.wire.store import offer as offer
from inspector.wire.store import pending_change as pending_change
from inspector.wire.store import plan as plan
from inspector.wire.store import proposal as proposal
from inspector.wire.store import stats as stats
from inspector.wire.store import status as status

if TYPE_CHECKING:
    from inspector.wire import brief as brief
    from inspector.wire.answers import answer as answer
    from inspector.wire.answers import explanation as explanation
    from inspector.wire.answers import hook_output as hook_output
    from inspector.wire.answers import noticed as noticed
    from inspector.wire.answers import profile as profile
    from inspector.wire.answers import recalled as recalled
    from inspector.wire.answers import section as section
    from inspector.wire.answers import term as term
    from inspector.wire.answers import why_not as why_not
    from inspector.wire.evaluation import evaluated as evaluated
    from inspector.wire.evaluation import judgement as judgement
    from inspector.wire.evaluation import target as target
    from inspector.wire.evaluation import tuning as tuning
    from inspector.wire.evaluation import versus as versus

_LOADED_ON_DEMAND = {
    **dict.fromkeys(
        ("answer", "explanation", "hook_output", "noticed", "profile", "recalled", "section", "term", "why_not"),
        "answers",
    ),
    **dict.fromkeys(("evaluated", "judgement", "target", "tuning", "versus"), "evaluation"),
}


def __getattr__(name: str) -> Any:
    """Load the shapes of answers on demand: they load the pipeline and numpy, which most commands do not need."""
    if name == "brief":
        return import_module("inspector.wire.brief")
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(name)
    return getattr(import_module(f"inspector.wire.{_LOADED_ON_DEMAND[name]}"), name)
