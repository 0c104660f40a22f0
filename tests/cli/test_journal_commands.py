"""A campaign from the shell: what a script in another language relies on."""

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from time import sleep

import pytest
from click.testing import CliRunner

from nextpair.campaign.campaign import Campaign
from nextpair.cli import progress
from nextpair.cli.main import COMMANDS, cli
from nextpair.core.kernels.refit import absorb
from program import in_this_process


@pytest.fixture(autouse=True)
def _fast_machine(monkeypatch):
    """Nothing is said of progress, however long the compiler takes."""
    monkeypatch.setattr(progress, "QUIET", 600.0)


def nextpair(*words, cwd, code=0):
    done = in_this_process(*words, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done


def in_python(code, cwd):
    """Run code in a Python of its own."""
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture
def campaign(tmp_path):
    (tmp_path / "items.txt").write_text("a\nb\n\nc <script>\n")
    nextpair(
        "start", "c.journal", "--items", "items.txt", "--item", "d", "--worker", "w", "--budget", "4", cwd=tmp_path
    )
    return tmp_path


def test_who_sets_a_target_is_told_where_it_is_too_early(campaign):
    """The policy stays, and only one that was chosen for a target learns how far apart items are."""
    told = nextpair("change", "c.journal", "--stop-at", "0.9", cwd=campaign).stderr
    assert "closer together than the policy full-posterior assumes, it stops too early" in told
    assert "full-posterior-checked, the default of campaigns started with --stop-at, learns" in told
    items = ("--item", "a", "--item", "b", "--stop-at", "0.9")
    assert nextpair("start", "d.journal", *items, cwd=campaign).stderr == ""
    assert "policy akg" in nextpair("start", "e.journal", *items, "--policy", "akg", cwd=campaign).stderr
    assert nextpair("change", "d.journal", "--stop-at", "0.8", cwd=campaign).stderr == ""
    assert nextpair("change", "c.journal", "--budget", "6", cwd=campaign).stderr == ""  # said once


def test_one_item_stays(tmp_path):
    items = [word for name in "abcdef" for word in ("--item", name)]
    nextpair("start", "s.journal", *items, "--one-stays", cwd=tmp_path)
    asked = [json.loads(nextpair("ask", "s.journal", "--worker", "w", "--json", cwd=tmp_path).stdout) for _ in range(4)]
    pairs = [{question["left"], question["right"]} for question in asked]
    assert all(len(one & next_one) == 1 for one, next_one in pairwise(pairs))


def test_only_the_best_matter(tmp_path):
    items = [word for name in "abcdef" for word in ("--item", name)]
    nextpair("start", "b.journal", *items, "--alike", "--best", "2", cwd=tmp_path)
    question = json.loads(nextpair("ask", "b.journal", "--json", cwd=tmp_path).stdout)
    nextpair("tell", "b.journal", question["id"], "left", cwd=tmp_path)
    shown = json.loads(nextpair("show", "b.journal", "--json", cwd=tmp_path).stdout)
    assert shown["best"] == 2
    assert shown["expected_accuracy"] == pytest.approx(sum(row["prob_best"] for row in shown["ranking"][:2]) / 2)
    words = nextpair("show", "b.journal", cwd=tmp_path).stdout
    assert "of the best 2" in words
    assert f"Expected share of the best 2 found: {shown['expected_accuracy']:.3f}." in words
    refused = nextpair("start", "c.journal", *items, "--best", "6", cwd=tmp_path, code=1)
    assert "best goes from 1 to 5" in refused.stderr
    assert not (tmp_path / "c.journal").exists()


def test_what_is_odd_about_names_and_answers_is_told(tmp_path):
    (tmp_path / "answers.csv").write_text("winner,loser,worker,count\nsouth,north,ann,3\n")
    words = ["--item", "north", "--item", "north ", "--answers", "answers.csv", "--worker", "Ann"]
    told = nextpair("start", "n.journal", *words, cwd=tmp_path).stderr
    assert "these look like one item but count as several: 'north' and 'north '." in told
    assert "these look like one worker but count as several: 'Ann' and 'ann'." in told
    assert "the column count is not read, and every row is one answer" in told
    assert Campaign.load(tmp_path / "n.journal").items == ("north", "north ", "south")


def test_ask_tell_show(campaign):
    first = json.loads(nextpair("ask", "c.journal", "--json", cwd=campaign).stdout)
    assert first["worker"] == "w"
    assert {first["left"], first["right"]} < {"a", "b", "c <script>", "d"}
    told = nextpair("tell", "c.journal", first["id"], "left", cwd=campaign)
    assert "Spent 1 of 4" in told.stdout
    nextpair("tell", "c.journal", first["id"], "left", cwd=campaign)
    again = nextpair("tell", "c.journal", first["id"], "right", cwd=campaign, code=1)
    assert "already answered 'left'" in again.stderr
    batch = json.loads(nextpair("ask", "c.journal", "--worker", "new", "--batch", "2", "--json", cwd=campaign).stdout)
    assert [q["worker"] for q in batch] == ["new", "new"]
    nextpair("tell", "c.journal", batch[0]["id"], "skip", cwd=campaign)
    nextpair("tell", "c.journal", batch[1]["id"], "tie", cwd=campaign)
    nextpair("tell", "c.journal", batch[1]["id"], "undo", cwd=campaign)
    shown = json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)
    assert [row["rank"] for row in shown["ranking"]] == [1, 2, 3, 4]
    assert (shown["spent"], shown["held"]) == (1, 1)
    assert [row["worker"] for row in shown["workers"]] == ["w", "new"]
    text = nextpair("show", "c.journal", "--top", "2", cwd=campaign).stdout
    assert "Expected accuracy" in text
    assert "\x1b" not in text


