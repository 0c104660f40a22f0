"""The service's own rows: campaigns' words, items' contents, workers' names, tokens, pictures. Never an answer."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, exists, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from nextpair.errors import InvalidSetting
from nextpair.service.content import Item
from nextpair.service.pictures import Picture
from nextpair.service.security import new_token
from nextpair.store import schema as db
from nextpair.store.protocol import Entry
from nextpair.store.sql import entry

MAX_WORKER_ID = 64  # characters, in the schema


@dataclass(frozen=True)
class Options:
    """What a campaign's pages need and its engine does not."""

    show_ranking: bool = False
    ends_at: float | None = None
    completion_url: str | None = None
    completion_code: str | None = None
    currency: str = ""
    workers_from: str | None = None  # the campaign from which those are known who come back
    by_how_much: bool = False  # whether workers may say that one is the better one by far

    def refuse_past_end(self) -> None:
        """An error for an end time that has passed: a campaign that is begun should have some time."""
        if self.ends_at is not None and self.ends_at <= time.time():
            moment = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(self.ends_at))
            raise InvalidSetting(f"the end time {moment} (UTC) has passed: choose a later one")


@dataclass(frozen=True)
class CampaignRecord:
    """A campaign's words and options."""

    id: str
    name: str
    question: str
    created_at: float
    join_version: int = 1
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class WorkerRecord:
    """A worker's name, the id that an outside platform knows them by, and when they were given the completion code."""

    campaign: str
    id: str
    name: str
    outside_id: str | None
    completed_at: float | None = None


@dataclass(frozen=True)
class TokenRecord:
    """Whom a token stands for: an organiser (organiser, session, once) or a worker of a campaign."""

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


