"""The full posterior against numerical integration, importance sampling and choix; its promises to a journal."""

from dataclasses import replace

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import expit
from scipy.stats import beta, norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.crowds import AS_DECLARED, STRAY, crowd_grid, hypotheses
from nextpair.core.doubts import TAIL
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.doubt import worker_pulls
from nextpair.core.kernels.inverse import BY_FOURS, invert
from nextpair.core.kernels.joint import rebuild
from nextpair.core.kernels.much import grade
from nextpair.core.kernels.refit import REFIT_ITEMS, REFIT_SHARE, sweep
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.core.kernels.trust import learn_crowds
from nextpair.core.settling import SETTLED
from nextpair.errors import InvalidSetting


def gap(belief, i=0, j=1):
    """Mean and variance of s_i - s_j."""
    cov = belief.cov
    return belief.mean[i] - belief.mean[j], cov[i, i] + cov[j, j] - 2 * cov[i, j]


def exact_gap(likelihood):
    """The same of two items by quadrature, for a likelihood of their gap."""
    sd = np.sqrt(2 * PRIOR_VAR)
    z, first, second = (
        integrate.quad(lambda d, k=k: d**k * likelihood(d) * norm.pdf(d, 0, sd), -30, 30, epsabs=1e-12)[0]
        for k in range(3)
    )
    return first / z, second / z - (first / z) ** 2


def crowd_densities(rho, mu=4.0, nu=1.0):
    """(likely, densities): every hypothesis about a crowd and the density of a worker's rho under it."""
    betas, likely = hypotheses(mu, nu)
    declared = beta.pdf(rho, mu, nu)
    others = [(1 - STRAY) * beta.pdf(rho, a, b) + STRAY * declared for a, b in betas[1:]]
    return likely, np.array([declared, *others])


def test_one_answer_is_matched_exactly():
    belief = FullPosterior.prior(2).update(0, 1)
    assert gap(belief) == pytest.approx(exact_gap(expit), abs=1e-4)


def test_one_answer_of_a_doubtful_worker_is_matched_exactly():
    belief = FullPosterior.prior(2, 1, reliability=(3.0, 1.0)).update(0, 1, 0)
    assert gap(belief) == pytest.approx(exact_gap(lambda d: 0.75 * expit(d) + 0.25 * expit(-d)), abs=1e-4)


def test_two_items_and_a_worker_against_double_quadrature():
    """Answers that contradict each other, of one worker and of nobody in particular."""
    answers = [(0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, None), (0, 1, None), (0, 1, 0), (0, 1, None)]
    belief = FullPosterior.prior(2, 1)
    for winner, loser, worker in answers:
        belief = belief.update(winner, loser, worker)
    d = np.linspace(-15, 15, 1501)[:, None]
    rho = (np.arange(2000) + 0.5)[None, :] / 2000
    likely, densities = crowd_densities(rho[0])
    weight = norm.pdf(d, 0, np.sqrt(2 * PRIOR_VAR)) * (likely @ densities)
    for winner, _, worker in answers:
        up = expit(d) if winner == 0 else expit(-d)
        weight = weight * (up if worker is None else rho * up + (1 - rho) * (1 - up))
    weight /= weight.sum()
    mean = (weight * d).sum()
    assert gap(belief)[0] == pytest.approx(mean, rel=0.02)
    assert gap(belief)[1] == pytest.approx((weight * (d - mean) ** 2).sum(), rel=0.05)
    assert belief.reliability[0] == pytest.approx((weight * rho).sum(), abs=0.005)
    spread = belief.mu[0] * belief.nu[0] / (belief.mu[0] + belief.nu[0]) ** 2 / (belief.mu[0] + belief.nu[0] + 1)
    assert spread == pytest.approx((weight * rho**2).sum() - (weight * rho).sum() ** 2, rel=0.05)