def test_a_batch_that_is_all_there_is_says_so(campaign):
    assert nextpair("ask", "c.journal", "--batch", "2", "--json", cwd=campaign).stderr == ""
    done = nextpair("ask", "c.journal", "--batch", "9", "--json", cwd=campaign)
    assert len(json.loads(done.stdout)) == 2
    assert done.stderr.startswith("nextpair: 2 questions instead of 9: a batch asks no pair twice, and nothing else")


def test_nothing_to_ask_is_exit_code_3(campaign):
    nextpair("ask", "c.journal", "--batch", "9", cwd=campaign)
    done = nextpair("ask", "c.journal", cwd=campaign, code=3)
    assert "4 held by 4 open questions" in done.stderr


def test_a_budget_that_ran_out_can_be_raised(campaign):
    nextpair("ask", "c.journal", "--batch", "9", cwd=campaign)
    done = nextpair("ask", "c.journal", cwd=campaign, code=3)
    assert "nextpair change --budget" in done.stderr
    changed = nextpair("change", "c.journal", "--budget", "6", "--stop-at", "0.5", cwd=campaign).stdout
    assert changed == "c.journal: budget 6, 0 spent, 4 held. Stops at an expected accuracy of 0.5.\n"
    assert "nextpair change --stop-at" in nextpair("ask", "c.journal", cwd=campaign, code=3).stderr
    assert nextpair("change", "c.journal", "--stop-at", "none", cwd=campaign).stderr == ""
    nextpair("ask", "c.journal", cwd=campaign)
    changed = nextpair("change", "c.journal", "--budget", "none", cwd=campaign).stdout
    assert changed == "c.journal: budget no limit, 0 spent, 5 held. Stops never.\n"


def test_a_pause_ends_with_resume(campaign):
    question = json.loads(nextpair("ask", "c.journal", "--json", cwd=campaign).stdout)["id"]
    assert nextpair("change", "c.journal", "--pause", cwd=campaign).stdout.endswith(" The campaign is paused.\n")
    assert "nextpair change --resume" in nextpair("ask", "c.journal", cwd=campaign, code=3).stderr
    nextpair("tell", "c.journal", question, "left", cwd=campaign)
    assert json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)["phase"] == "paused"
    assert nextpair("show", "c.journal", cwd=campaign).stdout.split()[-4:] == ["The", "campaign", "is", "paused."]
    changed = nextpair("change", "c.journal", "--resume", "--budget", "5", cwd=campaign).stdout
    assert changed == "c.journal: budget 5, 1 spent, 0 held. Stops never.\n"
    nextpair("ask", "c.journal", cwd=campaign)


def test_a_change_is_told_when_it_is_on_the_disk_and_not_before(campaign):
    size = (campaign / "c.journal").stat().st_size
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "sys.argv = ['nextpair', 'change', 'c.journal', '--budget', '77']\n"
        "from nextpair.cli.main import main; main()"
    )
    done = in_python(code, campaign)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot write the journal" in done.stderr


def test_money_is_told_to_the_cent_however_much_it_is(tmp_path):
    begun = ("--item", "a", "--item", "b", "--worker", "w", "--cost", "12345.67", "--budget", "1234567.89")
    nextpair("start", "d.journal", *begun, cwd=tmp_path)
    nextpair("ask", "d.journal", cwd=tmp_path)
    assert nextpair("tell", "d.journal", "q1", "tie", cwd=tmp_path).stdout == "q1: tie. Spent 12345.67 of 1234567.89.\n"
    shown = " ".join(nextpair("show", "d.journal", cwd=tmp_path).stdout.split())
    assert shown.endswith("Budget: 12345.67 spent, 0 held, 1222222.22 left of 1234567.89.")
    refused = nextpair("change", "d.journal", "--budget", "12345.66", cwd=tmp_path, code=1).stderr
    assert "the budget cannot be 12345.66: 12345.67 is spent" in refused
    changed = nextpair("change", "d.journal", "--budget", "20000.01", "--add-item", "c", cwd=tmp_path).stdout
    assert changed.startswith("d.journal: budget 20000.01, 12345.67 spent, 0 held.")
    done = nextpair("ask", "d.journal", cwd=tmp_path, code=3).stderr
    assert "of the budget of 20000.01, 12345.67 is spent, and one more answer costs 12345.67" in done


def test_a_budget_below_the_price_of_an_answer_is_said(campaign):
    nextpair("start", "d.journal", "--item", "a", "--item", "b", "--alike", "--budget", "0.5", cwd=campaign)
    done = nextpair("ask", "d.journal", cwd=campaign, code=3)
    assert " is spent, and one more answer costs 1: raise the budget" in done.stderr
    assert "skip" not in done.stderr


def test_without_workers_the_next_step_says_how_one_joins(campaign):
    words = ("--item", "a", "--item", "b")
    assert nextpair("start", "d.journal", *words, cwd=campaign).stdout.endswith("ask d.journal --worker NAME\n")
    assert "nextpair ask --worker NAME" in nextpair("ask", "d.journal", cwd=campaign, code=3).stderr
    nextpair("ask", "d.journal", "--worker", "ann", cwd=campaign)
    assert nextpair("start", "e.journal", *words, "--alike", cwd=campaign).stdout.endswith("ask e.journal\n")


