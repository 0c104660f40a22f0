"""Journals that someone edited by hand: what makes no sense is refused, with its line, before it can count."""

import gzip
import json

import pytest

from nextpair import Campaign
from nextpair.campaign.events import decode
from nextpair.campaign.journal import to_line
from nextpair.errors import InvalidFile


@pytest.fixture
def lines():
    campaign = Campaign(["a", "b", "c", "d"], ["w", "v"], budget=9, lease=60, seed=1)
    first, second, third = campaign.ask_batch(3, now=0)
    campaign.tell(first.id, "left")
    campaign.skip(second.id)
    campaign.expire(100)
    assert campaign.question(third.id).status == "expired"
    return [to_line(event) for event in campaign.events]


def load(path, lines):
    path.write_text("".join(lines))
    return Campaign.load(path)


def asked(**changes):
    record = {"event": "Asked", "question": "q9", "worker": "w", "left": "a", "right": "b", "cost": 1.0}
    return json.dumps({name: value for name, value in (record | changes).items() if value != "gone"})


def test_the_journal_itself_is_fine_and_so_are_a_late_answer_and_whole_numbers(tmp_path, lines):
    more = [*lines, '{"event":"Answered","question":"q3","choice":"tie"}\n', asked(cost=2, expires_at=5) + "\n"]
    campaign = load(tmp_path / "c.journal", more)
    assert len(campaign.comparisons()) == 2
    assert campaign.held == 2