def test_five_items_and_three_workers_against_importance_sampling():
    rng = np.random.default_rng(3)
    betas, likely = hypotheses(4.0, 1.0)
    crowd = betas[rng.choice(likely.size, 400_000, p=likely)]
    stray = rng.random((400_000, 3, 1)) < STRAY
    scores, workers = rng.normal(0, 1.28, (400_000, 5)), rng.beta(*np.where(stray, (4.0, 1.0), crowd[:, None]).T).T
    log_weight = np.zeros(len(scores))
    belief = FullPosterior.prior(5, 3)
    for _ in range(14):
        i, j = rng.choice(5, 2, replace=False)
        w = rng.integers(3)
        i, j = max(i, j), min(i, j)  # mostly consistent: the higher index wins
        up = expit(scores[:, i] - scores[:, j])
        log_weight += np.log(workers[:, w] * up + (1 - workers[:, w]) * (1 - up))
        belief = belief.update(int(i), int(j), int(w))
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    centred = scores - scores.mean(axis=1, keepdims=True)
    assert belief.scores() == pytest.approx(weight @ centred, abs=0.04)
    assert belief.reliability == pytest.approx(weight @ workers, abs=0.01)
    for i in range(5):
        for j in range(i):
            above = weight @ (scores[:, i] > scores[:, j])
            assert belief.prob_above(i, j) == pytest.approx(above, abs=0.025)
            apart = scores[:, i] - scores[:, j]
            exact, cov = weight @ apart**2 - (weight @ apart) ** 2, belief.claimed_cov
            assert cov[i, i] + cov[j, j] - 2 * cov[i, j] == pytest.approx(exact, rel=0.11)


def test_without_workers_it_is_the_expectation_propagation_of_choix():
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 1.5, 7)
    pairs = [rng.choice(7, 2, replace=False) for _ in range(60)]
    data = [(i, j) if rng.random() < expit(truth[i] - truth[j]) else (j, i) for i, j in pairs]
    belief = FullPosterior.prior(7).fold(*np.array(data).T)
    mean, cov = choix.ep_pairwise(7, data, alpha=1 / PRIOR_VAR, model="logit")
    assert belief.mean == pytest.approx(mean, abs=0.01)
    assert belief.cov == pytest.approx(cov, abs=0.01)
    at_once = FullPosterior.fit(Comparisons.of(*np.array(data).T))
    mean, cov = choix.ep_pairwise(7, data, alpha=1 / at_once.spread[0], model="logit")
    assert at_once.mean == pytest.approx(mean, abs=1e-3)
    assert at_once.cov == pytest.approx(cov, abs=1e-3)


some_answers = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(-1, 2), st.booleans(), st.sampled_from([-1, 1, 1])),
    min_size=1,
    max_size=70,
)


@given(some_answers, st.integers(0, 70))
@settings(max_examples=30)
def test_folding_in_any_portions_is_updating_bit_for_bit(answers, cut):
    rows = np.array([(i, (i + step) % 5, w, tie, side) for i, step, w, tie, side in answers])
    belief = FullPosterior.prior(5, 3)
    whole = belief.fold(*rows.T)
    parts = belief.fold(*rows[:cut].T).fold(*rows[cut:].T)
    for i, j, w, tie, side in rows:
        belief = belief.update(int(i), int(j), None if w < 0 else int(w), tie=bool(tie), side=int(side))
    for name in ("mean", "cov", "workers", "factors", "rates", "leans", "much", "spread", "told", "refitted"):
        assert np.array_equal(getattr(whole, name), getattr(belief, name))
        assert np.array_equal(getattr(parts, name), getattr(belief, name))
    assert np.linalg.eigvalsh(belief.cov)[0] > 0
    assert np.linalg.eigvalsh(belief.claimed_cov)[0] > 0
    assert np.all((belief.reliability >= 0) & (belief.reliability <= 1))
    assert 0.5 <= belief.expected_accuracy() <= 1


