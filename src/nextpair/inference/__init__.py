"""Static estimators: a ranking from a fixed set of comparisons, by one of several models under one interface."""

from nextpair.inference.connected import groups_apart
from nextpair.inference.estimators import ESTIMATORS, Estimator, best_estimator, find_estimator, fit, shuffled
from nextpair.inference.fits import Fit
from nextpair.inference.sides import shown_the_same_way

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "Fit",
    "best_estimator",
    "find_estimator",
    "fit",
    "groups_apart",
    "shown_the_same_way",
    "shuffled",
]
