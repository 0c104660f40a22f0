"""docs/library.md names every public method, parameter, field, error and event as it is, and nothing that is not."""

import dataclasses
import inspect
import pkgutil
import re
from pathlib import Path
from typing import get_args

import pytest

import nextpair
from nextpair import errors
from nextpair.campaign import events
from nextpair.judging.live import LiveQuestion
from nextpair.judging.watching import Watching

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text()
BARE = inspect.Parameter.empty
ROWS = [
    nextpair.Question,
    nextpair.RankingRow,
    nextpair.WorkerRow,
    nextpair.Comparison,
    nextpair.Explanation,
    nextpair.Judged,
    nextpair.Ranking,
    Watching,
    LiveQuestion,
]


def tables(page):
    """The rows of each table by the first cell of its head; those of several with the same head together."""
    found, head = {}, None
    for line in page.splitlines():
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells[0].strip("`")
            found.setdefault(head, [])
        elif not set(line) <= {"|", "-", " "}:
            found[head].append(cells)
    return found


TABLES = tables(PAGE)


def named(head):
    """What the page has of something: the first cell of each row."""
    return sorted(row[0] for row in TABLES[head])


def words(annotation):
    """A type as it is written on the page: without its module."""
    return str(getattr(annotation, "__forward_arg__", annotation)).replace("ev.", "").replace('"', "'")


def bare(function):
    """A signature without types, and without what a method is called of."""
    signature = inspect.signature(function)
    taken = [one.replace(annotation=BARE) for one in signature.parameters.values() if one.name != "self"]
    return signature.replace(parameters=taken, return_annotation=BARE)


def gives(function):
    given = words(inspect.signature(function).return_annotation)
    return "" if given == "None" else f" → `{given}`"


def fields(kind):
    if dataclasses.is_dataclass(kind):
        return {field.name: field.type for field in dataclasses.fields(kind)}
    return {name: kind.__annotations__[name] for name in getattr(kind, "_fields", ())}


def public(kind):
    """All that is public of a class, as the page has it: fields, methods and what is read without brackets."""
    for name, type_ in fields(kind).items():
        yield f"`{name}: {words(type_)}`"
    inherited = {name for base in (tuple, object) if issubclass(kind, base) for name in dir(base)}
    for name in set(dir(kind)) - inherited - set(fields(kind)):
        member = inspect.getattr_static(kind, name)
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"`{name}`{gives(member.fget)}"
        else:
            yield f"`{name}{bare(getattr(kind, name))}`{gives(getattr(kind, name))}"


def test_every_name_of_the_package_is_there():
    assert named("nextpair") == sorted(f"`{name}`" for name in nextpair.__all__)


CALLED = [nextpair.Campaign, nextpair.rank, nextpair.judge, nextpair.draw, nextpair.akg_scores]


@pytest.mark.parametrize("function", CALLED)
def test_every_parameter_is_there_with_its_default(function):
    taken = [f"`{one}`" for one in bare(function).parameters.values()]
    assert named(f"{function.__name__}(…)") == sorted(taken)


def test_every_method_of_a_campaign_is_there_as_it_is_called():
    journal = "`events` → `list[Event]`"  # an attribute of each campaign
    assert nextpair.Campaign(["a", "b"]).events
    assert named("campaign") == sorted([*public(nextpair.Campaign), journal])


@pytest.mark.parametrize("kind", [*ROWS, nextpair.Belief], ids=lambda kind: kind.__name__)
def test_every_field_is_there_with_its_type(kind):
    assert named(kind.__name__) == sorted(public(kind))


def tree(kind):
    yield kind
    for child in kind.__subclasses__():
        yield from tree(child)


def test_every_error_is_there_with_what_it_is():
    # the service and the readers of files have kinds of their own, which are for their own rooms
    defined = {kind for kind in tree(errors.NextpairError) if kind.__module__ == errors.__name__}
    assert {kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)} == defined
    above = {f"`{kind.__name__}`": ", ".join(f"`{base.__name__}`" for base in kind.__bases__) for kind in defined}
    assert {row[0]: row[1] for row in TABLES["error"]} == above


def test_every_event_is_there_with_its_fields():
    kinds = get_args(events.Event)
    written = {
        f"`{kind.__name__}`": ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind)) for kind in kinds
    }
    assert {row[0]: row[1] for row in TABLES["event"]} == written


def test_every_plan_is_of_a_method_that_takes_the_same():
    for row in TABLES["campaign"]:
        if not row[0].startswith("`plan_"):
            continue
        plan = re.match(r"`(\w+)", row[0])[1]
        of = re.findall(r"`(\w+)`", row[1])
        assert of, row
        for name in of:
            assert callable(getattr(nextpair.Campaign, name))
        if len(of) == 1:
            taken = [bare(getattr(nextpair.Campaign, name)) for name in (plan, *of)]
            assert taken[0] == taken[1], plan


def test_errors_that_a_method_raises_exist():
    told = [row[1].partition("Raises ")[2] for row in TABLES["campaign"]]
    raised = {name for said in told for name in re.findall(r"`(\w+)`", said.partition(",")[0])}
    assert "QuestionClosed" in raised
    assert raised <= set(vars(errors))


def test_no_table_is_of_anything_else():
    calls = {"Campaign(…)", "rank(…)", "judge(…)", "draw(…)", "akg_scores(…)"}
    heads = {"nextpair", "campaign", "Belief", "error", "event"}
    assert set(TABLES) == calls | heads | {kind.__name__ for kind in ROWS}
    assert all(TABLES.values())


def test_cells_are_short_enough_for_a_telephone():
    links = re.compile(r"\]\([^)]*\)")
    for head, rows in TABLES.items():
        for row in rows:
            assert all(row[:1]), head
            assert max(len(links.sub("]", cell)) for cell in row) <= 180, row


def documented(kind):
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, property)):
            yield name, inspect.getdoc(member)


@pytest.mark.parametrize("kind", [nextpair.Campaign, nextpair.Belief, *ROWS], ids=lambda kind: kind.__name__)
def test_what_can_be_called_says_what_it_does(kind):
    assert inspect.getdoc(kind)
    assert [name for name, doc in documented(kind) if not doc] == []


def test_names_in_sentences_exist():
    prose = re.sub(r"^```.*?^```", "", PAGE, flags=re.M | re.S)
    named = set(re.findall(r"`(?:nextpair|campaign)\.([\w.]+)", prose))
    assert named >= {"errors", "store.file", "belief"}
    for name in named:
        if hasattr(nextpair.Campaign, name):
            continue
        assert pkgutil.resolve_name(f"nextpair.{name}"), name


def test_tables_are_read_as_they_are_shown():
    page = "| `A` | b |\n| --- | --- |\n| `x: int \\| None` | |\n\n| `A` |\n| --- |\n| `y` |\n\n| c |\n|---|\n"
    assert tables(page) == {"A": [["`x: int | None`", ""], ["`y`"]], "c": []}
