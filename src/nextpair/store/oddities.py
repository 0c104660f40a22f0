"""What is odd about answers, in words, or nothing: they are taken all the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from nextpair.campaign.amounts import plural
from nextpair.store.rows import BadRows, look_alikes, shown

if TYPE_CHECKING:
    from nextpair.core.comparisons import Comparisons
    from nextpair.store.comparisons import ComparisonTable

LONG = 120.0  # seconds that a ranking takes from which on it is told before
SOME = 5  # as many are told one by one
WEIGHTS = {"count", "counts", "n", "weight", "weights", "times", "votes", "frequency"}  # columns that may be meant so


def some_of(listed: Iterable[str], between: str = "; ") -> str:
    """The first few, and a sign that there are more."""
    every = list(listed)
    return between.join(every[:SOME] + ["…"] * (len(every) > SOME))


def left_out(name: str, bad: BadRows) -> str:
    """Which rows were."""
    return f"{name}: skipped {plural(bad.count, 'bad row')}\n{bad.listing()}" if bad.count else ""


def counted_twice(what: str, names: Sequence[str], new: Collection[str] | None = None) -> str:
    """Which names may be meant for one: each counts for itself, and what is known of the one is split.

    new: of a campaign that goes on, those who have just joined; of the others it was told before.
    """
    found = [alike for alike in look_alikes(names) if new is None or not set(new).isdisjoint(alike)]
    if not found:
        return ""

    def spelt(alike: list[str]) -> str:
        same = len({normalize("NFKC", name) for name in alike}) < len(alike)  # on a screen: so letters are spelt out
        return " and ".join(ascii(name) if same else shown(name) for name in alike[:SOME])

    listed = some_of(map(spelt, found))
    return f"these look like one {what} but count as several: {listed}. If they are one, spell them alike"


def not_weighed(ignored: Iterable[str]) -> str:
    """That a row counts as one answer where a column seems to say that it stands for many."""
    found = [name for name in ignored if name in WEIGHTS]
    which = f"column {found[0]} is" if len(found) == 1 else f"columns {', '.join(found)} are"
    return f"the {which} not read, and every row is one answer: repeat a row as often as it was given" if found else ""


def slow(told: Comparisons) -> str:
    """What a full posterior takes where that is minutes: somebody asked for it."""
    from nextpair.inference.effort import expected_seconds
    from nextpair.inference.memory import expected_bytes, in_gigabytes

    if (seconds := expected_seconds(told)) <= LONG:
        return ""
    takes = f"some {in_gigabytes(expected_bytes(told.n_items))} of memory and {seconds / 60:,.0f} minutes"
    what = f"the full posterior of {plural(told.n_items, 'item')} and {plural(len(told), 'answer')}"
    return f"{what} takes {takes}. The model auto takes seconds"


def unheard(said: int, by: str) -> str:
    """What becomes of answers that say by how much where that is not made use of."""
    if not said:
        return ""
    told = f"{plural(said, 'answer')} {'says' if said == 1 else 'say'} by how much"
    return f"{told}, and {by} only hears which is better: full-posterior hears both"


def apart(table: ComparisonTable) -> str:
    """Which items no comparison connects: nothing tells how they stand to each other."""
    from nextpair.inference import groups_apart

    groups = groups_apart(table.comparisons)
    if len(groups) == 1:
        return ""
    listed = some_of(f"{plural(len(group), 'item')} with {shown(table.items[group[0]])}" for group in groups)
    return (
        f"{len(groups):,} groups of items were never compared with each other: {listed}. How they "
        "compare is assumed, not known (all are taken to be equally good on the whole): ask about pairs across groups"
    )


def one_sided(table: ComparisonTable) -> str:
    """That nothing tells a better item from a favoured side."""
    from nextpair.inference import shown_the_same_way

    pairs = shown_the_same_way(table.comparisons)
    if not pairs:
        return ""
    names = [shown(name) for name in table.items]
    listed = some_of(f"{names[a]} stood left of {names[b]} in {times:,} of {of:,} answers" for a, b, times, of in pairs)
    return (
        f"{listed}. So a better item cannot be told from a favoured side, and the ranking may be surer than "
        "it should be: from now on, toss a coin for which item stands left"
    )
