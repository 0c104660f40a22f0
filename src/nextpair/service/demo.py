"""The demo: a ready campaign and simulated workers who answer it, so that a newcomer sees a living dashboard."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import numpy as np

from nextpair.service.content import Item
from nextpair.service.desk import Desk
from nextpair.service.drafts import Draft
from nextpair.service.errors import ServiceError
from nextpair.service.hall import answer, ask
from nextpair.service.records import Options

log = logging.getLogger("nextpair.demo")
# dishes and how well they are liked, in the simulated workers' eyes
DISHES = {
    "Ramen": 9.0, "Pizza margherita": 8.0, "Tacos al pastor": 6.6, "Pad thai": 5.5, "Sushi": 4.6, "Falafel": 3.8,
    "Pierogi": 3.1, "Shakshuka": 2.6, "Fish and chips": 2.1, "Borscht": 1.7, "Haggis": 1.2, "Surströmming": 0.4,
}  # fmt: skip
LATER = 3.0  # how well a dish is liked that a newcomer adds
# how often each follows their (and everybody's) taste; one of them presses buttons at random
CROWD = {"Ada": 0.97, "Grace": 0.95, "Alan": 0.92, "Emmy": 0.9, "Srinivasa": 0.85, "Blaise": 0.8, "Button presser": 0.5}

PRICE, BUDGET, TARGET = 0.1, 40.0, 0.9  # nobody is asked a pair twice: the crowd must have more answers than that buys
PACE = 0.7  # seconds, on average, to come and to answer


@asynccontextmanager
async def run_demo(desk: Desk) -> AsyncIterator[None]:
    """Create the demo's campaign and let its workers answer for as long as the server runs."""
    record = await desk.create(
        Draft(
            name="Which dish is better?",
            question="Which of these would you rather eat tonight?",
            items=[Item(name, name) for name in DISHES],
            budget=BUDGET,
            options=Options(show_ranking=True, currency="EUR"),
            target=TARGET,
            engine={"cost": PRICE, "min_looks": 1, "lease": 120.0},
        )
    )
    crowd = asyncio.create_task(_crowd(desk, record.id))  # the server need not wait for them
    try:
        yield
    finally:
        crowd.cancel()
        with suppress(asyncio.CancelledError):
            await crowd


async def _crowd(desk: Desk, campaign: str) -> None:
    rng = np.random.default_rng(7)
    async with asyncio.TaskGroup() as answering:
        for name, reliability in CROWD.items():
            worker = (await desk.invite(campaign, name)).worker
            answering.create_task(_answer(desk, campaign, worker.id, reliability, rng))


async def _answer(desk: Desk, campaign: str, worker: str, reliability: float, rng: np.random.Generator) -> None:
    """Answer as [CJL] models it: a Bradley–Terry draw, turned round with probability 1 − reliability."""
    while True:
        await asyncio.sleep(float(rng.exponential(PACE)))
        try:
            given = await desk.run(campaign, partial(ask, worker=worker))
            if given is None:
                await asyncio.sleep(3)
                continue
            question = given.question
            await asyncio.sleep(float(rng.exponential(PACE)))
            left, right = (DISHES.get(dish, LATER) for dish in (question.left, question.right))
            prefers_left = rng.random() < left / (left + right)
            honest = rng.random() < reliability
            choice = "left" if prefers_left == honest else "right"
            await desk.run(campaign, partial(answer, worker=worker, question_id=question.id, choice=choice))
        except ServiceError as error:
            log.info("a simulated worker was refused: %s", error)
            return
        except Exception as error:
            log.info("a simulated worker pauses: %s", error)
            await asyncio.sleep(3)
