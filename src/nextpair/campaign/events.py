"""What can happen in a campaign. The list of these events, the journal, is the only truth about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from math import inf
from typing import Any, Literal, get_args

from nextpair.errors import InvalidFile

FORMAT = 1  # raised when old journals would be read wrongly; see docs/architecture.md

Outcome = Literal["left", "right", "tie", "much-left", "much-right"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)
Amount = float  # of money or time: not negative


@dataclass(frozen=True, slots=True)
class Created:
    """A campaign begins. `workers=None`: workers are alike, and nobody in particular is asked.

    `one_stays`: of the two items that a worker has just seen, one is in their next question, too.
    `best`: only which are the best so many matters, not the order of all.
    `times`: how often a worker may be asked the same pair, if not once.
    `guess`: a rough number for some items, the higher the better, that was there before any answer.
    """

    items: tuple[str, ...]
    workers: tuple[str, ...] | None
    budget: Amount | None
    seed: int
    policy: str
    cost: Amount
    costs: dict[str, Amount]
    quota: int | None
    forbidden: tuple[tuple[str, str], ...]
    min_looks: int
    reliability: tuple[float, float]
    lease: Amount | None
    format: int = FORMAT
    one_stays: bool | None = None
    best: int | None = None
    times: int | None = None
    guess: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item joins, perhaps with a guess as the others have one, or comes back with all that is known of it."""

    item: str
    guess: float | None = None


@dataclass(frozen=True, slots=True)
class ItemRemoved:
    """The item is asked about no more and has no place in the ranking. Answers about it still tell of the others."""

    item: str


@dataclass(frozen=True, slots=True)
class WorkerAdded:
    """A worker joins; None stands for the campaign's own cost, quota, reliability and times."""

    worker: str
    cost: Amount | None = None
    quota: int | None = None
    reliability: tuple[float, float] | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question goes out and holds `cost` of the budget until it is closed; once it expired it may go out again.

    One that costs nothing was answered elsewhere: only with `as_shown` is it known that left stood left there.
    """

    question: str
    worker: str | None
    left: str
    right: str
    cost: Amount
    expires_at: float | None = None
    as_shown: bool | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    question: str
    choice: Outcome


@dataclass(frozen=True, slots=True)
class Skipped:
    question: str


@dataclass(frozen=True, slots=True)
class Expired:
    question: str


@dataclass(frozen=True, slots=True)
class Undone:
    """The answer no longer counts and the question is open again."""

    question: str
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class Retracted:
    """None of the worker's answers counts any longer, and the worker is asked no more. What was paid stays paid."""

    worker: str


@dataclass(frozen=True, slots=True)
class BudgetSet:
    budget: Amount | None


@dataclass(frozen=True, slots=True)
class CostSet:
    """From now on an answer costs this: the worker's, or without one everybody's, also of those who join later."""

    cost: Amount
    worker: str | None = None


@dataclass(frozen=True, slots=True)
class TargetSet:
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Paused:
    pass


@dataclass(frozen=True, slots=True)
class Resumed:
    pass


@dataclass(frozen=True, slots=True)
class Ended:
    pass


Event = (
    Created
    | ItemAdded
    | ItemRemoved
    | WorkerAdded
    | Asked
    | Answered
    | Skipped
    | Expired
    | Undone
    | Retracted
    | BudgetSet
    | CostSet
    | TargetSet
    | Paused
    | Resumed
    | Ended
)
PHASES: dict[type[Event], str] = {Paused: "paused", Resumed: "running", Ended: "ended"}
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS = {kind: {field.name: str(field.type) for field in fields(kind)} for kind in _KINDS.values()}
_ABSENT = {  # what a field that was left out stood for, where the event itself has no default
    kind: {field.name: None for field in fields(kind) if "None" in str(field.type) and field.default is MISSING}
    for kind in _KINDS.values()
}


def encode(event: Event) -> dict[str, Any]:
    """The event as a JSON object; fields that are None are left out."""
    record: dict[str, Any] = {"event": type(event).__name__}
    for name in _FIELDS[type(event)]:
        value = getattr(event, name)
        if value is not None:
            record[name] = value
    return record


def decode(record: Any) -> Event:
    """The event of a JSON object, if its fields hold what they should."""
    try:
        return _HOT[tuple(record)](record)
    except (KeyError, TypeError):  # no event that there are millions of
        return _decode(record)