def a_crowd(seed, answers, reliability, items=8):
    """Answers of workers of these reliabilities about items of normal log-scores."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1.3, items)
    i = rng.integers(0, items, answers)
    j = (i + rng.integers(1, items, answers)) % items
    who = rng.integers(0, len(reliability), answers)
    up = expit(truth[i] - truth[j])
    rho = np.array(reliability)[who]
    first = rng.random(answers) < rho * up + (1 - rho) * (1 - up)
    return Comparisons.of(
        np.where(first, i, j),
        np.where(first, j, i),
        who,
        (rng.random(answers) < 0.1).astype(int),
        n_items=items,
        n_workers=len(reliability),
    )


@given(st.integers(0, 10_000), st.integers(1, 150))
@settings(max_examples=25)
def test_all_answers_at_once_depend_on_no_order(seed, answers):
    told = a_crowd(seed, answers, [0.95, 0.9, 0.8, 0.7, 0.6])
    order = np.random.default_rng(seed).permutation(answers)
    columns = told.winners, told.losers, told.workers, told.ties
    moves = []
    one = FullPosterior.fit(told, on_sweep=moves.append)
    other = FullPosterior.fit(Comparisons.of(*(x[order] for x in columns), n_items=8, n_workers=5))
    assert moves[-1] < SETTLED
    assert other.mean == pytest.approx(one.mean, abs=1e-5)
    assert other.cov == pytest.approx(one.cov, abs=1e-5)
    assert other.reliability == pytest.approx(one.reliability, abs=1e-5)


BOTH_WAYS = np.nonzero(~np.eye(3, dtype=bool))


@pytest.mark.parametrize(
    "said",
    [
        {"workers": 0, "ties": 1},  # a judge who always calls a tie
        {
            "workers": np.repeat([0, 1], 18),
            "sides": np.repeat([1, -1], 18),
        },  # one who always says left, and one who always says right
        {"workers": 0},  # one who says the opposite the second time
    ],
)
def test_all_answers_at_once_are_settled_where_no_score_moves(said):
    """Each pair both ways round, six times: how sure the scores are, is still to be learnt."""
    moves = []
    belief = FullPosterior.fit(Comparisons.of(*(np.tile(x, 6) for x in BOTH_WAYS), **said), on_sweep=moves.append)
    assert belief.mean == pytest.approx(np.zeros(3), abs=1e-6)
    assert moves[-1] < SETTLED
    again = belief.to_change(belief.told)
    sweep(again, 1.0, False, False)
    assert again.cov == pytest.approx(belief.cov, abs=1e-5)
    assert again.rates == pytest.approx(belief.rates, abs=1e-3)
    assert again.leans == pytest.approx(belief.leans, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_all_answers_at_once_are_what_one_after_the_other_comes_to(seed):
    told = a_crowd(seed, 300, [0.95, 0.9, 0.8, 0.7, 0.6])
    at_once = FullPosterior.fit(told)
    in_turn = FullPosterior.prior(8, 5).fold(told.winners, told.losers, told.workers, told.ties)
    assert at_once.mean == pytest.approx(in_turn.mean, abs=0.2)
    assert at_once.reliability == pytest.approx(in_turn.reliability, abs=0.04)
    later = at_once.update(0, 1, 2)
    assert later.told.shape[1] == 301
    assert later.mean[0] - later.mean[1] > at_once.mean[0] - at_once.mean[1]


@pytest.mark.parametrize(("i", "j", "worker"), [(0, 3, 0), (3, 0, 1), (2, 1, None)])
def test_between_refits_an_answer_moves_every_item_as_it_hangs_together_with_the_gap(i, j, worker):
    """Against quadrature over the gap alone: of all others it tells what their correlations with it say."""
    before = FullPosterior.prior(4, 2).fold(
        *(column[:121] for column in a_crowd(2, 300, [0.9, 0.6], items=4).columns())
    )
    after = before.update(i, j, worker)
    assert after.refitted == before.refitted == 121
    p, _ = before.trust(worker)
    (mean, var), along = gap(before, i, j), before.cov[i] - before.cov[j]
    rate = before.rates[0 if worker is None else worker + 1]

    def moment(function):
        return integrate.quad(lambda d: function(d) * norm.pdf(d, mean, np.sqrt(var)), mean - 12, mean + 12)[0]

    decided = moment(lambda d: 1 - rate / (2 * np.cosh(d / 2) + rate))
    up, down = (lambda d, s=s: np.exp(s * d / 2) / (2 * np.cosh(d / 2) + rate) / decided for s in (1, -1))
    chance, r = moment(up), 2 * p - 1  # heard with the weight r, else a coin
    z, one, two = (
        moment(lambda d, k=k: d**k * (abs(r) * (up if r > 0 else down)(d) + (1 - abs(r)) / 2)) for k in range(3)
    )
    moved, wider = one / z - mean, two / z - (one / z) ** 2 - var
    assert after.mean == pytest.approx(before.mean + along / var * moved, abs=1e-5)
    assert after.cov == pytest.approx(before.cov + np.outer(along, along) / var**2 * wider, abs=1e-5)
    for w in range(2):
        nodes, weight = before.nodes[w], before.workers[w]
        if w == worker:
            weight = weight * (nodes * chance + (1 - nodes) * (1 - chance))
        assert after.trust(w)[0] == pytest.approx(weight @ nodes / weight.sum(), abs=1e-5)


def test_a_newcomer_is_known_by_the_crowd_from_the_start():
    told = a_crowd(4, 400, [0.95] * 10)
    belief = FullPosterior.fit(told)
    joined, stranger = belief.with_worker(), belief.with_worker((8.0, 2.0))
    among = FullPosterior.fit(
        Comparisons.of(told.winners, told.losers, told.workers, told.ties, n_items=8, n_workers=11)
    )
    assert joined.reliability[10] == pytest.approx(among.reliability[10], abs=1e-6)
    assert joined.reliability[10] > 0.85 > 0.81 > stranger.reliability[10] > 0.79
    assert np.array_equal(joined.workers[:10], belief.workers)


def test_of_two_workers_who_contradict_each_other_one_is_settled_on_and_neither_believed():
    """One always right, one always wrong: which is which cannot be known, and claims say so."""
    moves = []
    belief = FullPosterior.fit(a_crowd(0, 2000, [1.0, 0.02]), on_sweep=moves.append)
    assert moves[-1] < SETTLED
    assert sorted(belief.trusts[0] > 0.5) == [False, True]
    assert 0.2 < belief.opposite < 0.8
    assert belief.expected_accuracy() < 0.8
    assert np.linalg.eigvalsh(belief.cov)[0] > 0


def test_no_answers_at_once_are_the_prior():
    belief, prior = FullPosterior.fit(Comparisons.of([], [], n_items=3)), FullPosterior.prior(3)
    assert belief.cov.tolist() == prior.cov.tolist()
    assert belief.update(0, 1).mean.tolist() == prior.update(0, 1).mean.tolist()


def test_later_answers_correct_what_was_believed_about_a_worker_and_about_items():
    """A worker who turns every answer round is believed at first, and read backwards later."""
    first = FullPosterior.prior(6, 3)
    for i, j in ((0, 5), (0, 4), (1, 5), (0, 3), (1, 4), (2, 5)):
        first = first.update(i, j, 2)
    assert first.prob_above(0, 5) > 0.8
    rng = np.random.default_rng(0)
    belief = first
    for _ in range(60):
        i, j = sorted(rng.choice(6, 2, replace=False))
        belief = belief.update(int(j), int(i), int(rng.integers(2)))
    assert list(belief.ranking()) == [5, 4, 3, 2, 1, 0]
    assert belief.reliability[2] < 0.4
    assert belief.reliability[:2].min() > 0.9


def test_a_score_at_the_average_is_zero_and_not_rounding_noise():
    assert FullPosterior.prior(3, 2).update(1, 0, 1).scores()[2] == 0


def test_nobody_vouches_for_himself():
    """A guesser who gave most of the answers is not taken for reliable because his guesses made the order."""
    rng = np.random.default_rng(6)
    items, answers = 20, 400
    i = rng.integers(0, items, answers)
    j = (i + rng.integers(1, items, answers)) % items
    low, high = np.minimum(i, j), np.maximum(i, j)
    who = np.where(rng.random(answers) < 0.7, 0, rng.integers(1, 6, answers))
    guess = (who == 0) & (rng.random(answers) < 0.5)
    belief = FullPosterior.prior(items, 6).fold(np.where(guess, high, low), np.where(guess, low, high), who)
    assert belief.reliability[0] < 0.65
    assert belief.reliability[1:].min() > 0.8
    right = np.mean([belief.prob_above(a, b) > 0.5 for a in range(items) for b in range(a + 1, items)])
    assert right > 0.85


def test_relabelling_items_relabels_the_belief():
    rng = np.random.default_rng(5)
    i = rng.integers(0, 6, 50)
    j = (i + rng.integers(1, 6, 50)) % 6
    w = rng.integers(-1, 2, 50)
    order = rng.permutation(6)
    one, other = FullPosterior.prior(6, 2).fold(i, j, w), FullPosterior.prior(6, 2).fold(order[i], order[j], w)
    assert other.mean[order] == pytest.approx(one.mean, abs=1e-9)
    assert other.cov[np.ix_(order, order)] == pytest.approx(one.cov, abs=1e-9)
    assert other.reliability == pytest.approx(one.reliability, abs=1e-9)


def test_items_and_workers_may_join():
    grown = FullPosterior.prior(2, 1).update(0, 1, 0).with_item().with_worker((2.0, 3.0))
    assert (grown.n_items, grown.n_workers) == (3, 2)
    assert (grown.mu[1], grown.nu[1]) == (2.0, 3.0)
    assert gap(grown, 0, 2)[1] == pytest.approx(grown.cov[0, 0] + PRIOR_VAR)
    later = grown.update(2, 0, 1)
    assert later.prob_above(2, 0) < 0.5  # Beta(2, 3) is more often wrong than right
    fresh = FullPosterior.prior(3, 1).update(0, 1, 0)
    assert grown.mean == pytest.approx(fresh.mean)


def test_intervals_and_top_against_simulation():
    rng = np.random.default_rng(2)
    i = rng.integers(0, 5, 40)
    j = (i + rng.integers(1, 5, 40)) % 5
    belief = FullPosterior.prior(5).fold(i, j)
    assert belief.claimed_cov == pytest.approx(TAIL * belief.cov)  # nobody is doubted
    draws = rng.multivariate_normal(belief.mean, TAIL * belief.cov, 200_000)
    centred = draws - draws.mean(axis=1, keepdims=True)
    low, high = belief.intervals(0.8)
    assert low == pytest.approx(np.quantile(centred, 0.1, axis=0), abs=0.01)
    assert high == pytest.approx(np.quantile(centred, 0.9, axis=0), abs=0.01)
    place = np.argsort(np.argsort(-draws, axis=1), axis=1)
    assert belief.prob_top(2) == pytest.approx((place < 2).mean(axis=0), abs=0.02)
    order = belief.ranking()
    right = [(draws[:, a] > draws[:, b]).mean() for n, a in enumerate(order) for b in order[n + 1 :]]
    assert belief.expected_accuracy() == pytest.approx(np.mean(right), abs=0.005)


@pytest.mark.parametrize(
    ("answers", "within"),
    [
        ([(0, 0)], 0.005),
        ([(0, 0), (1, 0)], 0.02),
        ([(0, 0), (0, 1)], 0.05),
        ([(0, 0), (0, 0), (0, 0), (1, 1)], 0.13),
        ([(0, 0), (0, 0), (1, 0), (1, 0)], 0.11),
    ],
)
def test_claims_know_that_reliabilities_are_not_known(answers, within):
    """The variance of the gap of two items, integrated over it and both workers' reliabilities."""
    belief = FullPosterior.prior(2, 2)
    for worker, winner in answers:
        belief = belief.update(winner, 1 - winner, worker)
    d = np.linspace(-12, 12, 1201)
    weight = norm.pdf(d, 0, np.sqrt(2 * PRIOR_VAR))
    rho = np.linspace(0.0005, 0.9995, 1000)
    likely, densities = crowd_densities(rho)
    under = np.tile(likely, (d.size, 1)).T
    for w in range(2):
        likelihood = np.ones((rho.size, d.size))
        for worker, winner in answers:
            if worker == w:
                up = expit(d if winner == 0 else -d)
                likelihood *= np.outer(rho, up) + np.outer(1 - rho, 1 - up)
        under *= densities @ likelihood
    weight = weight * under.sum(axis=0)
    weight /= weight.sum()
    exact = weight @ d**2 - (weight @ d) ** 2
    claimed, side = belief.claimed_cov, np.array([1.0, -1.0])
    assert side @ claimed @ side == pytest.approx(exact, rel=within)
    assert abs(side @ claimed @ side - exact) <= abs(gap(belief)[1] - exact) + 0.005


