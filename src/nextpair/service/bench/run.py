"""The bench: a calm crowd for latencies, then a storm of faults and kills, then the account."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nextpair.campaign import events as ev
from nextpair.errors import InvalidSetting
from nextpair.service.bench.audit import audit, compare_with_replay
from nextpair.service.bench.client import Client, Unreachable
from nextpair.service.bench.load import Account, Crowd, Manners
from nextpair.service.bench.network import far_away
from nextpair.service.bench.probe import Seconds, probing
from nextpair.service.bench.processes import Processes
from nextpair.service.bench.report import Latency, Report, Split
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore

POLITE = Manners(think=2.0, hang_up=0, abandon=0, duplicate=0, contradict=0, skip=0)


@dataclass(frozen=True)
class Plan:
    """What to do to the service. `processes`: how many servers share the database.

    `round_trip`: every other worker sits so many seconds away; 0: all are on this machine.
    """

    database: str
    processes: int = 1
    workers: int = 200
    items: int = 40
    budget: int = 2000
    price: float = 0.1
    lease: float = 5.0
    kills: int = 3
    seconds: float = 120.0
    round_trip: float = 0.0
    manners: Manners = field(default_factory=Manners)
    seed: int = 1


def run(plan: Plan, folder: Path) -> Report:
    """Start the servers, let the crowd at them, kill some, and settle the account."""
    token = secrets.token_urlsafe(32)
    with ExitStack() as stack:
        servers = stack.enter_context(Processes(plan.database, plan.processes, token, folder))
        far = stack.enter_context(far_away(servers.ports, plan.round_trip)) if plan.round_trip else []
        with probing(plan.database) as bare:
            told = asyncio.run(_run(plan, servers, far, token))
        return _report(told, bare)


@dataclass(frozen=True)
class _Told:
    """What came of a run, before it is put in order."""

    account: Account
    seconds: float
    kills: int
    journal: list[ev.Event]
    shown: Any
    lost: list[str]


async def _run(plan: Plan, servers: Processes, far: list[int], token: str) -> _Told:
    organiser = Client(servers.ports, token)
    campaign, tokens = await _prepare(plan, organiser)
    started = time.monotonic()
    crowd = Crowd(servers.ports, far, campaign, plan.manners, started + plan.seconds, plan.seed)
    chaos = asyncio.create_task(_kill(plan, servers, crowd))
    account = await crowd.run(tokens)
    elapsed = time.monotonic() - started
    kills = await chaos
    rankings = []
    for port in servers.ports:
        with closing(Client([port], token)) as each:
            rankings.append(await _get(each, f"/campaigns/{campaign}/ranking"))
    engine = open_database(plan.database)
    journal = [entry.event for entry in SqlStore(engine).read(campaign)]
    engine.dispose()
    lost = audit(journal, account, f"{campaign}.") + compare_with_replay(journal, rankings)
    shown = await _get(organiser, f"/campaigns/{campaign}")
    organiser.close()
    return _Told(account, elapsed, kills, journal, shown, lost)


def _report(told: _Told, bare: Seconds) -> Report:
    account = told.account
    late = Counter({"late answers refused": len(account.refused)})
    return Report(
        seconds=told.seconds,
        answers=sum(isinstance(event, ev.Answered) for event in told.journal),
        spent=told.shown["spent"],
        budget=told.shown["budget"],
        faults=dict(account.faults + late),
        kills=told.kills,
        question=Split.of(account.questions[False]),
        answer=Split.of(account.answers[False]),
        far_question=Split.of(account.questions[True]),
        far_answer=Split.of(account.answers[True]),
        read=Latency.of(bare.get("read", [])),
        append=Latency.of(bare.get("append", [])),
        lost=told.lost,
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
    """kill -9 at random moments of the campaign, each followed by a start on the same port."""
    rng = np.random.default_rng([plan.seed, 9])
    done = 0
    for moment in np.sort(rng.uniform(0.1, 0.8, plan.kills)) * plan.budget:
        while len(crowd.account.acknowledged) < moment:
            if not crowd.going():
                return done
            await asyncio.sleep(0.005)
        await asyncio.sleep(float(rng.uniform(0, 0.05)))
        port = servers.ports[int(rng.integers(len(servers.ports)))]
        servers.kill(port)
        done += 1
        servers.start(port)
        await asyncio.to_thread(servers.wait, port)
    return done
