"""The paper's claims about its experiments: what was measured for each, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.lab.run import Result
from nextpair.lab.trials import standard_error

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told apart"]
Results = Mapping[str, Result]
CLEAR = 2.0  # standard errors that a difference must have to count


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    measured: str


@dataclass(frozen=True)
class Claim:
    """What the paper says, which runs it is about, and how to judge it from their results."""

    text: str
    where: str
    runs: tuple[str, ...]
    judge: Callable[..., Finding]

    def check(self, results: Results) -> Finding | None:
        """None where a run is missing."""
        if any(name not in results for name in self.runs):
            return None
        return self.judge(*(results[name] for name in self.runs))


def difference(result: Result, first: str, second: str) -> tuple[FloatArray, FloatArray]:
    """The mean of first minus second at each budget, trial by trial in the same worlds, and its standard error."""
    gap = result.curves[first].trials - result.curves[second].trials
    return np.asarray(gap.mean(axis=0)), standard_error(gap)


def _against(result: Result, rival: str, spot: int = -1) -> tuple[float, float, str]:
    mean, error = difference(result, "akg", rival)
    return float(mean[spot]), float(error[spot]), f"{rival} {mean[spot]:+.3f} ± {error[spot]:.3f}"


def _verdict(gaps: list[tuple[float, float, str]]) -> Verdict:
    ahead = [mean > CLEAR * error for mean, error, _ in gaps]
    behind = [mean < -CLEAR * error for mean, error, _ in gaps]
    if all(ahead):
        return "holds"
    if any(behind):
        return "holds in part" if any(ahead) else "does not hold"
    return "holds in part" if any(ahead) else "cannot be told apart"


def ahead_at_the_end(*rivals: str) -> Callable[[Result], Finding]:
    def judge(result: Result) -> Finding:
        gaps = [_against(result, rival) for rival in rivals if rival in result.curves]
        end = result.curves["akg"].accuracy[-1]
        return Finding(_verdict(gaps), f"akg ends at {end:.3f}, {_standing(gaps)}.")

    return judge


def ahead_throughout(result: Result) -> Finding:
    """At a fifth, half and all of the budget, against everybody."""
    gaps, told = [], []
    for spot in result.spots:
        here = [_against(result, rival, spot) for rival in result.curves if rival != "akg"]
        gaps += here
        told.append(f"After {result.budgets[spot]:g}: {_standing(here)}.")
    return Finding(_verdict(gaps), " ".join(told))


def _standing(gaps: list[tuple[float, float, str]]) -> str:
    """Whom akg is clearly ahead of, level with, and behind."""
    groups: dict[str, list[str]] = {"ahead of": [], "level with": [], "behind": []}
    for mean, error, words in gaps:
        place = "ahead of" if mean > CLEAR * error else "behind" if mean < -CLEAR * error else "level with"
        groups[place].append(words)
    return "; ".join(f"{place} {', '.join(names)}" for place, names in groups.items() if names)


def similar_at_first(result: Result) -> Finding:
    spot = len(result.budgets) // 5
    gap, error, words = _against(result, "random", spot)
    end, end_error, _ = _against(result, "random")
    grows = end > gap and end > CLEAR * end_error
    verdict: Verdict = "holds" if abs(gap) < max(0.02, CLEAR * error) and grows else "holds in part"
    return Finding(
        verdict, f"akg's lead over {words} after {result.budgets[spot]:g}, {end:+.3f} ± {end_error:.3f} at the end."
    )


def seventy_after_twenty(result: Result) -> Finding:
    found = float(np.interp(20, result.budgets, result.curves["akg"].accuracy))
    return Finding("holds" if found > 0.7 else "does not hold", f"{found:.3f} after 20 answers.")


def centrality_gains(result: Result) -> Finding:
    mean, error = difference(result, "centrality-akg", "centrality-random")
    gap = (float(mean[-1]), float(error[-1]), "")
    return Finding(_verdict([gap]), f"centrality-akg minus centrality-random at the end: {gap[0]:+.3f} ± {gap[1]:.3f}.")


def fewer_bumps(result: Result) -> Finding:
    """How far each trial's curve goes down, summed over its falls."""
    falls = {
        name: float(np.maximum(-np.diff(curve.trials, axis=1), 0).sum(axis=1).mean())
        for name, curve in result.curves.items()
    }
    told = ", ".join(f"{name} {fall:.2f}" for name, fall in sorted(falls.items(), key=lambda row: row[1]))
    rank = sorted(falls, key=lambda name: falls[name]).index("akg")
    verdict: Verdict = "holds" if rank == 0 else "holds in part" if rank < len(falls) - 1 else "does not hold"
    return Finding(verdict, f"How far a curve falls in all its falls together, mean over trials: {told}.")


