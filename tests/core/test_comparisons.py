import numpy as np
import pytest

from nextpair.core.comparisons import Comparisons
from nextpair.errors import InvalidSetting


def test_wins_count_a_tie_as_half_a_win_for_each():
    data = Comparisons.of([0, 0, 1, 2], [1, 1, 2, 0], ties=[0, 0, 0, 1])
    assert data.wins().tolist() == [[0, 2, 0.5], [0, 0, 1], [0.5, 0, 0]]
    assert (len(data), data.n_items, data.n_workers) == (4, 3, 0)


def test_sizes_are_those_that_occur_unless_given():
    data = Comparisons.of([0, 3], [1, 2], workers=[4, -1])
    assert (data.n_items, data.n_workers) == (4, 5)
    data = Comparisons.of([0], [1], n_items=9, n_workers=3)
    assert (data.n_items, data.n_workers, data.wins().shape) == (9, 3, (9, 9))
    assert len(Comparisons.of([], [], n_items=2)) == 0


def test_arrays_cannot_be_changed_and_do_not_follow_their_source():
    source = np.array([0, 1])
    data = Comparisons.of(source, [1, 0])
    source[0] = 1
    assert data.winners.tolist() == [0, 1]
    with pytest.raises(ValueError):
        data.winners[0] = 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"winners": [0], "losers": [0], "n_items": 2}, "item 0 cannot be compared with itself"),
        ({"winners": [0], "losers": [5], "n_items": 3}, "no item 5"),
        ({"winners": [-1], "losers": [1], "n_items": 3}, "no item -1"),
        ({"winners": [0], "losers": [1], "workers": [2], "n_workers": 2}, "no worker 2"),
        ({"winners": [0], "losers": [1], "ties": [2]}, "no tie mark 2"),
        ({"winners": [0, 1], "losers": [1]}, "losers must be one number a comparison"),
        ({"winners": [[0]], "losers": [[1]]}, "winners must be one number"),
        ({"winners": [], "losers": []}, "at least 2 items"),
    ],
)
def test_refusals_name_the_value(arguments, word):
    with pytest.raises(InvalidSetting, match=word):
        Comparisons.of(**arguments)


def test_columns_of_several_lengths_are_refused_also_without_of():
    with pytest.raises(InvalidSetting, match=r"much must be one number a comparison, not of shape \(2,\)"):
        Comparisons([0], [1], [-1], [0], [0], [0, 0], 2, 0)
