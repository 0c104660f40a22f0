"""Commands where standard input, output or error is closed, as by who starts a job without any."""

import os
import subprocess
import sys

import pytest

from nextpair import Campaign

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


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
    campaign = Campaign(["tea", "rum", "gin"], ["ann"])
    for question in campaign.ask_batch(2):
        campaign.tell(question.id, "left")
    campaign.save(tmp_path / "c.journal")
    (tmp_path / "c.csv").write_text("winner,loser\ntea,rum\n")
    done = closed(streams, "-m", "nextpair.cli.main", *words, cwd=tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr
    assert bool(done.stdout) == (streams == "2>&-")