@pytest.mark.parametrize(("tie", "lean"), [(False, 0.0), (True, 0.0), (False, 1.2)])
def test_claims_move_with_a_reliability_as_the_posterior_does(tie, lean):
    """What one answer's pull owes to the reliability, against two beliefs that are sure of slightly different ones."""
    sure, step = 1e6, 1e-3

    def after(p):
        belief = FullPosterior.prior(2, 1, reliability=(sure * p, sure * (1 - p)))
        return replace(belief, leans=np.array([0.0, lean])).update(0, 1, 0, tie=tie, side=-1)

    def mean(p):
        return gap(after(p))[0]

    belief = replace(after(0.7), leans=np.array([0.0, lean]))  # a refit found that one answer tells of no lean
    pulls, var, _ = worker_pulls(belief.joint())
    moves = belief.cov @ pulls[:, 0]
    assert moves[0] - moves[1] == pytest.approx((mean(0.7 + step) - mean(0.7 - step)) / (2 * step), rel=1e-3, abs=1e-9)
    assert var[0] == pytest.approx(0.0, abs=1e-6)


def pull_of(p, mean, var, rate, lean):
    """How far an answer that is no tie pulls its gap, of a worker who is right with chance p and leans; on a grid."""
    d = mean + np.sqrt(var) * np.linspace(-9, 9, 1801)
    density = norm.pdf(d, mean, np.sqrt(var)) * np.sqrt(var) * 0.01
    likelihood = 0.0
    for chance, seen in ((p, d + lean), (1 - p, lean - d)):
        z = 2 * np.cosh(seen / 2) + rate
        likelihood = likelihood + chance * np.exp(seen / 2) / z / (density @ (1 - rate / z))
    return (density @ (likelihood * d) / (density @ likelihood) - mean) / var


