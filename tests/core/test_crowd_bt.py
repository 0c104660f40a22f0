"""Crowd-BT against a plain transcription of its formulas with scipy's special functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, gammaln, psi

from nextpair.core.candidates import Candidates
from nextpair.core.crowd_bt import CrowdBtBelief, choose
from nextpair.core.kernels.crowd_bt import _log_gamma_and_slope, gains
from nextpair.errors import InvalidSetting


def literal_update(winner, loser, beta):
    """(mean, var) of winner and loser, (mu, nu) of the worker -> the same after the answer, and its chance."""
    (m_i, v_i), (m_j, v_j), (mu, nu) = winner, loser, beta
    e_i, e_j = np.exp(m_i), np.exp(m_j)
    slope = mu * e_i / (mu * e_i + nu * e_j) - e_i / (e_i + e_j)
    bend = mu * e_i * nu * e_j / (mu * e_i + nu * e_j) ** 2 - e_i * e_j / (e_i + e_j) ** 2
    c1 = e_i / (e_i + e_j) + 0.5 * (v_i + v_j) * e_i * e_j * (e_j - e_i) / (e_i + e_j) ** 3
    n = mu + nu
    c = (c1 * mu + (1 - c1) * nu) / n
    items = [(m_i + v_i * slope, v_i * max(1 + v_i * bend, 1e-4)), (m_j - v_j * slope, v_j * max(1 + v_j * bend, 1e-4))]
    if nu == 0:
        return *items, beta, c
    first = (c1 * mu * (mu + 1) + (1 - c1) * mu * nu) / (c * n * (n + 1))
    second = (c1 * mu * (mu + 1) * (mu + 2) + (1 - c1) * mu * (mu + 1) * nu) / (c * n * (n + 1) * (n + 2))
    scale = (first - second) / (second - first**2)
    return *items, (scale * first, scale * (1 - first)), c


def literal_gain(one, other, beta, gamma):
    def normal(new, old):
        ratio = new[1] / old[1]
        return (new[0] - old[0]) ** 2 / (2 * old[1]) + (ratio - 1 - np.log(ratio)) / 2

    def worker(new, old):
        if old[1] == 0:
            return 0.0
        (a, b), (c, d) = new, old
        moved = (a - c) * psi(a) + (b - d) * psi(b) + (c - a + d - b) * psi(a + b)
        return betaln(c, d) - betaln(a, b) + moved

    up_one, up_other, up_beta, chance = literal_update(one, other, beta)
    down_other, down_one, down_beta, _ = literal_update(other, one, beta)
    return chance * (normal(up_one, one) + normal(up_other, other) + gamma * worker(up_beta, beta)) + (1 - chance) * (
        normal(down_one, one) + normal(down_other, other) + gamma * worker(down_beta, beta)
    )


def some_belief(seed, n_items=6, n_workers=4, gamma=1.0):
    rng = np.random.default_rng(seed)
    return CrowdBtBelief(
        rng.normal(0, 1.5, n_items),
        rng.uniform(0.05, 6 if seed % 3 == 0 else 1, n_items),  # wide: of its variance a share remains at least
        rng.uniform(0.5, 30, n_workers),
        rng.uniform(0.3, 8, n_workers),
        gamma,
    )


def test_one_update_gives_the_figures_of_gavel():
    belief = CrowdBtBelief([4.2, 3.11], [1, 0.65], [20], [12.2]).update(0, 1, 0)
    assert (belief.mu[0], belief.nu[0]) == pytest.approx((20.2934238, 12.1448883), abs=5e-8)
    assert (belief.mean[0], belief.var[0]) == pytest.approx((4.2814304, 0.9529174), abs=5e-8)
    assert (belief.mean[1], belief.var[1]) == pytest.approx((3.0570702, 0.6301076), abs=5e-8)


@given(seed=st.integers(0, 999))
@settings(max_examples=40)
def test_update_is_the_literal_one(seed):
    belief = some_belief(seed)
    winner, loser, worker = seed % 6, (seed + 1 + seed % 5) % 6, seed % 4
    if winner == loser:
        loser = (loser + 1) % 6
    after = belief.update(winner, loser, worker)
    row = lambda b, k: (b.mean[k], b.var[k])  # noqa: E731
    expected = literal_update(row(belief, winner), row(belief, loser), (belief.mu[worker], belief.nu[worker]))
    assert row(after, winner) == pytest.approx(expected[0])
    assert row(after, loser) == pytest.approx(expected[1])
    assert (after.mu[worker], after.nu[worker]) == pytest.approx(expected[2])
    others = [k for k in range(6) if k not in (winner, loser)]
    assert (after.mean[others] == belief.mean[others]).all()


@given(seed=st.integers(0, 999), gamma=st.sampled_from([0.0, 0.1, 1.0, 20.0]), known=st.booleans())
@settings(max_examples=40)
def test_gain_is_the_literal_one_wherever_it_could_matter(seed, gamma, known):
    belief = some_belief(seed)
    mu, nu = (1.0, 0.0) if known else (belief.mu[0], belief.nu[0])
    rows, columns = np.triu_indices(6, 1)
    item = lambda k: (belief.mean[k], belief.var[k])  # noqa: E731
    literal = np.array([literal_gain(item(i), item(j), (mu, nu), gamma) for i, j in zip(rows, columns, strict=True)])
    found = gains(belief.mean, belief.var, rows, columns, mu, nu, gamma, -np.inf)
    exact = np.isfinite(found)
    assert found[exact] == pytest.approx(literal[exact], rel=1e-8, abs=1e-12)
    assert found.argmax() == literal.argmax()
    assert (literal[~exact] < literal.max()).all()
    unreachable = gains(belief.mean, belief.var, rows, columns, mu, nu, gamma, 1e9)
    assert np.isneginf(unreachable).all() or gamma == 0 or known


@given(seed=st.integers(0, 9999), gamma=st.sampled_from([0.1, 1.0, 5.0]))
@settings(max_examples=40)
def test_pruning_changes_no_choice(seed, gamma):
    belief = some_belief(seed, gamma=gamma)
    rng = np.random.default_rng(seed)
    costs = {w: float(rng.choice([1.0, 2.0])) for w in range(4)}
    seen = {w: {(int(i), int(i) + 1) for i in rng.integers(0, 5, 2)} for w in range(4)}
    candidates = Candidates(6, (0, 1, 2, 3), costs, seen)
    table = {
        (i, j, w): literal_gain(
            (belief.mean[i], belief.var[i]), (belief.mean[j], belief.var[j]), (belief.mu[w], belief.nu[w]), gamma
        )
        / costs[w]
        for w in range(4)
        for i in range(6)
        for j in range(i + 1, 6)
        if (i, j) not in seen[w]
    }
    for choice in choose(belief, candidates, rng, 3):
        best = max(table, key=table.get)
        assert (choice.i, choice.j, choice.worker) == best
        assert choice.score == pytest.approx(table[best], rel=1e-7)
        table = {key: value for key, value in table.items() if key[:2] != best[:2]}


def test_nobody_in_particular_is_asked_what_tells_most_about_items():
    """Fully reliable: the worth of a question is that of the items alone."""
    belief = some_belief(1)
    item = lambda k: (belief.mean[k], belief.var[k])  # noqa: E731
    table = {(i, j): literal_gain(item(i), item(j), (1.0, 0.0), 1.0) for i in range(6) for j in range(i + 1, 6)}
    (choice,) = choose(belief, Candidates(6), np.random.default_rng(0))
    assert choice.pair == max(table, key=table.get)
    assert choice.worker is None
    assert choice.score == pytest.approx(table[choice.pair])


def test_few_questions_are_worked_out_exactly():
    """Of 1,770 pairs the table of the worker's part leaves a handful that could be the best."""
    belief = some_belief(5, n_items=60)
    rows, columns = np.triu_indices(60, 1)
    for worker in range(4):
        beta = belief.mu[worker], belief.nu[worker]
        found = gains(belief.mean, belief.var, rows, columns, *beta, 1.0, -np.inf)
        assert np.isfinite(found).sum() < 20


