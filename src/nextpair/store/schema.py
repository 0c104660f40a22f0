"""The tables. `journal` is the truth about campaigns; the others hold what it must not: names, tokens, pictures.

A change here needs a migration beside it (store/migrations); a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

journal = Table(
    "journal",
    metadata,
    Column("campaign", String(64), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("event", Text, nullable=False),
)

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("settings", Text, nullable=False),  # JSON: what pages need and the engine does not
    Column("join_version", Integer, nullable=False),  # raised to revoke the open link
    Column("created_at", Double, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("campaign", String(64), ForeignKey("campaigns.id"), primary_key=True),
    Column("id", String(200), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("kind", String(16), nullable=False),  # text, markdown or image
    Column("text", Text, nullable=False),
    Column("image", Text),  # an address, or media/<id> for an upload
)

workers = Table(
    "workers",
    metadata,
    Column("campaign", String(64), ForeignKey("campaigns.id"), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("outside_id", String(200)),
    Column("created_at", Double, nullable=False),
    Column("completed_at", Double),  # when they were first given the completion code
    Column("late", Text),  # questions that they answered too late, so that it did not count; spaces between them
    UniqueConstraint("campaign", "outside_id", name="workers_outside_id"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),  # SHA-256; the token itself is never stored
    Column("id", String(32), nullable=False, unique=True),
    Column("role", String(16), nullable=False),  # organiser, session, once, worker, form
    Column("name", Text, nullable=False),
    Column("campaign", String(64)),
    Column("worker", String(64)),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
    ForeignKeyConstraint(["campaign", "worker"], ["workers.campaign", "workers.id"]),
    Index("tokens_worker", "campaign", "worker"),
)

media = Table(
    "media",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("type", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("created_at", Double, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("key", String(200), primary_key=True),  # what is limited, and for whom
    Column("window", BigInteger, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
)
