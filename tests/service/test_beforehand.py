"""What the form says a budget will bring is what simulated campaigns bring."""

import numpy as np
import pytest

from nextpair.lab.forecast import Intended, forecast
from nextpair.lab.trials import standard_error
from nextpair.service.forecast import BEFOREHAND


@pytest.mark.slow
def test_what_the_form_expects_of_a_budget_is_what_campaigns_bring():
    found = forecast(Intended(30, 15), 60, 106, 2)  # other worlds than those that the numbers are from
    for column, name in ((1, "closer together"), (2, "farther apart")):
        error = standard_error(found.runs[name])
        for row in BEFOREHAND:
            at = row[0] * 30
            noise = 3.5 * np.interp(at, found.answers, error) + 0.005  # which the numbers are rounded by
            assert np.interp(at, found.answers, found.mean(name)) == pytest.approx(row[column], abs=noise), (name, row)


def test_more_answers_are_expected_to_bring_more():
    assert all(np.diff(column).min() > 0 for column in zip(*BEFOREHAND, strict=True))
    assert all(0.5 < closer < farther < 1 for _, closer, farther in BEFOREHAND)