class Records:
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

    # campaigns and items

    def add_campaign(self, record: CampaignRecord, items: Sequence[Item], pictures: Sequence[Picture] = ()) -> None:
        """A campaign with its items, and the pictures that were uploaded with them: all or nothing."""
        row = {
            "id": record.id,
            "name": record.name,
            "question": record.question,
            "settings": json.dumps(asdict(record.options)),
            "join_version": record.join_version,
            "created_at": record.created_at,
        }
        with self.engine.begin() as connection:
            connection.execute(insert(db.campaigns).values(row))
            connection.execute(insert(db.items), _item_rows(record.id, items))
            _add_media(connection, pictures)

    def add_item(self, campaign: str, item: Item, position: int) -> None:
        """One more item. A row that is there is left alone: a process may have ended before it wrote the event."""
        with self.engine.begin() as connection:
            connection.execute(self._insert(db.items).on_conflict_do_nothing(), _item_rows(campaign, [item], position))

    def campaign(self, campaign: str) -> CampaignRecord | None:
        with self._reader.connect() as connection:
            row = connection.execute(select(db.campaigns).where(db.campaigns.c.id == campaign)).first()
        return None if row is None else _campaign(row)

    def campaigns(self) -> list[CampaignRecord]:
        """Every campaign, the newest first. One without a journal is none: its process was killed while creating it."""
        begun = exists().where(db.journal.c.campaign == db.campaigns.c.id)
        query = select(db.campaigns).where(begun).order_by(db.campaigns.c.created_at.desc())
        with self._reader.connect() as connection:
            return [_campaign(row) for row in connection.execute(query)]

    def items(self, campaign: str) -> dict[str, Item]:
        query = select(db.items).where(db.items.c.campaign == campaign).order_by(db.items.c.position)
        with self._reader.connect() as connection:
            return {row.id: Item(row.id, row.text, row.kind, row.image) for row in connection.execute(query)}

    def reset_join(self, campaign: str) -> None:
        """Make the open link of a campaign void; a new one takes its place."""
        raised = db.campaigns.c.join_version + 1
        with self.engine.begin() as connection:
            connection.execute(update(db.campaigns).where(db.campaigns.c.id == campaign).values(join_version=raised))

    # workers and tokens

    def add_worker(self, record: WorkerRecord, hashed: str | None = None) -> bool:
        """Add a worker, with the hash of a token; False, and nothing, when the id or outside id is there already."""
        now = time.time()
        token = TokenRecord(secrets.token_hex(8), "worker", "", record.campaign, record.id, now, None)
        try:
            with self.engine.begin() as connection:
                connection.execute(insert(db.workers).values(**asdict(record), created_at=now))
                if hashed is not None:
                    connection.execute(insert(db.tokens).values(hash=hashed, **asdict(token)))
        except IntegrityError:
            return False
        return True

    def worker(self, campaign: str, worker: str) -> WorkerRecord | None:
        return self._one_worker(db.workers.c.campaign == campaign, db.workers.c.id == worker)

    def worker_outside(self, campaign: str, outside_id: str) -> WorkerRecord | None:
        return self._one_worker(db.workers.c.campaign == campaign, db.workers.c.outside_id == outside_id)

    def _one_worker(self, *where: Any) -> WorkerRecord | None:
        with self._reader.connect() as connection:
            row = connection.execute(select(db.workers).where(*where)).first()
        return None if row is None else _worker(row)

    def workers(self, campaign: str) -> dict[str, WorkerRecord]:
        query = select(db.workers).where(db.workers.c.campaign == campaign).order_by(db.workers.c.created_at)
        with self._reader.connect() as connection:
            return {row.id: _worker(row) for row in connection.execute(query)}

    def complete(self, campaign: str, worker: str) -> None:
        """Remember that a worker was given the completion code."""
        row = and_(db.workers.c.campaign == campaign, db.workers.c.id == worker)
        with self.engine.begin() as connection:
            connection.execute(update(db.workers).where(row).values(completed_at=time.time()))

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

    def enter(self, hashed: str, campaign: str, start: int) -> tuple[TokenRecord | None, list[Entry]]:
        """A worker's token and what is new in the campaign's journal, in one round trip."""
        t, j = db.tokens.c, db.journal.c
        query = (
            select(db.tokens, j.seq, j.at, j.event)
            .outerjoin(db.journal, and_(j.campaign == t.campaign, j.seq >= start))
            .where(t.hash == hashed, t.campaign == campaign, t.role == "worker")
            .order_by(j.seq)
        )
        with self._reader.connect() as connection:
            rows = connection.execute(query).all()
        if not rows or (rows[0].expires_at is not None and rows[0].expires_at <= time.time()):
            return None, []
        return _token(rows[0]), [entry(row) for row in rows if row.seq is not None]

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

    # pictures and limits

    def add_media(self, picture: Picture) -> None:
        with self.engine.begin() as connection:
            _add_media(connection, [picture])

    def media(self, name: str) -> tuple[str, bytes] | None:
        with self._reader.connect() as connection:
            row = connection.execute(select(db.media.c.type, db.media.c.content).where(db.media.c.id == name)).first()
        return None if row is None else (row.type, row.content)

    def known_media(self, names: Collection[str]) -> set[str]:
        """Those of the names that pictures have here."""
        with self._reader.connect() as connection:
            return set(connection.scalars(select(db.media.c.id).where(db.media.c.id.in_(names))))

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


def _item_rows(campaign: str, items: Sequence[Item], start: int = 0) -> list[dict[str, Any]]:
    return [
        {"campaign": campaign, "id": i.id, "position": k, "kind": i.kind, "text": i.text, "image": i.image}
        for k, i in enumerate(items, start)
    ]


def _add_media(connection: Connection, pictures: Sequence[Picture]) -> None:
    now = time.time()
    for picture in pictures:  # one by one: together they may be large
        row = {"id": picture.name, "type": picture.type, "content": picture.content, "created_at": now}
        connection.execute(insert(db.media).values(row))


def _campaign(row: Row[Any]) -> CampaignRecord:
    options = Options(**json.loads(row.settings))
    return CampaignRecord(row.id, row.name, row.question, row.created_at, row.join_version, options)


def _worker(row: Row[Any]) -> WorkerRecord:
    return WorkerRecord(row.campaign, row.id, row.name, row.outside_id, row.completed_at)


def _token(row: Row[Any]) -> TokenRecord:
    return TokenRecord(row.id, row.role, row.name, row.campaign, row.worker, row.created_at, row.expires_at)