def test_an_item_a_line_whatever_is_in_it(tmp_path):
    names = ["a\u2028b", "c\x85d", "e\x0cf", "g h"]
    (tmp_path / "items.txt").write_bytes("\ufeff".encode() + "\r\n".join([*names, "", " "]).encode())
    nextpair("start", "c.journal", "--items", "items.txt", "--alike", cwd=tmp_path)
    shown = json.loads(nextpair("show", "c.journal", "--json", cwd=tmp_path).stdout)
    assert sorted(row["item"] for row in shown["ranking"]) == names


def test_a_users_mistakes_get_one_line(campaign):
    for words, code, message in [
        (("ask", "none.journal"), 1, "no such file"),
        (("start", "c.journal", "--item", "a", "--item", "b"), 1, "exists already"),
        (("start", "d.journal", "--item", "a"), 1, "at least 2 items"),
        (("start", "d.journal", "--items", "none.txt"), 1, "none.txt"),
        (("start", "d.journal", "--item", "a", "--item", "b", "--policy", "magic"), 1, "choose auto or one of akg"),
        (("start", "d.journal", "--item", "a", "--item", "b", "--stop-at", "2"), 1, "between 0.5 and 1"),
        (("tell", "c.journal", "q9", "left"), 1, "'q9'"),
        (("tell", "c.journal", "q9", "up"), 2, "'up' is not one of"),
        (("show", "items.txt"), 1, "line 1"),
        (("change", "c.journal"), 2, "--add-item, --remove-item, --retract, --pause or --resume"),
        (("change", "c.journal", "--budget", "much"), 2, "'much' is neither a number nor none"),
        (("change", "c.journal", "--budget", "-1"), 1, "cannot be -1"),
        (("change", "c.journal", "--stop-at", "nan"), 1, "must be a number, not nan"),
        (("ask", "c.journal", "--worker", b"\xff"), 1, "UTF-8 can hold"),
        (("dance",), 2, "The commands are"),
    ]:
        done = nextpair(*words, cwd=campaign, code=code)
        assert message in done.stderr, words


@pytest.mark.parametrize(
    "words",
    [
        ["--worker", "ann"],
        ["--workers", "items.txt"],
        ["--cost-of", "w", "2"],
        ["--reliability-of", "w", "9", "1"],
        ["--quota", "3"],
        ["--one-stays"],
    ],
)
def test_who_is_not_told_apart_has_no_terms(campaign, words):
    done = nextpair("start", "x.journal", "--items", "items.txt", "--alike", *words, cwd=campaign, code=2)
    assert f"--alike knows no workers: leave it out, or {words[0]}\n" in done.stderr
    assert not (campaign / "x.journal").exists()


@pytest.mark.parametrize(
    "words", [["--cost-of", "w", "0.5"], ["--reliability-of", "w", "9", "1"], ["--times-of", "w", "2"]]
)
def test_what_is_said_of_a_worker_is_said_once(campaign, words):
    more = ["--cost-of", "v", "1", *words, words[0], "w", *["7"] * (len(words) - 2)]
    done = nextpair("start", "x.journal", "--items", "items.txt", *more, cwd=campaign, code=2)
    assert f"{words[0]} names 'w' twice: leave one\n" in done.stderr
    assert not (campaign / "x.journal").exists()


def test_a_price_is_changed_to_one(campaign):
    before = (campaign / "c.journal").read_bytes()
    prices = ["--cost-of", "w", "0.5", "--cost-of", "w", "5"]
    assert "--cost-of names 'w' twice" in nextpair("change", "c.journal", *prices, cwd=campaign, code=2).stderr
    assert (campaign / "c.journal").read_bytes() == before


def test_a_campaign_of_workers_alike(campaign):
    nextpair("start", "x.journal", "--item", "a", "--item", "b", "--alike", "--stop-at", "0.9", cwd=campaign)
    text = nextpair("ask", "x.journal", cwd=campaign).stdout
    assert "nextpair tell x.journal q1" in text
    done = nextpair("ask", "x.journal", "--worker", "w", cwd=campaign, code=1)
    assert "workers=[] (on the command line: without --alike)" in done.stderr


