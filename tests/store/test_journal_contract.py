"""The contract of a store of journals, on memory, SQLite and a real PostgreSQL server."""

from __future__ import annotations

import threading
import time

import pytest

from nextpair.campaign import events as ev
from nextpair.errors import InvalidSetting, JournalConflict
from nextpair.store.database import open_database
from nextpair.store.memory import MemoryStore
from nextpair.store.protocol import Entry, JournalStore
from nextpair.store.sql import SqlStore

CREATED = ev.Created(
    items=("ä", "b"), workers=("w",), budget=3.5, seed=1, policy="akg", cost=0.1, costs={"w": 0.2}, quota=2,
    forbidden=(("ä", "b"),), min_looks=1, reliability=(4.0, 1.0), lease=60.0,
)  # fmt: skip
ASKED = ev.Asked("q1", "w", "ä", "b", 0.1, 1.25)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request, tmp_path):
    if request.param == "memory":
        yield MemoryStore()
        return
    url = f"sqlite:///{tmp_path}/j.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    engine = open_database(url)
    yield SqlStore(engine)
    engine.dispose()


def test_what_was_appended_is_read_back(store: JournalStore):
    store.append("c", 0, [CREATED, ASKED], at=5.5)
    store.append("c", 2, [ev.Answered("q1", "tie"), ev.TargetSet(None)], at=6.0)
    expected = [CREATED, ASKED, ev.Answered("q1", "tie"), ev.TargetSet(None)]
    assert store.read("c") == [Entry(k, 5.5 if k < 2 else 6.0, event) for k, event in enumerate(expected)]
    assert [entry.seq for entry in store.read("c", 3)] == [3]
    assert store.read("c", 4) == []


def test_journals_are_kept_apart(store: JournalStore):
    assert store.read("b") == []
    store.append("b", 0, [CREATED], at=1)
    store.append("a", 0, [CREATED], at=1)
    store.append("a", 1, [ev.Paused()], at=2)
    assert len(store.read("a")) == 2
    assert len(store.read("b")) == 1


@pytest.mark.parametrize("more", [[ev.Paused()], [ev.Paused(), ev.Resumed()]])
@pytest.mark.parametrize("expected", [0, 1, 3, 99])
def test_an_append_with_another_number_of_events_is_refused_whole(store: JournalStore, expected, more):
    store.append("c", 0, [CREATED, ASKED], at=1)
    store.append("longer", 0, [CREATED, ASKED, ev.Paused(), ev.Resumed()], at=1)
    with pytest.raises(JournalConflict, match=f"does not hold {expected} events"):
        store.append("c", expected, more, at=2)
    assert [entry.event for entry in store.read("c")] == [CREATED, ASKED]
    store.append("c", 2, more, at=2)
    assert [entry.event for entry in store.read("c")] == [CREATED, ASKED, *more]


def test_nothing_is_appended_to_an_unknown_journal_but_its_beginning(store: JournalStore):
    with pytest.raises(JournalConflict):
        store.append("c", 1, [ev.Paused()], at=1)
    assert store.read("c") == []


def test_an_empty_append_checks_the_number_too(store: JournalStore):
    store.append("c", 0, [CREATED], at=1)
    store.append("c", 1, [], at=1)
    with pytest.raises(JournalConflict):
        store.append("c", 2, [], at=1)


def test_of_many_writers_one_wins_each_place(store: JournalStore):
    """Twelve threads append in batches; every batch lands whole, in one piece, and none over another."""
    store.append("c", 0, [CREATED], at=0)
    problems: list[BaseException] = []

    def write(name: int) -> None:
        try:
            for k in range(5):
                batch = [ev.Answered(f"{name}-{k}", "left"), ev.Skipped(f"{name}-{k}")]
                while True:
                    try:
                        store.append("c", len(store.read("c")), batch, at=name)
                        break
                    except JournalConflict:
                        time.sleep(0.001 * name)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert problems == []
    entries = store.read("c")
    assert [entry.seq for entry in entries] == list(range(121))
    pairs = [(entries[k].event, entries[k + 1].event) for k in range(1, 121, 2)]
    assert all(isinstance(one, ev.Answered) and one.question == other.question for one, other in pairs)
    assert len({one.question for one, _ in pairs}) == 60


def test_a_conflict_inside_a_batch_leaves_no_part_of_it(store: JournalStore):
    store.append("c", 0, [CREATED, ASKED, ev.Paused()], at=1)
    with pytest.raises(JournalConflict):
        store.append("c", 2, [ev.Resumed(), ev.Paused()], at=2)
    assert len(store.read("c")) == 3


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://x/y", "nonsense", "postgresql://h:p/x"])
def test_an_address_that_is_no_database_is_refused_with_advice(url):
    with pytest.raises(InvalidSetting, match=r"sqlite:///"):
        open_database(url)


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("secret", "cannot open the database"),
        ("secret?more", "cannot open"),
        ("my@secret", "holds an @: write that as %40"),
    ],
)
def test_a_database_that_does_not_answer_is_told_without_its_password(password, words):
    with pytest.raises(InvalidSetting, match=words) as caught:
        open_database(f"postgresql://me:{password}@127.0.0.1:1/x?password=secret")
    assert "secret" not in str(caught.value)


def test_sqlite_is_set_up_to_survive_a_power_cut(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    engine.dispose()
