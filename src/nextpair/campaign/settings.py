"""What a campaign may be made of: names are distinct, amounts make sense, and an error says which does not."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from nextpair.campaign.amounts import beta, finite, positive, whole
from nextpair.campaign.events import Created, ItemAdded, WorkerAdded
from nextpair.campaign.names import as_text, can_be_seen
from nextpair.errors import InvalidSetting, UnknownItem, UnknownWorker


def created_from(
    items: Iterable[str],
    workers: Iterable[str] | None,
    budget: float | None,
    seed: int,
    policy: str,
    cost: float | Mapping[str, float],
    quota: int | None,
    forbidden: Iterable[tuple[str, str]],
    min_looks: int,
    reliability: tuple[float, float],
    lease: float | None,
    one_stays: bool,
    best: int | None,
    times: int,
    guess: Mapping[str, float] | None,
    stops: bool,
) -> Created:
    """The first event of a campaign, or an error that names the setting which is wrong.

    `stops`: it is to stop by itself, at an accuracy.
    """
    names = _names("item", items)
    if len(names) < 2:
        raise InvalidSetting(f"a ranking needs at least 2 items, not {len(names)}: name more (nextpair start --item)")
    crowd = None if workers is None else _names("worker", workers)
    from nextpair.core.policies import settled

    best = None if best is None else whole("best", best, 1)
    if best is not None and best >= len(names):
        raise InvalidSetting(f"the best {best} of {len(names)} items are all: best goes from 1 to {len(names) - 1}")
    if not is_list(forbidden):
        raise InvalidSetting(f"forbidden is a list of pairs of items, not {forbidden!r}")
    # the journal says which, so that a replay never depends on a default
    policy = settled(policy, len(names), best, stops=stops, guessed=guess is not None)
    _check_size(policy, len(names))
    return Created(
        items=names,
        workers=crowd,
        budget=None if budget is None else positive("the budget", budget),
        seed=whole("the seed", seed, 0),
        policy=policy,
        cost=1.0 if isinstance(cost, Mapping) else positive("the cost", cost),
        costs=_costs(cost, crowd or ()) if isinstance(cost, Mapping) else {},
        quota=None if quota is None else _quota(quota, crowd),
        forbidden=tuple(_forbidden(pair, names) for pair in forbidden),
        min_looks=whole("min_looks", min_looks, 0),
        reliability=beta("a reliability", reliability),
        lease=None if lease is None else positive("the lease", lease),
        one_stays=flag("one_stays", one_stays) or None,  # what is not asked for is not written
        best=best,
        times=_times(times, crowd),
        guess=None if guess is None else _guess(guess, names),
    )


def worker_from(
    worker: str,
    workers: Container[str],
    cost: float | None,
    quota: int | None,
    reliability: tuple[float, float] | None,
    times: int | None,
) -> WorkerAdded:
    """A new worker's name and terms, as an event."""
    return WorkerAdded(
        worker=_name("worker", worker, workers),
        cost=None if cost is None else positive("a cost", cost),
        quota=None if quota is None else whole("a quota", quota, 1),
        reliability=None if reliability is None else beta(f"the reliability of {worker!r}", reliability),
        times=None if times is None else whole(f"times of {worker!r}", times, 1),
    )


def item_from(item: str, items: Collection[str], created: Created, guess: float | None) -> ItemAdded:
    """A new item's name, as an event."""
    _check_size(created.policy, len(items) + 1)
    if guess is not None and created.guess is None:
        raise InvalidSetting(
            f"nothing was guessed of the other items, so the guess {guess!r} of {item!r} tells nothing: leave it out"
        )
    return ItemAdded(_name("item", item, items), None if guess is None else finite(f"the guess of {item!r}", guess))


def _check_size(policy: str, n_items: int) -> None:
    from nextpair.core.policies import AUTO_MOST_ITEMS, find_policy

    found = find_policy(policy)
    most = found.most_items
    if most is not None and n_items > most:
        raise InvalidSetting(f"the policy {policy!r} takes up to {most} items, not {n_items}: choose another policy")
    if n_items > AUTO_MOST_ITEMS and found.is_heavy:
        from nextpair.inference.memory import refuse_too_large

        refuse_too_large(n_items, "take fewer, or the policy akg, which cannot look for the best alone")


