"""A campaign back from its journal: the same answers, money and workers, in a database that did not have it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.events import Asked
from nextpair.errors import InvalidFile
from nextpair.service.content import MAX_ID, Item
from nextpair.service.records import MAX_WORKER_ID, CampaignRecord, Options, Records, WorkerRecord
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore


def restore(
    database: str,
    journal: str | Path,
    name: str,
    question: str,
    contents: Sequence[Item] = (),
    options: Options | None = None,
    people: Sequence[WorkerRecord] = (),
) -> str:
    """Write the campaign of a journal file to a database, and give its new id.

    A journal holds ids and no contents: an item that is not among the `contents` is shown by its id, and so is a worker
    who is not among the `people`. The options of the campaign's pages are not in it either, nor are links: the
    organiser makes new ones.
    """
    campaign = Campaign.load(journal)
    if campaign.settings.workers is None:
        raise InvalidFile(f"the campaign of {journal} knows no workers and cannot be answered live: read it with show")
    workers = _invited(campaign)
    for kind, names, most in (("item", campaign.items, MAX_ID), ("worker", workers, MAX_WORKER_ID)):
        if odd := [name for name in names if len(name) > most or "\x00" in name]:
            raise InvalidFile(
                f"{journal} names a {kind} that a service cannot hold: {odd[0][:60]!r}; "
                f"a name has at most {most} characters, and none of them is NUL"
            )
    known = {item.id: item for item in contents}
    if strange := sorted(known.keys() - set(campaign.items)):
        raise InvalidFile(f"the contents name {strange[0]!r}, which is not an item of {journal}: check the ids")
    named = {person.id: person for person in people}
    if strange := sorted(named.keys() - set(campaign.worker_names)):
        raise InvalidFile(f"the workers name {strange[0]!r}, who is not a worker of {journal}: check the ids")
    engine = open_database(database)
    try:
        records = Records(engine)
        record = CampaignRecord("c" + secrets.token_hex(6), name, question, time.time(), options=options or Options())
        records.add_campaign(record, [known.get(item, Item(item, item)) for item in campaign.items])
        for worker in workers:
            records.add_worker(replace(named.get(worker, WorkerRecord("", worker, "", None)), campaign=record.id))
        SqlStore(engine).append(record.id, 0, campaign.events, time.time())
    finally:
        engine.dispose()
    return record.id


def _invited(campaign: Campaign) -> list[str]:
    """The workers, less those of earlier comparisons, which cost nothing: they have never had a link."""
    asked = [event for event in campaign.events if isinstance(event, Asked)]
    paid, free = ({event.worker for event in asked if bool(event.cost) is costly} for costly in (True, False))
    return [worker for worker in campaign.worker_names if worker in paid or worker not in free]
