"""The schema: migrations lead to what the code expects, from every schema that was ever released."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from nextpair.service.records import Records
from nextpair.store.database import alembic_config, open_database
from nextpair.store.schema import metadata
from nextpair.store.sql import SqlStore

RELEASED = sorted((Path(__file__).parent / "released").glob("*.sql"))


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_the_migrations_make_the_tables_that_the_code_expects(backend, tmp_path, request):
    url = f"sqlite:///{tmp_path}/x.db" if backend == "sqlite" else request.getfixturevalue("postgres_url")
    engine = open_database(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


@pytest.mark.parametrize("dump", RELEASED, ids=[path.stem for path in RELEASED])
def test_a_database_of_every_release_still_opens_with_its_campaigns(dump, tmp_path):
    with sqlite3.connect(tmp_path / "old.db") as old:
        old.executescript(dump.read_text())
    engine = open_database(f"sqlite:///{tmp_path}/old.db")
    campaigns = Records(engine).campaigns()
    assert campaigns
    for campaign in campaigns:
        entries = SqlStore(engine).read(campaign.id)
        assert [entry.seq for entry in entries] == list(range(len(entries)))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_every_revision_has_a_database_of_its_release():
    revisions = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    kept = {text.split("alembic_version\" VALUES('")[1][:4] for text in (path.read_text() for path in RELEASED)}
    assert revisions == kept


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_processes_that_start_together_migrate_once(backend, tmp_path, request):
    url = f"sqlite:///{tmp_path}/x.db" if backend == "sqlite" else request.getfixturevalue("postgres_url")
    problems = []

    def start():
        try:
            open_database(url).dispose()
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert problems == []
