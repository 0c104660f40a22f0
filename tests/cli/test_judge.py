"""`nextpair judge`: programs answer a campaign, also when they fail, are interrupted or are killed."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest

from nextpair.campaign.campaign import Campaign
from nextpair.store.file import create
from program import in_this_process

ITEMS = ["a", "b", "c", "d", "e"]
JUDGE = """
import fcntl, json, sys, time
question = json.load(sys.stdin)
running = open("running", "a")
fcntl.flock(running, fcntl.LOCK_SH)  # until it ends, however it does
with open("begun", "a") as file:
    print(question["id"], file=file)
time.sleep(float(sys.argv[1]))
print("left" if question["left"] < question["right"] else "right")
"""


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "c.journal", Campaign(ITEMS, ["ann", "ben"], budget=8, policy="random"))
    (tmp_path / "judge.py").write_text(JUDGE)
    return tmp_path


def command(seconds=0.0):
    return f"{shlex.quote(sys.executable)} judge.py {seconds}"


def judge(folder, *words, code=0):
    done = in_this_process("judge", "c.journal", *words, cwd=folder)
    assert done.returncode == code, done.stderr
    return done


def begun(folder):
    path = folder / "begun"
    return path.read_text().split() if path.exists() else []


def test_programs_answer_and_what_came_of_it_is_told(folder):
    done = judge(folder, "--with", "ann", command(), "--with", "new", command())
    campaign = Campaign.load(folder / "c.journal")
    assert "c.journal: 8 answers (" in done.stdout
    assert "Spent 8 of 8." in done.stdout
    assert "Next: nextpair show c.journal" in done.stdout
    assert set(begun(folder)) == {answer.question for answer in campaign.comparisons()}
    assert all((answer.winner < answer.loser) for answer in campaign.comparisons())
    assert "new" in campaign.worker_names


def test_json_for_a_script(folder):
    told = json.loads(judge(folder, "--with", "ann", command(), "--most", "3", "--json").stdout)
    assert told["answers"] == {"ann": 3}
    assert told["spent"] == 3
    assert told["unanswered"] == told["down"] == told["refused"] == {}
    assert 0.5 < told["expected_accuracy"] < 1


def test_a_judge_who_never_answers_is_named_and_the_exit_code_tells(folder):
    done = judge(folder, "--with", "ann", "echo nonsense", "--tries", "1", code=1)
    assert "ann was given up after three questions in a row without an answer: it said 'nonsense'" in done.stderr
    assert "8 questions without an answer, still open: q" in done.stderr
    assert done.stderr.count("(ann: it said 'nonsense'") == 1
    assert "The next run begins there; nextpair tell c.journal ID skip gives one up" in done.stderr
    assert "No more is asked: no judge is left who answers" in done.stdout
    assert "8 answers. Spent 8 of 8." in judge(folder, "--with", "ann", command()).stdout


def failing_on(name):
    code = (
        f"import json, sys; q = json.load(sys.stdin); print('left' if {name!r} not in (q['left'], q['right']) else '')"
    )
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_script_can_tell_that_some_questions_had_no_answer(tmp_path, extra):
    create(tmp_path / "c.journal", Campaign(ITEMS, ["ann"], policy="random"))
    done = judge(tmp_path, "--with", "ann", failing_on("e"), "--tries", "1", "--at-once", "2", *extra, code=4)
    campaign = Campaign.load(tmp_path / "c.journal")
    waiting = campaign.open_questions()
    assert len(campaign.comparisons()) == 6
    assert 0 < len(waiting) <= 4
    assert all("e" in (question.left, question.right) for question in waiting)
    if extra:
        assert set(json.loads(done.stdout)["unanswered"]) == {question.id for question in waiting}
    else:
        assert f"{len(waiting)} questions without an answer, still open" in done.stderr
    judge(tmp_path, "--with", "ann", "echo left")  # and the next run ends with 0


def test_what_a_judge_prints_does_not_steer_the_terminal(folder):
    code = "import sys; sys.exit('\\x1b[31mred')"
    program = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    err = judge(folder, "--with", "ann", program, "--tries", "1", code=1).stderr
    assert "exit code 1: \\x1b[31mred" in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Missing option '--with'"),
        (("--with", "ann", "echo left", "--with", "ann", "echo right"), "names 'ann' twice"),
        (("--with", "ann", "echo left", "--at-once", "0"), "--at-once"),
        (("--with", "ann", "echo left", "--timeout", "0"), "--timeout"),
    ],
)
def test_wrong_words_are_refused(folder, words, why):
    before = (folder / "c.journal").read_bytes()
    assert why in judge(folder, *words, code=2).stderr
    assert (folder / "c.journal").read_bytes() == before


def test_a_program_that_is_not_there_is_refused_before_anything_is_asked(folder):
    before = (folder / "c.journal").read_bytes()
    told = judge(folder, "--with", "ann", command(), "--with", "ben", "no-such-program", code=1).stderr
    assert "no program 'no-such-program' is found" in told
    assert (folder / "c.journal").read_bytes() == before
    assert begun(folder) == []


def test_a_name_that_looks_like_another_is_told(folder):
    assert "these look like one worker but count as several" in judge(folder, "--with", "Ann", command()).stderr


def started(folder, seconds, *words):
    line = [sys.executable, "-m", "nextpair.cli.main", "judge", "c.journal", "--with", "ann", command(seconds), *words]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(condition, seconds=60.0):
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it never came"
        sleep(0.02)


@pytest.mark.parametrize("sent", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP, signal.SIGHUP]])
def test_an_interrupt_waits_for_what_is_paid_for(folder, sent):
    """`kill` is one too, and so is a terminal that is closed, which is told twice."""
    process = started(folder, 2.0, "--at-once", "2")
    until(lambda: len(begun(folder)) == 2)
    for number in sent:
        process.send_signal(number)
        sleep(0.2)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "waiting for 2 questions that are being judged. Ctrl-C again ends them" in err
    assert "2 answers. Spent 2 of 8." in out
    assert "No more is asked: it was interrupted" in out
    assert len(begun(folder)) == 2
    assert Campaign.load(folder / "c.journal").open_questions() == []


def test_that_nobody_reads_how_far_it_is_does_not_end_it(folder):
    """As where the `tee` behind it was killed. It takes four rounds, and tells of the third."""
    with started(folder, 0.8, "--at-once", "2") as process:
        until(lambda: len(begun(folder)) == 2)
        process.stderr.close()
        assert "8 answers. Spent 8 of 8." in process.stdout.read()
    assert process.returncode == 0


def test_a_second_interrupt_does_not_wait_and_leaves_nothing_running(folder):
    process = started(folder, 30.0, "--at-once", "2")
    until(lambda: len(begun(folder)) == 2)
    assert process.stderr.readline() == "nextpair: judging\n"  # before there is an answer to tell of
    process.send_signal(signal.SIGINT)
    sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "Traceback" not in err
    assert [question.id for question in Campaign.load(folder / "c.journal").open_questions()] == sorted(begun(folder))
    with open(folder / "running") as running:
        fcntl.flock(running, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError if a judge still holds it


def test_what_was_told_survives_a_kill_and_the_next_run_takes_up_the_rest(folder):
    process = started(folder, 0.2, "--at-once", "2")
    until(lambda: len(begun(folder)) >= 4)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    sleep(0.5)  # judges that were running end by themselves
    campaign = Campaign.load(folder / "c.journal")
    told, left = [answer.question for answer in campaign.comparisons()], campaign.open_questions()
    assert len(told) >= 2
    assert {question.id for question in left} == {f"q{n + 1}" for n in range(len(told) + len(left))} - set(told)
    (folder / "begun").unlink()
    judge(folder, "--with", "ann", command(), "--at-once", "1")
    assert begun(folder)[: len(left)] == [question.id for question in left]
    campaign = Campaign.load(folder / "c.journal")
    assert [answer.question for answer in campaign.comparisons()][: len(told)] == told
    assert campaign.spent == 8
