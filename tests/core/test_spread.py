"""How far apart items are: against integration, in known worlds, and where a few judges leave it open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.doubts import TAIL
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.refit import REFIT_ITEMS
from nextpair.core.kernels.spread import ASSUMED, DOUBT, PRIOR_VAR, learn_spread
from nextpair.core.settling import SETTLED


def belief_in(variance):
    """The logarithm of what is believed of the variance before any answer."""
    return -((np.log(variance) - np.log(PRIOR_VAR)) ** 2) / (2 * DOUBT)


def a_world(seed, spread, items=40, workers=0, answers=800):
    """(log-scores, answers): normal log-scores, random pairs; workers of Beta(4, 1), or nobody in particular."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, spread, items)
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    who = rng.integers(workers, size=answers) if workers else np.full(answers, -1)
    rho = np.append(rng.beta(4, 1, workers), 1.0)[who]
    up = expit(scores[i] - scores[j])
    first = rng.random(answers) < rho * up + (1 - rho) * (1 - up)
    winners, losers = np.where(first, (i, j), (j, i))
    return scores - scores.mean(), Comparisons.of(winners, losers, who, n_items=items, n_workers=workers)


@pytest.mark.parametrize(("won", "lost"), [(1, 0), (5, 0), (12, 3), (4, 4), (20, 0)])
def test_of_two_items_it_is_the_likeliest_by_quadrature(won, lost):
    def against(log_variance):
        sd = np.sqrt(2 * np.exp(log_variance))
        of = integrate.quad(lambda d: expit(d) ** won * expit(-d) ** lost * norm.pdf(d, 0, sd), -40, 40, limit=200)[0]
        return -np.log(of) - belief_in(np.exp(log_variance))

    told = Comparisons.of([0] * won + [1] * lost, [1] * won + [0] * lost)
    likeliest = np.exp(minimize_scalar(against, bounds=(-3, 5), method="bounded").x)
    assert FullPosterior.fit(told).spread[0] == pytest.approx(likeliest, rel=0.06)


def drawn(told, n=300_000):
    """(scores, weights): scores as far apart as is believed before any answer, and how likely they make the answers."""
    rng = np.random.default_rng(7)
    grid = np.linspace(-4, 6, 4001)
    weight = np.exp(belief_in(np.exp(grid)))
    log_variance = rng.choice(grid, n, p=weight / weight.sum())
    scores = rng.normal(size=(n, told.n_items)) * np.exp(log_variance / 2)[:, None]
    log_weight = np.log(expit(scores[:, told.winners] - scores[:, told.losers])).sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    return scores - scores.mean(axis=1, keepdims=True), weight / weight.sum()


def test_a_step_goes_where_the_evidence_is_level():
    """Where squares / v - known items = 2 (log v - log PRIOR_VAR) / DOUBT, by a root finder."""
    mean, cov = np.array([1.0, -0.5, 0.2, -0.7]), np.diag([0.3, 0.5, 0.4, 0.6])
    for start, known in ((2.0, 4 - 1.8 / 2.0), (0.4, 0.0)):  # wider than the prior: the answers know nothing
        spread = np.array([start, DOUBT])
        learn_spread(mean, cov, spread, np.empty(0))
        level = brentq(
            lambda at, known=known: (mean**2).sum() / np.exp(at) - known - 2 * (at - np.log(PRIOR_VAR)) / DOUBT, -9, 9
        )
        assert spread == pytest.approx([np.exp(level), 1 / (known / 2 + 1 / DOUBT)])


def quantiles(values, weights, shares):
    order = np.argsort(values)
    return values[order][np.searchsorted(np.cumsum(weights[order]), shares)]


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_claims_know_that_it_is_not_known(seed):
    """The length of intervals of scores, integrated over how far apart they are, too."""
    _, told = a_world(seed, 1.3, items=5, answers=30)
    scores, weight = drawn(told)
    exact = np.array([quantiles(of, weight, [0.05, 0.95]) for of in scores.T])
    belief = FullPosterior.fit(told)
    low, high = belief.intervals(0.9)
    centre = np.eye(5) - 0.2
    alone = 2 * norm.ppf(0.95) * np.sqrt(TAIL * np.diag(centre @ belief.cov @ centre))
    claimed, if_known = (np.mean(of / (exact[:, 1] - exact[:, 0])) for of in (high - low, alone))
    assert 0.9 < claimed < 1.05
    assert abs(claimed - 1) < abs(if_known - 1)
    assert belief.scores() == pytest.approx(weight @ scores, abs=0.25)


