"""The bench: a calm crowd for latencies, then a storm of faults and kills, then the account."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine

from nextpair.campaign import events as ev
from nextpair.errors import InvalidSetting
from nextpair.service.bench.audit import audit, compare_with_replay
from nextpair.service.bench.client import Client, Unreachable
from nextpair.service.bench.load import Account, Crowd, Manners
from nextpair.service.bench.processes import Processes
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore

POLITE = Manners(think=2.0, hang_up=0, abandon=0, duplicate=0, contradict=0, skip=0)


@dataclass(frozen=True)
class Plan:
    """What to do to the service. `processes`: how many servers share the database."""

    database: str
    processes: int = 1
    workers: int = 200
    items: int = 40
    budget: int = 2000
    price: float = 0.1
    lease: float = 5.0
    kills: int = 3
    seconds: float = 120.0
    manners: Manners = field(default_factory=Manners)
    seed: int = 1


@dataclass(frozen=True)
class Latency:
    """Milliseconds: half of all were faster, and 99 of 100."""

    p50: float
    p99: float
    n: int

    @classmethod
    def of(cls, seconds: list[float]) -> Latency:
        if not seconds:
            return cls(float("nan"), float("nan"), 0)
        p50, p99 = np.percentile(np.array(seconds) * 1000, [50, 99])
        return cls(float(p50), float(p99), len(seconds))


@dataclass(frozen=True)
class Report:
    """What was done and what came of it. `lost` is empty when everything held."""

    seconds: float
    answers: int
    spent: float
    budget: float
    faults: dict[str, int]
    kills: int
    question: Latency
    answer: Latency
    read: Latency
    append: Latency
    lost: list[str]


def run(plan: Plan, folder: Path) -> Report:
    """Start the servers, let the crowd at them, kill some, and settle the account."""
    token = secrets.token_urlsafe(32)
    with Processes(plan.database, plan.processes, token, folder) as servers:
        return asyncio.run(_run(plan, servers, token))


async def _run(plan: Plan, servers: Processes, token: str) -> Report:
    organiser = Client(servers.ports, token)
    campaign, tokens = await _prepare(plan, organiser)
    started = time.monotonic()
    crowd = Crowd(servers.ports, campaign, plan.manners, started + plan.seconds, plan.seed)
    probe = Probe(open_database(plan.database), campaign)
    chaos = asyncio.create_task(_kill(plan, servers, crowd))
    probing = asyncio.create_task(probe.run())
    account = await crowd.run(tokens)
    elapsed = time.monotonic() - started
    kills = await chaos
    probing.cancel()
    with suppress(asyncio.CancelledError):
        await probing
    rankings = []
    for port in servers.ports:
        with closing(Client([port], token)) as each:
            rankings.append(await _get(each, f"/campaigns/{campaign}/ranking"))
    journal = [entry.event for entry in probe.store.read(campaign)]
    lost = audit(journal, account, f"{campaign}.") + compare_with_replay(journal, rankings)
    shown = await _get(organiser, f"/campaigns/{campaign}")
    organiser.close()
    probe.engine.dispose()
    return _report(plan, account, elapsed, kills, probe, journal, shown, lost)


def _report(
    plan: Plan,
    account: Account,
    elapsed: float,
    kills: int,
    probe: Probe,
    journal: list[ev.Event],
    shown: Any,
    lost: list[str],
) -> Report:
    answers = sum(isinstance(event, ev.Answered) for event in journal)
    late = Counter({"late answers refused": len(account.refused)})
    return Report(
        seconds=elapsed,
        answers=answers,
        spent=shown["spent"],
        budget=shown["budget"],
        faults=dict(account.faults + late),
        kills=kills,
        question=Latency.of(account.question_seconds),
        answer=Latency.of(account.answer_seconds),
        read=Latency.of(probe.read_seconds),
        append=Latency.of(probe.append_seconds),
        lost=lost,
    )


async def _prepare(plan: Plan, organiser: Client) -> tuple[str, list[str]]:
    body = {
        "name": "bench",
        "question": "Which?",
        "items": [{"id": f"i{k}", "text": f"item {k}"} for k in range(plan.items)],
        "budget": round(plan.budget * plan.price, 9),
        "price": plan.price,
        "lease": plan.lease,
    }
    created = await _expect(organiser, "/campaigns", body)
    tokens = [
        (await _expect(organiser, f"/campaigns/{created['id']}/workers", {"name": f"w{k}"}))["token"]
        for k in range(plan.workers)
    ]
    # the first question loads the compiled engine: nobody's latency
    for port in organiser.ports:
        with closing(Client([port], tokens[0])) as warm:
            status, question = await warm.send("POST", f"/campaigns/{created['id']}/questions")
            if status == 201:
                await warm.send("POST", f"/questions/{question['id']}/answer", {"choice": "skip"})
    return created["id"], tokens


async def _expect(client: Client, path: str, body: Any) -> Any:
    status, answer = await client.send("POST", path, body)
    if status != 201:
        raise InvalidSetting(f"the bench could not prepare: {path} gave {status} {answer}")
    return answer


async def _get(client: Client, path: str) -> Any:
    for _ in range(100):
        try:
            status, answer = await client.send("GET", path)
        except Unreachable:
            status = 0
        if status == 200:
            return answer
        await asyncio.sleep(0.1)
    raise InvalidSetting(f"{path} does not answer any more")


async def _kill(plan: Plan, servers: Processes, crowd: Crowd) -> int:
    """kill -9 at random moments, each followed by a start on the same port."""
    rng = np.random.default_rng([plan.seed, 9])
    done = 0
    while done < plan.kills and not crowd.spent and time.monotonic() < crowd.deadline:
        await asyncio.sleep(float(rng.uniform(0.5, 2.0)))
        port = servers.ports[int(rng.integers(len(servers.ports)))]
        servers.kill(port)
        done += 1
        servers.start(port)
        await asyncio.to_thread(servers.wait, port)
    return done


class Probe:
    """The database alone, in the same run: a read and a durable append, each a bare round trip."""

    def __init__(self, engine: Engine, campaign: str) -> None:
        self.engine, self.store, self.campaign = engine, SqlStore(engine), campaign
        self.read_seconds: list[float] = []
        self.append_seconds: list[float] = []

    async def run(self) -> None:
        name, seq = f"probe-{secrets.token_hex(4)}", 0
        while True:
            await asyncio.sleep(0.1)
            self.read_seconds.append(await asyncio.to_thread(self._timed, self.store.read, name, seq))
            self.append_seconds.append(
                await asyncio.to_thread(self._timed, self.store.append, name, seq, [ev.Paused()], 0.0)
            )
            seq += 1

    @staticmethod
    def _timed(work: Any, *given: Any) -> float:
        started = time.perf_counter()
        work(*given)
        return time.perf_counter() - started