def test_what_ran_out_may_be_asked_again_as_it_was_or_skipped_late(tmp_path, lines):
    (third,) = (line for line in lines if '"Asked"' in line and '"q3"' in line)
    assert load(tmp_path / "c.journal", [*lines, third]).held == 1
    late = '{"event":"Skipped","question":"q3"}\n'
    assert load(tmp_path / "d.journal", [*lines, late]).question("q3").status == "skipped"
    other = json.dumps(json.loads(third) | {"left": json.loads(third)["right"], "right": json.loads(third)["left"]})
    for twice in ([third, third], [late, late], [late, third], [other + "\n"]):
        with pytest.raises(InvalidFile, match=r"'q3' (was asked before|is open)"):
            load(tmp_path / "e.journal", [*lines, *twice])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"event":"Answered","question":"q3","choice":"Right"}',
            "one of left, right, tie, much-left, much-right, not 'Right'",
        ),
        (
            '{"event":"Answered","question":"q3","choice":"lefft"}',
            "one of left, right, tie, much-left, much-right, not 'lefft'",
        ),
        ('{"event":"Answered","question":"q3","choice":["left"]}', "one of left, right, tie"),
        ('{"event":"Answered","question":"q9","choice":"left"}', "no question 'q9' was asked"),
        ('{"event":"Answered","question":"q1","choice":"left"}', "'q1' was already answered"),
        ('{"event":"Answered","question":"q2","choice":"left"}', "'q2' was already skipped"),
        ('{"event":"Answered","question":3,"choice":"left"}', "the question of this Answered event is text, not 3"),
        ('{"event":"Skipped","question":"q1"}', "no question 'q1' is open"),
        ('{"event":"Skipped","question":"q9"}', "no question 'q9' is open"),
        ('{"event":"Expired","question":"q3"}', "no question 'q3' is open"),
        ('{"event":"Undone","question":"q2"}', "no question 'q2' is answered"),
        ('{"event":"Undone","question":"q9"}', "no question 'q9' is answered"),
        ('{"event":"Retracted","worker":"z"}', "no worker 'z' takes part"),
        ('{"event":"ItemAdded","item":"a"}', "the item 'a' takes part already"),
        ('{"event":"ItemAdded","item":"\\ud800"}', "the item of this ItemAdded event is text"),
        ('{"event":"WorkerAdded","worker":"w"}', "the worker 'w' takes part already"),
        ('{"event":"WorkerAdded","worker":"z","reliability":[1,0]}', "a pair of positive numbers"),
        ('{"event":"WorkerAdded","worker":"z","reliability":[NaN,1]}', "a pair of positive numbers"),
        ('{"event":"WorkerAdded","worker":"z","reliability":[-4,1]}', "a pair of positive numbers"),
        ('{"event":"WorkerAdded","worker":"z","reliability":[1e308,1e308]}', r"cannot be \(1e\+308, 1e\+308\)"),
        ('{"event":"WorkerAdded","worker":"z","reliability":[1e-300,1]}', r"cannot be \(1e-300, 1\)"),
        ('{"event":"WorkerAdded","worker":"z","quota":1.5}', "a whole number, not 1.5"),
        ('{"event":"CostSet","cost":-1}', "a number that is not negative, not -1"),
        ('{"event":"CostSet","cost":0}', "a cost cannot be 0"),
        ('{"event":"WorkerAdded","worker":"z","cost":0.0}', "a cost cannot be 0"),
        ('{"event":"CostSet","cost":1,"worker":"nobody"}', "no worker 'nobody' takes part"),
        ('{"event":"BudgetSet","budget":"9"}', "a number that is not negative, not '9'"),
        ('{"event":"TargetSet","accuracy":NaN}', "a number, not nan"),
        (asked(question="q1"), "question 'q1' was asked before"),
        (asked(left="z"), "no item 'z' takes part"),
        (asked(right="z"), "no item 'z' takes part"),
        (asked(right="a"), "'a' is compared with itself"),
        (asked(right=["a"]), "the right of this Asked event is text"),
        (asked(worker="z"), "no worker 'z' takes part"),
        (asked(worker="gone"), "names no worker"),
        (asked(worker=5), "the worker of this Asked event is text, not 5"),
        (asked(cost="1.0"), "a number that is not negative, not '1.0'"),
        (asked(cost=True), "not True"),
        (asked(cost=-1.0), "not -1.0"),
        (asked(cost=float("nan")), "not nan"),
        (asked(cost=None), "not None"),
        (asked(expires_at="noon"), "a number, not 'noon'"),
        ('{"event":["Asked"]}', "not an event of a campaign"),
        ("", "line 8 is not a line of a journal: it is empty: take it out$"),
        ("  \r", "line 8 is not a line of a journal: it is empty: take it out$"),
        ("[" * 100_000, "line 8 is not a line of a journal"),
        ("left", "line 8 is not a line of a journal: it begins 'left'$"),
        ('{"event": 1,}', "is not a line of a journal: Illegal trailing comma|Expecting .* at character 1[23]$"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(tmp_path, lines, line, message):
    path = tmp_path / "c.journal"
    with pytest.raises(InvalidFile, match=message) as error:
        load(path, [*lines, line + "\n"])
    assert f"{path}, line 8" in str(error.value)


def test_a_file_of_answers_is_told_from_a_journal(tmp_path):
    path = tmp_path / "my answers.csv"
    path.write_text("worker,left,right,winner\nann,a,b,left\n")
    todo = f"nextpair start NEW.journal --answers '{path}'"
    with pytest.raises(InvalidFile, match=f"begins 'worker,left,right,winner'. If it is a file of answers.*{todo}$"):
        Campaign.load(path)


@pytest.mark.parametrize("copied", range(1, 7))
def test_no_line_of_a_journal_can_be_there_twice(tmp_path, lines, copied):
    with pytest.raises(InvalidFile, match=f"line {copied + 2}: "):
        load(tmp_path / "c.journal", [*lines[: copied + 1], *lines[copied:]])


def test_two_journals_in_one_file_are_refused(tmp_path, lines):
    with pytest.raises(InvalidFile, match="line 8: a second campaign begins here"):
        load(tmp_path / "c.journal", lines + lines)


def test_a_campaign_of_workers_alike_takes_no_worker(tmp_path):
    lines = [to_line(event) for event in Campaign(["a", "b"]).events]
    for line, says in (('{"event":"WorkerAdded","worker":"w"}', "this campaign knows no"), (asked(), "no worker 'w'")):
        with pytest.raises(InvalidFile, match=f"line 2: {says}"):
            load(tmp_path / "c.journal", [*lines, line + "\n"])
    assert load(tmp_path / "c.journal", [*lines, asked(worker="gone") + "\n"]).held == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"items": ["a"]}, "at least 2 items"),
        ({"items": ["a", "a"]}, "each named once"),
        ({"items": "abc"}, "a list of names, not 'abc'"),
        ({"items": None}, "a list of names, not None"),
        ({"items": ["a", 5]}, "a list of names"),
        ({"workers": ["w", "w"]}, "a worker is there twice"),
        ({"forbidden": [["a", "z"]]}, r"\('a', 'z'\) is not of two items"),
        ({"forbidden": [["a", "a"]]}, r"\('a', 'a'\) is not of two items"),
        ({"forbidden": ["ab"]}, "a list of pairs"),
        ({"seed": -1}, "a whole number, not -1"),
        ({"costs": {"w": "1"}}, "from names to prices"),
        ({"costs": [1]}, "from names to prices"),
        ({"costs": {"w": 1.0, "v": 0.0}}, "a cost cannot be 0"),
        ({"cost": 0}, "a cost cannot be 0"),
        ({"reliability": [1e308, 1e308]}, "a reliability cannot be"),
        ({"reliability": [float("nan"), 1]}, "a pair of positive numbers"),
    ],
)
def test_a_first_line_that_makes_no_sense_is_named(tmp_path, lines, changes, message):
    first = json.dumps(json.loads(lines[0]) | changes) + "\n"
    with pytest.raises(InvalidFile, match=f"line 1.*{message}"):
        load(tmp_path / "c.journal", [first, *lines[1:]])


