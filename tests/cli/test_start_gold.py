"""Workers who have answered questions of known answer: what the file may hold, and what comes of it."""

import pytest

from nextpair.campaign.campaign import Campaign
from program import in_this_process

START = ("start", "c.journal", "--gold", "gold.csv", "--item", "a", "--item", "b", "--item", "c")


def started(rows, *words, cwd, code=0):
    (cwd / "gold.csv").write_text(rows)
    done = in_this_process(*START, *words, cwd=cwd)
    assert done.returncode == code, done.stderr
    return " ".join(done.stderr.split())


def test_right_and_wrong_are_added_to_what_is_thought_of_everybody(tmp_path):
    started("Wrong;worker;right;when\n1;ann;3;monday\n0;bob;0;\n;cho;5;\n", "--worker", "dan", cwd=tmp_path)
    campaign = Campaign.load(tmp_path / "c.journal")
    beliefs = {row.worker: (row.known, row.reliability) for row in campaign.workers()}
    assert set(beliefs) == {"ann", "bob", "cho", "dan"}
    assert [worker for worker, (known, _) in beliefs.items() if known] == ["ann", "cho"]  # bob answered none
    same = Campaign(["a", "b", "c"], ["ann", "cho"], reliability={"ann": (7, 2), "cho": (9, 1)})
    assert [row.reliability for row in same.workers()] == [beliefs["ann"][1], beliefs["cho"][1]]


def test_and_to_what_an_earlier_campaign_or_the_command_says(tmp_path):
    earlier = Campaign(["x", "y", "z"], ["ann"])
    for question in earlier.ask_batch(3):
        earlier.tell(question.id, "left")
    earlier.save(tmp_path / "earlier.journal")
    words = ("--workers-from", "earlier.journal", "--reliability-of", "bob", "38", "2")
    started("worker,right,wrong\nann,2,1\nbob,0,4\n", *words, cwd=tmp_path)
    mu, nu = earlier.reliabilities()["ann"]
    same = Campaign(["a", "b", "c"], ["ann", "bob"], reliability={"ann": (mu + 2, nu + 1), "bob": (38, 6)})
    now = {row.worker: row.reliability for row in Campaign.load(tmp_path / "c.journal").workers()}
    assert now == {row.worker: row.reliability for row in same.workers()}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("worker,right\nann,3\n", "has the header 'worker,right': gold needs worker,right,wrong in the first line"),
        ("worker,right,wrong\nann,3,1\nbob,most,1\n", "line 3: how many are right is 'most', which is no whole number"),
        ("worker,right,wrong\nann,3,-1\n", "line 2: how many are wrong is '-1', which is no whole number from 0"),
        ("worker,right,wrong\nann,0.5,1\n", "line 2: how many are right is '0.5', which is no whole number"),
        ("worker,right,wrong\nann,1,100001\n", "line 2: how many are wrong is '100001'"),
        ("worker,right,wrong\nann,3,1\n ann,3,1\n", "line 3: worker 'ann' has a row already, line 2: add them up"),
        ("worker,right,wrong\n,3,1\n", "line 2: the worker is missing"),
    ],
)
def test_what_is_bad_is_refused_with_its_line_and_nothing_is_written(tmp_path, rows, why):
    assert why in started(rows, cwd=tmp_path, code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]


def test_bad_rows_can_be_left_out(tmp_path):
    told = started("worker,right,wrong\nann,3,1\nbob,most,1\n", "--skip-bad", cwd=tmp_path)
    assert "skipped 1 bad row" in told
    assert Campaign.load(tmp_path / "c.journal").worker_names == ("ann",)


def test_gold_is_of_workers_who_are_told_apart(tmp_path):
    assert "--alike knows no workers: leave it out, or --gold" in started(
        "worker,right,wrong\n", "--alike", cwd=tmp_path, code=2
    )
    done = in_this_process("start", "c.journal", "--gold", "-", "--items", "-", cwd=tmp_path)
    assert done.returncode == 2
    assert "--items and --gold cannot both be standard input" in done.stderr
