"""Worlds answer as the model says, the same for every policy; recordings give out each answer once."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import logit

from nextpair.core.candidates import Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.play import noted_budgets, play
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.worlds import Lookalikes, Quirky, Rules, Simulated, World, close_scores, uniform_scores


@pytest.mark.parametrize(("rho", "worker"), [(None, None), (1.0, 0), (0.7, 0), (0.5, 0), (0.1, 0)])
def test_answers_follow_the_model(rho, worker):
    scores = np.array([0.6, 0.2, 0.2])
    reliability = None if rho is None else np.array([rho])
    n = 4000
    first = np.mean([World(scores, reliability, key).prefers_first(0, 1, worker, 0) for key in range(n)])
    share = 0.75 if rho is None else rho * 0.75 + (1 - rho) * 0.25
    assert first == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n))


def test_repeated_answers_are_independent_of_each_other():
    world = World(np.array([0.5, 0.5]), None, 7)
    said = np.array([world.prefers_first(0, 1, None, nth) for nth in range(4000)], dtype=float)
    assert said.mean() == pytest.approx(0.5, abs=0.035)
    assert abs(np.corrcoef(said[:-1], said[1:])[0, 1]) < 0.06


def test_an_answer_depends_on_the_question_and_not_on_when_it_is_asked():
    world = World(np.array([0.4, 0.3, 0.3]), np.array([0.9, 0.6]), 11)
    one, other = Simulated(world), Simulated(world)
    questions = [Choice(0, 1, 0, 0.0), Choice(1, 2, 1, 0.0), Choice(0, 2, 0, 0.0)]
    assert [one.answer(q) for q in questions] == [other.answer(q) for q in reversed(questions)][::-1]


def test_a_worker_answers_a_pair_once_and_rules_are_kept():
    world = World(np.full(3, 1 / 3), np.array([0.8, 0.8]), 1)
    source = Simulated(world, Rules(costs={0: 2.0}, quotas={1: 1}, forbidden=frozenset({(0, 1)})))
    assert not source.candidates().allows(0, 1, 0)
    assert source.candidates().cost(0) == 2.0
    source.answer(Choice(0, 2, 1, 0.0))
    assert source.candidates().workers == (0,)
    source.answer(Choice(0, 2, 0, 0.0))
    assert not source.candidates().allows(0, 2, 0)
    assert source.candidates().allows(1, 2, 0)


@pytest.mark.parametrize("policy", ["random", "akg", "full-posterior"])
def test_who_may_be_asked_a_pair_several_times_goes_through_all_others_first_and_answers_anew(policy):
    world = World(np.full(4, 1 / 4), np.array([1.0, 1.0]), 1)
    source = Simulated(world, Rules(forbidden=frozenset({(0, 1)}), times={1: 3}))
    assert source.candidates().room().tolist() == [6, 15]
    asked = play(find_policy(policy), source, 99, np.random.default_rng(0)).asked
    assert not source.candidates().allows(0, 2, 0)
    assert not source.candidates().allows(0, 2, 1)
    for worker, times in ((0, 1), (1, 3)):
        theirs = [tuple(pair) for *pair, who in asked.tolist() if who == worker]
        rounds = [set(theirs[k : k + 5]) for k in range(0, len(theirs), 5)]
        assert rounds == [{(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}] * times
    again = Simulated(world, Rules(times={0: 40}))
    said = [again.answer(Choice(i, j, 0, 0.0)).winner == i for _ in range(40) for j in range(4) for i in range(j)]
    assert len({tuple(said[k::6]) for k in range(6)} | {(True,) * 40}) == 7  # nobody says the same forty times


def test_a_quota_counts_each_time():
    source = Simulated(World(np.full(3, 1 / 3), np.array([0.8]), 1), Rules(quotas={0: 4}, times={0: 2}))
    assert len(play(find_policy("random"), source, 99, np.random.default_rng(0)).asked) == 4


def test_scores_are_on_the_simplex_and_close_ones_are_close():
    rng = np.random.default_rng(0)
    assert uniform_scores(5, rng).sum() == pytest.approx(1)
    ratios = np.sort(close_scores(10, rng))[1:] / np.sort(close_scores(10, rng))[:-1]
    assert ratios[[0, -1]] == pytest.approx(1.02)
    assert (ratios[1:-1] > 1.9).all()


def test_lookalikes_have_the_moments_of_the_belief():
    alpha, mu, nu = np.array([3.0, 1.0, 0.5]), np.array([8.0]), np.array([2.0])
    rng = np.random.default_rng(2)
    worlds = [Lookalikes(alpha, mu, nu, Rules()).draw(rng) for _ in range(3000)]
    shares = np.array([w.truth / w.truth.sum() for w in worlds])
    assert shares.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.02)  # in whatever order a campaign lists its items
    drawn = np.random.default_rng(0).dirichlet(alpha, 3000)
    for moment in (2, 3):
        assert (shares**moment).sum(axis=1).mean() == pytest.approx((drawn**moment).sum(axis=1).mean(), abs=0.02)
    assert all(np.isfinite(Lookalikes(np.array([1e-90, 1.0]), mu, nu, Rules()).draw(rng).truth))


def test_lookalikes_keep_which_pairs_are_never_asked():
    """The two items that are nearly certain to be the best are never compared, whatever their numbers are."""
    alpha, rng = np.array([500.0, 400.0, 1.0, 1.0, 1.0]), np.random.default_rng(3)
    for _ in range(20):
        world = Lookalikes(alpha, np.empty(0), np.empty(0), Rules(forbidden=frozenset({(0, 1)}))).draw(rng)
        best = np.sort(np.argsort(-world.truth)[:2])
        assert world.candidates().forbidden == {tuple(best.tolist())}


def recording(rows, truth):
    won, lost, who = np.array(rows).T
    return Recording("tiny", Comparisons.of(won, lost, who), np.array(truth, dtype=float))


@pytest.mark.parametrize("by_worker", [True, False])
def test_a_replay_uses_each_answer_once_and_no_other(by_worker):
    rows = [(0, 1, 0), (1, 0, 1), (0, 1, 2), (2, 1, 0), (2, 1, 0), (0, 2, 1)]
    record = recording(rows, [3, 1, 2])
    rng = np.random.default_rng(5)
    source = Replayed(record, rng, by_worker=by_worker)
    got = []
    while True:
        choices = find_policy("random").choose(None, source.candidates(), rng, 1)
        if not choices:
            break
        answer = source.answer(choices[0])
        got.append((int(source.truth[answer.winner]), int(source.truth[answer.loser]), answer.worker))
    truth = [3, 1, 2]
    want = [(truth[a], truth[b], w if by_worker else None) for a, b, w in rows]
    assert Counter(got) == Counter(want)


@pytest.mark.parametrize("name", ["akg", "akg-pending", "full-posterior", "centrality-akg", "random"])
def test_a_recording_that_names_nobody_is_asked_to_its_end(name):
    rows = [(0, 1, -1), (1, 0, -1), (0, 1, -1), (2, 1, -1), (0, 2, -1)]
    source = Replayed(recording(rows, [3, 1, 2]), np.random.default_rng(5), by_worker=True)
    played = play(find_policy(name), source, 10, np.random.default_rng(6))
    assert len(played.asked) == len(rows)


def test_a_replay_knows_ties_and_which_item_stood_left():
    told = Comparisons.of([0, 1, 0], [1, 2, 2], [0, 0, 0], [0, 0, 1], [1, -1, 0])
    source = Replayed(Recording("tiny", told, np.array([3.0, 2.0, 1.0])), np.random.default_rng(5), by_worker=True)
    rng = np.random.default_rng(6)
    heard = [source.answer(find_policy("random").choose(None, source.candidates(), rng, 1)[0]) for _ in range(3)]
    got = {(source.truth[a.winner], source.truth[a.loser]): (a.tie, a.side) for a in heard}
    assert got == {(3.0, 2.0): (False, 1), (2.0, 1.0): (False, -1), (3.0, 1.0): (True, 0)}


def test_a_replay_counts_money_where_workers_have_costs():
    told = Comparisons.of([0, 1, 0, 0], [1, 2, 2, 1], [0, 0, 0, 1])
    record = Recording("tiny", told, np.array([3.0, 2.0, 1.0]), {0: 0.25, 1: 2.0})
    source = Replayed(record, np.random.default_rng(5), by_worker=True)
    played = play(find_policy("akg"), source, 1, np.random.default_rng(0))
    assert played.asked[:, 2].tolist() == [0, 0, 0]  # of the other worker one answer would cost more than there is
    assert len(played.accuracy) == 51


def test_items_are_renumbered_in_each_replay():
    record = recording([(k, k + 1, 0) for k in range(29)], range(30))
    first = [Replayed(record, np.random.default_rng(s), by_worker=True).truth.tolist() for s in range(2)]
    assert first[0] != first[1]
    assert sorted(first[0]) == sorted(first[1])


def test_play_notes_the_accuracy_at_even_budgets_and_spends_no_more():
    world = World(np.array([0.5, 0.3, 0.15, 0.05]), np.full(3, 0.9), 3)
    played = play(find_policy("random"), Simulated(world), 17, np.random.default_rng(0))
    assert len(played.asked) == 17
    assert len(played.accuracy) == len(noted_budgets(17)) == 18
    assert len({tuple(row) for row in played.asked.tolist()}) == 17


def test_play_counts_money_where_workers_have_prices():
    world = World(np.array([0.5, 0.3, 0.2]), np.full(2, 0.9), 3)
    source = Simulated(world, Rules(costs={0: 0.1, 1: 0.3}))
    played = play(find_policy("random"), source, 0.95, np.random.default_rng(1))
    spent = sum(0.1 if worker == 0 else 0.3 for *_, worker in played.asked.tolist())
    assert spent <= 0.95 + 1e-9
    assert len(played.accuracy) == len(noted_budgets(0.95, in_money=True)) == 51


def test_play_stays_where_it_is_when_nothing_is_left_to_ask():
    record = recording([(0, 1, 0), (1, 2, 0)], [3, 2, 1])
    source = Replayed(record, np.random.default_rng(0), by_worker=True)
    played = play(find_policy("random"), source, 10, np.random.default_rng(0))
    assert len(played.asked) == 2
    assert played.accuracy[2:].tolist() == [1.0] * 9


def write(folder, comparisons, truth):
    (folder / "comparisons.csv").write_text(comparisons)
    (folder / "truth.csv").write_text(truth)


def test_data_are_found_by_switch_by_variable_and_inside_a_folder_of_sets(tmp_path, monkeypatch):
    inner = tmp_path / "reading"
    inner.mkdir()
    write(inner, "worker,left,right,winner\nw,a,b,left\nv,b,a,tie\n", "item,score\na,2\nb,1\nunused,9\n")
    for place in (tmp_path, inner, inner / "comparisons.csv"):
        found = find_recording(str(place), "reading")
        assert (found.name, found.answers.n_items, found.answers.n_workers) == ("reading", 2, 2)
        assert found.truth.tolist() == [2, 1]
    monkeypatch.setenv("NEXTPAIR_DATA", str(inner))
    assert len(find_recording(None).answers) == 2


def test_missing_data_say_where_they_were_looked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("NEXTPAIR_DATA", raising=False)
    with pytest.raises(InvalidSetting, match="--data PATH or NEXTPAIR_DATA=PATH"):
        find_recording(None)
    with pytest.raises(InvalidFile, match=str(tmp_path / "reading" / "comparisons.csv")):
        find_recording(str(tmp_path), "reading")
    (tmp_path / "comparisons.csv").write_text("worker,left,right,winner\nw,a,b,left\n")
    with pytest.raises(InvalidFile, match=str(tmp_path / "truth.csv")):
        find_recording(str(tmp_path))
    (tmp_path / "truth.csv").write_text("item,score\na,2\n")
    with pytest.raises(InvalidFile, match="'b'"):
        find_recording(str(tmp_path))


def test_another_estimator_ranks_the_very_same_answers():
    world = World(np.array([0.4, 0.3, 0.2, 0.1]), None, 5)
    lines = ("", "dirichlet", "borda")
    own, same, other = (
        play(find_policy("random"), Simulated(world), 9, np.random.default_rng(0), estimator=name) for name in lines
    )
    assert (own.asked == same.asked).all()
    assert (own.asked == other.asked).all()
    assert own.accuracy.tolist() == same.accuracy.tolist()  # the belief, computed anew from all answers


def test_a_quirk_belongs_to_the_pair_and_has_the_declared_spread():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(60))
    plain, quirky = World(scores, None, 5), Quirky(scores, None, 5, 0.9)
    pairs = [(i, j) for i in range(60) for j in range(60) if i != j]
    for i, j in pairs[:200]:
        assert quirky.share(i, j) + quirky.share(j, i) == pytest.approx(1.0)
        assert quirky.share(i, j) == quirky.share(i, j)
    off = [logit(quirky.share(i, j)) - logit(plain.share(i, j)) for i, j in pairs if i < j]
    assert np.std(off) == pytest.approx(0.9, rel=0.05)
    assert np.mean(off) == pytest.approx(0.0, abs=0.07)
