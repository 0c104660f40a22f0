"""What it saves to count the cost: workers of several kinds, whose answers have different prices.

`python -m nextpair.lab.prices --kind people 20 4 1 1 --kind experts 3 38 2 2` plays simulated campaigns with 20 people
whose reliabilities are drawn from Beta(4, 1) and who take 1 for an answer, and three experts of Beta(38, 2) who take 2.
The policies know the kinds, or with --strangers believe of everybody what is believed of anybody. With `--data FOLDER`
a recording is replayed, whose workers take 1 or what `--price-of WORKER PRICE` says; all are strangers. The lines are

- full-posterior and akg, which ask for the most gain per unit of cost;
- the same, prices unseen: they choose as if all answers cost the same, as akg does in [CJL], and pay what they cost;
- full-posterior, only KIND: as if nobody else had been hired;
- random: any question of anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol
from zlib import crc32

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.policies import Policy, find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.extras import require_figure
from nextpair.lab.play import Beta, Source, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.savings import draw, tell
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Rules, Simulated, World, uniform_scores

OURS, PAPERS, UNSEEN = "full-posterior", "akg", "prices unseen"
EACH = 10.0  # money an item that a campaign has


@dataclass(frozen=True)
class Kind:
    """So many workers whose reliabilities are drawn from one Beta and who take the same price."""

    name: str
    workers: int
    beta: Beta
    price: float

    def __post_init__(self) -> None:
        if self.workers < 1 or min(*self.beta, self.price) <= 0:
            given = f"{self.name} {self.workers} {self.beta[0]:g} {self.beta[1]:g} {self.price:g}"
            raise InvalidSetting(f"--kind {given}: the number of workers, the Beta and the price are above 0")


USUAL = (Kind("people", 20, (4.0, 1.0), 1.0), Kind("experts", 3, (38.0, 2.0), 2.0))


class Crowd(Protocol):
    """Workers of several kinds, and what they are asked about."""

    title: str
    n_items: int
    names: Sequence[str]  # of the kinds
    kinds: IntArray  # of each worker

    def source(self, hired: IntArray, seed: int, trial: int) -> Source:
        """Where the answers of these workers come from; they are numbered in this order."""

    def known(self, hired: IntArray) -> list[Beta]:
        """What is known of each of them beforehand; of strangers, nothing."""


class Drawn:
    """A crowd that is drawn at random."""

    def __init__(self, each: Sequence[Kind], n_items: int, strangers: bool) -> None:
        self._each, self._strangers = each, strangers
        self.n_items = n_items
        self.names: Sequence[str] = [kind.name for kind in each]
        self.title = f"{n_items} items, " + ", ".join(f"{kind.workers} {kind.name} at {kind.price:g}" for kind in each)
        self.kinds = np.repeat(np.arange(len(each)), [kind.workers for kind in each])

    def source(self, hired: IntArray, seed: int, trial: int) -> Source:
        rng = generator(seed, trial, 0)
        key, scores = int(rng.integers(1 << 62)), uniform_scores(self.n_items, rng)
        reliability = np.concatenate([rng.beta(*kind.beta, kind.workers) for kind in self._each])
        costs = {number: self._each[self.kinds[worker]].price for number, worker in enumerate(hired)}
        return Simulated(World(scores, reliability[hired], key), Rules(costs=costs))

    def known(self, hired: IntArray) -> list[Beta]:
        return [] if self._strangers else [self._each[kind].beta for kind in self.kinds[hired]]


class Recorded:
    """The crowd of a recording; who takes the same price is of one kind."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        if not recording.answers.n_workers:
            raise InvalidFile(f"{recording.name} does not say who answered: prices take a column `worker`")
        price = [recording.costs[worker] for worker in range(recording.answers.n_workers)]
        prices, self.kinds = np.unique(price, return_inverse=True)
        self.title, self.n_items = recording.name, recording.answers.n_items
        self.names: Sequence[str] = [f"those at {one:g}" for one in prices]

    def source(self, hired: IntArray, seed: int, trial: int) -> Source:
        return Replayed(self._recording.of_workers(hired), generator(seed, trial, 0), by_worker=True)

    def known(self, hired: IntArray) -> list[Beta]:
        return []


