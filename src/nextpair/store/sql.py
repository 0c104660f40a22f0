"""Journals in a database. The primary key (campaign, seq) is what keeps two writers apart."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Engine, func, insert, select
from sqlalchemy.exc import IntegrityError

from nextpair.campaign.events import Event, decode, encode
from nextpair.store.protocol import Entry, conflict
from nextpair.store.schema import journal


class SqlStore:
    """Journals in SQLite or PostgreSQL, shared by any number of processes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT")  # one round trip instead of three

    def append(self, campaign: str, expected: int, events: Sequence[Event], at: float) -> None:
        rows = [
            {"campaign": campaign, "seq": expected + k, "at": at, "event": json.dumps(encode(event))}
            for k, event in enumerate(events)
        ]
        last = select(func.max(journal.c.seq)).where(journal.c.campaign == campaign, journal.c.seq < expected)
        try:
            with self.engine.begin() as connection:
                if rows:
                    # first of all: SQLite then holds the write lock, so that what is read below cannot change
                    connection.execute(insert(journal), rows)
                before = connection.scalar(last)
                if (-1 if before is None else before) != expected - 1:
                    raise conflict(campaign, expected)
        except IntegrityError:
            raise conflict(campaign, expected) from None

    def read(self, campaign: str, start: int = 0) -> list[Entry]:
        query = (
            select(journal.c.seq, journal.c.at, journal.c.event)
            .where(journal.c.campaign == campaign, journal.c.seq >= start)
            .order_by(journal.c.seq)
        )
        with self._reader.connect() as connection:
            return [Entry(seq, at, decode(json.loads(event))) for seq, at, event in connection.execute(query)]

    def campaigns(self) -> list[str]:
        with self._reader.connect() as connection:
            return list(connection.scalars(select(journal.c.campaign).where(journal.c.seq == 0).order_by("campaign")))
