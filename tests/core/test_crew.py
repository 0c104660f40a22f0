"""Whom a campaign keeps to among very many workers."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.core.candidates import Candidates
from nextpair.core.crew import CREW, KNOWN, TELLING, keep_to_crew
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.look_ahead import choose

MANY = CREW + 30


def kept(candidates, belief, size=CREW):
    return keep_to_crew(candidates, belief.answers_by_worker(), *belief.trusts, size)


def naive(candidates, asked, mean, power, size):
    """Who may be asked, one worker after the other, as the docstring of `crew` says it."""
    room = dict(zip(candidates.workers, candidates.room().tolist(), strict=True))
    strangers = [w for w in candidates.workers if asked[w] == 0 and (2 * mean[w] - 1) ** 2 < KNOWN * power[w]]
    others = [w for w in candidates.workers if w not in strangers]
    if len(candidates.workers) <= size or not strangers:
        return set(candidates.workers)
    best = max(power[w] / candidates.cost(w) for w in strangers)
    in_play = [w for w in others if room[w] > 0 and power[w] / candidates.cost(w) >= TELLING * best]
    if len(in_play) >= size:
        return set(others)
    in_all = {w: power[w] / candidates.cost(w) * room[w] for w in strangers}
    least = sorted(in_all.values(), reverse=True)[: size - len(in_play)][-1]
    return set(others) | {w for w in strangers if in_all[w] >= least}


@st.composite
def crowds(draw):
    """A few workers and a small crew, for all that matters to it."""
    n = draw(st.integers(1, 9))
    number = lambda low, high: st.lists(st.integers(low, high), min_size=n, max_size=n)  # noqa: E731
    mean = np.array(draw(number(0, 10))) / 10
    var = np.array(draw(number(0, 10))) / 10 * mean * (1 - mean)
    workers = tuple(w for w in range(n) if draw(st.integers(0, 4)))
    costs, quotas = (dict(enumerate(draw(number(1, 3)))) if draw(st.booleans()) else {} for _ in range(2))
    seen = {w: {(0, 1), (1, 2), (0, 2)} for w in range(n) if draw(st.booleans())}
    listed = None
    if draw(st.booleans()):
        listed = np.array([(0, 1, w) for w in draw(st.lists(st.integers(-1, n - 1)))], dtype=np.int64).reshape(-1, 3)
    candidates = Candidates(3, workers, costs, seen, quotas=quotas, listed=listed)
    return candidates, np.array(draw(number(0, 2))), mean, (2 * mean - 1) ** 2 + 4 * var, draw(st.integers(1, 5))


@given(crowds())
@settings(max_examples=300, deadline=None)
def test_who_may_be_asked_is_who_the_words_say(crowd):
    assert set(keep_to_crew(*crowd).workers) == naive(*crowd)


@given(crowds(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_names_do_not_matter(crowd, random):
    candidates, asked, mean, power, size = crowd
    number = np.array(random.sample(range(asked.size), asked.size))
    back = np.argsort(number)
    listed = candidates.listed
    if listed is not None:
        listed = np.column_stack([listed[:, :2], np.where(listed[:, 2] < 0, -1, number[listed[:, 2]])])
    turned = replace(
        candidates,
        workers=tuple(int(number[w]) for w in candidates.workers),
        listed=listed,
        **{
            name: {int(number[w]): value for w, value in getattr(candidates, name).items()}
            for name in ("costs", "seen", "quotas")
        },
    )
    there = keep_to_crew(turned, asked[back], mean[back], power[back], size)
    assert set(there.workers) == {number[w] for w in keep_to_crew(*crowd).workers}


def test_a_crowd_that_is_no_larger_is_all_in_play():
    candidates = Candidates(4, tuple(range(CREW)))
    assert kept(candidates, FullPosterior.prior(4, CREW)) is candidates
    assert kept(Candidates(4), FullPosterior.prior(4)).workers is None


def test_where_workers_are_alike_the_more_the_better():
    candidates = Candidates(4, tuple(range(MANY)))
    assert kept(candidates, FullPosterior.prior(4, MANY, reliability=(20, 1))) is candidates


def test_who_is_known_from_before_is_no_stranger():
    belief = FullPosterior.prior(4, MANY).with_workers([(40, 2)] * CREW)
    candidates = Candidates(4, tuple(range(MANY + CREW)))
    assert kept(candidates, belief).workers == tuple(range(MANY, MANY + CREW))


def test_strangers_come_in_only_while_fewer_are_in_play():
    """A campaign of 12 items among 70 workers of Beta(4, 1), who all could be asked."""
    rng = np.random.default_rng(7)
    scores, reliability = rng.normal(0, 1.3, 12), rng.beta(4, 1, MANY)
    belief, seen, crews = FullPosterior.prior(12, MANY), {w: set() for w in range(MANY)}, []
    for _ in range(240):
        (choice,) = choose(belief, Candidates(12, tuple(range(MANY)), seen=seen), rng)
        asked, (mean, power) = belief.answers_by_worker(), belief.trusts
        alike = ((2 * mean - 1) ** 2 >= KNOWN * power)[asked == 0].all()
        crews.append(int(((asked > 0) & (power >= TELLING * power[asked == 0].max())).sum()))
        assert asked[choice.worker] > 0 or crews[-1] < CREW or alike
        right = rng.random() < reliability[choice.worker]
        first = rng.random() < 1 / (1 + np.exp(scores[choice.j] - scores[choice.i]))
        seen[choice.worker].add(choice.pair)
        belief = belief.update(*(choice.pair if first == right else choice.pair[::-1]), choice.worker)
    assert max(crews) >= CREW


def test_those_with_most_time_come_first():
    belief, quotas = FullPosterior.prior(6, MANY), {w: 1 + w for w in range(MANY)}
    candidates = Candidates(6, tuple(range(MANY)), quotas=quotas)
    assert kept(candidates, belief, 5).workers == tuple(range(14, MANY))  # 15 pairs are all there is to ask
    candidates = replace(candidates, n_items=20)
    assert kept(candidates, belief, 5).workers == tuple(range(MANY - 5, MANY))


def test_those_who_are_declared_to_be_better_come_first():
    belief = FullPosterior.prior(6, MANY).with_workers([(2, 1)] * 3 + [(3, 0.6)] * 3)
    candidates = Candidates(6, tuple(range(MANY + 6)))
    assert kept(candidates, belief, 2).workers == tuple(range(MANY + 3, MANY + 6))


def test_who_has_no_time_left_or_tells_little_makes_room():
    belief = FullPosterior.prior(6, MANY).fold(*np.array([(w % 2, 1 - w % 2, w) for w in range(CREW)]).T)
    everybody = tuple(range(MANY))
    assert kept(Candidates(6, everybody), belief).workers == everybody[:CREW]
    through = {w: set(zip(*np.triu_indices(6, 1), strict=True)) for w in range(3)}
    assert kept(Candidates(6, everybody, seen=through), belief).workers == everybody
    dear = dict.fromkeys(range(3), 10.0)
    assert kept(Candidates(6, everybody, dear), belief).workers == everybody


def test_a_crew_that_is_through_stops_nobody():
    """Every pair was asked of the crew but one, which may not be asked: so others are."""
    n = 3
    belief = FullPosterior.prior(n, MANY).fold(*np.array([(w % 2, 1 - w % 2, w) for w in range(CREW)]).T)
    seen = {w: {(0, 1), (0, 2)} for w in range(CREW)}
    candidates = Candidates(n, tuple(range(MANY)), seen=seen, forbidden={(1, 2)})
    (choice,) = choose(belief, candidates, np.random.default_rng(0))
    assert choice.worker >= CREW
    nothing = replace(candidates, forbidden={(0, 1), (0, 2), (1, 2)})
    assert choose(belief, nothing, np.random.default_rng(0)) == []


def test_a_batch_that_is_larger_than_a_crew_has_a_question_for_everybody():
    n = 14  # 91 pairs
    batch = choose(FullPosterior.prior(n, MANY), Candidates(n, tuple(range(MANY))), np.random.default_rng(2), MANY)
    assert set(Counter(choice.worker for choice in batch).values()) == {1}
    assert len(batch) == MANY
