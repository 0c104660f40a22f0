"""The bounds that let pairs and workers be passed over, against all scores: above them always, and not far."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from nextpair.core.akg import akg_scores, choose, find_best
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.kernels.scorer import ALONE, Scorer
from nextpair.core.kernels.screen import CURVATURE, SHRINKING, fall_of, screen_of
from nextpair.core.kernels.tail import sum_of_tails, tail
from nextpair.core.kernels.tiles import TILE, Weaker, _largest, corner

STRENGTHS = [1.0, 0.9, 0.6, 0.31, 0.05, 0.0]


def some_alphas(rng, n):
    """Beliefs of many kinds: alike, in groups, from a crowd of answers, and as wide as floats are."""
    kind = rng.integers(5)
    if kind == 0:
        alpha = rng.choice(rng.uniform(0.5, 2, 4), n)
    elif kind == 1:
        alpha = rng.gamma(1.5, 1.5, n) + 1e-3
    elif kind == 2:
        alpha = 10.0 ** rng.uniform(-8, 2.5, n)
    elif kind == 3:
        alpha = np.exp(rng.normal(0, rng.uniform(0.01, 3), n)) * 10.0 ** rng.uniform(-2, 2)
    else:
        alpha = np.concatenate([rng.gamma(2, 1, n - n // 3), 10.0 ** rng.uniform(-60, -3, n // 3)])
    return np.maximum(alpha, 1e-100)


def all_pairs(scorer):
    first, second = np.tril_indices(scorer.groups.size.size)
    real = (first != second) | (scorer.groups.size[first] > 1)
    return first[real], second[real]


def assert_bounds_hold(alpha, strength):
    scorer = Scorer(alpha)
    first, second = all_pairs(scorer)
    at = np.full(first.size, (1 + strength) / 2)
    scores, bounds = scorer.some(first, second, at), scorer.bounds(first, second, at)
    assert (bounds >= scores).all()
    best, most = scores.max(), np.full(first.size, -np.inf)
    for weaker in sorted(STRENGTHS):
        v = weaker * strength
        of_weaker = scorer.some(first, second, np.full(first.size, (1 + v) / 2))
        most = np.maximum(most, of_weaker)  # of all so weak or weaker: where a score is negative, of the weakest
        together = scorer.bounds(first, second, at, Weaker(weaker, weaker, 1.0))
        assert (together >= most).all()
        for enough in (np.quantile(of_weaker, 0.2), 0.5 * of_weaker.max(), of_weaker.max(), best):
            shares, costs = np.array([1.0, weaker, 0.5 * weaker]), np.array([2.0, 1.0, 3.0])
            rows, kinds = scorer.worth_a_look(first, second, enough, at[0], shares, costs)
            assert set(np.flatnonzero(of_weaker >= enough)) <= set(rows[kinds == 1])
            assert set(np.flatnonzero(scores / 2 >= enough)) <= set(rows[kinds == 0])


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.8, 0.3, 0.0]), st.integers(6, 24))
def test_no_score_exceeds_its_bound(seed, strength, n_items):
    assert_bounds_hold(some_alphas(np.random.default_rng(seed), n_items), strength)


@pytest.mark.parametrize("strength", [1.0, 0.8])
def test_bounds_hold_beside_alphas_that_have_vanished(strength):
    """Sums of slopes lost all digits to those at tiny alphas, and pairs below 1e-50 score 0 and not their gain."""
    rng = np.random.default_rng(2)
    for smallest in (-60, -100):
        assert_bounds_hold(np.concatenate([rng.gamma(2, 1, 80), 10.0 ** rng.uniform(smallest, -3, 40)]), strength)


def test_bounds_of_a_large_belief_are_close():
    rng = np.random.default_rng(3)
    alpha = rng.gamma(1.5, 1.0, 400)
    assert_bounds_hold(alpha, 0.8)
    scorer = Scorer(alpha)
    first, second = all_pairs(scorer)
    scores, bounds = (f(first, second, np.ones(first.size)) for f in (scorer.some, scorer.bounds))
    assert (bounds >= scores.max()).mean() < 0.1


def single_tails(a, b, w):
    """What the six single tails add to the gain of a question, in expectation (docs/performance.md)."""
    r, p = a + b, (1 + w) / 2
    total = 0.0
    for trust in (p, 1 - p):
        towards = trust * a + (1 - trust) * b
        x = r * (a + trust * a / towards) / (r + 1)
        y = r * (b + (1 - trust) * b / towards) / (r + 1)
        gained = tail(x, a) + tail(y, b) + tail(x, b) + tail(y, a) - tail(x, y) - tail(a, b) - 1
        total += towards / r * gained
    return total


def test_the_constants_of_the_tail():
    """Over three numbers, at random: what docs/performance.md says was checked and not proved."""
    rng = np.random.default_rng(0)
    for _ in range(4000):
        a = 10.0 ** rng.uniform(-5, 3)
        b = a * float(np.exp(-abs(rng.normal()) * rng.choice([0.1, 1, 5])))
        w, r = rng.choice([1.0, rng.random()]), a + b
        assert single_tails(a, b, w) <= -w * a * b / (r * (r + 1)) * fall_of(np.array([a, b])).sum() + 1e-12
        h, e = 1e-3, 1e-2 / np.sqrt(1 + a)
        assert -1e-9 <= (tail(a * (1 - h), b * (1 - h)) - tail(a * (1 + h), b * (1 + h))) / (2 * h) <= SHRINKING
        if a * (1 - e) > b * (1 + e):
            second = (tail(a * (1 + e), b) - 2 * tail(a, b) + tail(a * (1 - e), b)) / e**2
            assert second <= CURVATURE * (1 + a) * 1.01


def literal_bound(alpha, w):
    """The bound of a pair (a, b) in units of tails, as docs/performance.md has it, and what rounds it up.

    Sums are made tail by tail, and the slope and the curvature of G are differences.
    """
    n, total, ordered, h = alpha.size, alpha.sum(), np.sort(alpha), 1e-3
    weights = alpha * (total - alpha)
    least = weights.sum() - weights.max() - ordered[-1] * ordered[-2]
    below, now, above = (sum_of_tails(ordered * s) for s in (1 - h, 1.0, 1 + h))
    g, bend, of_s = (below - above) / (2 * h), abs(below - 2 * now + above) / h**2, 2 * (total + 1) / least

    def phi(x):
        return sum(tail(x, other) for other in ordered)

    def bound(a, b):
        r, d = a + b, a - b
        m = w * a * b / (r * (r + 1))
        u, v, chance = 2 * r * m / (r + w * d), 2 * r * m / (r - w * d), (r + w * d) / (2 * r)
        gain = phi(a) + phi(b) - chance * (phi(a + u) + phi(b - u)) - (1 - chance) * (phi(a - v) + phi(b + v))
        gain += of_s * g * u * v - m * fall_of(np.array([a, b])).sum()
        gain += of_s * SHRINKING * (2 * n + 6) / (1 - of_s / 4) * v * (v + d / (r + 2))  # what s does to F
        differ = of_s * g / least * (weights.sum() - least + total * r) * v * d / (r + 2)  # the two denominators
        return gain + differ, bend * (of_s / 2) ** 2 / 2 + n * CURVATURE / 8 / 256**2 * (4 + r)

    return bound


@pytest.mark.parametrize(("n_items", "scale"), [(120, 1.0), (60, 4.0)])
def test_the_bump_is_twice_the_most_by_which_an_item_lies_above_the_chord(n_items, scale):
    """At an item Phi has a kink: there it may lie above the chord between two nodes, 256 an octave."""
    alpha = np.sort(np.random.default_rng(n_items).gamma(1.5, scale, n_items))

    def phi(x):
        return sum(tail(x, other) for other in alpha)

    above = []
    for a in alpha:
        octave = 2.0 ** np.floor(np.log2(a))
        low = octave * (1 + np.floor((a / octave - 1) * 256) / 256)
        share = (a - low) / (octave / 256)
        above.append(phi(a) - (1 - share) * phi(low) - share * phi(low + octave / 256))
    screen = screen_of(Scorer(alpha)._sums)
    assert screen.bump == pytest.approx(2 * max(above), rel=1e-6, abs=1e-11)
    assert screen.bump > 1e-5


@pytest.mark.parametrize("w", [1.0, 0.6])
@pytest.mark.parametrize(("n_items", "scale"), [(120, 1.0), (60, 4.0)])
def test_the_bound_is_that_of_the_docs(n_items, scale, w):
    rng = np.random.default_rng(n_items)
    alpha = np.sort(rng.gamma(1.5, scale, n_items))
    first = rng.integers(1, n_items, 40)
    second = (first * rng.random(40)).astype(np.int64)
    got = Scorer(alpha).bounds(first, second, np.full(40, (1 + w) / 2)) * n_items * (n_items - 1) / 2
    bound = literal_bound(alpha, w)
    want, up = np.array([bound(alpha[i], alpha[j]) for i, j in zip(first, second, strict=True)]).T
    assert (got > want + 0.6 * up).all()
    assert (got < want + 2 * up).all()  # a kink between two nodes lifts Phi above the chord


def rises_directly(alpha, a, a_after, b, b_after):
    """By how much the slope of the chords of Phi, 256 an octave, rises on the way of a and on that of b."""

    def cell(x):
        octave = np.floor(np.log2(x))
        return int(np.floor(256 * (octave + x / 2**octave - 1)))

    total = 0.0
    for low, high in (sorted((cell(a), cell(a_after))), sorted((cell(b), cell(b_after)))):
        k = np.arange(low, high + 2)
        nodes = 2.0 ** (k // 256) * (1 + k % 256 / 256)
        phi = betainc(np.maximum.outer(nodes, alpha), np.minimum.outer(nodes, alpha), 0.5).sum(axis=1)
        total += np.maximum(np.diff(np.diff(phi) / np.diff(nodes)), 0).sum()
    return total


@pytest.mark.parametrize("w", [1.0, 0.6])
def test_the_bound_of_weaker_workers_is_that_of_the_docs(w):
    """The largest of u U + u (1 - u) (m R + v / 2 R') over all shares u, or of what takes m R' as it is; per cost."""
    rng = np.random.default_rng(7)
    alpha = np.sort(rng.gamma(1.5, 4.0, 60))
    first = rng.integers(1, 60, 60)
    second = (first * rng.random(60)).astype(np.int64)
    scorer, at, pairs = Scorer(alpha), np.full(60, (1 + w) / 2), 60 * 59 / 2
    bounds, (_, rest, chord, sway, uneven, uneven_rate) = scorer.bounds(first, second, at) * pairs, scorer._screen.rates
    taken = set()
    for weaker in (Weaker(1.0, 1.0, 1.0), Weaker(0.7, 0.8, 1.3), Weaker(0.2, 0.4, 2.0), Weaker(1.0, 0.3, 2.0)):
        u = np.linspace(0, weaker.share, 4001)
        got = scorer.bounds(first, second, at, weaker) * pairs
        for a, b, bound, found in zip(alpha[first], alpha[second], bounds, got, strict=True):
            r, d = a + b, a - b
            m = w * a * b / (r * (r + 1))
            up, v, tilt = 2 * r * m / (r + w * d), 2 * r * m / (r - w * d), d / (r + 2)
            here, there = rises_directly(alpha, a, a + up, b, b - up), rises_directly(alpha, a, a - v, b, b + v)
            always = rest + chord * r + v * (sway * (v + tilt) + (uneven + uneven_rate * r) * tilt)  # whatever u is
            above = max(bound - always, 0)
            ways = [
                weaker.cheap * (u * above + u * (1 - u) * (m * here + v / 2 * there)).max(),
                weaker.cheap * (u * (above + m * there) + u * (1 - u) * m * here).max(),
                weaker.per_cost * (above + m * here + min(v / 2, m) * there),
            ]
            taken.add(int(np.argmin(ways)))
            assert found == pytest.approx(min(ways) + weaker.cheap * (always + scorer._screen.bump), rel=1e-6)
    assert taken == {0, 1, 2}


def test_the_corner_of_a_tile():
    for row in (0, 1, 2, 3, 76, 77, 1000, 313, 10_000_000):
        start = row * (row + 1) // 2
        for column in {0, row // 2, row}:
            assert corner(start + column) == (row * TILE, column * TILE)


def test_the_largest_of_all_weaker_workers():
    """Of u gain + u (1 - u) risen over all shares u up to v."""
    for v in (0.0, 0.3, 0.5, 0.8, 1.0):
        u = np.linspace(0, v, 5001)
        for gain in (0.0, 0.2, 1.0, 3.0):
            for risen in (0.0, 0.1, 1.0, 2.0, 20.0):
                most = (u * gain + u * (1 - u) * risen).max()
                assert _largest(v, gain, risen) == pytest.approx(most, rel=1e-6)


@pytest.mark.parametrize("weaker", [ALONE, Weaker(0.8, 0.7, 1.1)])
@pytest.mark.parametrize(("n_items", "needs"), [(20, None), (33, 0.4), (290, None), (420, 0.2)])
def test_tiles_hold_every_pair_and_its_bound(n_items, needs, weaker):
    rng = np.random.default_rng(n_items)
    alpha = rng.gamma(1.5, 1.0, n_items)
    alpha[: n_items // 4] = alpha[n_items // 8 : n_items // 8 + n_items // 4]  # groups of two
    scorer = Scorer(alpha, None if needs is None else rng.random(n_items) < needs)
    first, second = all_pairs(scorer)
    bounds = scorer.bounds(first, second, np.full(first.size, 0.9), weaker)
    assert np.isneginf(bounds).any() == (needs is not None)
    pairs = dict(zip(zip(first.tolist(), second.tolist(), strict=True), bounds.tolist(), strict=True))
    tops, at_first, at_second = scorer.tops(0.9, weaker)
    for top, i, j in zip(tops, at_first.tolist(), at_second.tolist(), strict=True):
        assert top == -np.inf or top == pytest.approx(pairs[i, j], rel=1e-12)
    row, column = first // TILE, second // TILE
    highest = np.full(tops.size, -np.inf)
    np.maximum.at(highest, row * (row + 1) // 2 + column, bounds)
    np.testing.assert_allclose(tops, highest, rtol=1e-12)
    inside = np.sort(bounds[bounds > -np.inf])
    for place in (0, inside.size // 2, inside.size - 4):
        enough = (inside[place] + inside[max(place - 1, 0)]) / 2 - 1e-12 * abs(inside[place])
        found = list(
            zip(*(part.tolist() for part in scorer.reaching(np.arange(tops.size), enough, 0.9, weaker)), strict=True)
        )
        assert len(found) == len(set(found))
        assert set(found) == {pair for pair, bound in pairs.items() if bound >= enough}


def every_question(belief, candidates):
    """(score per cost, pair, worker) of every question that may be asked."""
    for worker in candidates.askable():
        scores, allowed = akg_scores(belief, worker) / candidates.cost(worker), candidates.open_pairs(worker)
        for i, j in zip(*np.nonzero(np.triu(allowed, 1)), strict=True):
            yield scores[i, j], (int(i), int(j)), worker


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_is_the_best_of_all_questions(seed):
    rng = np.random.default_rng(seed)
    n, workers = int(rng.integers(6, 60)), int(rng.integers(1, 12))
    belief = Belief(some_alphas(rng, n), rng.uniform(1, 9, workers), rng.uniform(0.5, 4, workers))
    seen = {w: {tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(n)} for w in range(workers)}
    costs = {w: float(rng.choice([0.5, 1.0, 1.1])) for w in range(workers)} if seed % 2 else {}
    needy = rng.random(n) < 0.5 if seed % 3 == 0 else None
    candidates = Candidates(n, tuple(range(workers)), seen=seen, costs=costs, needy=needy)
    best = {}
    for score, pair, _ in every_question(belief, candidates):
        best[pair] = max(best.get(pair, -np.inf), score)
    want = sorted(best.values(), reverse=True)[:8]
    got = choose(belief, candidates, rng, 8)
    tolerance = 1e-9 * max(abs(want[0]), abs(want[-1])) + 1e-15
    np.testing.assert_allclose([choice.score for choice in got], want, rtol=0, atol=tolerance)
    assert all(candidates.allows(*choice.pair, choice.worker) for choice in got)


def test_a_batch_of_thousands_is_the_best_of_all_questions():
    """So many that the tiles that promise most are opened in several rounds, and none may be left out."""
    belief = Belief(np.random.default_rng(5).gamma(1.5, 1.0, 330), [], [])
    want = np.sort(akg_scores(belief)[np.triu_indices(330, 1)])[::-1][:20_000]
    got = choose(belief, Candidates(330), np.random.default_rng(0), 20_000)
    np.testing.assert_allclose(sorted((choice.score for choice in got), reverse=True), want, rtol=1e-7)


class Counting(Scorer):
    """Scores as ever, and how many."""

    scored = 0

    def some(self, first, second, p):
        self.scored += first.size
        return super().some(first, second, p)


@pytest.mark.parametrize("seed", range(3))
def test_few_questions_are_scored_of_those_that_there_are(seed):
    """44,850 pairs of 20 workers who all differ, at two prices: one in a thousand of these questions at most."""
    rng = np.random.default_rng(seed)
    alpha, reliability = rng.gamma(1.5, 1.0, 300), rng.uniform(0.6, 0.95, 20)
    for costs in ({}, {w: 1.0 + 0.2 * (w % 2) for w in range(20)}):
        scorer = Counting(alpha)
        (choice,) = find_best(scorer, reliability, Candidates(300, tuple(range(20)), costs), rng, 1)
        assert scorer.scored < 0.001 * 44_850 * 20
        assert choice.worker is not None


def test_every_pair_of_a_group_is_drawn_equally_often():
    """Five alphas, each of several items: the best pair of groups has 12 pairs, of which one may not be asked."""
    alpha = np.repeat([4.0, 0.05, 1.5, 0.3, 9.0], [3, 4, 4, 2, 1])
    belief, rng = Belief(alpha, [], []), np.random.default_rng(0)
    scores = akg_scores(belief)
    ties = {tuple(pair) for pair in np.argwhere(np.triu(scores >= np.nanmax(scores) * (1 - 1e-10), 1)).tolist()}
    left_out = min(ties)
    drawn = [choose(belief, Candidates(14, forbidden={left_out}), rng)[0].pair for _ in range(900)]
    counts = np.array([drawn.count(pair) for pair in sorted(ties - {left_out})])
    assert counts.sum() == 900
    expected = 900 / counts.size
    assert ((counts - expected) ** 2 / expected).sum() < counts.size + 5 * np.sqrt(2 * counts.size)


def test_a_flat_belief_of_many_items_is_one_score():
    belief = Belief.prior(3000, 2)
    assert Scorer(belief.alpha).groups.size.tolist() == [3000]
    rng = np.random.default_rng(0)
    assert len({choose(belief, Candidates(3000, (0, 1)), rng)[0].pair for _ in range(20)}) == 20
    assert len({choice.pair for choice in choose(belief, Candidates(3000), rng, 300)}) == 300
