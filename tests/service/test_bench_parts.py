"""The bench's own parts: a network that delays and loses nothing, bare round trips, and who spent the time."""

from __future__ import annotations

import asyncio
import time

import pytest

from nextpair.service.bench.client import _spans
from nextpair.service.bench.network import far_away
from nextpair.service.bench.probe import probing
from nextpair.service.bench.report import Split

ROUND_TRIP = 0.06


def test_the_network_delays_every_byte_and_loses_none():
    async def run() -> tuple[list[float], list[bytes]]:
        async def echo(reader, writer):
            while piece := await reader.read(65536):
                writer.write(piece)
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        network = far_away([port], ROUND_TRIP)
        (far,) = await asyncio.to_thread(network.__enter__)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", far)
            times, heard = [], []
            for size in (1, 1000, 300_000):
                sent = bytes(k % 251 for k in range(size))
                started = time.perf_counter()
                writer.write(sent)
                assert await reader.readexactly(size) == sent
                times.append(time.perf_counter() - started)
            writer.write_eof()
            heard.append(await reader.read())
            writer.close()
        finally:
            await asyncio.to_thread(network.__exit__, None, None, None)
            server.close()
        return times, heard

    times, heard = asyncio.run(run())
    assert min(times) >= ROUND_TRIP
    assert heard == [b""]


def test_the_probe_times_a_read_and_an_append(tmp_path):
    with probing(f"sqlite:///{tmp_path}/bench.db") as found:
        pass
    assert len(found["read"]) == len(found["append"]) > 0
    assert not (tmp_path / "bench.db").exists()  # it does not touch the servers' file


def test_a_request_is_split_into_network_database_and_us():
    spans = _spans("queue;dur=1.00, database;dur=2.50, choose;dur=3.00, total;dur=8.00")
    split = Split.of([(0.040, spans)])
    assert split.seen.p50 == pytest.approx(40)
    assert split.network.p50 == pytest.approx(32)
    assert split.database.p50 == pytest.approx(2.5)
    assert split.ours.p50 == pytest.approx(5.5)
    assert (split.choosing.p50, split.waiting.p50) == pytest.approx((3, 1))


def test_every_answer_of_the_api_tells_where_its_time_went(service):
    campaign = service.campaign()
    worker = service.worker(campaign)
    asked = service.post(f"/campaigns/{campaign}/questions", token=worker["token"])
    spans = _spans(asked.headers["server-timing"])
    assert set(spans) == {"queue", "database", "choose", "total"}
    assert spans["total"] >= spans["choose"] > 0
    assert "server-timing" not in service.client.get("/signin").headers
