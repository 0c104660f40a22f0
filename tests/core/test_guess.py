"""A guess of the scores: against dense normals, draws of the exact posterior, and worlds in which it is worth something
or nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import multivariate_normal, norm, rankdata

from nextpair.core.comparisons import Comparisons
from nextpair.core.doubts import _apart
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.guess import normal_score, normal_scores
from nextpair.core.kernels.guess import CORRELATIONS, LIKELY, guess_odds
from nextpair.core.kernels.joint import rebuild
from nextpair.core.kernels.spread import DOUBT, PRIOR_VAR, learn_spread

GUESS = normal_scores([3.0, 1.0, None, 2.5, 7.0])


def test_only_the_order_is_taken_as_the_quantiles_of_a_normal():
    guess = [0.3, -5.0, 1e6, 0.3, 2.0]
    plain = norm.ppf((rankdata(guess) - 0.5) / 5)
    assert normal_scores(guess) == pytest.approx(plain / np.sqrt((plain**2).mean()))
    assert normal_scores(guess).tolist() == normal_scores(np.arctan(guess).tolist()).tolist()


def test_who_was_not_guessed_has_no_normal_score_and_changes_none():
    known = normal_scores([3.0, 1.0, 2.5, 7.0])
    assert np.isnan(GUESS[2])
    assert GUESS[[0, 1, 3, 4]].tolist() == known.tolist()


def test_who_comes_later_stands_where_their_number_does_among_the_others():
    others = [3.0, 1.0, None, 2.5, 7.0]
    assert [normal_score(other, others) for other in (3.0, 1.0, 2.5, 7.0)] == GUESS[[0, 1, 3, 4]].tolist()
    assert GUESS[0] < normal_score(5.0, others) < GUESS[4] == normal_score(99.0, others)
    assert normal_score(-99.0, others) == GUESS[1]


def mixture(belief):
    """The posterior written out: a normal for each correlation, how likely it is, and the moments of all together."""
    n = belief.n_items
    told, (sure, shift, *_) = belief.told, belief.factors
    ends = np.eye(n)[told[0]] - np.eye(n)[told[1]]
    var = np.where(np.isnan(belief.guess), 0.0, 1.0)
    weights, means, covs = [], [], []
    for r, likely in zip(CORRELATIONS.flat, LIKELY.flat, strict=True):
        before = np.sqrt(belief.spread[0]) * r * np.nan_to_num(belief.guess)
        cov_before = np.diag(belief.spread[0] * (1 - var * r * r))
        if told.shape[1]:  # what answers say of their gaps, as if each had been seen with that much noise
            noise = np.diag(1 / sure)
            weights.append(
                likely * multivariate_normal.pdf(shift / sure, ends @ before, ends @ cov_before @ ends.T + noise)
            )
            cov = np.linalg.inv(np.linalg.inv(cov_before) + (ends.T * sure) @ ends)
            means.append(cov @ (np.linalg.solve(cov_before, before) + ends.T @ shift))
            covs.append(cov)
        else:
            weights.append(likely)
            means.append(before)
            covs.append(cov_before)
    share = np.array(weights) / np.sum(weights)
    mean = share @ np.array(means)
    apart = np.array(means) - mean
    return mean, np.einsum("r,rij->ij", share, np.array(covs)) + (apart.T * share) @ apart, share


@pytest.mark.parametrize("answers", [0, 6])
def test_it_is_the_mixture_over_how_far_the_guess_can_be_believed(answers):
    rng = np.random.default_rng(3)
    pairs = [rng.choice(5, 2, replace=False) for _ in range(answers)]
    belief = FullPosterior.prior(5, guess=GUESS)
    if pairs:
        won, lost = np.array(pairs).T
        belief = belief.fold(won, lost)
        at = belief.to_change(belief.told)
        rebuild(answers, at)  # after the last answer was taken in by itself
        belief = replace(belief, **at._asdict())
    mean, cov, share = mixture(belief)
    assert belief.mean == pytest.approx(mean, abs=1e-9)
    assert belief.cov == pytest.approx(cov, abs=1e-9)
    assert belief.faith.ravel() == pytest.approx(share, abs=1e-9)
    assert belief.opposite == 0
    assert belief.agreement == pytest.approx(share @ CORRELATIONS.ravel())


@pytest.mark.parametrize("right", [True, False])
def test_it_is_near_the_exact_posterior(right):
    """By importance: scores drawn from what is believed before any answer, weighted by how likely they make these."""
    guess = normal_scores([4.0, 3.0, 2.0, 1.0])
    won, lost = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)] * 2).T
    if not right:
        won, lost = lost, won
    belief = FullPosterior.prior(4, guess=guess).fold(won, lost)
    rng = np.random.default_rng(0)
    n = 400_000
    r = rng.choice(CORRELATIONS.ravel(), n, p=LIKELY.ravel())
    scores = np.sqrt(PRIOR_VAR) * (r[:, None] * guess + np.sqrt(1 - r * r)[:, None] * rng.normal(size=(n, 4)))
    weight = expit(scores[:, won] - scores[:, lost]).prod(axis=1)
    weight /= weight.sum()
    mean = weight @ scores
    assert belief.scores() == pytest.approx(mean - mean.mean(), abs=0.08)
    assert belief.agreement == pytest.approx(weight @ r, abs=0.06)
    cov = (scores.T * weight) @ scores - np.outer(mean, mean)
    gaps = np.subtract.outer(np.diag(cov), -np.diag(cov)) - 2 * cov
    found = np.subtract.outer(np.diag(belief.cov), -np.diag(belief.cov)) - 2 * belief.cov
    assert found == pytest.approx(gaps, rel=0.1, abs=0.02)


def test_how_much_likelier_the_opposite_order_is_by_the_guess():
    mean = np.array([0.5, -0.7, 0.1, 0.4, 1.0])

    def density(scores):
        of = [
            likely
            * norm.pdf(
                scores, np.sqrt(2.0) * r * np.nan_to_num(GUESS), np.sqrt(2.0 * (1 - r * r * ~np.isnan(GUESS)))
            ).prod()
            for r, likely in zip(CORRELATIONS.flat, LIKELY.flat, strict=True)
        ]
        return np.log(np.sum(of))

    assert guess_odds(mean, 2.0, GUESS) == pytest.approx(density(-mean) - density(mean))


def test_a_guess_tells_which_of_two_opposite_orders_is_right():
    """Two judges who contradict each other: without a guess nobody knows who is right."""
    won, lost = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)]).T
    told = Comparisons.of(
        np.concatenate([won, lost]), np.concatenate([lost, won]), np.repeat([0, 1], won.size), n_items=6, n_workers=2
    )
    plain = FullPosterior.prior(6, 2).after(told)
    helped = FullPosterior.prior(6, 2, guess=normal_scores([6, 5, 4, 3, 2, 1])).after(told)
    assert abs(plain.prob_above(0, 5) - 0.5) < 0.1
    assert helped.prob_above(0, 5) > 0.8
    assert helped.reliability[0] > helped.reliability[1] + 0.1


def test_one_who_joins_is_as_one_who_was_there():
    """What is guessed of them and what answers say of the others, all at once; without a guess nothing is known."""
    answers = ([0, 3, 0], [1, 1, 3])
    here = FullPosterior.prior(5, guess=GUESS).fold(*answers)
    later = FullPosterior.prior(4, guess=GUESS[:4]).fold(*answers).with_item(GUESS[4])
    assert later.mean[4] > 0.3
    assert later.mean == pytest.approx(here.mean, abs=0.02)
    assert later.cov == pytest.approx(here.cov, abs=0.05)
    stranger = later.with_item()
    assert stranger.mean[5] == pytest.approx(0.0, abs=1e-12)
    assert stranger.cov[5] == pytest.approx([0, 0, 0, 0, 0, PRIOR_VAR], abs=1e-12)


@given(st.permutations(range(5)), st.integers(0, 2**32))
def test_names_do_not_matter(order, seed):
    rng = np.random.default_rng(seed)
    won = rng.integers(5, size=12)
    lost = (won + rng.integers(1, 5, size=12)) % 5
    who, order = rng.integers(2, size=12), np.array(order)
    plain = FullPosterior.prior(5, 2, guess=GUESS).fold(won, lost, who)
    renamed = FullPosterior.prior(5, 2, guess=GUESS[np.argsort(order)]).fold(order[won], order[lost], who)
    assert renamed.mean[order] == pytest.approx(plain.mean, abs=1e-7)
    assert renamed.agreement == pytest.approx(plain.agreement, abs=1e-7)


@given(st.integers(0, 2**32))
def test_answers_one_by_one_are_all_at_once_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    won = rng.integers(5, size=9)
    lost = (won + rng.integers(1, 5, size=9)) % 5
    who = rng.integers(2, size=9)
    whole = one = FullPosterior.prior(5, 2, guess=GUESS)
    for i, j, w in zip(won, lost, who, strict=True):
        one = one.update(i, j, w)
    whole = whole.fold(won, lost, who)
    assert np.array_equal(one.cov, whole.cov)
    assert np.array_equal(one.faith, whole.faith)


def worlds(correlation, items=20, answers=100):
    """Beliefs after random questions about worlds with a guess of this correlation, and how right they are with it
    and without."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = rng.normal(0, np.sqrt(PRIOR_VAR), items)
        noise = rng.normal(size=items)
        guess = normal_scores((correlation * scores / scores.std() + np.sqrt(1 - correlation**2) * noise).tolist())
        i = rng.integers(items, size=answers)
        j = (i + rng.integers(1, items, size=answers)) % items
        first = rng.random(answers) < expit(scores[i] - scores[j])
        told = Comparisons.of(np.where(first, i, j), np.where(first, j, i), n_items=items)
        beliefs = FullPosterior.prior(items, guess=guess).after(told), FullPosterior.prior(items).after(told)
        upper = np.triu_indices(items, 1)
        right = [
            np.mean((np.subtract.outer(belief.mean, belief.mean) * np.subtract.outer(scores, scores))[upper] > 0)
            for belief in beliefs
        ]
        found.append([beliefs[0].agreement, beliefs[0].expected_accuracy(), *right])
    return np.mean(found, axis=0)


