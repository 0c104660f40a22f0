"""What a campaign may be made of: names are distinct, amounts make sense, and an error says which does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from nextpair.campaign.events import Created
from nextpair.errors import InvalidSetting, UnknownItem, UnknownWorker


def created_from(
    items: Sequence[str],
    workers: Sequence[str] | None,
    budget: float | None,
    seed: int,
    policy: str,
    cost: float | Mapping[str, float],
    quota: int | None,
    forbidden: Iterable[tuple[str, str]],
    min_looks: int,
    reliability: tuple[float, float],
    lease: float | None,
) -> Created:
    """The first event of a campaign, or an error that names the setting which is wrong."""
    names = _names("item", items)
    if len(names) < 2:
        raise InvalidSetting(f"a ranking needs at least 2 items, not {len(names)}")
    crowd = None if workers is None else _names("worker", workers)
    costs = dict(cost) if isinstance(cost, Mapping) else {}
    if stranger := sorted(set(costs) - set(crowd or ())):
        raise UnknownWorker(f"a cost is given for {stranger[0]!r}, who is not among the workers")
    for amount in costs.values():
        _positive("a cost", amount)
    from nextpair.core.policies import settled

    policy = settled(policy, len(names))  # the journal says which, so that a replay never depends on a default
    _check_size(policy, len(names))
    if budget is not None:
        _positive("the budget", budget)
    if lease is not None:
        _positive("the lease", lease)
    _count("the quota", 1 if quota is None else quota, 1)
    _count("min_looks", min_looks, 0)
    _count("the seed", seed, 0)
    check_reliability(reliability)
    return Created(
        items=names,
        workers=crowd,
        budget=None if budget is None else float(budget),
        seed=int(seed),
        policy=policy,
        cost=1.0 if isinstance(cost, Mapping) else _positive("the cost", cost),
        costs={name: float(amount) for name, amount in costs.items()},
        quota=quota,
        forbidden=tuple(_forbidden(pair, names) for pair in forbidden),
        min_looks=int(min_looks),
        reliability=(float(reliability[0]), float(reliability[1])),
        lease=None if lease is None else float(lease),
    )


def check_item(item: str, items: Sequence[str], policy: str) -> str:
    """A new item's name."""
    _check_size(policy, len(items) + 1)
    return _names("item", [*items, item])[-1]


def _check_size(policy: str, n_items: int) -> None:
    from nextpair.core.policies import find_policy

    most = find_policy(policy).most_items
    if most is not None and n_items > most:
        raise InvalidSetting(f"the policy {policy!r} takes up to {most} items, not {n_items}: choose another policy")


def check_worker(
    worker: str,
    workers: Sequence[str],
    cost: float | None,
    quota: int | None,
    reliability: tuple[float, float] | None,
) -> None:
    """A new worker's name and terms."""
    _names("worker", [*workers, worker])
    if cost is not None:
        _positive("a cost", cost)
    if quota is not None:
        _count("a quota", quota, 1)
    if reliability is not None:
        check_reliability(reliability)


def check_reliability(reliability: tuple[float, float]) -> None:
    if len(reliability) != 2 or not all(0 < part < math.inf for part in reliability):
        raise InvalidSetting(f"a reliability is a pair of positive numbers (mu, nu), not {reliability!r}")


def _names(kind: str, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidSetting(f"{kind}s are a list of names, not the string {names!r}")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidSetting(f"the name of a {kind} is a string that is not empty, not {name!r}")
        if name in seen:
            raise InvalidSetting(f"the {kind} {name!r} is there twice: names must differ")
        seen.add(name)
    return tuple(names)


def _forbidden(pair: tuple[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidSetting(f"a forbidden pair is two different items, not {pair!r}")
    for item in pair:
        if item not in names:
            raise UnknownItem(f"the forbidden pair {tuple(pair)!r} names {item!r}, which is not among the items")
    return (pair[0], pair[1])


def _positive(what: str, amount: float) -> float:
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < math.inf:
        raise InvalidSetting(f"{what} must be a positive number, not {amount!r}")
    return float(amount)


def _count(what: str, number: int, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InvalidSetting(f"{what} must be a whole number from {least} up, not {number!r}")
