"""What can happen in a campaign. The list of these events, the journal, is the only truth about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, get_args

from nextpair.errors import InvalidFile

FORMAT = 1  # raised when old journals would be read wrongly; see docs/architecture.md

Outcome = Literal["left", "right", "tie"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Created:
    """A campaign begins. `workers=None`: workers are alike, and nobody in particular is asked."""

    items: tuple[str, ...]
    workers: tuple[str, ...] | None
    budget: float | None
    seed: int
    policy: str
    cost: float
    costs: dict[str, float]
    quota: int | None
    forbidden: tuple[tuple[str, str], ...]
    min_looks: int
    reliability: tuple[float, float]
    lease: float | None
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class ItemAdded:
    item: str


@dataclass(frozen=True, slots=True)
class WorkerAdded:
    """A worker joins; None stands for the campaign's own cost, quota and reliability."""

    worker: str
    cost: float | None = None
    quota: int | None = None
    reliability: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question goes out and holds `cost` of the budget until it is closed; once it expired it may go out again."""

    question: str
    worker: str | None
    left: str
    right: str
    cost: float
    expires_at: float | None = None


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
    budget: float | None


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
    | WorkerAdded
    | Asked
    | Answered
    | Skipped
    | Expired
    | Undone
    | Retracted
    | BudgetSet
    | TargetSet
    | Paused
    | Resumed
    | Ended
)
PHASES: dict[type[Event], str] = {Paused: "paused", Resumed: "running", Ended: "ended"}
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS = {kind: frozenset(field.name for field in fields(kind)) for kind in _KINDS.values()}
_ABSENT = {  # what a field that was left out stood for, where the event itself has no default
    kind: {field.name: None for field in fields(kind) if "None" in str(field.type) and field.default is MISSING}
    for kind in _KINDS.values()
}


def encode(event: Event) -> dict[str, Any]:
    """The event as a JSON object; fields that are None are left out."""
    record: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        if value is not None:
            record[field.name] = value
    return record


def decode(record: Any) -> Event:
    """The event of a JSON object."""
    try:
        return _HOT[tuple(record)](record)
    except (KeyError, TypeError):  # no event that there are millions of
        return _decode(record)


def _decode(record: Any) -> Event:
    kind = _KINDS.get(record.pop("event", "")) if isinstance(record, dict) else None
    if kind is None:
        raise InvalidFile(f"not an event of a campaign: {str(record)[:80]}")
    if not record.keys() <= _FIELDS[kind]:
        unknown = sorted(record.keys() - _FIELDS[kind])[0]
        raise InvalidFile(f"a {kind.__name__} event has no field {unknown!r}; was it written by a newer nextpair?")
    if kind is Created and record.get("format") != FORMAT:
        found = record.get("format")
        raise InvalidFile(f"the journal's format is {found!r}, and this nextpair reads {FORMAT}: upgrade nextpair")
    for name, value in record.items():
        if type(value) is list:
            record[name] = _tuples(value)
    try:
        event: Event = kind(**_ABSENT[kind] | record)
    except TypeError as error:
        raise InvalidFile(f"a {kind.__name__} event lacks a field: {error}") from None
    return event


def _asked(record: dict[str, Any]) -> Asked:
    if record["event"] != "Asked" or type(record["question"]) is not str:
        raise TypeError
    get = record.get
    return Asked(record["question"], get("worker"), record["left"], record["right"], record["cost"], get("expires_at"))


def _answered(record: dict[str, Any]) -> Answered:
    if record["event"] != "Answered" or type(record["question"]) is not str:
        raise TypeError
    return Answered(record["question"], record["choice"])


# by the names of their fields, as `encode` writes them: what a long journal consists of, without the general way
_HOT: dict[tuple[str, ...], Callable[[dict[str, Any]], Event]] = {
    ("event", "question", "choice"): _answered,
    ("event", "question", "left", "right", "cost"): _asked,
    ("event", "question", "left", "right", "cost", "expires_at"): _asked,
    ("event", "question", "worker", "left", "right", "cost"): _asked,
    ("event", "question", "worker", "left", "right", "cost", "expires_at"): _asked,
}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
