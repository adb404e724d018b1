"""The steps of the tour: which view, which widget, and the text."""

from __future__ import annotations

from dataclasses import dataclass

QUESTION = "why do migrations hang?"


@dataclass(frozen=True, slots=True)
class OnboardingStep:
    """One step. `view` is the action that shows the view, `target` the framed attribute; `asks` runs a query first."""

    view: str
    target: str
    title: str
    text: str
    asks: bool = False


STEPS = (
    OnboardingStep("browse", "rail", "Eight views of one store",
         "Each view answers another question about the same memories. Ctrl+1 to Ctrl+8 go to them, Ctrl+K finds any "
         "command by a few letters."),
    OnboardingStep("browse", "browse_view.table", "Browse: every memory",
         "The table shows them all, however many there are. Click a heading to sort; the first letters you type after "
         "Ctrl+F already filter it."),
    OnboardingStep("browse", "browse_view.filters", "Narrow it down",
         "By type, tag, status, confidence, age or session. A set of filters can be saved under a name."),
    OnboardingStep("browse", "browse_view.detail", "Read and edit one",
         "Its text, links, every version word by word, and which calls returned it. Ctrl+Z undoes any "
         "change, by any client."),
    OnboardingStep("query_lab", "query_view.query", "Query Lab: query as an agent would",
         "The same core answers here and over the server, and queries do not change the store. A query is "
         "filled in for "
         "you.", asks=True),
    OnboardingStep("query_lab", "query_view.table", "Every score in its parts",
         "Each bar shows the parts of a score; its outline shows what confidence and decay took away.", asks=True),
    OnboardingStep("query_lab", "query_view.tabs", "Why, and why not",
         "The whole tree of numbers, the funnel, what was dropped and why, two settings side by side, and the exact "
         "prompt an agent would get.", asks=True),
    OnboardingStep("contradictions", "contradictions_view.list", "Contradictions: memories that disagree",
         "Found when a memory is added, with the rule that fired. Nothing changes until you decide."),
    OnboardingStep("contradictions", "contradictions_view.split", "Decide with the effect in view",
         "Select a resolution and see which results it would change before you apply it."),
    OnboardingStep("decay", "decay_view.chart", "Decay: how scores fall with age",
         "Drawn by the same stage that ranks. Drag “now” along the line and see the order it would give; a "
         "pinned memory never decays."),
    OnboardingStep("graph", "graph_view.canvas", "Graph: links between memories",
         "Start from the memory selected in Browse; Space expands one, and a query highlights what it would activate."),
    OnboardingStep("activity", "activity_view.tabs", "Activity: calls of agents",
         "Each call as it arrives, with what it returned and its near misses; any of them can be replayed. The "
         "journal beside it says who changed what, and undoes it."),
    OnboardingStep("health", "health_view.list", "Health: problems and repairs",
         "Near-duplicates, secrets, what is stale or not embedded; each with a repair that one undo reverts."),
    OnboardingStep("evaluation", "evaluation_view", "Evaluation: which profile ranks best",
         "Profiles measured on your ratings from the Query Lab, query by query; parameters tuned on them."),
    OnboardingStep("evaluation", "toolbar", "Use your own store",
         "File, New Store… starts one; File, Serve Agents… lets your agents read and write it. F1 shows every key, and "
         "this tour stays in the Help menu."),
)  # fmt: skip