def _decode(record: Any) -> Event:
    kind = _KINDS.get(str(record.pop("event", ""))) if isinstance(record, dict) else None
    if kind is None:
        raise InvalidFile(f"not an event of a campaign: {str(record)[:80]}")
    if not record.keys() <= _FIELDS[kind].keys():
        unknown = sorted(record.keys() - _FIELDS[kind].keys())[0]
        raise InvalidFile(f"the event {kind.__name__} has no field {unknown!r}; was it written by a newer nextpair?")
    if kind is Created and record.get("format") != FORMAT:
        found = record.get("format")
        raise InvalidFile(f"the journal's format is {found!r}, and this nextpair reads {FORMAT}: upgrade nextpair")
    for name, value in record.items():
        if type(value) is list:
            record[name] = _tuples(value)
        _check(kind, name, record[name])
    try:
        event: Event = kind(**_ABSENT[kind] | record)
    except TypeError as error:
        raise InvalidFile(f"the event {kind.__name__} lacks a field: {error}") from None
    return event


def _check(kind: type[Event], name: str, value: Any) -> None:
    """Refuse what a field cannot hold: a journal may have been edited by hand."""
    holds, _, optional = _FIELDS[kind][name].partition(" | ")
    fits, words = _FITTING[holds]
    if not (fits(value) or (optional and value is None)):
        raise InvalidFile(f"the {name} of this {kind.__name__} event is {words}, not {value!r}")


def _is_text(value: Any) -> bool:
    try:
        value.encode()
    except (AttributeError, UnicodeEncodeError):  # no string, or one that UTF-8 cannot hold
        return False
    return True


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -inf < value < inf


def _is_amount(value: Any) -> bool:
    return _is_number(value) and bool(value >= 0)


def _are_texts(value: Any) -> bool:
    return type(value) is tuple and all(map(_is_text, value))


# what a field of each type must be like, and how to say it
_FITTING: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (_is_text, "text"),
    "bool": (lambda value: type(value) is bool, "true or false"),
    "int": (lambda value: type(value) is int and value >= 0, "a whole number"),
    "float": (_is_number, "a number"),
    "Amount": (_is_amount, "a number that is not negative"),
    "Outcome": (lambda value: value in OUTCOMES, f"one of {', '.join(OUTCOMES)}"),
    "tuple[str, ...]": (_are_texts, "a list of names"),
    "tuple[tuple[str, str], ...]": (
        lambda value: type(value) is tuple and all(_are_texts(pair) and len(pair) == 2 for pair in value),
        "a list of pairs of items",
    ),
    "tuple[float, float]": (
        lambda value: type(value) is tuple and len(value) == 2 and all(_is_number(part) and part > 0 for part in value),
        "a pair of positive numbers",
    ),
    "dict[str, Amount]": (
        lambda value: type(value) is dict and all(map(_is_amount, value.values())),
        "a mapping from names to prices",
    ),
    "dict[str, float]": (
        lambda value: type(value) is dict and all(map(_is_number, value.values())),
        "a mapping from names to numbers",
    ),
}


def _asked(record: dict[str, Any]) -> Asked:
    get, question, left, right, cost = record.get, record["question"], record["left"], record["right"], record["cost"]
    if record["event"] != "Asked" or not (
        type(question) is type(left) is type(right) is type(get("worker", "")) is str
    ):
        raise TypeError
    expires, shown = get("expires_at", 0.0), get("as_shown", True)
    if type(shown) is not bool or not (
        type(cost) is type(expires) is float and 0.0 <= cost < inf and -inf < expires < inf
    ):
        raise TypeError
    return Asked(question, get("worker"), left, right, cost, get("expires_at"), get("as_shown"))


def _answered(record: dict[str, Any]) -> Answered:
    choice = record["choice"]
    if record["event"] != "Answered" or type(record["question"]) is not str or choice not in OUTCOMES:
        raise TypeError
    return Answered(record["question"], choice)


# by the names of their fields, as `encode` writes them: what a long journal consists of, without the general way
_HOT: dict[tuple[str, ...], Callable[[dict[str, Any]], Event]] = {
    ("event", "question", "choice"): _answered,
    ("event", "question", "left", "right", "cost"): _asked,
    ("event", "question", "left", "right", "cost", "as_shown"): _asked,
    ("event", "question", "left", "right", "cost", "expires_at"): _asked,
    ("event", "question", "worker", "left", "right", "cost"): _asked,
    ("event", "question", "worker", "left", "right", "cost", "as_shown"): _asked,
    ("event", "question", "worker", "left", "right", "cost", "expires_at"): _asked,
}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
