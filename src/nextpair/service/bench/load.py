"""Simulated workers who retry, send twice, change their mind, lose the connection and walk away."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nextpair.service.bench.client import Client, Unreachable


@dataclass(frozen=True)
class Manners:
    """How often a worker does what it should not. `think`: mean seconds to look at a pair."""

    think: float = 0.05
    hang_up: float = 0.03
    abandon: float = 0.03
    duplicate: float = 0.06
    contradict: float = 0.03
    skip: float = 0.02


Seen = tuple[float, dict[str, float]]  # the seconds that a request took, and those that the server accounts for


@dataclass
class Account:
    """What the workers saw: the answers that the server acknowledged, latencies, and the faults that were injected."""

    acknowledged: dict[str, str] = field(default_factory=dict)  # question -> choice
    skipped: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    questions: dict[bool, list[Seen]] = field(default_factory=lambda: {False: [], True: []})  # far away? -> requests
    answers: dict[bool, list[Seen]] = field(default_factory=lambda: {False: [], True: []})


class Crowd:
    """Workers of one campaign, until its budget is spent or the time is up."""

    def __init__(
        self, ports: list[int], far_ports: list[int], campaign: str, manners: Manners, deadline: float, seed: int
    ) -> None:
        self.far_ports = far_ports  # every other worker comes through these, if there are any
        self.ports, self.campaign, self.manners, self.deadline = ports, campaign, manners, deadline
        self.account = Account()
        self.rng = np.random.default_rng(seed)
        self.spent = False

    async def run(self, tokens: list[str]) -> Account:
        await asyncio.gather(*(self._work(self._client(k, token)) for k, token in enumerate(tokens)))
        return self.account

    def _client(self, k: int, token: str) -> Client:
        far = self.far_ports and k % 2
        return Client(self.far_ports if far else self.ports, token, k // 2)

    def going(self) -> bool:
        """Whether there is still money and time."""
        return not self.spent and time.monotonic() < self.deadline

    def _happens(self, chance: float) -> bool:
        return bool(self.rng.random() < chance)

    async def _work(self, client: Client) -> None:
        # people do not start all at once
        await asyncio.sleep(float(self.rng.uniform(0, max(0.5, self.manners.think))))
        while self.going():
            question = await self._ask(client)
            if question is None:
                await asyncio.sleep(0.1)
                continue
            if self._happens(self.manners.abandon):
                self.account.faults["questions abandoned"] += 1
                continue
            await asyncio.sleep(float(self.rng.exponential(self.manners.think)))
            await self._answer(client, question["id"])
        client.close()

    async def _ask(self, client: Client) -> Any:
        hang_up = self._happens(self.manners.hang_up)
        started = time.perf_counter()
        try:
            status, question = await client.send("POST", f"/campaigns/{self.campaign}/questions", hang_up=hang_up)
        except Unreachable:
            await self._lost("connections dropped" if hang_up else "requests retried", hang_up)
            return None
        if status == 201:
            self._note(self.account.questions, client, started)
            return question
        if status == 204:
            await self._look(client)
        elif status not in (429, 503):
            self.account.problems.append(f"asking gave {status}: {question}")
        return None

    def _note(self, requests: dict[bool, list[Seen]], client: Client, started: float) -> None:
        requests[client.ports is self.far_ports].append((time.perf_counter() - started, client.spans))

    async def _lost(self, fault: str, on_purpose: bool) -> None:
        self.account.faults[fault] += 1
        if not on_purpose:
            await asyncio.sleep(float(self.rng.uniform(0.05, 0.3)))

    async def _look(self, client: Client) -> None:
        """Nothing to ask: because all is spent, or because it is held just now?"""
        try:
            status, shown = await client.send("GET", f"/campaigns/{self.campaign}")
        except Unreachable:
            return
        self.spent |= status == 200 and shown["progress"]["state"] == "done"

    async def _answer(self, client: Client, question: str) -> None:
        choice = "skip" if self._happens(self.manners.skip) else str(self.rng.choice(["left", "right", "tie"]))
        status = await self._send(client, question, choice)
        if status == 200 and self._happens(self.manners.duplicate):
            self.account.faults["answers sent twice"] += 1
            again = await self._send(client, question, choice)
            if again != 200:
                self.account.problems.append(f"the same answer again gave {again} for {question}")
        if status == 200 and choice != "skip" and self._happens(self.manners.contradict):
            self.account.faults["answers contradicted"] += 1
            other = "left" if choice == "right" else "right"
            if (told := await self._send(client, question, other, note=False)) != 409:
                self.account.problems.append(f"a contradicting answer gave {told} for {question}")

    async def _send(self, client: Client, question: str, choice: str, note: bool = True) -> int:
        """Send an answer until somebody says that it arrived."""
        hang_up = self._happens(self.manners.hang_up)
        while True:
            started = time.perf_counter()
            try:
                status, told = await client.send("POST", f"/questions/{question}/answer", {"choice": choice}, hang_up)
            except Unreachable:
                await self._lost("connections dropped" if hang_up else "requests retried", hang_up)
                hang_up = False
                continue
            if status == 503:
                await asyncio.sleep(0.1)
                continue
            break
        if note and status == 200:
            self._note(self.account.answers, client, started)
            if choice == "skip":
                self.account.skipped.add(question)
            else:
                self.account.acknowledged[question] = choice
        elif note and status == 409:
            self.account.refused.add(question)
        elif note:
            self.account.problems.append(f"answering {question} gave {status}: {told}")
        return status
