"""The account afterwards: what the workers were told against what the journal holds, counted without the engine."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.service.bench.load import Account


def audit(journal: list[ev.Event], account: Account, prefix: str) -> list[str]:
    """Everything that is wrong; an empty list is what is hoped for."""
    asked = {event.question: event for event in journal if isinstance(event, ev.Asked)}
    answers = [event for event in journal if isinstance(event, ev.Answered)]
    told = {f"{prefix}{event.question}": event.choice for event in answers}
    problems = list(account.problems)
    if len(told) != len(answers):
        problems.append(f"{len(answers) - len(told)} answers are in the journal twice")
    for question, choice in account.acknowledged.items():
        if told.get(question) != choice:
            problems.append(f"the answer {choice} to {question} was acknowledged, the journal has {told.get(question)}")
    problems += [f"{question} was skipped and is answered" for question in account.skipped & told.keys()]
    pairs = Counter((asked[a.question].worker, _pair(asked[a.question])) for a in answers)
    problems += [f"{worker} answered {sorted(pair)} {n} times" for (worker, pair), n in pairs.items() if n > 1]
    return problems + _overspent(journal) + _repeated(journal)


def _pair(asked: ev.Asked) -> frozenset[str]:
    return frozenset((asked.left, asked.right))


def _overspent(journal: list[ev.Event]) -> list[str]:
    """At every moment of the journal, what is spent and held is within the budget, to the cent."""
    created = journal[0]
    assert isinstance(created, ev.Created)
    assert created.budget is not None
    budget = Decimal(repr(created.budget))
    costs: dict[str, Decimal] = {}
    held: set[str] = set()
    taken = Decimal(0)  # spent and held
    for number, event in enumerate(journal):
        if isinstance(event, ev.Asked):
            costs[event.question] = Decimal(repr(event.cost))
            held.add(event.question)
            taken += costs[event.question]
        elif isinstance(event, ev.Answered) and event.question not in held:  # a late answer
            taken += costs[event.question]
        elif isinstance(event, ev.Answered):
            held.remove(event.question)
        elif isinstance(event, ev.Skipped | ev.Expired) and event.question in held:  # a late skip frees nothing
            held.remove(event.question)
            taken -= costs[event.question]
        if taken > budget:
            return [f"after event {number}, {taken} of a budget of {budget} is taken"]
    return []


def _repeated(journal: list[ev.Event]) -> list[str]:
    """No pair goes to a worker again, unless the first question ran out unanswered."""
    out: dict[tuple[str | None, frozenset[str]], str] = {}
    asked: dict[str, ev.Asked] = {}
    problems = []
    for event in journal:
        if isinstance(event, ev.Asked):
            asked[event.question] = event
            key = (event.worker, _pair(event))
            if key in out:
                problems.append(f"{event.worker} was asked {sorted(_pair(event))} in {out[key]} and {event.question}")
            out[key] = event.question
        elif isinstance(event, ev.Expired):
            first = asked[event.question]
            out.pop((first.worker, _pair(first)), None)
    return problems


def compare_with_replay(journal: list[ev.Event], rankings: list[list[dict[str, object]]]) -> list[str]:
    """Every server shows the ranking that the journal alone leads to."""
    expected = [(row.item, row.score, row.low, row.high) for row in Campaign.replay(journal).ranking()]
    shown = [[(row["item"], row["score"], row["low"], row["high"]) for row in ranking] for ranking in rankings]
    return [f"server {k} shows another ranking than the replay" for k, rows in enumerate(shown) if rows != expected]
