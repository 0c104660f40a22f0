"""Names that cannot be seen are refused wherever they come in, and journals that hold some still load."""

import pytest

from nextpair import Campaign
from nextpair.campaign import events as ev
from nextpair.campaign.names import can_be_seen
from nextpair.errors import InvalidSetting

UNSEEN = [
    " ",
    "\t",
    "\u200b",
    "\u2060\ufeff",
    "\u202e",
    "\u3164",
    "\u2800",
    "\ufe0f\u034f",
    "\U000e0101",
    "\x07",
    "\u2028",
]


@pytest.mark.parametrize("name", UNSEEN)
def test_what_leaves_no_mark_is_refused_with_its_characters_spelt_out(name):
    said = f"cannot be seen: {name!a} shows nothing".replace("\\", "\\\\")
    campaign = Campaign(["a", "b"], ["w"])
    with pytest.raises(InvalidSetting, match=f"the name of an item {said}"):
        Campaign(["a", name])
    with pytest.raises(InvalidSetting, match=f"the name of a worker {said}"):
        Campaign(["a", "b"], [name])
    with pytest.raises(InvalidSetting, match=said):
        campaign.add_item(name)
    with pytest.raises(InvalidSetting, match=said):
        campaign.add_worker(name)
    with pytest.raises(InvalidSetting, match=said):
        campaign.add_answers([("w", "a", "b", "left"), (name, "a", "b", "left")])
    assert len(campaign.events) == 1


@pytest.mark.parametrize(
    "name", ["a", "0", ".", "ñ", "n\u0303", "\u200bx", "❤\ufe0f", "العربية", "日本", "👩\u200d🚀", "\ue000"]
)
def test_whatever_shows_is_a_name(name):
    assert can_be_seen(name)
    assert Campaign(["other", name]).items == ("other", name)


def test_a_journal_of_before_still_loads_and_goes_on():
    created = Campaign(["a", "b"], ["w"]).events[0]
    old = Campaign.replay([created, ev.ItemAdded("\u200b"), ev.WorkerAdded("\u2060")])
    old.remove_item("\u200b")
    old.add_item("\u200b")
    old.tell(old.ask(worker="\u2060").id, "left")
    assert Campaign.replay(old.events).ranking() == old.ranking()


@pytest.mark.parametrize("kind", [set, frozenset])
def test_names_without_an_order_are_refused(kind):
    """It differs from process to process, and the same seed would ask other questions each time."""
    with pytest.raises(InvalidSetting, match=r"items are in order.*: give sorted\(…\), not a set"):
        Campaign(kind(["a", "b"]))
    with pytest.raises(InvalidSetting, match="workers are in order"):
        Campaign(["a", "b"], kind(["w"]))
    assert Campaign(dict.fromkeys(["b", "a"]).keys()).items == ("b", "a")