def test_help_and_version_answer_without_the_heavy_parts(tmp_path):
    code = (
        "import sys; from nextpair.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'numba', 'rich', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = in_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in COMMANDS)
    version = CliRunner().invoke(cli, ["--version"])
    assert version.output.startswith("nextpair, version 0.")


def test_an_answer_is_told_without_the_heavy_parts(campaign):
    question = json.loads(nextpair("ask", "c.journal", "--json", cwd=campaign).stdout)["id"]
    code = (
        "import sys; from nextpair.cli.main import cli\n"
        f"cli(['tell', 'c.journal', '{question}', 'left'], standalone_mode=False)\n"
        "heavy = {'scipy', 'numba', 'rich', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = in_python(code, campaign)
    assert done.returncode == 0, done.stderr
    assert f"{question}: left." in done.stdout


@pytest.mark.parametrize(
    ("package", "words", "said"),
    [
        ("numba", ["rank", "some.csv"], "this needs the package numba: pip install 'nextpair[all]'"),
        ("matplotlib", ["demo", "--figure", "x.png"], "drawing x.png needs matplotlib: pip install 'nextpair[lab]'"),
    ],
)
def test_a_missing_part_is_named_with_its_remedy_before_anything_is_done(tmp_path, package, words, said):
    code = (
        f"import sys; sys.modules[{package!r}] = None; sys.argv = {['nextpair', *words]}\n"
        "from nextpair.cli.main import main; main()"
    )
    done = in_python(code, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"nextpair: {said}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert "Usage" in result.output


def test_shell_completion():
    done = subprocess.run(
        [sys.executable, "-c", "from nextpair.cli.main import cli; cli(prog_name='nextpair')"],
        env={"_NEXTPAIR_COMPLETE": "bash_complete", "COMP_WORDS": "nextpair sh", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "plain,show"


def test_a_campaign_goes_on_where_a_file_of_answers_ends(tmp_path):
    (tmp_path / "past.csv").write_text("worker,left,right,winner\nann,a,b,left\nben,b,c,tie\nann,c,a,a\n")
    start = ("start", "p.journal", "--answers", "past.csv", "--item", "d", "--item", "a", "--budget", "2")
    nextpair(*start, "--cost", "0.5", "--cost-of", "expert", "2", cwd=tmp_path)
    shown = json.loads(nextpair("show", "p.journal", "--json", cwd=tmp_path).stdout)
    assert {row["item"] for row in shown["ranking"]} == {"a", "b", "c", "d"}
    assert shown["ranking"][0]["item"] == "a"
    assert {row["worker"]: (row["answers"], row["cost"]) for row in shown["workers"]} == {
        "expert": (0, 2),
        "ann": (2, 0.5),
        "ben": (1, 0.5),
    }
    assert shown["spent"] == 0
    assert {row["leaning"] for row in shown["workers"]} == {0.5}
    asked = nextpair("ask", "p.journal", "--worker", "ben", "--worker", "new", "--batch", "4", "--json", cwd=tmp_path)
    assert {q["worker"] for q in json.loads(asked.stdout)} <= {"ben", "new"}
    assert {q["cost"] for q in json.loads(asked.stdout)} == {0.5}


def test_bad_rows_of_a_file_of_answers_can_be_left_out(tmp_path):
    (tmp_path / "past.csv").write_text("winner,loser,worker\na,b,w\na,a,w\n")
    start = ("start", "p.journal", "--answers", "past.csv")
    assert "leave bad rows out with --skip-bad" in nextpair(*start, cwd=tmp_path, code=1).stderr
    done = nextpair(*start, "--skip-bad", cwd=tmp_path)
    assert "skipped 1 bad row\n  line 3: item 'a' is compared with itself" in done.stderr
    assert len(Campaign.load(tmp_path / "p.journal").comparisons()) == 1


@pytest.mark.parametrize(
    ("header", "rows", "shown"),
    [
        ("left,right,winner", ["a,b,left", "b,a,right"], [True, True]),
        ("winner,loser", ["a,b", "a,b"], [False, False]),
        ("winner,loser,left", ["a,b,a", "a,c,", "a,b,b"], [True, False, True]),
    ],
)
def test_a_journal_says_which_earlier_answers_were_shown_so(tmp_path, header, rows, shown):
    (tmp_path / "past.csv").write_text(f"worker,{header}\n" + "".join(f"ann,{row}\n" for row in rows))
    nextpair("start", "p.journal", "--answers", "past.csv", cwd=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "p.journal").read_text().splitlines()]
    assert [line.get("as_shown", False) for line in lines if line["event"] == "Asked"] == shown


def test_export_gives_the_answers_that_count_as_a_file_of_comparisons(tmp_path):
    made = Campaign(["=a", "b, ä", "c"], ["ann", "ben"])
    made.add_answers([("ann", "=a", "b, ä", "left"), ("ben", "b, ä", "c", "left")])
    made.add_answers([("ann", "c", "=a", "much-right"), ("ann", "b, ä", "c", "tie")], as_shown=True)
    made.retract("ben")
    made.save(tmp_path / "e.journal")
    text = nextpair("export", "e.journal", cwd=tmp_path).stdout
    assert text.splitlines() == [
        "question,worker,winner,loser,tie,left,much",
        'q1,ann,\'=a,"b, ä",False,,False',
        "q3,ann,'=a,c,False,c,True",
        'q4,ann,"b, ä",c,True,"b, ä",False',
    ]
    (tmp_path / "answers.csv").write_text(text)
    nextpair("start", "again.journal", "--answers", "answers.csv", cwd=tmp_path)
    again = Campaign.load(tmp_path / "again.journal").comparisons()
    assert [(c.winner, c.loser, c.tie, c.much) for c in again] == [
        (c.winner, c.loser, c.tie, c.much) for c in made.comparisons()
    ]


def test_an_export_of_workers_who_are_alike_can_be_ranked(tmp_path):
    made = Campaign(["a", "b", "c"])
    made.add_answers([(None, "a", "b", "left"), (None, "b", "c", "left")])
    made.save(tmp_path / "e.journal")
    assert nextpair("export", "e.journal", cwd=tmp_path).stdout.splitlines()[0] == "question,winner,loser,tie,left,much"
    (tmp_path / "answers.csv").write_text(nextpair("export", "e.journal", cwd=tmp_path).stdout)
    ranked = json.loads(nextpair("rank", "answers.csv", "--json", cwd=tmp_path).stdout)
    assert [row["item"] for row in ranked["ranking"]] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"event":"Created","items":["a","b"]}\n', "is a journal: nextpair show ranks it, and nextpair export"),
        ('{"first": "a", "second": "b", "winner": "a"}\n', "has the fields 'first,second,winner': name"),
        ('[\n {"left": "a"}]\n', "has the fields 'left': name the columns left,right,winner[,worker][,much] or"),
        ('["a", "b"]\n', "is JSON, but neither an object a line nor an array of objects"),
    ],
)
def test_what_is_no_file_of_comparisons_is_called_by_its_name(tmp_path, content, said):
    (tmp_path / "other").write_text(content)
    assert nextpair("rank", "other", cwd=tmp_path, code=1).stderr.startswith(f"nextpair: other {said}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\nb\n".encode("utf-16"), "list is UTF-16 text: save it as CSV in UTF-8"),
        ("a\r\ncafé\r\n".encode("cp1252"), "list, line 2 is not UTF-8: save the file as text in UTF-8"),
        (b"PK\x03\x04...", "list is a zip archive or a spreadsheet: save the table as CSV in UTF-8"),
        (b"\nworker,left,right,winner\nann,a,b,left\n", "list is a file of answers: give it as --answers. {takes}"),
        (b'"Winner";"Loser"\na;b\nb;c\n', "list is a file of answers: give it as --answers. {takes}"),
        (b"id,model_a,model_b,winner\n1,a,b,tie\n", "list is a file of answers: give it as --answers. {takes}"),
        (b'{"left": "a", "right": "b", "winner": "b"}\n', "list is a file of answers: give it as --answers. {takes}"),
        (b'[{"winner": "a", "loser": "b"}]', "list is a file of answers: give it as --answers. {takes}"),
        (b'{"event":"Created"}\n{"event":"Paused"}\n', "list is a journal. {takes}; --workers-from takes a journal"),
    ],
)
def test_a_list_that_is_something_else_is_called_by_its_name(tmp_path, content, said):
    (tmp_path / "list").write_bytes(content)
    for what in ("item", "worker"):
        done = nextpair("start", "c.journal", f"--{what}s", "list", cwd=tmp_path, code=1)
        assert done.stderr == f"nextpair: {said.format(takes=f'--{what}s takes one {what} a line')}\n"


