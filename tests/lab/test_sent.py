"""Commands that go by their module send what they do to other processes, as it is in `__main__` there: by value."""

import sys

import cloudpickle
import pytest

from nextpair.lab import hindsight, limits, regret, stopping


@pytest.mark.parametrize(
    "task", [hindsight.accuracy, hindsight.judged, limits.campaigns, regret.campaign, stopping.stopped]
)
def test_what_is_sent_to_other_processes_can_be_sent(task):
    module = sys.modules[task.__module__]
    cloudpickle.register_pickle_by_value(module)
    try:
        sent = cloudpickle.loads(cloudpickle.dumps(task))
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    assert sent.__name__ == task.__name__
