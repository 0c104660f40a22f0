"""The service's own rows: campaigns' words, items' contents, workers' names, pictures. Never an answer."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from nextpair.errors import InvalidSetting
from nextpair.service.content import Item
from nextpair.service.languages.catalogue import DEFAULT
from nextpair.service.pictures import MEDIA, Picture
from nextpair.service.tokens import Beside, TokenRecord, Tokens
from nextpair.store import schema as db

MAX_WORKER_ID, MAX_OUTSIDE_ID = 64, 200  # characters, in the schema


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
    language: str = DEFAULT  # of what workers read

    def refuse_past_end(self) -> None:
        """An error for an end time that has passed: a campaign that is begun should have some time."""
        if self.ends_at is not None and self.ends_at <= time.time():
            moment = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(self.ends_at))
            raise InvalidSetting(f"the end time {moment} (UTC) has passed: choose a later one")

    def refuse_missing_code(self) -> None:
        """An error for a completion address that nothing can be filled into: a platform pays nobody without a code."""
        if "{code}" in (self.completion_url or "") and not (self.completion_code or "").strip():
            address = f"the completion address {(self.completion_url or '')[:60]!r} has a place for a completion code"
            raise InvalidSetting(f"{address}, but there is none: give the code, too")


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
    """A worker's name, the id that an outside platform knows them by, and when they were given the completion code.

    `late`: the questions that they answered too late, with spaces between them.
    """

    campaign: str
    id: str
    name: str
    outside_id: str | None
    completed_at: float | None = None
    late: str = ""


class Records(Tokens):
    """Rows in the database, each method one transaction."""

    # campaigns and items

    def add_campaign(
        self,
        record: CampaignRecord,
        items: Sequence[Item],
        pictures: Sequence[Picture] = (),
        form: str | None = None,
    ) -> CampaignRecord:
        """A campaign with its items, and the pictures that were uploaded with them: all or nothing.

        If the form with that hash has made one already, it is that one, and nothing is added.
        """
        row = {
            "id": record.id,
            "name": record.name,
            "question": record.question,
            "settings": json.dumps(asdict(record.options)),
            "join_version": record.join_version,
            "created_at": record.created_at,
        }
        token = TokenRecord(secrets.token_hex(8), "form", "", record.id, None, record.created_at, None)
        try:
            with self.engine.begin() as connection:
                if form is not None:
                    connection.execute(insert(db.tokens).values(hash=form, **asdict(token)))
                connection.execute(insert(db.campaigns).values(row))
                connection.execute(insert(db.items), _item_rows(record.id, items))
                _add_media(connection, pictures)
        except IntegrityError:
            before = None if form is None else self._campaign_of_form(form)
            if before is None:
                raise
            return before
        return record

    def _campaign_of_form(self, form: str) -> CampaignRecord | None:
        made = self.token(form)
        return None if made is None or made.campaign is None else self.campaign(made.campaign)

    def add_item(self, campaign: str, item: Item, position: int) -> bool:
        """One more item; False, and nothing, where a row is there: of a faster process, or one that ended half-way."""
        new = self._insert(db.items).values(_item_rows(campaign, [item], position)).on_conflict_do_nothing()
        with self.engine.begin() as connection:
            return connection.scalar(new.returning(db.items.c.id)) is not None

    def replace_item(self, campaign: str, item: Item, position: int) -> None:
        """What an item is, in place of what a process wrote that did not write the event."""
        (row,) = _item_rows(campaign, [item], position)
        there = and_(db.items.c.campaign == campaign, db.items.c.id == item.id)
        with self.engine.begin() as connection:
            connection.execute(update(db.items).where(there).values(row))

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

    def beside(self, campaign: str) -> Beside:
        """What may have changed in a campaign: all else that its pages need stays as it was made."""
        with self._reader.connect() as connection:
            settings = connection.scalar(select(db.campaigns.c.settings).where(db.campaigns.c.id == campaign))
        return Beside() if settings is None else Beside.of(settings)

    def set_options(self, campaign: str, **options: Any) -> Beside:
        """Another end time for a campaign, or none; another language."""
        with self.engine.begin() as connection:
            return _set_beside(connection, campaign, lambda was: was._replace(**options))

    def mend_item(self, campaign: str, item: Item) -> Beside:
        """Other words for an item, or another picture. One that no item shows any more is gone."""
        i, words = db.items.c, {"kind": item.kind, "text": item.text, "image": item.image}
        there = and_(i.campaign == campaign, i.id == item.id)
        with self.engine.begin() as connection:
            before = connection.scalar(select(i.image).where(there)) or ""
            connection.execute(update(db.items).where(there).values(words))
            unseen = and_(db.media.c.id == before.removeprefix(MEDIA), ~exists().where(i.image == before))
            connection.execute(delete(db.media).where(unseen))
            return _set_beside(connection, campaign, lambda was: was._replace(mended=was.mended + 1))

    def reset_join(self, campaign: str) -> None:
        """Make the open link of a campaign void; a new one takes its place."""
        raised = db.campaigns.c.join_version + 1
        with self.engine.begin() as connection:
            connection.execute(update(db.campaigns).where(db.campaigns.c.id == campaign).values(join_version=raised))

    # workers

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
        """Remember when a worker was first given the completion code, in whichever window."""
        w = db.workers.c
        row = and_(w.campaign == campaign, w.id == worker, w.completed_at.is_(None))
        with self.engine.begin() as connection:
            connection.execute(update(db.workers).where(row).values(completed_at=time.time()))

    def answered_late(self, campaign: str, worker: str, question: str) -> None:
        """Remember that a worker answered a question too late for it to count; once, however often it is sent."""
        w = db.workers.c
        row = and_(w.campaign == campaign, w.id == worker)
        with self.engine.begin() as connection:
            before = (connection.scalar(select(w.late).where(row).with_for_update()) or "").split()
            if question not in before:
                connection.execute(update(db.workers).where(row).values(late=" ".join([*before, question])))

    # pictures

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


def _set_beside(connection: Connection, campaign: str, change: Callable[[Beside], Beside]) -> Beside:
    c = db.campaigns.c
    settings = connection.scalar(select(c.settings).where(c.id == campaign).with_for_update())
    if settings is None:
        return Beside()  # it was deleted meanwhile
    beside = change(Beside.of(settings))
    changed = json.dumps(json.loads(settings) | beside._asdict())
    connection.execute(update(db.campaigns).where(c.id == campaign).values(settings=changed))
    return beside


def _campaign(row: Row[Any]) -> CampaignRecord:
    stored = json.loads(row.settings)
    options = Options(**{field.name: stored[field.name] for field in fields(Options) if field.name in stored})
    return CampaignRecord(row.id, row.name, row.question, row.created_at, row.join_version, options)


def _worker(row: Row[Any]) -> WorkerRecord:
    return WorkerRecord(row.campaign, row.id, row.name, row.outside_id, row.completed_at, row.late or "")
