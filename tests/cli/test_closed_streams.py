"""Commands where standard input, output or error is closed, as by who starts a job without any."""

import os
import subprocess
import sys

import pytest

from nextpair import Campaign

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def a_campaign(folder):
    campaign = Campaign(["tea", "rum", "gin", "ale"], ["ann"])
    for question in campaign.ask_batch(2):
        campaign.tell(question.id, "left")
    campaign.save(folder / "c.journal")
    (folder / "c.csv").write_text("winner,loser\ntea,rum\n")


def closed(streams, *command, cwd):
    line = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, *command]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, cwd=cwd, check=False)


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_no_file_that_is_opened_takes_their_place(tmp_path, streams):
    """What anything prints, such as a library that fails, would be written into it."""
    code = (
        "import click, os; from nextpair.command import run\n"
        "@click.command()\n"
        "def main():\n"
        "    with open('number', 'w') as file: file.write(str(file.fileno()))\n"
        "    os.system('echo out; echo error >&2')\n"
        "run(main)"
    )
    closed(streams, "-c", code, cwd=tmp_path)
    assert int((tmp_path / "number").read_text()) > 2


def left_alone(*words, cwd):
    """Run where the reader of standard output has left before the first word."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            cwd=cwd,
            check=False,
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["rank", "--help"],
        ["--version"],
        ["rank", "c.csv"],
        ["show", "c.journal"],
        ["show", "c.journal", "--json"],
        ["export", "c.journal"],
        ["ask", "c.journal"],
        ["lab", "list"],
        ["demo", "--items", "4", "--budget", "12", "--worlds", "1"],
        ["judge", "c.journal", "--with", "ann", "echo left"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_a_reader_who_leaves_early_is_no_error(tmp_path, words):
    a_campaign(tmp_path)
    done = left_alone("-m", "nextpair.cli.main", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_figure_is_drawn_for_who_reads_no_further(tmp_path):
    a_campaign(tmp_path)
    assert left_alone("-m", "nextpair.cli.main", "show", "c.journal", "--figure", "f.svg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(("says", "code"), [("echo nonsense", 1), ("sh half.sh", 4)])
def test_a_judge_who_fails_is_told_of_whoever_reads(tmp_path, says, code):
    a_campaign(tmp_path)
    (tmp_path / "half.sh").write_text("if [ -e once ]; then echo left; else touch once; echo nonsense; fi\n")
    words = ["judge", "c.journal", "--with", "ann", says, "--tries", "1", "--at-once", "1"]
    done = left_alone("-m", "nextpair.cli.main", *words, cwd=tmp_path)
    assert done.returncode == code
    assert "without an answer" in done.stderr


def test_another_pipe_that_breaks_is_an_error(tmp_path):
    code = (
        "import click; from nextpair.command import run\n"
        "@click.command()\n"
        "def main(): raise BrokenPipeError(32, 'of a database')\n"
        "run(main)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert done.returncode == 1


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    "words",
    [
        ["rank", "c.csv"],
        ["rank", "c.csv", "--json"],
        ["show", "c.journal"],
        ["judge", "c.journal", "--with", "ann", "echo left"],
        ["lab", "compare", "c.journal", "--policies", "random", "--trials", "2", "--jobs", "2"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_nobody_reads_and_the_work_is_done(tmp_path, words, streams):
    a_campaign(tmp_path)
    done = closed(streams, "-m", "nextpair.cli.main", *words, cwd=tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr
    assert bool(done.stdout) == (streams == "2>&-")
