"""Errors are sent from one process to another as they were raised."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from nextpair import errors
from nextpair.errors import InvalidSetting, NothingLeft, ServiceRefused, Unconnected, UnknownItem

RAISED = [
    InvalidSetting("the cost must be a positive number"),
    UnknownItem("no item 'tea' takes part"),
    NothingLeft("ann has compared every pair"),
    ServiceRefused(409, "closed", "it was answered already"),
    Unconnected("rank-centrality", [1, 2]),
    Unconnected("rank-centrality", [0], ["tea", "milk"], met=False),
]


@pytest.mark.parametrize("sent", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_after_a_journey(error, sent):
    arrived = sent(error)
    assert (type(arrived), str(arrived), arrived.args) == (type(error), str(error), error.args)
    assert vars(arrived) == vars(error)


def refuse():
    raise errors.ServiceRefused(404, "unknown", "no such campaign")


def test_a_pool_of_processes_passes_it_on():
    """The pool broke, and nobody heard why."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(ServiceRefused, match="no such") as told:
        pool.submit(refuse).result()
    assert (told.value.status, told.value.code) == (404, "unknown")
