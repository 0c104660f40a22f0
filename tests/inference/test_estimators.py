"""Each estimator against a peer that is not our code, and properties that hold for all of them."""

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_ndtr, logit

from nextpair.core.accuracy import kendall_accuracy
from nextpair.core.belief import Belief
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.errors import InvalidSetting, Unconnected
from nextpair.inference import ESTIMATORS, best_estimator, find_estimator, fit, groups_apart

K, M = 6, 4
COUNTING = sorted(set(ESTIMATORS) - {"dirichlet"})  # the order of answers does not matter to these


def world(seed, n=150, ties=0.1, workers=True, n_items=K):
    rng = np.random.default_rng(seed)
    theta = rng.exponential(size=n_items)
    i = rng.integers(0, n_items, n)
    j = (i + rng.integers(1, n_items, n)) % n_items
    up = rng.random(n) < theta[i] / (theta[i] + theta[j])
    who = rng.integers(0, M, n) if workers else np.full(n, -1)
    return Comparisons.of(
        np.where(up, i, j),
        np.where(up, j, i),
        who,
        (rng.random(n) < ties).astype(int),
        n_items=n_items,
        n_workers=M if workers else 0,
    )


def rows(told):
    return list(zip(told.winners.tolist(), told.losers.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_bradley_terry_is_that_of_choix(seed):
    told = world(seed, ties=0)
    assert fit("bradley-terry", told).scores == pytest.approx(choix.ilsr_pairwise(K, rows(told)), abs=1e-5)
    assert fit("bradley-terry", told).scores == pytest.approx(choix.opt_pairwise(K, rows(told)), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_bradley_terry_with_ties_is_that_of_evalica(seed):
    told = world(seed, ties=0.3)
    winners = [evalica.Winner.Draw if tie else evalica.Winner.X for tie in told.ties]
    peer = evalica.bradley_terry(told.winners.tolist(), told.losers.tolist(), winners, tolerance=1e-10, limit=10_000)
    scores = np.log(peer.scores.sort_index().to_numpy())
    assert fit("bradley-terry", told).scores == pytest.approx(scores - scores.mean(), abs=1e-4)


def test_bradley_terry_map_is_the_fixed_point_of_minorisation():
    told = Comparisons.of([0, 0, 1, 2, 0], [1, 2, 2, 3, 3], ties=[0, 0, 0, 0, 1], n_items=5)
    wins, theta = told.wins(), np.ones(5)
    for _ in range(20_000):  # Caron and Doucet 2012: Gamma(2, 1) priors, whose mode does not depend on the scale
        rate = ((wins + wins.T) / (theta[:, None] + theta[None, :])).sum(axis=1)
        theta = (wins.sum(axis=1) + 1) / (rate + 1)
    expected = np.log(theta)
    assert fit("bradley-terry-map", told).scores == pytest.approx(expected - expected.mean(), abs=1e-8)


def test_thurstone_is_that_of_a_general_optimiser():
    told = world(4)
    wins = told.wins()

    def minus_log_likelihood(s):
        return -(wins * log_ndtr(s[:, None] - s[None, :])).sum() + 0.5 * s.sum() ** 2

    peer = minimize(minus_log_likelihood, np.zeros(K), method="BFGS", options={"gtol": 1e-7}).x
    assert fit("thurstone", told).scores == pytest.approx(peer, abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_rank_centrality_is_that_of_choix(seed):
    told = world(seed, n=400, ties=0)
    for pseudo_wins in (0, 1):
        ours = np.log(fit("rank-centrality", told, pseudo_wins=pseudo_wins).scores)
        peer = choix.rank_centrality(K, rows(told), alpha=float(pseudo_wins))
        assert ours - ours.mean() == pytest.approx(peer, abs=1e-8)


def test_borda_counts_as_evalica_does():
    told = world(5, ties=0.3)
    winners = [evalica.Winner.Draw if tie else evalica.Winner.X for tie in told.ties]
    peer = evalica.counting(told.winners.tolist(), told.losers.tolist(), winners).scores.sort_index().to_numpy()
    played = np.bincount(np.concatenate([told.winners, told.losers]), minlength=K)
    assert fit("borda", told).scores == pytest.approx(peer / played)


@given(st.integers(0, 99), st.sampled_from([0.0, 0.4]))
def test_borda_needs_no_table_of_all_pairs(seed, ties):
    told = world(seed, n=30, ties=ties, n_items=12)
    wins = told.wins()
    played = wins.sum(axis=0) + wins.sum(axis=1)
    shares = np.where(played > 0, wins.sum(axis=1) / np.maximum(played, 1), 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Comparisons, "wins", None)  # 20 GB of 50,000 items
        assert fit("borda", told).scores.tolist() == shares.tolist()


def test_dirichlet_is_the_belief():
    told = world(6)
    belief = Belief.prior(K, M).fold(told.winners, told.losers, told.workers, told.ties)
    found = fit("dirichlet", told)
    assert found.scores.tolist() == belief.scores().tolist()
    assert found.reliability.tolist() == belief.reliability.tolist()
    assert found.ranking.tolist() == belief.ranking().tolist()


def test_full_posterior_is_that_of_all_answers_at_once():
    told = world(6)
    belief, found = FullPosterior.fit(told), fit("full-posterior", told)
    assert found.scores.tolist() == belief.scores().tolist()
    assert found.reliability.tolist() == belief.reliability.tolist()
    assert found.ranking.tolist() == belief.ranking().tolist()


@pytest.mark.parametrize(
    ("items", "answers", "workers", "expected"),
    [
        (50, 1_000_000, 0, "full-posterior"),
        (1_000, 20_000, 0, "full-posterior"),
        (2_000, 20_000, 0, "dirichlet"),
        (500, 200_000, 1_000, "full-posterior"),
        (50, 1_000_000, 1_000, "dirichlet"),
        (500, 20_000, 3, "full-posterior"),
        (800, 50_000, 8, "dirichlet"),  # each of whom is judged by what the others said
        (300, 200_000, 200_000, "dirichlet"),
    ],
)
def test_the_full_posterior_is_best_unless_it_would_take_long(items, answers, workers, expected):
    who = np.arange(answers) % workers if workers else -1
    told = Comparisons.of([0] * answers, [1] * answers, who, n_items=items, n_workers=workers)
    assert best_estimator(told)[0] == expected


def sorted_answers(n_items=30, n=20_000):
    """Answers as a database exports them, by winner and loser, and the true scores."""
    rng = np.random.default_rng(0)
    truth, first = rng.normal(0, 1.3, n_items), rng.integers(n_items, size=n)
    second = (first + rng.integers(1, n_items, n)) % n_items
    won = rng.random(n) < expit(truth[first] - truth[second])
    winners, losers = np.where(won, first, second), np.where(won, second, first)
    order = np.lexsort([losers, winners])
    return Comparisons.of(winners[order], losers[order]), truth


def test_a_sorted_file_does_no_harm_where_auto_takes_answers_one_by_one(monkeypatch):
    told, truth = sorted_answers()
    monkeypatch.setattr("nextpair.inference.estimators.MOST_SECONDS", 0.0)
    name, shuffled = best_estimator(told)
    assert name == "dirichlet"
    assert shuffled.wins().tolist() == told.wins().tolist()
    assert kendall_accuracy(fit("auto", told).ranking, truth) > 0.95
    assert kendall_accuracy(fit("dirichlet", told).ranking, truth) < 0.9  # which is what the paper's belief makes of it


def crowd_objective(told, mu, nu, item_var):
    def minus_log_posterior(x):
        scores, odds = x[: told.n_items], x[told.n_items :]
        gap = scores[told.winners] - scores[told.losers]
        rho = np.where(told.workers < 0, 1.0, expit(odds)[told.workers])
        plain = np.log(rho * expit(gap) + (1 - rho) * expit(-gap))
        tie = 0.5 * (log_expit(gap) + log_expit(-gap))
        likelihood = np.where(told.ties == 1, tie, plain).sum()
        return -(
            likelihood - scores @ scores / (2 * item_var) + mu * log_expit(odds).sum() + nu * log_expit(-odds).sum()
        )

    return minus_log_posterior


@pytest.mark.parametrize("seed", range(2))
def test_crowd_bt_is_that_of_a_general_optimiser(seed):
    told = world(seed)
    workers = told.workers.copy()
    workers[:20] = -1
    told = Comparisons.of(told.winners, told.losers, workers, told.ties, n_items=K, n_workers=M)
    found = fit("crowd-bt", told, reliability=(5.0, 2.0), item_var=2.0)
    start = np.concatenate([np.zeros(K), np.full(M, logit(5 / 7))])
    peer = minimize(crowd_objective(told, 5.0, 2.0, 2.0), start, method="BFGS", options={"gtol": 1e-6}).x
    assert found.scores == pytest.approx(peer[:K], abs=1e-4)
    assert found.reliability == pytest.approx(expit(peer[K:]), abs=1e-4)


def test_crowd_bt_finds_who_is_unreliable():
    rng = np.random.default_rng(0)
    n = 3000
    i = rng.integers(0, K, n)
    j = (i + rng.integers(1, K, n)) % K
    who, rho = rng.integers(0, 3, n), np.array([0.95, 0.5, 0.1])
    right = rng.random(n) < 1 / (1 + np.exp(-(j - i)))  # items get better with their number
    told = right ^ (rng.random(n) < rho[who])  # True: the worker names i
    data = Comparisons.of(np.where(told, i, j), np.where(told, j, i), who, n_items=K, n_workers=4)
    found = fit("crowd-bt", data)
    assert found.ranking.tolist() == [5, 4, 3, 2, 1, 0]
    assert found.reliability == pytest.approx([0.95, 0.5, 0.1, 0.8], abs=0.05)  # the last never answered


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
@given(seed=st.integers(0, 50), order=st.permutations(range(K)))
@settings(max_examples=8)
def test_relabelling_items_relabels_the_answer(name, seed, order):
    told, order = world(seed), np.array(order)
    renamed = Comparisons.of(
        order[told.winners], order[told.losers], told.workers, told.ties, n_items=K, n_workers=told.n_workers
    )
    found, other = fit(name, told), fit(name, renamed)
    assert other.scores[order] == pytest.approx(found.scores, abs=1e-4)
    if found.reliability is not None:
        assert other.reliability == pytest.approx(found.reliability, abs=1e-4)


@pytest.mark.parametrize("name", COUNTING)
@given(seed=st.integers(0, 50))
@settings(max_examples=8)
def test_the_order_of_answers_does_not_matter(name, seed):
    told = world(seed)
    order = np.random.default_rng(seed).permutation(len(told))
    shuffled = Comparisons.of(
        told.winners[order], told.losers[order], told.workers[order], told.ties[order], n_items=K, n_workers=M
    )
    assert fit(name, shuffled).scores == pytest.approx(fit(name, told).scores, abs=1e-4)


def weighted_bradley_terry(wins):
    def minus_log_likelihood(s):
        return -(wins * log_expit(s[:, None] - s[None, :])).sum() + 0.5 * s.sum() ** 2

    return minimize(minus_log_likelihood, np.zeros(len(wins)), method="BFGS", options={"gtol": 1e-7}).x


def test_a_duplicate_weighs_twice():
    told = world(7, ties=0)
    first, last = np.arange(len(told)), np.arange(40)
    both = np.concatenate([first, last])
    doubled = Comparisons.of(told.winners[both], told.losers[both], told.workers[both], n_items=K, n_workers=M)
    weight = np.ones(len(told))
    weight[:40] = 2
    wins = np.zeros((K, K))
    np.add.at(wins, (told.winners, told.losers), weight)
    assert fit("bradley-terry", doubled).scores == pytest.approx(weighted_bradley_terry(wins), abs=1e-5)
    for name in sorted(ESTIMATORS):
        assert not np.allclose(fit(name, doubled).scores, fit(name, told).scores, atol=1e-6)


@pytest.mark.parametrize("name", ["borda", "bradley-terry", "thurstone"])
def test_doubling_everything_changes_nothing_where_there_is_no_prior(name):
    told = world(8)
    twice = Comparisons.of(*(np.tile(x, 2) for x in (told.winners, told.losers, told.workers, told.ties)), n_items=K)
    assert fit(name, twice).scores == pytest.approx(fit(name, told).scores, abs=1e-8)


@pytest.mark.parametrize("name", ["bradley-terry", "thurstone"])
@pytest.mark.parametrize(
    ("pairs", "items", "flaw"),
    [
        ([(0, 1), (1, 2), (2, 1)], (0,), "item 0 has never lost to any of the others"),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], (0, 1), "items 0, 1 were never compared with any of the others"),
        ([(1, 2), (2, 1)], (0,), "item 0 was never compared with any of the others"),
        ([(0, 1), (1, 0), (0, 2), (1, 3), (2, 3), (3, 2)], (0, 1), "items 0, 1 have never lost to"),
        ([(i, (i + 1) % 6) for i in range(6)] + [(2, 6)], (0, 1, 2, 3, 4, 5), "items 0, 1, 2, 3, 4, … have never lost"),
    ],
)
def test_without_a_maximum_the_error_names_the_items_and_a_remedy(name, pairs, items, flaw):
    told = Comparisons.of(*zip(*pairs, strict=True))
    with pytest.raises(Unconnected, match=f"{name} has no finite scores.*{flaw}.*bradley-terry-map") as caught:
        fit(name, told)
    assert caught.value.items == items


@given(st.integers(2, 12), st.integers(0, 14), st.integers(0, 10_000))
def test_groups_apart_are_what_no_chain_of_comparisons_connects(n_items, answers, seed):
    rng = np.random.default_rng(seed)
    i = rng.integers(0, n_items, answers)
    j = (i + rng.integers(1, n_items, answers)) % n_items
    near = {k: {k} for k in range(n_items)}
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        both = near[a] | near[b]
        near.update(dict.fromkeys(both, both))
    found = groups_apart(Comparisons.of(i, j, n_items=n_items))
    assert {frozenset(group.tolist()) for group in found} == set(map(frozenset, near.values()))
    assert sum(map(len, found)) == n_items
    assert [len(group) for group in found] == sorted(map(len, found), reverse=True)


def test_rank_centrality_needs_losses_only_without_pseudo_wins():
    told = Comparisons.of([0, 1], [1, 2])
    assert fit("rank-centrality", told).ranking.tolist() == [0, 1, 2]
    with pytest.raises(Unconnected, match="rank-centrality without pseudo_wins"):
        fit("rank-centrality", told, pseudo_wins=0)


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"bradley-terry", "thurstone"}))
def test_no_comparisons_at_all_leave_everything_equal(name):
    found = fit(name, Comparisons.of([], [], n_items=4))
    assert found.scores == pytest.approx(np.full(4, found.scores[0]))
    assert found.ranking.tolist() == [0, 1, 2, 3]
    assert found.reliability is None


@pytest.mark.parametrize(
    ("name", "given", "word"),
    [
        ("rank-centrality", {"pseudo_wins": -1}, "as -1 is"),
        ("bradley-terry-map", {"prior": 0}, "positive, not 0"),
        ("crowd-bt", {"reliability": (0, 1)}, "positive priors"),
    ],
)
def test_impossible_settings_are_refused(name, given, word):
    with pytest.raises(InvalidSetting, match=word):
        fit(name, world(0), **given)


def test_an_unknown_model_is_answered_with_the_known_ones():
    with pytest.raises(InvalidSetting, match="unknown model 'elo': choose one of auto, full-posterior, dirichlet"):
        find_estimator("elo")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"auto", "full-posterior"}))
def test_a_million_comparisons_of_a_thousand_items(name):
    told = world(1, n=1_000_000, n_items=1000)
    assert np.isfinite(fit(name, told).scores).all()
