"""Taking a campaign out for good. Nothing else takes anything out of a journal."""

from __future__ import annotations

from sqlalchemy import Engine, and_, delete, func, select, text

from nextpair.service.pictures import MEDIA
from nextpair.store import schema as db


def delete_campaign(engine: Engine, campaign: str) -> None:
    """Delete the journal, words, items, workers, tokens and pictures of a campaign, in one transaction."""
    shown = select(func.substr(db.items.c.image, 1 + len(MEDIA))).where(db.items.c.image.startswith(MEDIA))
    own, others = db.items.c.campaign == campaign, db.items.c.campaign != campaign
    pictures = and_(db.media.c.id.in_(shown.where(own)), db.media.c.id.not_in(shown.where(others)))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # nobody appends meanwhile; on SQLite nobody else writes anyway
            connection.execute(text("LOCK TABLE journal, campaigns IN SHARE ROW EXCLUSIVE MODE"))
        connection.execute(delete(db.media).where(pictures))
        for table in (db.tokens, db.workers, db.items, db.journal):  # in the order of their foreign keys
            connection.execute(delete(table).where(table.c.campaign == campaign))
        connection.execute(delete(db.campaigns).where(db.campaigns.c.id == campaign))