@pytest.mark.parametrize("says_much", [False, True])
def test_what_reliabilities_move_is_summed_over_answers(says_much):
    """Answer by answer, against the difference that slightly different reliabilities make to its pull."""
    told = a_crowd(1, 60, [0.9, 0.8, 0.6], items=5).columns()
    told[4] = np.where(np.arange(60) % 2, 1, -1)
    told[5] = says_much * (np.arange(60) % 3 == 0) * (1 - told[3])
    leans = np.zeros(4) if says_much else np.array([0.0, 0.7, 0.0, -0.4])
    belief = replace(FullPosterior.prior(5, 3).fold(*told), leans=leans)
    expected, known = np.zeros((5, 3)), np.zeros((5, 5))
    share = belief.workers / belief.workers.sum(axis=1, keepdims=True)
    mean = (share * belief.nodes).sum(axis=1)
    var = (share * (belief.nodes - mean[:, None]) ** 2).sum(axis=1)
    assert mean.min() > 0.5
    for (i, j, w, tie, side, much), (precision, shift, *_) in zip(told.T, belief.factors.T, strict=True):
        at, now = gap(belief, i, j)
        rest = 1 / now - precision
        rate, lean, said = belief.rates[w + 1], side * belief.leans[w + 1], grade(much, belief.much[:, w + 1])
        without = (at / now - shift) / rest, 1 / rest
        less, more = (
            pull_of(p, *without, rate, lean) if lean and not tie else match(*without, p, tie, rate, lean, said).pull
            for p in (mean[w] - 1e-5, mean[w] + 1e-5)
        )
        slope, ends = (more - less) / 2e-5 / (rest * now), np.eye(5)[i] - np.eye(5)[j]
        expected[:, w] += slope * ends
        known += min(var[w] * slope**2, max(precision, 0)) * np.outer(ends, ends)
    pulls, found_var, found_known = worker_pulls(belief.joint())
    assert pulls == pytest.approx(expected, abs=1e-3)
    assert found_var == pytest.approx(var)
    assert found_known == pytest.approx(known, abs=1e-3)