def unseeing(policy: Policy) -> Policy:
    """The policy, which is not told what answers cost."""

    def choose(belief: object, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
        return policy.choose(belief, replace(candidates, costs={}), rng, n)

    return replace(policy, choose=choose)


def lines_of(crowd: Crowd) -> dict[str, tuple[Policy, IntArray]]:
    """The policy of each line, and who is hired."""
    everybody = np.arange(crowd.kinds.size)
    lines = {}
    for policy in map(find_policy, (OURS, PAPERS)):
        lines[f"{policy.name}, {UNSEEN}"] = unseeing(policy), everybody
        lines[policy.name] = policy, everybody
    for number, name in enumerate(crowd.names):
        lines[f"{OURS}, only {name}"] = find_policy(OURS), np.flatnonzero(crowd.kinds == number)
    return lines | {"random": (find_policy("random"), everybody)}


def campaign(crowd: Crowd, budget: float, seed: int, trial: int) -> dict[str, tuple[FloatArray, IntArray]]:
    """Of each line the accuracy at each noted budget, and how many answers of each kind were bought."""
    found = {}
    with one_thread():
        for line, (policy, hired) in lines_of(crowd).items():
            luck = generator(seed, trial, 1, crc32(policy.name.encode()))
            played = play(policy, crowd.source(hired, seed, trial), budget, luck, known=crowd.known(hired))
            bought = crowd.kinds[hired][played.asked[:, 2]]
            found[line] = played.accuracy, np.bincount(bought, minlength=len(crowd.names))
    return found


def priced(recording: Recording, prices: Sequence[tuple[str, float]]) -> Recording:
    """The recording with these prices of workers, by name; everybody has one, so that all lines count money."""
    number = {name: worker for worker, name in enumerate(recording.workers)}
    for name, price in prices:
        if name not in number:
            raise InvalidSetting(f"--price-of {name} {price:g}: {recording.name} has no worker {name!r}")
        if price <= 0:
            raise InvalidSetting(f"--price-of {name} {price:g}: a price is above 0")
    others = dict.fromkeys(range(recording.answers.n_workers), 1.0)
    return replace(recording, costs=others | {number[name]: price for name, price in prices})


@click.command()
@click.option(
    "--kind", "kinds", type=(str, int, float, float, float), multiple=True, metavar="NAME N MU NU PRICE",
    help="N workers of Beta(MU, NU) who take PRICE for an answer; several times. Default: people and experts.",
)  # fmt: skip
@click.option("--strangers", is_flag=True, help="Nobody knows who is of which kind.")
@click.option("--items", type=click.IntRange(min=2), default=25, show_default=True)
@click.option("--data", help="The folder of a recording, whose items and workers are taken instead.")
@click.option(
    "--price-of", "prices", type=(str, float), multiple=True, metavar="WORKER PRICE", help="In a recording; else 1."
)
@click.option("--budget", type=click.FloatRange(min=0, min_open=True), help="Money to spend. Default: 10 an item.")
@click.option("--base", default=f"{OURS}, {UNSEEN}", show_default=True, help="The line to compare with.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against money spent there (PNG).")
def main(
    kinds: tuple[tuple[str, int, float, float, float], ...],
    strangers: bool,
    items: int,
    data: str | None,
    prices: tuple[tuple[str, float], ...],
    budget: float | None,
    base: str,
    trials: int,
    seed: int,
    jobs: int,
    figure: Path | None,
) -> None:
    """What it saves to count the cost, where answers have different prices."""
    require_figure(figure)
    crowd: Crowd
    if data is not None:
        crowd = Recorded(priced(find_recording(data), prices))
    else:
        crowd = Drawn([Kind(name, n, (mu, nu), price) for name, n, mu, nu, price in kinds] or USUAL, items, strangers)
    if base not in lines_of(crowd):
        raise InvalidSetting(f"there is no line {base!r} to compare with: they are {'; '.join(lines_of(crowd))}")
    money = EACH * crowd.n_items if budget is None else budget
    found = all_of("prices", campaign, [(crowd, money, seed, trial) for trial in range(trials)], jobs)
    lines = {line: np.array([one[line][0] for one in found]) for line in found[0]}
    budgets = noted_budgets(money, in_money=True)
    tell(budgets, lines, base)
    click.echo("\nanswers bought, on average")
    for line in lines:
        bought = np.mean([one[line][1] for one in found], axis=0)
        click.echo(f"{line}: " + ", ".join(f"{n:.0f} of {name}" for n, name in zip(bought, crowd.names, strict=True)))
    if figure is not None:
        draw({crowd.title: (budgets, lines)}, base, figure, spent="money spent")


if __name__ == "__main__":
    run(main)
