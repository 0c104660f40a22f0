"""Every experiment of the paper, one after the other, and one report: what it claims, what was measured."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TextIO

import nextpair
from nextpair.errors import NextpairError
from nextpair.lab.claims import CLAIMS, Results
from nextpair.lab.engines import Engine
from nextpair.lab.experiments import EXPERIMENTS
from nextpair.lab.progress import in_words
from nextpair.lab.report import figure_html, page, table_html, write_run
from nextpair.lab.run import Result, run
from nextpair.lab.settings import Asked, prepare
from nextpair.store.streams import write_atomically


@dataclass(frozen=True)
class Planned:
    """One run: an experiment with the switches of the full and of the quick reproduction, and their rough weight."""

    name: str
    experiment: str
    asked: Asked
    quick_trials: int
    weight: float  # seconds a trial of all its lines on one core, roughly: only shares matter
    quick_budget: int | None = None

    def switches(self, quick: bool, seed: int, data: str | None) -> Asked:
        a = self.asked
        budget = self.quick_budget if quick and self.quick_budget else a.budget
        return Asked(a.items, a.workers, budget, self.quick_trials if quick else a.trials, a.policies, seed, data)

    def cost(self, quick: bool) -> float:
        shorter = 0.2 if quick and self.quick_budget else 1.0
        return shorter * self.weight * (self.quick_trials if quick else self.asked.trials or 100)


BEYOND = ("akg", "relative-distance", "full-posterior", "crowd-bt", "random")

PLAN = (
    Planned("homogeneous-10", "homogeneous", Asked(trials=100), 40, 0.4),
    Planned("homogeneous-100", "homogeneous", Asked(items=100, budget=1000, trials=100), 4, 8),
    Planned("frequency-10", "frequency", Asked(trials=100), 40, 0.15),
    Planned("frequency-100", "frequency", Asked(items=100, budget=1000, trials=100), 3, 5),
    Planned("frequency-close", "frequency-close", Asked(trials=100), 40, 0.15),
    Planned("heterogeneous-10", "heterogeneous", Asked(trials=100), 40, 0.5),
    Planned("heterogeneous-100", "heterogeneous", Asked(items=100, workers=50, budget=1000, trials=50), 2, 28),
    Planned("prior-sensitivity", "prior-sensitivity", Asked(trials=100), 30, 1.2),
    Planned("worker-frequency", "worker-frequency", Asked(trials=100), 20, 0.6),
    Planned("timing", "timing", Asked(trials=5), 3, 0.8),
    Planned("reading-homogeneous", "reading-homogeneous", Asked(trials=8), 2, 130, quick_budget=1500),
    Planned("reading-heterogeneous", "reading-heterogeneous", Asked(trials=6), 1, 180, quick_budget=1500),
    Planned("batch", "batch", Asked(trials=20), 1, 16),
    Planned("estimators", "estimators", Asked(trials=100), 20, 0.5),
    Planned("beyond-10", "homogeneous", Asked(trials=100, policies=BEYOND), 20, 0.3),
    Planned("beyond-crowd-10", "heterogeneous", Asked(trials=100, policies=BEYOND), 20, 0.6),
    Planned("beyond-workers", "worker-frequency", Asked(trials=100, policies=("full-posterior", "crowd-bt")), 10, 0.6),
    Planned("optimal-gap", "optimal-gap", Asked(trials=1000), 100, 0.01),
)


def reproduce(
    out: Path,
    engine: Engine,
    *,
    quick: bool,
    seed: int,
    data: str | None,
    say: Callable[[str], None],
    stream: TextIO | None = None,
) -> tuple[Results, dict[str, str]]:
    """Run what is missing of the plan, write each run's folder and the report. The second value: what was left out."""
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    start, worked = time.monotonic(), 0.0
    ahead = sum(planned.cost(quick) for planned in PLAN)
    for number, planned in enumerate(PLAN, 1):
        left = (time.monotonic() - start) / worked * ahead if worked else 0.0
        say(f"{number} of {len(PLAN)}: {planned.name}" + (f" (about {in_words(left)} left in all)" if worked else ""))
        ahead -= planned.cost(quick)
        asked = planned.switches(quick, seed, data)
        replays = EXPERIMENTS[planned.experiment].replays
        try:
            job = prepare(planned.experiment, asked if replays else _without_data(asked))
        except NextpairError as error:
            if not replays:
                raise
            left_out[planned.name] = str(error)
            say(f"  left out: {error}")
            continue
        folder = out / planned.name
        results[planned.name] = run(job, engine, folder / "trials", stream)
        write_run(results[planned.name], folder, command_of(planned, quick, seed))
        worked += planned.cost(quick) * results[planned.name].fresh
        say(f"  done in {in_words(results[planned.name].seconds)}")
        write_report(out, results, left_out, quick=quick, seed=seed)
    return results, left_out


def _without_data(asked: Asked) -> Asked:
    return Asked(asked.items, asked.workers, asked.budget, asked.trials, asked.policies, asked.seed)


def command_of(planned: Planned, quick: bool, seed: int) -> str:
    """The command that repeats one run on its own."""
    asked = planned.switches(quick, seed, None)
    words = ["nextpair lab run", planned.experiment]
    for switch in ("items", "workers", "budget", "trials", "seed"):
        value = getattr(asked, switch)
        words += [f"--{switch} {value}"] if value is not None else []
    words += [f"--policies {','.join(asked.policies)}"] if asked.policies else []
    return " ".join(words)


def write_report(out: Path, results: Results, left_out: dict[str, str], *, quick: bool, seed: int) -> None:
    """report.html and claims.json."""
    cards, data = [], []
    for claim in CLAIMS:
        finding = claim.check(results)
        verdict, measured = (finding.verdict, finding.measured) if finding else ("not run", "")
        data.append({"claim": claim.text, "where": claim.where, "verdict": verdict, "measured": measured})
        kind = "yes" if verdict == "holds" else "no"
        cards.append(
            f'<li><span class="{kind}">{verdict}</span> {escape(claim.text)} <i>{escape(claim.where)}</i>'
            f"<p>{escape(measured)}</p></li>"
        )
    parts = [
        "<h1>The paper's experiments, run again</h1>",
        f"<p>{'A quick run with few trials' if quick else 'The full run'}, seed {seed}, nextpair "
        f"{nextpair.__version__}. Differences are taken trial by trial in the same simulated worlds; ± is one standard "
        "error, and a difference below two of them counts as none"
        f"{', which with so few trials is often so' if quick else ''}.</p>",
        f'<h2>Claims</h2><ul class="claims">{"".join(cards)}</ul>',
    ]
    for planned in PLAN:
        parts.append(f"<h2>{escape(planned.name)}</h2>")
        if planned.name in results:
            parts.append(_run_html(out / planned.name, results[planned.name], command_of(planned, quick, seed)))
        else:
            parts.append(f"<p>{escape(left_out.get(planned.name, 'Not run yet.'))}</p>")
    write_atomically(str(out / "report.html"), page("nextpair: the paper's experiments", "\n".join(parts)))
    write_atomically(str(out / "claims.json"), json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _run_html(folder: Path, result: Result, command: str) -> str:
    svg = (folder / "figure.svg").read_text(encoding="utf-8")
    experiment = result.job.declared
    caption = f"{experiment.title} ({experiment.paper})."
    took = f" Took {in_words(result.seconds)}." if result.fresh == 1 else ""
    return f"{figure_html(svg, caption)}{table_html(result)}<p><code>{escape(command)}</code>{took}</p>"