def _names(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    if not is_list(names):
        raise InvalidSetting(f"{kind}s are a list of names, not {names!r}")
    if getattr(names, "ndim", 1) != 1:  # going through a table gives the names of its columns
        raise InvalidSetting(f"{kind}s are a list of names, not a {type(names).__name__} of many columns: give one")
    if isinstance(names, set | frozenset):  # whose order is another one in each process
        raise InvalidSetting(f"{kind}s are in order, so that the same seed asks the same: give sorted(…), not a set")
    found: dict[str, None] = {}
    for name in names:
        found[_name(kind, name, found)] = None
    return tuple(found)


def _name(kind: str, name: str, taken: Container[str]) -> str:
    if not isinstance(name, str) or not name:
        raise InvalidSetting(f"the name of {_a(kind)} is a string that is not empty, not {name!r}")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidSetting(f"the name of {_a(kind)} must be text that UTF-8 can hold, not {name!r}") from None
    if not can_be_seen(name):
        raise InvalidSetting(f"the name of {_a(kind)} cannot be seen: {name!a} shows nothing. Write one that does")
    if name in taken:
        raise InvalidSetting(f"the {kind} {name!r} is there twice: names must differ")
    return as_text(name)


def is_list(values: object) -> TypeGuard[Iterable[Any]]:
    """Whether it holds one after the other: no text, nor numpy's array without a length."""
    try:
        iter(values)  # type: ignore[call-overload]
    except TypeError:
        return False
    return not isinstance(values, str)


def as_mapping(values: Any) -> Any:
    """As a mapping what has keys and is none, as a column of pandas with its index; anything else as it is."""
    return dict(values) if hasattr(values, "keys") and not isinstance(values, Mapping) else values


def flag(name: str, value: bool) -> bool:
    """A switch, as a journal can hold it: neither 1 nor numpy's True."""
    if not isinstance(value, bool):
        raise InvalidSetting(f"{name} is True or False, not {value!r}")
    return value


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "item" else f"a {kind}"


def _quota(quota: int, workers: Sequence[str] | None) -> int:
    most = whole("the quota", quota, 1)
    if workers is None:
        raise InvalidSetting("a quota is for each worker, and they are all alike: name the workers, or leave it out")
    return most


def refuse_strangers(what: str, named: Iterable[str], workers: Collection[str]) -> None:
    """Refuse terms of somebody who takes no part: a name is misspelt."""
    if strangers := set(named) - set(workers):
        raise UnknownWorker(f"{what} given for {min(strangers, key=str)!r}, who is not among the workers")


def _guess(guess: Mapping[str, float], items: Collection[str]) -> dict[str, float]:
    """A number for each item of which something was guessed. They say something only where they differ."""
    if not isinstance(guess, Mapping):
        raise InvalidSetting(f"a guess is a mapping from items to numbers, not {guess!r}")
    if strangers := set(guess) - set(items):
        raise UnknownItem(f"a guess is given for {min(strangers, key=str)!r}, which is not among the items")
    numbers = {item: finite(f"the guess of {item!r}", guess[item]) for item in items if item in guess}
    if len(set(numbers.values())) < 2:
        raise InvalidSetting("a guess tells nothing unless two items at least have different numbers: leave it out")
    return numbers


def _times(times: int, workers: Sequence[str] | None) -> int | None:
    """What is to be written: nothing for once."""
    if whole("times", times, 1) == 1:
        return None
    if workers is None:
        raise InvalidSetting("workers who are all alike may be asked a pair again and again: leave times out")
    return int(times)


def _costs(costs: Mapping[str, float], workers: Sequence[str]) -> dict[str, float]:
    """What each worker costs. Whoever is left out would be asked at a price that nobody named."""
    refuse_strangers("a cost is", costs, workers)
    if forgotten := [name for name in workers if name not in costs]:
        named = ", ".join(map(repr, forgotten[:5])) + (" and others" if len(forgotten) > 5 else "")
        raise InvalidSetting(f"no cost is given for {named}: name the cost of every worker, or one cost for all")
    return {name: positive(f"the cost of {name!r}", amount) for name, amount in costs.items()}


def _forbidden(pair: tuple[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidSetting(f"a forbidden pair is two different items, not {pair!r}")
    for item in pair:
        if item not in names:
            raise UnknownItem(f"the forbidden pair {tuple(pair)!r} names {item!r}, which is not among the items")
    return (pair[0], pair[1])
