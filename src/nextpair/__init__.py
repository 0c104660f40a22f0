"""nextpair ranks items from noisy pairwise answers for the least money.

    import nextpair

    campaign = nextpair.Campaign(["tea", "coffee", "water"], workers=["ann", "ben"], budget=20)
    question = campaign.ask()
    campaign.tell(question.id, "left")
    campaign.ranking()

`Campaign` asks and tells: help(nextpair.Campaign). `judge` lets programs and models answer: help(nextpair.judge).
`rank` makes a `Ranking` of answers that exist: help(nextpair.rank).
`Question`, `RankingRow`, `WorkerRow`, `Comparison`, `Explanation` and `Judged` are what they give back; `draw` makes a
picture of it. `Belief` and `akg_scores` are the paper's belief and what it makes of every question, for those who bring
a loop of their own. Every error is a `nextpair.errors.NextpairError`, names the offending value and says what to do.
docs/library.md has it all in tables. The command line is `nextpair --help`.
"""

from typing import TYPE_CHECKING, Any

from nextpair import errors

__version__ = "0.1.0"
__all__ = [
    "Belief",
    "Campaign",
    "Comparison",
    "Explanation",
    "Judged",
    "Question",
    "Ranking",
    "RankingRow",
    "WorkerRow",
    "akg_scores",
    "draw",
    "errors",
    "judge",
    "rank",
]

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.campaign.questions import Comparison, Explanation, Question, RankingRow, WorkerRow
    from nextpair.core.akg import akg_scores
    from nextpair.core.belief import Belief
    from nextpair.judging.rounds import Judged, judge
    from nextpair.picture import draw
    from nextpair.ranking import Ranking, rank

_HOMES = {
    "Belief": "core.belief",
    "Campaign": "campaign.campaign",
    "Comparison": "campaign.questions",
    "Explanation": "campaign.questions",
    "Judged": "judging.rounds",
    "Question": "campaign.questions",
    "Ranking": "ranking",
    "RankingRow": "campaign.questions",
    "WorkerRow": "campaign.questions",
    "akg_scores": "core.akg",
    "draw": "picture",
    "judge": "judging.rounds",
    "rank": "ranking",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # numpy, scipy and numba take seconds to import: only whoever uses a name pays for it
    if name not in _HOMES:
        raise AttributeError(f"module 'nextpair' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"nextpair.{_HOMES[name]}"), name)