def test_a_list_is_taken_as_a_file_of_answers_is_packed_and_from_standard_input(tmp_path):
    (tmp_path / "items.gz").write_bytes(gzip.compress(b"a\rb\r"))
    start = ["start", "c.journal", "--items", "items.gz", "--workers", "-"]
    in_a_shell(*start, cwd=tmp_path, stdout=subprocess.DEVNULL, input=b"ann\nben\n")
    campaign = Campaign.load(tmp_path / "c.journal")
    assert (campaign.items, campaign.worker_names) == (("a", "b"), ("ann", "ben"))


def test_answers_of_nobody_are_for_workers_who_are_alike(tmp_path):
    (tmp_path / "past.csv").write_text("winner,loser,rater\na,b,gpt\nb,c,gpt\n")
    done = nextpair("start", "p.journal", "--answers", "past.csv", cwd=tmp_path, code=1)
    assert "no column is called worker or judge (ignored: 'rater'). Name it so, or give --alike" in done.stderr
    piped = CliRunner().invoke(cli, ["start", "p.journal", "--answers", "-"], input="winner,loser\na,b\n")
    said = "standard input does not say who answered: no column is called worker or judge."
    assert str(piped.exception).startswith(said)
    nextpair("start", "p.journal", "--answers", "past.csv", "--alike", cwd=tmp_path)
    assert json.loads(nextpair("ask", "p.journal", "--json", cwd=tmp_path).stdout)["id"] == "q3"


def test_items_join_and_workers_leave(campaign):
    nextpair("tell", "c.journal", "q1", "left", cwd=campaign, code=1)
    nextpair("change", "c.journal", "--add-item", "e", "--add-item", "f", "--retract", "w", cwd=campaign)
    shown = json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)
    assert len(shown["ranking"]) == 6
    assert shown["workers"][0]["status"] == "retracted"
    done = nextpair("change", "c.journal", "--add-item", "g", "--retract", "nobody", cwd=campaign, code=1)
    assert "'nobody'" in done.stderr
    assert len(json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)["ranking"]) == 6


def test_who_joins_under_nearly_the_name_of_another_is_told(campaign):
    """A slip of the keyboard splits what is known of a worker in two, and it is told while that can be mended."""
    asked = nextpair("ask", "c.journal", "--worker", "W", "--json", cwd=campaign)
    told = "nextpair: these look like one worker but count as several: 'w' and 'W'. If they are one, spell them alike\n"
    assert (json.loads(asked.stdout)["worker"], asked.stderr) == ("W", told)
    assert nextpair("ask", "c.journal", "--worker", "W", "--worker", "v", cwd=campaign).stderr == ""
    added = nextpair("change", "c.journal", "--add-item", "A", cwd=campaign).stderr
    assert added == told.replace("worker", "item").replace("'w' and 'W'", "'a' and 'A'")
    assert nextpair("change", "c.journal", "--add-item", "e", cwd=campaign).stderr == ""


def test_items_leave_and_come_back(campaign):
    nextpair("change", "c.journal", "--remove-item", "b", cwd=campaign)
    shown = json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)
    assert (shown["removed"], len(shown["ranking"])) == (["b"], 3)
    assert "Removed: b" in nextpair("show", "c.journal", cwd=campaign).stdout
    assert "'x'" in nextpair("change", "c.journal", "--remove-item", "x", cwd=campaign, code=1).stderr
    nextpair("change", "c.journal", "--remove-item", "a", cwd=campaign)
    assert "Removed: a, b" in nextpair("show", "c.journal", cwd=campaign).stdout
    nextpair("change", "c.journal", "--add-item", "a", "--add-item", "b", cwd=campaign)
    shown = json.loads(nextpair("show", "c.journal", "--json", cwd=campaign).stdout)
    assert (shown["removed"], len(shown["ranking"])) == ([], 4)


