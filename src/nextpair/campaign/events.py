"""What can happen in a campaign. The list of these events, the journal, is the only truth about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from nextpair.errors import InvalidFile

FORMAT = 1  # raised when old journals would be read wrongly; see docs/architecture.md

Outcome = Literal["left", "right", "tie"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class ItemAdded:
    item: str


@dataclass(frozen=True)
class WorkerAdded:
    """A worker joins; None stands for the campaign's own cost, quota and reliability."""

    worker: str
    cost: float | None = None
    quota: int | None = None
    reliability: tuple[float, float] | None = None


@dataclass(frozen=True)
class Asked:
    """A question goes out and holds `cost` of the budget until it is closed."""

    question: str
    worker: str | None
    left: str
    right: str
    cost: float
    expires_at: float | None = None


@dataclass(frozen=True)
class Answered:
    question: str
    choice: Outcome


@dataclass(frozen=True)
class Skipped:
    question: str


@dataclass(frozen=True)
class Expired:
    question: str


@dataclass(frozen=True)
class Undone:
    """The answer no longer counts and the question is open again."""

    question: str
    expires_at: float | None = None


@dataclass(frozen=True)
class Retracted:
    """None of the worker's answers counts any longer, and the worker is asked no more. What was paid stays paid."""

    worker: str


@dataclass(frozen=True)
class BudgetSet:
    budget: float | None


@dataclass(frozen=True)
class TargetSet:
    accuracy: float | None


@dataclass(frozen=True)
class Paused:
    pass


@dataclass(frozen=True)
class Resumed:
    pass


@dataclass(frozen=True)
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
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Event)}


def encode(event: Event) -> dict[str, Any]:
    """The event as a JSON object; fields that are None are left out."""
    written = {name: value for name, value in asdict(event).items() if value is not None}
    return {"event": type(event).__name__, **written}


def decode(record: Any) -> Event:
    """The event of a JSON object."""
    if not isinstance(record, dict) or record.get("event") not in _KINDS:
        raise InvalidFile(f"not an event of a campaign: {str(record)[:80]}")
    kind = _KINDS[record["event"]]
    values = {name: _tuples(value) for name, value in record.items() if name != "event"}
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(values) - known):
        raise InvalidFile(f"a {record['event']} event has no field {unknown[0]!r}; was it written by a newer nextpair?")
    if kind is Created:
        if values.get("format") != FORMAT:
            raise InvalidFile(
                f"the journal's format is {values.get('format')!r}, and this nextpair reads {FORMAT}: upgrade nextpair"
            )
        values = {"workers": None, "budget": None, "quota": None, "lease": None, **values}
    elif kind is BudgetSet or kind is TargetSet:
        values = {"budget" if kind is BudgetSet else "accuracy": None, **values}
    elif kind is Asked:
        values = {"worker": None, **values}
    try:
        event: Event = kind(**values)
    except TypeError as error:
        raise InvalidFile(f"a {record['event']} event lacks a field: {error}") from None
    return event


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
