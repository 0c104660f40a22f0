"""Every error that nextpair raises on purpose. Each names the offending value and says what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self


def reason(error: OSError | ValueError) -> str:
    """Why the system refused (a ValueError: a path that can be none), as the end of a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower()


class NextpairError(Exception):
    """The root of the tree: catch this to catch them all."""

    def __reduce__(self) -> tuple[Callable[..., NextpairError], tuple[Any, ...]]:
        """As it is sent from another process. Python would make it anew of its message, which not all are made of."""
        return _as_raised, (type(self), self.args, vars(self))


def _as_raised(kind: type[NextpairError], args: tuple[Any, ...], known: dict[str, Any]) -> NextpairError:
    error = kind.__new__(kind, *args)
    vars(error).update(known)
    return error


class InvalidSetting(NextpairError, ValueError):
    """A value that nextpair cannot work with: one item, a negative budget, an unknown policy."""


class InvalidFile(NextpairError, ValueError):
    """A file that cannot be read as what it should be."""


class Unconnected(NextpairError, ValueError):
    """The comparisons leave open how some items stand to the rest. `items` are their numbers.

    They never lost to any of the others or, if they have not `met`, were never compared with them.
    """

    def __init__(self, model: str, items: Sequence[int], names: Sequence[str] | None = None, met: bool = True) -> None:
        shown = [str(item) if names is None else names[item] for item in items[:5]] + ["…"] * (len(items) > 5)
        one = len(items) == 1
        who = f"item {shown[0]}" if one else f"the {len(items)} items {', '.join(shown)}"
        flaw = f"{'has' if one else 'have'} never lost to any of the others"
        remedy = (
            "Use full-posterior, bradley-terry-map or dirichlet, which need no such loss, or add comparisons between "
            "the two groups"
        )
        if not met:
            flaw = f"{'was' if one else 'were'} never compared with any of the others"
            remedy = (
                "Add comparisons with the others, or use full-posterior, bradley-terry-map or dirichlet, which assume "
                "that items never compared with each other are as good on the whole"
            )
        super().__init__(f"{model} has no finite scores for these comparisons: {who} {flaw}. {remedy}")
        self.model, self.items, self.met = model, tuple(items), met

    def named(self, names: Sequence[str]) -> Self:
        """The same of items that have names."""
        return type(self)(self.model, self.items, names, self.met)


class CampaignError(NextpairError):
    """A campaign cannot do what it was asked to."""


class UnknownItem(CampaignError, KeyError):
    """No item of that name takes part."""

    __str__ = Exception.__str__


class UnknownWorker(CampaignError, KeyError):
    """No worker of that name takes part."""

    __str__ = Exception.__str__


class UnknownQuestion(CampaignError, KeyError):
    """No question with that id was ever asked."""

    __str__ = Exception.__str__


class QuestionClosed(CampaignError):
    """The question was already closed in another way than this."""


class NothingToAsk(CampaignError):
    """There is no next question, for one of the reasons below."""


class BudgetExhausted(NothingToAsk):
    """The rest of the budget is spent or held by open questions."""


class NothingLeft(NothingToAsk):
    """The worker (or every worker) has compared all that may be asked of them."""


class TargetReached(NothingToAsk):
    """The expected accuracy has reached what `stop_at` asked for."""


class CampaignClosed(NothingToAsk):
    """The campaign is paused or has ended."""


class JournalConflict(NextpairError):
    """Someone else appended to the journal first: read what is new and try again."""


class JudgeFailed(NextpairError):
    """A program that was to judge gave no answer, or none of those that there are."""


class ServiceRefused(NextpairError):
    """A live campaign does not take a call. `status` is that of HTTP, 0 without a reply; `code` the service's word."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code