def test_workers_come_back(tmp_path):
    items = [word for name in "abcdef" for word in ("--item", name)]
    crowd = [word for name in ("ann", "ada", "ben") for word in ("--worker", name)]
    nextpair("start", "old.journal", *items, *crowd, cwd=tmp_path)
    old = Campaign.load(tmp_path / "old.journal")
    for turn in range(18):
        question = old.ask(worker=["ann", "ada", "ben"][turn % 3])
        right = question.left < question.right or (question.worker == "ben" and turn % 2 == 0)
        old.tell(question.id, "left" if right else "right")
    old.save(tmp_path / "old.journal")
    more = ["--worker", "ben", "--worker", "new", "--cost-of", "ann", "2.5", "--cost-of", "dan", "3"]
    nextpair("start", "new.journal", *items, "--workers-from", "old.journal", *more, cwd=tmp_path)
    new = Campaign.load(tmp_path / "new.journal")
    assert new.reliabilities() == old.reliabilities()
    costs = {name: new.terms(name)[1] for name in new.worker_names}
    assert costs == {"ann": 2.5, "ada": 1.0, "ben": 1.0, "new": 1.0, "dan": 3.0}
    shown = nextpair("show", "new.journal", cwd=tmp_path).stdout
    assert [name for name in costs if f"{name} (known)" in shown] == ["ann", "ada", "ben"]


def test_workers_come_back_from_several_campaigns(tmp_path):
    items = ["a", "b", "c", "d"]
    first = Campaign(items, workers=["ann", "ben", "cho", "dan", "flo"], seed=1)
    second = Campaign(items, workers=["ann", "ben", "cho", "eve"], seed=2)
    for campaign, names in ((first, ["ann", "ben", "cho", "dan"]), (second, ["ann", "cho", "eve"])):
        for worker in names * 3:
            question = campaign.ask(worker=worker)
            campaign.tell(question.id, "left" if question.left < question.right else "right")
    second.retract("cho")
    first.save(tmp_path / "first.journal")
    second.save(tmp_path / "second.journal")
    both = ("--workers-from", "first.journal", "--workers-from", "second.journal")
    nextpair("start", "new.journal", "--item", "x", "--item", "y", *both, cwd=tmp_path)
    # ben gave no answer in the second, where nothing was known of him; cho was retracted there; flo never answered
    before, after = first.reliabilities(), second.reliabilities()
    expected = {"ann": after["ann"], "ben": before["ben"], "dan": before["dan"], "eve": after["eve"]}
    new = Campaign.load(tmp_path / "new.journal")
    assert new.reliabilities() == expected
    assert new.worker_names == ("ann", "ben", "dan", "flo", "eve")
    assert [row.worker for row in new.workers() if not row.known] == ["flo"]


def test_who_is_not_known_cannot_come_back(tmp_path):
    items = ("--item", "a", "--item", "b")
    nextpair("start", "alike.journal", *items, "--alike", cwd=tmp_path)
    done = nextpair("start", "n.journal", *items, "--workers-from", "alike.journal", cwd=tmp_path, code=1)
    assert "alike.journal knows no workers" in done.stderr
    done = nextpair("start", "n.journal", *items, "--workers-from", "gone.journal", cwd=tmp_path, code=1)
    assert "gone.journal" in done.stderr
    assert "--answers" not in done.stderr
    (tmp_path / "answers.csv").write_text("worker,left,right,winner\nann,a,b,left\n")
    done = nextpair("start", "n.journal", *items, "--workers-from", "answers.csv", cwd=tmp_path, code=1)
    assert "make a journal of it first: nextpair start NEW.journal --answers answers.csv" in done.stderr
    done = nextpair("start", "n.journal", *items, "--alike", "--workers-from", "alike.journal", cwd=tmp_path, code=2)
    assert "leave it out, or --workers-from" in done.stderr
    assert not (tmp_path / "n.journal").exists()


def in_a_shell(*words, cwd, **process):
    line = [sys.executable, "-m", "nextpair.cli.main", *words]
    return subprocess.run(line, cwd=cwd, stderr=subprocess.PIPE, timeout=300, check=False, **process)


def test_what_standard_output_cannot_hold_is_spelt_out(tmp_path):
    """A pipe or a file on Windows takes the letters of one country, and the question is asked by then."""
    nextpair("start", "c.journal", "--item", "café ☕", "--item", "日本 🙂", "--worker", "Zoë", cwd=tmp_path)
    narrow = {
        "cwd": tmp_path,
        "stdout": subprocess.PIPE,
        "env": {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    }
    asked = in_a_shell("ask", "c.journal", "--json", **narrow)
    assert asked.returncode == 0, asked.stderr
    question = json.loads(asked.stdout)
    assert {question["left"], question["right"]} == {"café ☕", "日本 🙂"}
    shown = in_a_shell("show", "c.journal", **narrow)
    assert shown.returncode == 0, shown.stderr
    table = shown.stdout.decode("cp1252")
    assert "café \\u2615" in table
    assert "--o--" in table


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["tell", "c.journal", "q1", "left"], ["show", "c.journal"], ["export", "c.journal"]])
def test_a_full_disk_under_the_output_is_one_line_and_the_answer_is_kept(campaign, words):
    nextpair("ask", "c.journal", cwd=campaign)
    with open("/dev/full", "w") as full:
        done = in_a_shell(*words, cwd=campaign, stdout=full)
    assert done.returncode == 1
    *slow, said = done.stderr.splitlines()
    assert said == b"nextpair: cannot print: no space left on device"
    assert all(line.startswith(b"nextpair: reading c.journal") for line in slow)
    if words[0] == "tell":
        assert Campaign.load(campaign / "c.journal").question("q1").choice == "left"