@pytest.mark.parametrize("workers", [0, 30])
@pytest.mark.parametrize("spread", [0.5, 1.3, 3.0])
def test_it_is_found_in_a_known_world(spread, workers):
    found = [FullPosterior.fit(a_world(seed, spread, workers=workers, answers=2400)[1]).spread[0] for seed in range(4)]
    assert np.mean(found) == pytest.approx(spread**2, rel=0.4)


def test_intervals_hold_where_items_are_further_apart_than_assumed():
    """With the spread that is assumed, 48 % of the 90 % intervals held."""
    held = []
    for seed in range(12):
        scores, told = a_world(seed, 3.0)
        low, high = FullPosterior.fit(told).intervals(0.9)
        held.append(np.mean((low <= scores) & (scores <= high)))
    assert 0.84 < np.mean(held) < 0.95


@pytest.mark.parametrize("seed", [30, 65, 144])
def test_items_very_far_apart_are_told_apart_and_no_further(seed):
    """A rule of 24 nodes missed the curve in so wide a normal: scores ran away, to a spread of thousands or to nan."""
    scores, told = a_world(seed, 8.0, items=20, answers=120)
    belief = FullPosterior.fit(told)
    assert 2.0 < np.sqrt(belief.spread[0]) < 10.0
    i, j = np.triu_indices(20, 1)
    right = ((belief.probs_above(i, j) > 0.5) == (scores[i] > scores[j])).mean()
    assert right == pytest.approx(belief.expected_accuracy(), abs=0.06)
    assert belief.prob_top(1).sum() == pytest.approx(1)


def test_where_a_few_judges_gave_all_answers_it_is_taken_for_known():
    rng = np.random.default_rng(3)
    told = a_world(0, 3.0)[1]
    judged = Comparisons.of(told.winners, told.losers, rng.integers(4, size=800), n_items=40, n_workers=4)
    assert FullPosterior.fit(judged).spread.tolist() == [PRIOR_VAR, 0.0]


def test_a_campaign_takes_it_for_known_unless_it_is_to_be_learnt():
    told = a_world(0, 3.0)[1]
    belief = FullPosterior.prior(40).fold(told.winners, told.losers)
    assert belief.spread.tolist() == ASSUMED.tolist() == [PRIOR_VAR, 0.0]
    fitted = FullPosterior.fit(told)
    later = fitted.update(0, 1)  # the next refit is due with the fourth
    assert REFIT_ITEMS == 10
    assert later.spread.tolist() == fitted.spread.tolist()
    assert later.with_item().cov[40, 40] == fitted.spread[0]
    learning = FullPosterior.prior(40, learns_spread=True)
    assert learning.spread.tolist() == [PRIOR_VAR, DOUBT]
    learnt = learning.fold(told.winners, told.losers)
    assert learnt.spread == pytest.approx(fitted.spread, rel=0.02)
    assert learnt.scores() == pytest.approx(fitted.scores(), abs=0.05)


@pytest.mark.parametrize("workers", [0, 4])
def test_a_learning_campaign_finds_it_whoever_gave_many_answers(workers):
    """A few judges too: who gave many is judged as if it were known, so that the two cannot run away together."""
    for spread, low, high in [(0.5, 0.3, 1.05), (3.0, 1.7, 4.5)]:
        for seed in range(3):
            _, told = a_world(seed, spread, workers=workers, answers=1200)
            belief = FullPosterior.prior(40, workers, learns_spread=True)
            belief = belief.fold(told.winners, told.losers, told.workers)
            assert low < np.sqrt(belief.spread[0]) < high


def test_what_it_was_learnt_from_does_not_come_twice():
    """Refits without a new answer stay where they are: it is a fixed point, and no drift."""
    _, told = a_world(1, 0.5)
    once = FullPosterior.fit(told)
    again = once._settled(None)
    assert again.spread == pytest.approx(once.spread, rel=1e-4)
    assert again.scores() == pytest.approx(once.scores(), abs=1e-4)


@given(st.integers(0, 10_000), st.integers(1, 300))
@settings(max_examples=20)
def test_it_depends_on_no_order(seed, answers):
    _, told = a_world(seed, 2.0, items=12, workers=40, answers=answers)
    order = np.random.default_rng(seed).permutation(answers)
    moves = []
    one = FullPosterior.fit(told, on_sweep=moves.append)
    turned = Comparisons.of(*(x[order] for x in (told.winners, told.losers, told.workers)), n_items=12, n_workers=40)
    other = FullPosterior.fit(turned)
    assert moves[-1] < SETTLED
    assert other.spread == pytest.approx(one.spread, rel=1e-3)
    assert other.mean == pytest.approx(one.mean, abs=1e-4)
