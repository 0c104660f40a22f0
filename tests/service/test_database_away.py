"""A database that is there and does not do its part: who watches is told, and who answers is asked to come again."""

from __future__ import annotations

import socket
import threading

import psycopg
import pytest
from sqlalchemy import create_engine

from nextpair.service.api import system


@pytest.fixture
def mute():
    """The port of a database whose host takes connections and says nothing, as one that is frozen does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_health_does_not_wait_for_a_database_that_says_nothing(service, mute, monkeypatch):
    silent = create_engine(f"postgresql+psycopg://x@127.0.0.1:{mute}/x")
    monkeypatch.setattr(service.client.app.state.desk.records, "engine", silent)
    monkeypatch.setattr(system, "HEALTH_SECONDS", 0.2)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(service.client.get("/healthz")), daemon=True)
    asking.start()
    asking.join(60)  # the driver itself gives up after 130 seconds, and who watches long before that
    (answer,) = answers
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
    assert answer.headers["Retry-After"] == "1"


def test_a_database_that_only_reads_takes_answers_again_when_it_writes_again(open_service, postgres_url):
    """As while another one takes over, or where an operator's alarm locks a disk that is nearly full."""
    service = open_service(database=postgres_url)
    engine = service.client.app.state.desk.records.engine
    campaign = service.campaign()
    worker = service.worker(campaign)["token"]
    question = service.ask(campaign, worker)["id"]

    def only_reads(value: str) -> None:
        name = postgres_url.rsplit("/", 1)[1]
        with psycopg.connect(
            postgres_url, autocommit=True, options="-c default_transaction_read_only=off"
        ) as connection:
            connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {value}')
        engine.dispose()  # the setting is one of new connections

    only_reads("on")
    told = service.answer(question, "left", worker)
    assert (told.status_code, told.json()["error"]["code"]) == (503, "busy")
    assert service.get(f"/campaigns/{campaign}").json()["answers"] == 0
    only_reads("off")
    assert service.answer(question, "left", worker).status_code == 200
    assert service.get(f"/campaigns/{campaign}").json()["answers"] == 1


@pytest.mark.parametrize("who", [{"name": "Eve"}, {"id": "judge"}, {"name": "Eve", "outside_id": "p1"}])
def test_an_invitation_that_broke_off_can_be_sent_again_and_keeps_its_price(open_service, postgres_url, who):
    """The worker's row is written, and then the journal cannot be: they are told to try again, and must be able to."""
    service = open_service(database=postgres_url)
    campaign = service.campaign()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{postgres_url.rsplit("/", 1)[1]}" SET lock_timeout = 100')
    service.client.app.state.desk.records.engine.dispose()
    path, body = f"/campaigns/{campaign}/workers", who | {"price": 2.5}
    with psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE journal IN EXCLUSIVE MODE")  # others read it, and cannot write
        assert service.post(path, body).status_code == 503
    again = service.post(path, body)
    assert again.status_code == 201, again.text
    service.answer(service.ask(campaign, again.json()["token"])["id"], "left", again.json()["token"])
    (row,) = service.get(path).json()
    assert (row["id"], row["name"], row["spent"]) == (again.json()["id"], who.get("name", "judge"), 2.5)
    assert len(service.client.app.state.desk.records.workers(campaign)) == 1
    assert service.post(path, body).status_code == (409 if who == {"name": "Eve"} else 201)  # now Eve takes part
