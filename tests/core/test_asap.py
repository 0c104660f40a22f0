"""ASAP: messages against quadrature and sampling, gains against a naive twin, batches that connect all items."""

from itertools import combinations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm

from nextpair.core.asap import AsapBelief, choose, spanning_tree
from nextpair.core.candidates import Candidates
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.core.kernels.trueskill import NOISE, SWEEP_SHARE, information_gain, win
from nextpair.errors import InvalidSetting


def test_one_answer_against_quadrature():
    belief = AsapBelief.prior(2).update(0, 1)
    sd, spread = np.sqrt(PRIOR_VAR), np.sqrt(NOISE**2 + PRIOR_VAR)
    moments = [
        integrate.quad(lambda s, k=k: s**k * norm.pdf(s, 0, sd) * norm.cdf(s / spread), -15, 15)[0] for k in range(3)
    ]
    mean = moments[1] / moments[0]
    assert belief.scores() == pytest.approx([mean, -mean], abs=1e-6)
    assert belief.var[0] == pytest.approx(moments[2] / moments[0] - mean**2, abs=1e-6)


@pytest.mark.parametrize("t", [-45.0, -31.0, -6.0, -0.4, 0.0, 0.7, 5.0, 12.0, 50.0])
def test_a_win_is_that_of_a_truncated_normal(t):
    """Against scipy: x ~ N(t, 1) given that x > 0 has the mean t + v and the variance 1 - w."""
    chance, v, w = win(1.7 * t, 1.7)
    assert chance == pytest.approx(norm.cdf(t), rel=1e-9, abs=1e-290)
    assert v == pytest.approx(np.exp(norm.logpdf(t) - norm.logcdf(t)), rel=2e-3, abs=1e-12)
    assert w == pytest.approx(v * (v + t), abs=2e-3)
    assert 0 <= w <= 1


def test_a_tie_pulls_both_together():
    apart = AsapBelief.prior(2).fold([0, 0, 0], [1, 1, 1])
    tied = apart.update(1, 0, tie=True)
    assert 0.5 < tied.prob_above(0, 1) < apart.prob_above(0, 1)


def test_a_tie_is_half_of_each_win():
    nothing = np.empty((4, 0), dtype=np.int64), np.empty((4, 0))
    belief = AsapBelief([0.9, 2.0, 0.6], [1.1, -0.8, 0.0], [], [], *nothing)
    tied, up, down = belief.update(0, 1, tie=True), belief.update(0, 1), belief.update(1, 0)
    assert tied.scores() == pytest.approx((up.scores() + down.scores()) / 2)
    assert tied.var == pytest.approx((up.var + down.var) / 2)


def test_many_answers_against_importance_sampling():
    rng = np.random.default_rng(0)
    draws = rng.normal(0, np.sqrt(PRIOR_VAR), (300_000, 4))
    weight = np.ones(len(draws))
    belief = AsapBelief.prior(4)
    for _ in range(15):
        i, j = sorted(int(k) for k in rng.choice(4, 2, replace=False))
        i, j = (i, j) if rng.random() < 0.8 else (j, i)
        weight *= norm.cdf((draws[:, i] - draws[:, j]) / NOISE)
        belief = belief.update(i, j)
    expected = weight @ draws / weight.sum()
    assert list(belief.ranking()) == list(np.argsort(-expected))
    assert belief.scores() == pytest.approx(expected, abs=0.12)  # marginals forget how items are connected


def test_many_answers_at_once_are_as_one_after_the_other():
    """All messages are passed again every fiftieth of the way: of the hundredth answer on, not after each."""
    rng = np.random.default_rng(1)
    i = rng.integers(4, size=140)
    j = (i + rng.integers(1, 4, size=140)) % 4
    single, last = AsapBelief.prior(4), 0
    for t, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True), 1):
        single = single.update(a, b)
        last = t if t - last >= SWEEP_SHARE * t else last
        assert single.swept == last
    together = AsapBelief.prior(4).fold(i, j)
    assert (single.precision == together.precision).all()
    assert (single.shift == together.shift).all()
    assert single.swept == together.swept < 140