@pytest.mark.parametrize("columns", ["", "80", "120", "160"])
def test_long_names_are_whole_beside_the_chance_to_be_the_best(tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    teams = ["Team Sunflower: solar irrigation", "Team Sunflower: drone seeding", "Team Moon"]
    items = [word for team in teams for word in ("--item", team)]
    nextpair("start", "b.journal", *items, "--worker", "w", "--best", "1", cwd=tmp_path)
    table = nextpair("show", "b.journal", cwd=tmp_path).stdout
    assert all(f"  {team}  " in table for team in teams)
    assert "…" not in table
    assert {"score", "of the best"} <= set(re.split(r"\s{2,}", table.splitlines()[0]))


@pytest.mark.parametrize("best", [None, 1])
@pytest.mark.parametrize("columns", ["20", "40", "60"])
def test_a_narrow_screen_cuts_no_number(tmp_path, monkeypatch, columns, best):
    campaign = Campaign(["tea", "rum", "gin"], ["ann", "ben"], best=best)
    for question in campaign.ask_batch(3):
        campaign.tell(question.id, "left")
    campaign.save(tmp_path / "n.journal")
    wide = nextpair("show", "n.journal", cwd=tmp_path).stdout
    monkeypatch.setenv("COLUMNS", columns)
    narrow = nextpair("show", "n.journal", cwd=tmp_path).stdout
    assert "…" not in narrow
    assert {"rank", "item", "score", "worker", "reliability", "answers"} <= set(narrow.split())
    numbers = [set(re.findall(r"-?\d+\.\d+", shown)) for shown in (narrow, wide)]
    assert len(numbers[0]) > 4
    assert numbers[0] <= numbers[1]


def test_show_tells_the_target_and_whether_it_is_reached(tmp_path):
    campaign = Campaign(["a", "b"], ["ann"])
    campaign.tell(campaign.ask().id, "much-left")
    campaign.save(tmp_path / "t.journal")
    assert "wanted" not in nextpair("show", "t.journal", cwd=tmp_path).stdout
    for target, reached in ((0.95, False), (0.6, True)):
        nextpair("change", "t.journal", "--stop-at", str(target), cwd=tmp_path)
        shown = " ".join(nextpair("show", "t.journal", cwd=tmp_path).stdout.split())
        assert f" of {target:g} wanted{', which is reached' if reached else ''}. Budget" in shown
        told = json.loads(nextpair("show", "t.journal", "--json", cwd=tmp_path).stdout)
        assert (told["target_accuracy"], told["target_reached"]) == (target, reached)


@pytest.mark.parametrize("words", [(), ("--json",), ("--top", "2")])
def test_show_draws_a_figure_besides_and_shows_the_same(campaign, words):
    plain = nextpair("show", "c.journal", *words, cwd=campaign)
    drawn = nextpair("show", "c.journal", *words, "--figure", "c.png", cwd=campaign)
    assert drawn.stdout == plain.stdout
    assert drawn.stderr == "nextpair: wrote c.png\n"
    assert (campaign / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words",
    [("show",), ("export",), ("ask", "--batch", "4"), ("tell", "q1", "left"), ("change", "--budget", "9"), ("start",)],
)
def test_who_waits_for_a_long_journal_is_told_what_for(campaign, monkeypatch, words):
    nextpair("ask", "c.journal", cwd=campaign)
    assert nextpair("show", "c.journal", cwd=campaign).stderr == ""
    monkeypatch.setattr(progress, "QUIET", -1.0)
    monkeypatch.setattr(progress, "BETWEEN", 0.02)
    load = Campaign.load
    monkeypatch.setattr(Campaign, "load", lambda path: (sleep(0.5), load(path))[1])
    if words == ("start",):
        nextpair("tell", "c.journal", "q1", "left", cwd=campaign)
        given = ("--item", "x", "--item", "y", "--workers-from", "c.journal")
        told, what = nextpair("start", "new.journal", *given, cwd=campaign), "reading what new.journal begins with"
    else:
        command, *rest = words
        told, what = nextpair(command, "c.journal", *rest, cwd=campaign), "reading c.journal"
    assert f"nextpair: {what}{' and choosing 4 questions' if 'ask' in words else ''}" in told.stderr


def test_a_long_fold_lets_others_speak():
    """Numba holds the lock of the interpreter unless it is told not to, and then nobody can say what is going on."""
    assert absorb.targetoptions["nogil"]


def test_a_command_that_is_told_to_be_copied_works_as_it_stands(tmp_path):
    items = ("--item", "a", "--item", "b", "--alike")
    told = nextpair("start", "my jury's.journal", *items, cwd=tmp_path).stdout
    ask = shlex.split(told.partition("Next: nextpair ")[2])
    told = nextpair(*ask, cwd=tmp_path).stdout
    *tell, answers = shlex.split(told.partition("Answer with: nextpair ")[2])
    nextpair(*tell, answers.split("|")[0], cwd=tmp_path)
    (tmp_path / "my answers.csv").write_text("worker,left,right,winner\nann,a,b,left\n")
    words = ("--item", "a", "--item", "b", "--workers-from", "my answers.csv")
    told = nextpair("start", "n.journal", *words, cwd=tmp_path, code=1).stderr
    nextpair(*shlex.split(told.partition("first: nextpair ")[2]), cwd=tmp_path)


@pytest.mark.parametrize("option", ["item", "worker"])
def test_a_name_that_cannot_be_seen_is_refused_with_its_line(tmp_path, option):
    (tmp_path / "names.txt").write_text("a\r\n\n  \nb\n \u200b\u2060 \nc\n", encoding="utf-8")
    two = ("--item", "x", "--item", "y")
    told = nextpair("start", "n.journal", *two, f"--{option}s", "names.txt", cwd=tmp_path, code=1).stderr
    assert f"names.txt, line 5: the {option} '\\u200b\\u2060' cannot be seen" in told
    assert "'\\u200b'" in nextpair("start", "n.journal", *two, f"--{option}", "\u200b", cwd=tmp_path, code=1).stderr
    assert not (tmp_path / "n.journal").exists()
    nextpair("start", "n.journal", *two, cwd=tmp_path)
    assert "'\\u3164'" in nextpair("ask", "n.journal", "--worker", "\u3164", cwd=tmp_path, code=1).stderr
    assert "' '" in nextpair("change", "n.journal", "--add-item", " ", cwd=tmp_path, code=1).stderr
    assert Campaign.load(tmp_path / "n.journal").worker_names == ()


def test_what_a_policy_does_not_hear_is_told(tmp_path):
    (tmp_path / "answers.csv").write_text("winner,loser,worker,much\na,b,ann,1\nb,c,ann,0\nc,d,ben,1\n")
    lost = "2 answers say by how much, and the policy akg only hears which is better: full-posterior hears both"
    started = nextpair("start", "akg.journal", "--answers", "answers.csv", "--policy", "akg", cwd=tmp_path)
    assert started.stderr == f"nextpair: {lost}\n"
    assert f"{lost}." in " ".join(nextpair("show", "akg.journal", cwd=tmp_path).stdout.split())
    assert json.loads(nextpair("show", "akg.journal", "--json", cwd=tmp_path).stdout)["much_unheard"] == 2
    assert nextpair("start", "full.journal", "--answers", "answers.csv", cwd=tmp_path).stderr == ""
    assert "by how much" not in nextpair("show", "full.journal", cwd=tmp_path).stdout
    assert nextpair("rank", "answers.csv", cwd=tmp_path).stderr == ""
    ranked = nextpair("rank", "answers.csv", "--model", "bradley-terry-map", cwd=tmp_path).stderr
    assert "2 answers say by how much, and the model bradley-terry-map only hears which is better" in ranked


def test_open_questions_can_be_found_again(tmp_path):
    items = [word for name in "abcdef" for word in ("--item", name)]
    nextpair("start", "o.journal", *items, "--worker", "ann", cwd=tmp_path)
    assert "Open" not in nextpair("show", "o.journal", cwd=tmp_path).stdout
    asked = nextpair("ask", "o.journal", "--batch", "12", cwd=tmp_path).stdout.splitlines()[:-1]
    shown = nextpair("show", "o.journal", cwd=tmp_path).stdout.splitlines()
    first = shown.index("Open, and to be answered with nextpair tell:")
    assert [line.strip() for line in shown[first + 1 : -1]] == asked[:10]
    assert shown[-1] == "  … and 2 more (--json has them all)"
    nextpair("ask", "o.journal", "--batch", "9", cwd=tmp_path)
    for words in ((), ("--worker", "ann")):
        told = nextpair("ask", "o.journal", *words, cwd=tmp_path, code=3).stderr
        assert "but for what is out and can still be answered (q1, q2, q3, q4, q5 and others)" in told
    for number in range(1, 16):
        nextpair("tell", "o.journal", f"q{number}", "left", cwd=tmp_path)
    assert "still be answered" not in nextpair("ask", "o.journal", cwd=tmp_path, code=3).stderr


def test_standard_input_is_one_list(tmp_path):
    told = nextpair("start", "n.journal", "--items", "-", "--workers", "-", cwd=tmp_path, code=2).stderr
    assert "--items and --workers cannot both be standard input" in told
    assert not (tmp_path / "n.journal").exists()


def interrupted(path):
    """As numba has it, when Ctrl-C is pressed while it looks up what it compiled."""
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("<function _numba_unpickle> returned a result with an exception set") from error
    except SystemError as error:
        raise SystemError("CPUDispatcher(…) returned a result with an exception set") from error


def other_error(path):
    raise SystemError("another")


def test_an_interrupt_amid_compiled_code_is_one_all_the_same(campaign, monkeypatch):
    monkeypatch.setattr(Campaign, "load", interrupted)
    assert nextpair("ask", "c.journal", cwd=campaign, code=1).stderr.strip() == "Aborted!"
    monkeypatch.setattr(Campaign, "load", other_error)
    with pytest.raises(SystemError, match="another"):
        nextpair("ask", "c.journal", cwd=campaign)


def test_a_name_that_is_taken_is_told_before_a_long_file_is_read(campaign):
    told = nextpair("start", "c.journal", "--answers", "none.csv", cwd=campaign, code=1).stderr
    assert told == "nextpair: c.journal exists already: choose another name, or remove it first\n"


def too_large(path):
    raise MemoryError("Unable to allocate 298. GiB for an array with shape (200000, 200000)")


def test_too_little_memory_is_one_line(campaign, monkeypatch):
    monkeypatch.setattr(Campaign, "load", too_large)
    told = nextpair("ask", "c.journal", cwd=campaign, code=1).stderr.strip()
    assert told == "nextpair: this takes more memory than there is: fewer items or answers take less"


def test_a_worker_cannot_steer_the_terminal(tmp_path):
    nextpair("start", "c.journal", "--item", "a", "--item", "b", "--worker", "w\x1b[31m", cwd=tmp_path)
    assert "q1 for 'w\\x1b[31m': left" in nextpair("ask", "c.journal", cwd=tmp_path).stdout
    refused = nextpair("ask", "c.journal", "--worker", "w\x1b[31m", cwd=tmp_path, code=3).stderr
    assert refused.startswith("nextpair: w\\x1b[31m has compared every pair")


@pytest.mark.parametrize("group", [(), ("lab",), ("bench",)])
def test_the_list_of_commands_cuts_none_short(group):
    told = CliRunner().invoke(cli, [*group, "--help"], terminal_width=80)
    assert told.exit_code == 0
    assert "..." not in told.stdout.partition("Commands:")[2]