def _by_gap(table: FloatArray) -> FloatArray:
    """The mean count of pairs by how many ranks they are apart (index 0: neighbours)."""
    return np.array([np.diagonal(table, gap).mean() for gap in range(1, len(table))])


def near_pairs_more_often(result: Result) -> Finding:
    table = result.curves["akg"].tally
    apart = _by_gap(table)
    far = apart[int(0.7 * len(apart)) :].mean()
    most = np.diagonal(table, 1).max()
    ratio, top = apart[0] / far, most / far
    verdict: Verdict = "holds" if top >= 10 else "holds in part" if ratio >= 2 else "does not hold"
    return Finding(
        verdict,
        f"Neighbours are asked {ratio:.1f} times as often as pairs far apart; the most asked pair of neighbours "
        f"{top:.1f} times as often.",
    )


def close_pairs_most(result: Result) -> Finding:
    table = result.curves["akg"].tally
    n = len(table)
    low, high = float(table[0, 1]), float(table[n - 2, n - 1])
    others = [table[k, k + 1] for k in range(1, n - 2)]
    verdict: Verdict = (
        "holds" if min(low, high) > max(others) else "holds in part" if high > max(others) else "does not hold"
    )
    return Finding(
        verdict,
        f"Mean times asked: worst two {low:.1f}, best two {high:.1f}; other neighbours {np.mean(others):.1f} on "
        f"average and {max(others):.1f} at most; all pairs {table.sum() / (n * (n - 1)):.1f}.",
    )


def crowd_bt_below_random(result: Result) -> Finding:
    mean, error = difference(result, "random", "crowd-bt")
    gap = (float(mean[-1]), float(error[-1]), "")
    return Finding(_verdict([gap]), f"random minus crowd-bt at the end: {gap[0]:+.3f} ± {gap[1]:.3f}.")


def prior_hardly_matters(result: Result) -> Finding:
    told, clear = [], []
    labels = [label for label in result.curves if label.endswith("true prior")]
    for label in labels:
        mean, error = difference(result, label, label.replace("true prior", "prior Beta(4,1)"))
        clear.append(abs(mean[-1]) > max(0.02, CLEAR * error[-1]))
        told.append(f"{result.curves[label].line.panel} {mean[-1]:+.3f} ± {error[-1]:.3f}")
    verdict: Verdict = "does not hold" if all(clear) else "holds in part" if any(clear) else "holds"
    return Finding(verdict, "True prior minus Beta(4,1) at the end: " + ", ".join(told) + ".")


def reliable_work_more(result: Result) -> Finding:
    """The most reliable third of the workers beside the least reliable third, trial by trial."""
    told, verdict = [], None
    for label, curve in result.curves.items():
        third = curve.tallies.shape[1] // 3
        bottom, top = curve.tallies[:, :third].mean(axis=1), curve.tallies[:, -third:].mean(axis=1)
        error = float(standard_error((top - bottom)[:, None])[0])
        gap = float((top - bottom).mean())
        told.append(
            f"{label} asks {top.mean():.1f} answers of each worker in the most reliable third, {bottom.mean():.1f} in "
            f"the least reliable ({gap:+.1f} ± {error:.1f})"
        )
        verdict = verdict or _verdict([(gap, error, "")])
    assert verdict is not None
    return Finding(verdict, "; ".join(told) + ".")


def fast_choices(result: Result) -> Finding:
    ours = {(t.policy, t.items, t.workers): t for t in result.timings}
    akg, polling = ours["akg", 25, 0], ours["adaptive-polling", 25, 0]
    large = ours["akg", 100, 50]
    if akg.seconds is None or polling.seconds is None or large.seconds is None:
        return Finding("does not hold", "Some choice took too long to be measured.")
    told = (
        f"25 items: akg {akg.seconds:.2g} s, adaptive-polling {polling.seconds:.2g} s. "
        f"100 items and 50 workers: akg {large.seconds:.2g} s (the paper: {large.paper_seconds:g} s)."
    )
    if akg.seconds < polling.seconds:
        return Finding("holds", told)
    return Finding("holds in part", told + " Ours of adaptive polling is fast because it updates inverses by rank one.")


