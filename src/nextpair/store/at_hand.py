"""Answers that a program has at hand, as records: in a list, or in the columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nextpair.campaign.questions import Comparison
from nextpair.campaign.settings import is_list
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.store.layouts import READ
from nextpair.store.records import Record, Records, plain_field
from nextpair.store.rows import Fault

NAME = "the list of answers"
KINDS = "a mapping such as {'left': …, 'right': …, 'winner': …}, (worker, left, right, choice) or (winner, loser)"


def records_of(answers: Any) -> Records:
    """The answers one by one, or those of a table: a mapping of names to columns, or a DataFrame."""
    if isinstance(answers, Mapping):
        return Records(NAME, "answer", _of_columns(answers, list(answers)))
    if hasattr(answers, "columns") and hasattr(answers, "__getitem__"):  # of pandas, or of polars
        return Records(NAME, "answer", _of_columns(answers, list(answers.columns)))
    if not is_list(answers) or isinstance(answers, bytes | set | frozenset):
        raise InvalidSetting(
            f"answers are a file, a list of them or a table with a column for each field, not {answers!r:.80}"
        )
    return Records(NAME, "answer", ((number, _told(one)) for number, one in enumerate(answers, start=1)))


def _told(answer: Any) -> Record:
    return lambda: _as_record(answer)


def _of_columns(table: Any, names: list[Any]) -> Iterator[tuple[int, Record]]:
    read = [name for name in names if plain_field(name) in READ]
    plain = [plain_field(name) for name in read]
    if twice := next((name for name in plain if plain.count(name) > 1), None):
        raise InvalidFile(f"{NAME} has {plain.count(twice)} columns called {twice}: leave one")
    columns = {name: list(table[name]) for name in read}
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{name} {len(column):,}" for name, column in columns.items())
        raise InvalidFile(f"{NAME} has columns of different lengths ({lengths}): each row is one answer")
    others = [name for name in names if name not in columns]
    length = max(map(len, columns.values()), default=len(others[:1]))  # of none that is read one row tells the fields
    for number, row in enumerate(zip(*columns.values(), *([None] * length for _ in others), strict=True), start=1):
        yield number, lambda row=row: dict(zip([*columns, *others], row, strict=True))  # type: ignore[misc]


def _as_record(answer: Any) -> Mapping[Any, Any]:
    if isinstance(answer, Mapping):
        return answer
    if isinstance(answer, Comparison):
        told = {"winner": answer.winner, "loser": answer.loser, "tie": answer.tie, "left": answer.left}
        return {"worker": answer.worker, **told, "much": answer.much}
    if hasattr(answer, "keys"):  # a row of a database or a DataFrame
        return dict(answer)
    if "winner" in getattr(answer, "_fields", ()):
        named: Mapping[Any, Any] = answer._asdict()
        return named
    if isinstance(answer, tuple | list) or getattr(answer, "ndim", None) == 1:
        if len(answer) == 2:
            return dict(zip(("winner", "loser"), answer, strict=True))
        if len(answer) == 4:
            return _as_told(*answer)
    raise Fault(f"it is {answer!r:.80}: an answer is {KINDS}")


def _as_told(worker: Any, left: Any, right: Any, choice: Any) -> dict[str, Any]:
    """As `Campaign.add_answers` takes it."""
    much = isinstance(choice, str) and choice.startswith("much-")
    winner = choice.removeprefix("much-") if much else choice
    return {"worker": worker, "left": left, "right": right, "winner": winner, "much": much}
