"""Journals in a database. The primary key (campaign, seq) is what keeps two writers apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, String, bindparam, exists, func, insert, select
from sqlalchemy.exc import IntegrityError

from nextpair.campaign.events import Event, decode, encode
from nextpair.store.protocol import Entry, conflict
from nextpair.store.schema import journal

# one event, if the one before it is there: a whole append in one round trip, and its own transaction
_columns = ("campaign", "seq", "at", "event")
_given = select(*(bindparam(name, type_=journal.c[name].type) for name in _columns))
_before = exists().where(
    journal.c.campaign == bindparam("campaign", type_=String), journal.c.seq == bindparam("before")
)
_append_one = insert(journal).from_select(_columns, _given.where(_before)).returning(journal.c.seq)


def entry(row: Any) -> Entry:
    """A row of the journal."""
    return Entry(row.seq, row.at, decode(json.loads(row.event)))


class SqlStore:
    """Journals in SQLite or PostgreSQL, shared by any number of processes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._single = engine.execution_options(isolation_level="AUTOCOMMIT")  # one round trip instead of three

    def append(self, campaign: str, expected: int, events: Sequence[Event], at: float) -> None:
        rows = [
            {"campaign": campaign, "seq": expected + k, "at": at, "event": json.dumps(encode(event))}
            for k, event in enumerate(events)
        ]
        try:
            if expected > 0 and len(rows) == 1:
                with self._single.connect() as connection:
                    written = connection.scalar(_append_one, {**rows[0], "before": expected - 1})
                if written is None:
                    raise conflict(campaign, expected)
            else:
                self._append_many(campaign, expected, rows)
        except IntegrityError:
            raise conflict(campaign, expected) from None

    def _append_many(self, campaign: str, expected: int, rows: list[dict[str, Any]]) -> None:
        last = select(func.max(journal.c.seq)).where(journal.c.campaign == campaign, journal.c.seq < expected)
        with self.engine.begin() as connection:
            if rows:
                # first of all: SQLite then holds the write lock, so that what is read below cannot change
                connection.execute(insert(journal), rows)
            before = connection.scalar(last)
            if (-1 if before is None else before) != expected - 1:
                raise conflict(campaign, expected)

    def read(self, campaign: str, start: int = 0) -> list[Entry]:
        query = (
            select(journal.c.seq, journal.c.at, journal.c.event)
            .where(journal.c.campaign == campaign, journal.c.seq >= start)
            .order_by(journal.c.seq)
        )
        with self._single.connect() as connection:
            return [entry(row) for row in connection.execute(query)]
