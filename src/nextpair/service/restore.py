"""A campaign back from its journal: the same answers, money and workers, in a database that did not have it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path

from nextpair.campaign.campaign import Campaign
from nextpair.errors import InvalidFile
from nextpair.service.content import MAX_ID, Item
from nextpair.service.records import CampaignRecord, Records, WorkerRecord
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore


def restore(database: str, journal: str | Path, name: str, question: str, contents: Sequence[Item] = ()) -> str:
    """Write the campaign of a journal file to a database, and give its new id.

    A journal holds ids and no contents: an item that is not among the `contents` is shown by its id. Links are not in
    it either: the organiser makes new ones.
    """
    campaign = Campaign.load(journal)
    if campaign.settings.workers is None:
        raise InvalidFile(f"the campaign of {journal} knows no workers and cannot be answered live: read it with show")
    if odd := [item for item in campaign.items if len(item) > MAX_ID or "\x00" in item]:
        raise InvalidFile(f"{journal} names an item that a service cannot hold: {odd[0][:60]!r}")
    known = {item.id: item for item in contents}
    if strange := sorted(known.keys() - set(campaign.items)):
        raise InvalidFile(f"the contents name {strange[0]!r}, which is not an item of {journal}: check the ids")
    engine = open_database(database)
    try:
        records = Records(engine)
        record = CampaignRecord("c" + secrets.token_hex(6), name, question, time.time())
        records.add_campaign(record, [known.get(item, Item(item, item)) for item in campaign.items])
        for worker in campaign.worker_names:
            records.add_worker(WorkerRecord(record.id, worker, "", None))
        SqlStore(engine).append(record.id, 0, campaign.events, time.time())
    finally:
        engine.dispose()
    return record.id