def test_the_gamma_function_and_its_slope():
    for x in np.logspace(-3, 5, 200):
        assert _log_gamma_and_slope(x) == pytest.approx((gammaln(x), psi(x)), rel=1e-12, abs=1e-12)


def test_gamma_moves_work_to_unknown_workers():
    mean, var = [0.0, 3.0, 0.1], [1.0, 1.0, 1.0]
    for gamma, expected in ((0.0, {0}), (50.0, {1})):
        belief = CrowdBtBelief(mean, var, [95.0, 0.8], [5.0, 0.2], gamma)
        assert {c.worker for c in choose(belief, Candidates(3, (0, 1)), np.random.default_rng(0))} == expected


def test_a_tie_pulls_together_and_says_nothing_about_the_worker():
    belief = CrowdBtBelief([1.0, -1.0, 0.0], [1, 1, 1], [4], [1])
    after = belief.update(0, 1, 0, tie=True)
    assert after.mean[0] == pytest.approx(-after.mean[1])
    assert 0 < after.mean[0] < 1
    assert (after.mu[0], after.nu[0]) == (4, 1)
    assert belief.update(1, 0, 0, tie=True).mean == pytest.approx(after.mean)
    up, down = belief.update(0, 1, 0), belief.update(1, 0, 0)
    assert after.mean == pytest.approx((up.mean + down.mean) / 2)
    assert after.var == pytest.approx((up.var + down.var) / 2)


def test_a_worker_known_for_certain_stays_known():
    belief = CrowdBtBelief([0, 0], [1, 1], [1.0, 0.0], [0.0, 1.0])
    assert belief.update(0, 1, 0).mean == pytest.approx(belief.update(0, 1).mean)
    assert belief.update(0, 1, 1).mean == pytest.approx(belief.update(1, 0).mean)
    assert belief.update(0, 1, 0).mu.tolist() == [1.0, 0.0]


def test_long_one_sided_runs_stay_finite_and_ordered():
    belief = CrowdBtBelief.prior(3, 1)
    belief = belief.fold([0, 1] * 5000, [1, 2] * 5000, 0)
    assert np.isfinite(belief.mean).all()
    assert (belief.var > 0).all()
    assert belief.ranking().tolist() == [0, 1, 2]
    wide = CrowdBtBelief([800.0, 0.0], [50.0, 50.0], [4], [1]).update(1, 0, 0)
    assert np.isfinite([*wide.mean, *wide.var, *wide.mu, *wide.nu]).all()
    assert len(choose(wide, Candidates(2, (0,)), np.random.default_rng(0))) == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([0.0], [1.0], [], []), "at least 2 items, not 1"),
        (([0.0, 1.0], [1.0, 1.0, 1.0], [], []), "a mean and a variance"),
        (([0.0, 1.0], [1.0, 0.0], [], []), "variance positive"),
        (([0.0, np.inf], [1.0, 1.0], [], []), "mean must be finite"),
        (([0.0, 1.0], [1.0, 1.0], [1.0], []), "a mu and a nu"),
        (([0.0, 1.0], [1.0, 1.0], [0.0], [0.0]), "not both zero"),
        (([0.0, 1.0], [1.0, 1.0], [], [], -1.0), "as -1.0 is"),
    ],
)
def test_impossible_beliefs_are_refused(arguments, word):
    with pytest.raises(InvalidSetting, match=word):
        CrowdBtBelief(*arguments)
