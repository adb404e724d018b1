"""The answer to a question: the ranking, and the section of a prompt made from it."""

from __future__ import annotations

from dataclasses import dataclass

from core.model import Memory
from core.pipeline import render
from core.pipeline.query import Query
from core.pipeline.run import Profile, Ranking
from core.pipeline.stages.cut import TokenBudget
from core.services.question import Question


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    profile: Profile
    query: Query
    ranking: Ranking

    @property
    def memories(self) -> list[Memory]:
        return [result.memory for result in self.ranking.results]

    @property
    def token_budget(self) -> int:
        """The tokens that the section may take: the question's budget, the profile's, or the default."""
        budget = self.query.token_budget
        if budget is None:
            default = render.RECALLING_TOKENS if self.query.recall_phrase else render.PROMPT_TOKENS
            own = (stage.tokens for stage in self.profile.stages if isinstance(stage, TokenBudget))
            budget = next((tokens for tokens in own if tokens), default)
        return budget

    @property
    def prompt(self) -> str:
        """The section to put into an agent's prompt, within the budget."""
        return render.prompt_section(self.memories, self.query.now, self.query.words, self.token_budget)