def test_refits_fall_due_by_the_number_of_answers():
    """When answers grew by a share, and by one for so many items; what is told in between is folded in alone."""
    rng = np.random.default_rng(0)
    belief, last = FullPosterior.prior(30), 0
    i = rng.integers(0, 30, 230)
    j = (i + rng.integers(1, 30, 230)) % 30
    for t in range(230):
        belief = belief.update(int(i[t]), int(j[t]))
        if t + 1 - last >= max(REFIT_SHARE * (t + 1), 30 / REFIT_ITEMS):
            last = t + 1
        assert belief.refitted == last
    assert last == 228


@pytest.mark.parametrize(("mu", "nu"), [(4.0, 1.0), (0.5, 0.5), (40.0, 10.0), (1.0, 6.0), (1e4, 1e-9)])
def test_the_grid_has_the_moments_of_what_a_worker_may_be(mu, nu):
    nodes, table = crowd_grid(mu, nu)
    betas, likely = hypotheses(mu, nu)
    assert tuple(betas[0]) == (mu, nu)
    assert likely.sum() == pytest.approx(1.0)
    assert table.sum(axis=1) == pytest.approx(likely)
    weights = table.sum(axis=0)
    assert weights @ nodes == pytest.approx(mu / (mu + nu), abs=1e-6)  # on average a crowd is as declared
    second = beta.var(*betas.T) + beta.mean(*betas.T) ** 2
    second[1:] = (1 - STRAY) * second[1:] + STRAY * second[0]
    assert weights @ nodes**2 == pytest.approx(likely @ second, abs=6e-5)
    assert np.all(np.diff(nodes) >= 0)