def ahead_when_money_is_short(result: Result) -> Finding:
    """On average over the first third of the budget, and at the end."""
    third = len(result.budgets) // 3
    gaps, ends = [], []
    for rival in result.curves:
        if rival != "akg":
            early = (result.curves["akg"].trials - result.curves[rival].trials)[:, 1:third].mean(axis=1)
            error = float(standard_error(early[:, None])[0])
            ends.append(_against(result, rival))
            end = ends[-1][2].split(" ", 1)[1]
            gaps.append((float(early.mean()), error, f"{rival} {early.mean():+.3f} ± {error:.3f} (at the end {end})"))
    told = ", ".join(words for *_, words in gaps)
    overtaken = any(mean < -CLEAR * error for mean, error, _ in ends)
    verdict = "holds in part" if overtaken and _verdict(gaps) == "holds" else _verdict(gaps)
    return Finding(verdict, f"Mean lead over the first third of the budget: {told}.")


RIVALS = ("random", "distance", "centrality-random")
CLAIMS = (
    Claim("AKG ends ahead of random, distance and rank centrality with random sampling (10 items).", "Figure 1 (a)",
          ("homogeneous-10",), ahead_at_the_end(*RIVALS)),
    Claim("The same with 100 items.", "Figure 1 (b)", ("homogeneous-100",), ahead_at_the_end(*RIVALS)),
    Claim("AKG has higher accuracy than all other methods at all budget levels (10 items).", "Figure 1 (a)",
          ("homogeneous-10",), ahead_throughout),
    Claim("The same with 100 items.", "Figure 1 (b)", ("homogeneous-100",), ahead_throughout),
    Claim("AKG passes 70 % with only 20 pairs in the case of 10 items.", "Figure 1 (a)", ("homogeneous-10",),
          seventy_after_twenty),
    Claim("Random sampling is similar to AKG at the beginning; eventually AKG outperforms it.", "Figure 1",
          ("homogeneous-10",), similar_at_first),
    Claim("Rank centrality is boosted significantly by knowledge gradient sampling.", "Figure 1", ("homogeneous-10",),
          centrality_gains),
    Claim("The curve of AKG has fewer bumps than those of other algorithms.", "Figure 1", ("homogeneous-10",),
          fewer_bumps),
    Claim("AKG is much faster than adaptive polling, and fast with workers too.", "Tables 1 and 2", ("timing",),
          fast_choices),
    Claim("Near pairs are asked more often, some 10 times as often as distant ones (10 items).", "Figure 2 (a)",
          ("frequency-10",), near_pairs_more_often),
    Claim("The same with 100 items.", "Figure 2 (b)", ("frequency-100",), near_pairs_more_often),
    Claim("With the two worst and the two best nearly equal, AKG concentrates on these two pairs.", "Figure 3",
          ("frequency-close",), close_pairs_most),
    Claim("With 10 workers of different reliability AKG outperforms random and Crowd-BT (10 items).", "Figure 4 (a)",
          ("heterogeneous-10",), ahead_at_the_end("random", "crowd-bt")),
    Claim("With 50 workers the same (100 items).", "Figure 4 (b)", ("heterogeneous-100",),
          ahead_at_the_end("random", "crowd-bt")),
    Claim("… especially when the budget is low (10 items).", "Figure 4 (a)", ("heterogeneous-10",),
          ahead_when_money_is_short),
    Claim("With 100 items Crowd-BT is beaten by random sampling.", "Figure 4 (b)", ("heterogeneous-100",),
          crowd_bt_below_random),
    Claim("A generic Beta(4,1) prior of workers does nearly as well as the true one.", "Figure 6",
          ("prior-sensitivity",), prior_hardly_matters),
    Claim("More reliable workers receive more pairs.", "Figure 7", ("worker-frequency",), reliable_work_more),
    Claim("Real data, workers alike: AKG outperforms the others, especially at low budgets.", "Figure 8 (a)",
          ("reading-homogeneous",), ahead_when_money_is_short),
    Claim("Real data, workers chosen: AKG outperforms the others, especially at low budgets.", "Figure 8 (b)",
          ("reading-heterogeneous",), ahead_when_money_is_short),
)  # fmt: skip
