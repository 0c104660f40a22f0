"""Names that cannot be seen are refused wherever they come in, and journals that hold some still load."""

from enum import Enum

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.campaign import events as ev
from nextpair.campaign.names import can_be_seen, heard
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


class Drink(str, Enum):  # noqa: UP042 - as many write it: `str` of a member is "Drink.TEA"
    TEA = "tea"
    MILK = "milk"


class Side(str, Enum):  # noqa: UP042
    LEFT = "left"


def test_a_name_that_is_a_member_of_an_enum_is_the_text_that_it_is():
    campaign = Campaign(Drink, [Drink.MILK], budget=9, guess={Drink.TEA: 2, Drink.MILK: 1})
    campaign.add_item(np.str_("juice"))
    asked = campaign.tell(np.str_(campaign.ask(Drink.MILK).id), Side.LEFT)
    campaign.add_answers([(Drink.MILK, Drink.TEA, "juice", Side.LEFT)])
    assert campaign.items == ("tea", "milk", "juice")
    assert campaign.prob_above(Drink.TEA, Drink.MILK) == campaign.prob_above("tea", "milk")
    said = [campaign.ranking()[0].item, asked.id, asked.choice, campaign.comparisons()[-1].winner]
    assert {type(text) for text in [*campaign.items, *campaign.worker_names, *said]} == {str}
    assert f"{asked.choice}" == "left"
    with pytest.raises(InvalidSetting, match="tea.* is there twice"):
        Campaign(["tea", Drink.TEA])


class Table:
    """As a DataFrame of pandas: to go through it gives the names of its columns."""

    ndim = 2

    def __iter__(self):
        return iter(["item", "mark"])


def test_a_table_is_no_list_of_names():
    for names in ({"items": Table()}, {"items": ["a", "b"], "workers": Table()}):
        with pytest.raises(InvalidSetting, match="are a list of names, not a Table of many columns: give one"):
            Campaign(**names)


class Column:
    """As a Series of pandas with its index: it has keys and is no Mapping."""

    def __init__(self, **values):
        self.values = values

    def keys(self):
        return self.values.keys()

    def __getitem__(self, name):
        return self.values[name]

    def __iter__(self):
        return iter(self.values.values())


def test_what_is_given_by_name_may_be_a_column_with_its_index():
    terms = {"cost": {"w": 2, "v": 3}, "reliability": {"w": (38, 2)}, "times": {"v": 2}, "guess": {"a": 1, "b": 2}}
    columns = {name: Column(**values) for name, values in terms.items()}
    assert Campaign(["a", "b"], ["w", "v"], **columns).events == Campaign(["a", "b"], ["w", "v"], **terms).events


@pytest.mark.parametrize(
    "name",
    [
        "Jose\u0301 Zoe",
        "jos\u00e9  zoe",
        " Jos\u00e9 Zo\u200be",
        "\u202eJos\u00e9\u00a0\uff3aoe",
        "Jos\u00e9\u3164 \ufe0fZoe\x07",
    ],
)
def test_what_looks_alike_is_heard_alike(name):
    assert heard(name) == "jos\u00e9 zoe"


def test_other_names_are_heard_as_others():
    names = ("Zoe", "Zo\u00eb", "Zo e", "Z", "\U0001f984", "\u05d6\u05d5\u05d0\u05d9")
    assert len(set(map(heard, names))) == len(names)