def test_a_crowd_is_learnt_as_all_its_workers_together_say():
    """Against the sum over every hypothesis of what all workers say under it; crowds do not touch each other."""
    rng = np.random.default_rng(0)
    tables = np.array([crowd_grid(4.0, 1.0)[1], crowd_grid(2.0, 2.0)[1], crowd_grid(1.0, 0.0)[1]])
    crowd = np.array([0, 1, 0, 0, 1, 2])
    likelihood = rng.random((6, 41)) ** rng.integers(0, 9, (6, 1))
    found = likelihood.copy()
    learn_crowds(found, crowd, tables)
    for w in range(5):
        of_crowd = tables[crowd[w]] / (likely := tables[crowd[w]].sum(axis=1))[:, None]
        expected = np.zeros(41)
        for h in range(likely.size):
            rest = [of_crowd[h] @ likelihood[v] for v in range(6) if v != w and crowd[v] == crowd[w]]
            expected += likely[h] * np.prod(rest) * of_crowd[h] * likelihood[w]
        assert found[w] / found[w].sum() == pytest.approx(expected / expected.sum(), rel=1e-9)
    assert np.array_equal(found[5], np.eye(41)[-1])


def test_a_crowd_that_answers_without_fault_is_taken_for_better_than_declared():
    """Ten workers agree on everything: of an eleventh, who has said nothing, more is expected than was declared."""
    rng = np.random.default_rng(4)
    i = rng.integers(0, 8, 200)
    j = (i + rng.integers(1, 8, 200)) % 8
    belief = FullPosterior.prior(8, 11).fold(np.minimum(i, j), np.maximum(i, j), np.arange(200) % 10)
    assert belief.reliability[10] > 0.9
    assert belief.mu[10] / (belief.mu[10] + belief.nu[10]) == pytest.approx(belief.reliability[10])
    later = belief.with_worker()
    assert np.array_equal(later.crowd, np.zeros(12))
    assert later.fold(i[:40], j[:40], 11).crowds.shape[0] == 1
    assert crowd_grid(4.0, 1.0)[1][0].sum() == pytest.approx(AS_DECLARED)


def test_a_worker_may_be_certain():
    belief = FullPosterior.prior(2, 1, reliability=(1.0, 0.0)).update(0, 1, 0)
    assert belief.reliability[0] == 1.0
    assert (belief.mu[0], belief.nu[0]) == (1.0, 0.0)
    assert belief.mean == pytest.approx(FullPosterior.prior(2).update(0, 1).mean)
    mirror = FullPosterior.prior(2, 1, reliability=(0.0, 1.0)).update(0, 1, 0)
    assert mirror.mean == pytest.approx(-belief.mean)