def test_prices_for_some_workers_only_load_as_they_were(tmp_path, lines):
    """Released versions wrote such journals, and meant the cost of the campaign."""
    first = json.dumps(json.loads(lines[0]) | {"costs": {"v": 0.5}}) + "\n"
    assert [row.cost for row in load(tmp_path / "c.journal", [first, *lines[1:]]).workers()] == [1, 0.5]


def test_a_byte_order_mark_is_passed_over(tmp_path, lines):
    whole = load(tmp_path / "c.journal", lines)
    assert load(tmp_path / "d.journal", ["\ufeff", *lines]).events == whole.events
    with pytest.raises(InvalidFile, match="line 2 is not"):
        load(tmp_path / "e.journal", [lines[0], "\ufeff", *lines[1:]])


def test_replay_counts_events(lines):
    events = [decode(json.loads(line)) for line in lines]
    with pytest.raises(InvalidFile, match="event 8: question 'q1' was already answered"):
        Campaign.replay([*events, events[4]])
    with pytest.raises(InvalidFile, match="event 1: a journal begins with a Created"):
        Campaign.replay(events[1:])


def test_an_id_that_somebody_wrote_is_not_given_again(tmp_path, lines):
    campaign = load(tmp_path / "c.journal", [*lines, asked(question="q5") + "\n"])  # q1 to q3 are there
    campaign.set_budget(50)
    given = [campaign.ask("v", now=200).id for _ in range(2)]
    assert "q5" not in given
    campaign.save(tmp_path / "d.journal")
    assert Campaign.load(tmp_path / "d.journal").question("q5").worker == "w"


@pytest.mark.parametrize("moment", ["NaN", "Infinity", "-Infinity"])
def test_a_lease_ends_at_some_time(tmp_path, lines, moment):
    line = asked(expires_at=1.5).replace("1.5", moment)
    with pytest.raises(InvalidFile, match="expires_at"):
        load(tmp_path / "c.journal", [*lines, line + "\n"])


def test_a_last_line_that_lacks_only_its_end_counts(tmp_path):
    """As an editor or a script leaves it; cut anywhere else, it was never written whole, and is passed over."""
    path = tmp_path / "c.journal"
    campaign = Campaign(["a", "b", "é {"], ["w"], budget=9)
    campaign.tell(campaign.ask().id, "left")
    campaign.save(path)
    whole = path.read_bytes()
    for length in range(whole.index(b"\n"), len(whole) + 1):
        path.write_bytes(whole[:length])
        known = (whole[:length] + b"\n").count(b"}\n")
        assert Campaign.load(path).events == campaign.events[:known]
        campaign.save(path)  # which appends what is missing
        assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", ["5", "[]", '"x"', "[" * 100_000, '{"event":"Pau'])
def test_what_is_no_event_is_no_last_line(tmp_path, tail):
    path = tmp_path / "c.journal"
    campaign = Campaign(["a", "b"])
    campaign.save(path)
    whole = path.read_text()
    path.write_text(whole + tail)
    campaign.save(path)
    assert path.read_text() == whole


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("saved_as", [gzip.compress, lambda text: text.decode().encode("utf-16")])
def test_a_journal_that_is_packed_or_in_another_encoding_says_what_to_do(tmp_path, saved_as, end):
    Campaign(["a", "b"]).save(tmp_path / "c.journal")
    packed = saved_as((tmp_path / "c.journal").read_bytes())
    (tmp_path / "other").write_bytes(packed.replace(b"\n", b" ") + end)
    with pytest.raises(InvalidFile, match="other, line 1 is not .* not UTF-8: unpack it if it is packed, or save it"):
        Campaign.load(tmp_path / "other")


@pytest.mark.parametrize("first", [b"winner,loser,worker", b"\x00" * 40, b'{"event":"Paused', b"tea"])
def test_nobody_is_told_to_remove_a_file_that_is_no_journal(tmp_path, first):
    path = tmp_path / "precious"
    path.write_bytes(first)  # one line without an end
    for use in (Campaign.load, Campaign(["a", "b"]).save):
        with pytest.raises(InvalidFile, match="precious, line 1 is not a line of a journal: "):
            use(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("length", [0, 1, 9, 18, 40])
def test_what_an_interrupted_start_left_may_be_removed(tmp_path, length):
    path = tmp_path / "c.journal"
    Campaign(["a", "b"]).save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InvalidFile, match="a start was interrupted: remove the file and start anew"):
        Campaign.load(path)