def test_a_good_guess_is_believed_and_helps():
    agreement, claimed, right, without = worlds(0.85)
    assert agreement > 0.7
    assert right > without + 0.02
    assert claimed == pytest.approx(right, abs=0.03)


def test_a_guess_that_is_noise_is_not_believed_and_hardly_hurts():
    agreement, claimed, right, without = worlds(0.0)
    assert abs(agreement) < 0.25
    assert right > without - 0.02
    assert claimed == pytest.approx(right, abs=0.03)


def test_a_guess_that_is_the_wrong_way_round_is_turned():
    agreement, claimed, right, without = worlds(-0.8)
    assert agreement < -0.3
    assert right > without - 0.01
    assert claimed == pytest.approx(right, abs=0.04)


def test_a_guess_says_nothing_of_how_far_apart_items_are():
    """It has no unit. So before any answer nothing is learnt from it, and nothing is known any better."""
    rng = np.random.default_rng(0)
    belief = FullPosterior.prior(40, guess=normal_scores(rng.normal(size=40).tolist()), learns_spread=True)
    spread = belief.spread.copy()
    learn_spread(belief.mean, belief.cov, spread, belief.guess)
    assert spread == pytest.approx([PRIOR_VAR, DOUBT], rel=1e-6)


def test_how_scores_move_with_how_far_apart_they_were():
    """Against the mixture written out, under a little more variance and a little less."""
    rng = np.random.default_rng(5)
    won = rng.integers(5, size=40)
    lost = (won + rng.integers(1, 5, size=40)) % 5
    belief = FullPosterior.prior(5, guess=GUESS, learns_spread=True).fold(won, lost)
    means = [mixture(replace(belief, spread=belief.spread * [np.exp(step), 1.0]))[0] for step in (-0.001, 0.001)]
    assert _apart(belief.joint()) == pytest.approx((means[1] - means[0]) / 0.002, abs=1e-4)
    assert np.linalg.eigvalsh(belief.claimed_cov - belief.cov)[-1] > 0


def test_where_it_is_taken_for_known_how_far_apart_items_are_nothing_moves():
    belief = FullPosterior.prior(5, guess=GUESS).fold([0, 1], [1, 3])
    assert not _apart(belief.joint()).any()