def test_nonsense_is_refused():
    with pytest.raises(InvalidSetting, match="at least 2 items"):
        FullPosterior.prior(1)
    with pytest.raises(InvalidSetting, match="not both zero"):
        FullPosterior.prior(2).with_worker((0.0, 0.0))
    with pytest.raises(InvalidSetting, match="no item 2"):
        FullPosterior.prior(2).prob_above(0, 2)
    with pytest.raises(InvalidSetting, match="no worker 0"):
        FullPosterior.prior(2).update(0, 1, 0)


def test_the_inverse_and_what_has_none():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    matrix = root @ root.T + np.eye(6)
    inverse = matrix.copy()
    assert invert(inverse) == pytest.approx(np.linalg.slogdet(matrix)[1])
    assert inverse == pytest.approx(np.linalg.inv(matrix), abs=1e-10)
    assert np.isnan(invert(np.diag([1.0, -1.0])))
    assert np.isnan(invert(np.diag([1.0, 0.0])))


def one_pivot_after_the_other(matrix):
    """Gauss and Jordan as in a textbook."""
    a = matrix.copy()
    for k in range(len(a)):
        scale = 1 / a[k, k]
        a[k, k] = 1.0
        a[k] *= scale
        for i in range(len(a)):
            if i != k:
                times, a[i, k] = a[i, k], 0.0
                a[i] -= times * a[k]
    return a


@pytest.mark.parametrize("more", [-1, 0, 1, 2, 3, 40])
def test_four_pivots_at_once_are_four_one_after_the_other_to_the_last_bit(more):
    """Or journals of before would replay to other bits. The textbook's own answer is checked, too."""
    n = BY_FOURS + more
    root = np.random.default_rng(n).normal(size=(n, n))
    matrix = root @ root.T + np.eye(n)
    inverse = matrix.copy()
    assert invert(inverse) == pytest.approx(np.linalg.slogdet(matrix)[1])
    assert np.array_equal(inverse, one_pivot_after_the_other(matrix))
    assert inverse == pytest.approx(np.linalg.inv(matrix), abs=1e-10)


@pytest.mark.parametrize("spot", [0, 1, 2, 3, 41, BY_FOURS, BY_FOURS + 1])
def test_of_many_rows_any_may_leave_no_inverse(spot):
    matrix = np.eye(BY_FOURS + 2)
    matrix[spot, spot] = -1.0
    assert np.isnan(invert(matrix))


def test_factors_that_leave_no_posterior_are_flattened():
    """Only those that widen, and only of the answers that count; the others keep what they say."""
    told = np.array([[0, 1, 2, 0, 1], [1, 2, 0, 2, 0], *np.zeros((4, 5), dtype=int)])
    factors = np.array([[-2.0, 0.5, 0.25, -3.0, -4.0], [1.0, -0.5, 2.0, 0.3, 9.0], np.full(5, 0.5)])
    nothing = FullPosterior.prior(3)
    at = nothing.to_change(nothing.told)._replace(told=told, factors=factors, spread=np.array([2.0, 0.0]))
    rebuild(4, at)
    mean, cov = at.mean, at.cov
    assert factors[0].tolist() == [0.0, 0.5, 0.25, 0.0, -4.0]
    ends = (np.eye(3)[told[0]] - np.eye(3)[told[1]])[:4]
    assert cov == pytest.approx(np.linalg.inv(np.eye(3) / 2 + (ends.T * factors[0, :4]) @ ends))
    assert mean == pytest.approx(cov @ ends.T @ factors[1, :4])


def test_contradictions_of_doubtful_workers_never_break_the_posterior():
    """Everybody contradicts everybody: factors widen, and where they would leave no posterior they are flattened."""
    rng = np.random.default_rng(0)
    i = rng.integers(0, 4, 400)
    j = (i + rng.integers(1, 4, 400)) % 4
    belief = FullPosterior.prior(4, 40, reliability=(1.2, 1.0)).fold(i, j, rng.integers(0, 40, 400))
    assert np.linalg.eigvalsh(belief.cov)[0] > 0
    assert belief.cov.max() < 3 * PRIOR_VAR
    assert 0.5 <= belief.expected_accuracy() < 0.95
