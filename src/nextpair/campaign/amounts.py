"""Numbers that a user gives, as plain floats and ints: numpy's and decimals are taken, True and text are not."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Integral, Real

from nextpair.errors import InvalidSetting

LARGEST = 1e100  # of money and of time; the smallest is one in so many. A gain for a cost beyond overflows
TRUST = 1e12  # answers: of nobody is more known, and nobody is less known than by one in so many


def positive(what: str, value: float) -> float:
    """An amount of money or of time."""
    number = _plain(value)
    if not 0 < number < math.inf:
        raise InvalidSetting(f"{what} must be a positive number, not {value!r}")
    least = 1 / LARGEST
    if not least <= number <= LARGEST:
        raise InvalidSetting(f"{what} goes from {least:g} to {LARGEST:g}, and is not {value!r}: take another unit")
    return number


def finite(what: str, value: float) -> float:
    """Any number but an infinite one."""
    number = _plain(value)
    if not math.isfinite(number):
        raise InvalidSetting(f"{what} must be a number, not {value!r}")
    return number


def whole(what: str, value: int, least: int) -> int:
    """A whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidSetting(f"{what} must be a whole number from {least} up, not {value!r}")
    return int(value)


def beta(what: str, values: tuple[float, float]) -> tuple[float, float]:
    """Both parameters of a Beta distribution, as what is thought of a worker."""
    try:
        mu, nu = map(_plain, values)
    except (TypeError, ValueError):  # no pair
        mu = nu = math.nan
    if not (0 < mu < math.inf and 0 < nu < math.inf):
        raise InvalidSetting(f"{what} is a pair of positive numbers (mu, nu), not {values!r}")
    if not (TRUST >= max(mu, nu) >= min(mu, nu) >= 1 / TRUST and 0 < mu / (mu + nu) < 1):  # numbers give out
        raise InvalidSetting(
            f"{what} cannot be {values!r}: mu / (mu + nu) is the share of right answers, and mu + nu how many answers "
            f"that is as good as. Give two numbers from {1 / TRUST:g} to {TRUST:g} that are less far apart, as (4, 1)"
        )
    return mu, nu


def passed_on(mu: float, nu: float) -> tuple[float, float]:
    """What a belief came to know of a worker, as `beta` takes it: answers may carry the largest a little further.

    Within bounds nothing changes. Beyond them the share of right answers stays, as far as it goes.
    """
    less, more = max(min(mu, nu), 5e-324), max(mu, nu)
    scale = min(TRUST / more, max(1.0, min(1 / TRUST / less, 1 / more)))  # of hardly anything less than one answer
    mu, nu = (min(max(number * scale, 1 / TRUST), TRUST) for number in (mu, nu))
    return mu, nu if mu / (mu + nu) < 1 else mu * 2.0**-52


def money(amount: float | None) -> str:
    """An amount in digits, to the last cent: `g` alone would make 12345.7 of 12345.67. None is no limit."""
    return "no limit" if amount is None else f"{amount:.15g}"


def plural(n: int, thing: str) -> str:
    """So many of a thing, in words."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _plain(value: object) -> float:
    """The number as a float, and nan for what is no number."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:  # a signalling nan of decimals
        return math.nan
