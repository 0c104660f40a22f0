"""Rows about who may come in: the installation's secrets, tokens by their hashes, and how often somebody tried."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sqlalchemy import Engine, Row, and_, delete, insert, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from nextpair.service.languages.catalogue import DEFAULT
from nextpair.service.security import new_token
from nextpair.store import schema as db
from nextpair.store.protocol import Entry
from nextpair.store.sql import entry


@dataclass(frozen=True)
class TokenRecord:
    """Whom a token stands for: an organiser (organiser, session, once) or a worker of a campaign.

    That of a form opens nothing: it tells which campaign the form has made, should it be sent again.
    """

    id: str
    role: str
    name: str
    campaign: str | None
    worker: str | None
    created_at: float
    expires_at: float | None


def session_key(token_id: str) -> str:
    """The name of the sessions that were begun with a program's token."""
    return f"token:{token_id}"


class Beside(NamedTuple):
    """What may change in a campaign, and its journal does not hold."""

    ends_at: float | None = None
    mended: int = 0  # how often an item got other words
    language: str = DEFAULT

    @classmethod
    def of(cls, settings: str) -> Beside:
        """As it stands in the settings of a campaign, as they are stored."""
        stored = json.loads(settings)
        return cls(**{name: stored[name] for name in cls._fields if name in stored})


class Tokens:
    """Rows in the database, each method one transaction."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT")  # one round trip instead of three

    def setting(self, key: str) -> str:
        """A secret of this installation, made on first use and the same in every process."""
        query = select(db.settings.c.value).where(db.settings.c.key == key)
        with self.engine.begin() as connection:
            value = connection.scalar(query)
            if value is None:
                row = {"key": key, "value": new_token()}
                connection.execute(self._insert(db.settings).values(row).on_conflict_do_nothing())
                value = connection.scalar(query)
        return str(value)

    def _insert(self, table: Any) -> Any:
        dialect = sqlite if self.engine.dialect.name == "sqlite" else postgresql
        return dialect.insert(table)

    def add_token(
        self,
        hashed: str,
        role: str,
        *,
        name: str = "",
        campaign: str | None = None,
        worker: str | None = None,
        lifetime: float | None = None,
    ) -> TokenRecord:
        now = time.time()
        expires_at = None if lifetime is None else now + lifetime
        record = TokenRecord(secrets.token_hex(8), role, name, campaign, worker, now, expires_at)
        with self.engine.begin() as connection:
            connection.execute(insert(db.tokens).values(hash=hashed, **asdict(record)))
        return record

    def token(self, hashed: str) -> TokenRecord | None:
        """The token with that hash, unless it has run out."""
        with self._reader.connect() as connection:
            row = connection.execute(select(db.tokens).where(db.tokens.c.hash == hashed)).first()
        if row is None or (row.expires_at is not None and row.expires_at <= time.time()):
            return None
        return _token(row)

    def enter(self, hashed: str, campaign: str, start: int) -> tuple[TokenRecord | None, list[Entry], Beside, str]:
        """A worker's token, what is new in the campaign's journal, what stands beside it, and which questions they
        answered too late, in one round trip.
        """
        t, j, c, w = db.tokens.c, db.journal.c, db.campaigns.c, db.workers.c
        query = (
            select(db.tokens, j.seq, j.at, j.event, c.settings, w.late)
            .join(db.campaigns, c.id == t.campaign)
            .join(db.workers, and_(w.campaign == t.campaign, w.id == t.worker))
            .outerjoin(db.journal, and_(j.campaign == t.campaign, j.seq >= start))
            .where(t.hash == hashed, t.campaign == campaign, t.role == "worker")
            .order_by(j.seq)
        )
        with self._reader.connect() as connection:
            rows = connection.execute(query).all()
        if not rows or (rows[0].expires_at is not None and rows[0].expires_at <= time.time()):
            return None, [], Beside(), ""
        news = [entry(row) for row in rows if row.seq is not None]
        return _token(rows[0]), news, Beside.of(rows[0].settings), rows[0].late or ""

    def tokens(self, role: str) -> list[TokenRecord]:
        query = select(db.tokens).where(db.tokens.c.role == role).order_by(db.tokens.c.created_at)
        with self._reader.connect() as connection:
            return [_token(row) for row in connection.execute(query)]

    def use_token(self, hashed: str, role: str) -> bool:
        """Take a token that works once; False when it was not there (any more)."""
        with self.engine.begin() as connection:
            gone = connection.execute(
                delete(db.tokens).where(
                    db.tokens.c.hash == hashed, db.tokens.c.role == role, db.tokens.c.expires_at > time.time()
                )
            )
        return gone.rowcount == 1

    def revoke_token(self, token_id: str) -> None:
        """The token opens nothing any more, nor does a session that was begun with it."""
        begun = and_(db.tokens.c.role == "session", db.tokens.c.name == session_key(token_id))
        self._revoke(or_(db.tokens.c.id == token_id, begun))

    def revoke_worker(self, campaign: str, worker: str) -> None:
        """None of the worker's links and tokens opens anything any more."""
        self._revoke(db.tokens.c.campaign == campaign, db.tokens.c.worker == worker)

    def _revoke(self, *where: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(delete(db.tokens).where(*where))

    def attempt(self, key: str) -> int:
        """Count an attempt, and say how many there were in this minute, over all processes."""
        window = int(time.time() // 60)
        count = db.attempts.c.count
        row = {"key": key, "window": window, "count": 1}
        statement = (
            self._insert(db.attempts)
            .values(row)
            .on_conflict_do_update(index_elements=["key", "window"], set_={"count": count + 1})
            .returning(count)
        )
        with self.engine.begin() as connection:
            connection.execute(delete(db.attempts).where(db.attempts.c.window < window - 1))
            return int(connection.scalar(statement) or 0)


def _token(row: Row[Any]) -> TokenRecord:
    return TokenRecord(row.id, row.role, row.name, row.campaign, row.worker, row.created_at, row.expires_at)