def test_messages_against_a_naive_twin():
    """Item by item: N(mean, var) without the answer, times the chance of the answer, is matched by its moments."""
    rng = np.random.default_rng(2)
    i = rng.integers(4, size=70)
    told = np.stack([i, (i + rng.integers(1, 4, size=70)) % 4], axis=1)
    sent = np.zeros((70, 2, 2))  # (answer, side): precision and shift

    def marginal(item, without=-1):
        rows = (told == item) & (np.arange(70) != without)[:, None]
        precision, shift = sent[rows].sum(axis=0) + np.array([1 / PRIOR_VAR, 0.0])
        return shift / precision, 1 / precision

    def send(t):
        alone = [marginal(item, t) for item in told[t]]
        spread = np.sqrt(NOISE**2 + alone[0][1] + alone[1][1])
        gap = (alone[0][0] - alone[1][0]) / spread
        v = norm.pdf(gap) / norm.cdf(gap)
        for side, sign in ((0, 1), (1, -1)):
            mean, var = alone[side]
            after, left = mean + sign * var / spread * v, var - (var / spread) ** 2 * v * (v + gap)
            sent[t, side] = 1 / left - 1 / var, after / left - mean / var

    last = 0
    for t in range(70):
        send(t)
        if t + 1 - last >= SWEEP_SHARE * (t + 1):
            last = t + 1
            for s in range(t + 1):
                send(s)
    belief = AsapBelief.prior(4).fold(*told.T)
    assert np.stack([belief.scores(), belief.var], axis=1) == pytest.approx(np.array([marginal(k) for k in range(4)]))


def test_the_gain_against_a_naive_twin():
    mean, var = np.array([0.3, -0.2, 1.0]), np.array([0.5, 1.2, 0.8])
    found = information_gain(mean, var)
    for i in range(3):
        for j in range(i):
            spread = np.sqrt(NOISE**2 + var[i] + var[j])
            total = 0.0
            for sign in (1, -1):
                chance = norm.cdf(sign * (mean[i] - mean[j]) / spread)
                for k, side, other in ((i, sign, j), (j, -sign, i)):
                    sd, rest = np.sqrt(var[k]), np.sqrt(NOISE**2 + var[other])
                    tilted = lambda s: norm.pdf(s, mean[k], sd) * norm.cdf(side * (s - mean[other]) / rest)  # noqa: B023, E731
                    m = [integrate.quad(lambda s, p=p: s**p * tilted(s), -12, 12)[0] for p in range(3)]  # noqa: B023
                    after, after_var = m[1] / m[0], m[2] / m[0] - (m[1] / m[0]) ** 2
                    ratio = after_var / var[k]
                    total += chance * 0.5 * (ratio - 1 - np.log(ratio) + (after - mean[k]) ** 2 / var[k])
            assert found[i, j] == pytest.approx(total, rel=1e-4)


def connects_all(edges, n):
    reached = {0}
    for _ in range(n):
        reached |= {k for edge in edges if reached & set(edge) for k in edge}
    return len(reached) == n


def test_a_batch_is_a_spanning_tree_and_then_more():
    belief = AsapBelief.prior(5).fold([0, 1, 2, 0], [1, 2, 3, 4])
    gain = information_gain(belief.scores(), belief.var)
    batch = choose(belief, Candidates(5), np.random.default_rng(0), 4)
    assert connects_all([choice.pair for choice in batch], 5)
    trees = (edges for edges in combinations(combinations(range(5), 2), 4) if connects_all(edges, 5))
    best = min(sum(1 / gain[edge] for edge in edges) for edges in trees)
    assert sum(1 / gain[choice.pair] for choice in batch) == pytest.approx(best)
    assert len(choose(belief, Candidates(5), np.random.default_rng(0), 10)) == 10
    second = [choice.pair for choice in choose(belief, Candidates(5), np.random.default_rng(0), 8)][4:]
    left = set(combinations(range(5), 2)) - {choice.pair for choice in batch}
    trees = (edges for edges in combinations(sorted(left), 4) if connects_all(edges, 5))
    assert sum(1 / gain[pair] for pair in second) == pytest.approx(min(sum(1 / gain[e] for e in t) for t in trees))
    rows, columns = spanning_tree(gain, Candidates(5, forbidden=frozenset({(0, 1)})), [])
    assert (0, 1) not in set(zip(rows.tolist(), columns.tolist(), strict=True))
    one = choose(belief, Candidates(5), np.random.default_rng(0))[0]
    assert one.score == pytest.approx(gain.max())
    (dear,) = choose(AsapBelief.prior(5, 1), Candidates(5, (0,), {0: 4.0}), np.random.default_rng(0))
    assert dear.score == pytest.approx(information_gain(np.zeros(5), np.full(5, PRIOR_VAR))[1, 0] / 4)


def test_it_grows_and_tells_what_it_assumes():
    belief = AsapBelief.prior(2, 1, reliability=(3.0, 1.0)).update(0, 1, 0).with_item().with_worker((1.0, 1.0))
    assert (belief.n_items, belief.n_workers) == (3, 2)
    assert belief.reliability == pytest.approx([0.75, 0.5])
    assert belief.prob_top(1).sum() == pytest.approx(1)
    assert 0.5 < belief.expected_accuracy() < 1
    low, high = belief.intervals(0.5)
    assert np.all(low < high)
    with pytest.raises(InvalidSetting, match="at least 2 items"):
        AsapBelief.prior(1)
