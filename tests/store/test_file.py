"""A journal file under several processes and under a kill."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from nextpair import Campaign
from nextpair.errors import InvalidFile, UnknownQuestion
from nextpair.store.file import create, opened


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "c.journal"
    create(path, Campaign(["a", "b", "c", "d", "e"], [f"w{k}" for k in range(20)], policy="random"))
    return path


def test_what_happens_inside_is_appended(journal):
    with opened(journal) as campaign:
        question = campaign.ask()
    with opened(journal) as campaign:
        campaign.tell(question.id, "left")
    assert [c.question for c in Campaign.load(journal).comparisons()] == [question.id]


def test_nothing_is_written_when_the_block_fails(journal):
    before = journal.read_bytes()
    with pytest.raises(UnknownQuestion), opened(journal) as campaign:
        campaign.ask()
        campaign.tell("q99", "left")
    assert journal.read_bytes() == before


def test_a_torn_last_line_is_cut_off(journal):
    with open(journal, "ab") as file:
        file.write(b'{"event":"Asked","quest')
    with opened(journal) as campaign:
        campaign.ask()
    assert len(Campaign.load(journal).events) == 2
    assert all(line.endswith("}") for line in journal.read_text().splitlines())


def test_an_existing_file_is_not_overwritten(journal, tmp_path):
    with pytest.raises(InvalidFile, match="exists already"):
        create(journal, Campaign(["a", "b"]))
    with pytest.raises(InvalidFile, match="cannot write"):
        create(tmp_path / "no" / "folder", Campaign(["a", "b"]))
    with pytest.raises(InvalidFile, match="cannot open"), opened(tmp_path / "none"):
        pass


def _ask_many(path, n):
    for _ in range(n):
        with opened(path) as campaign:
            campaign.tell(campaign.ask().id, "left")


def test_processes_share_one_journal(journal):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_ask_many, args=(journal, 10)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    campaign = Campaign.load(journal)
    assert len(campaign.comparisons()) == 30
    assert len({q.id for q in campaign.comparisons() for q in [campaign.question(q.question)]}) == 30


SCRIPT = """
import sys
from nextpair.store.file import opened
while True:
    with opened(sys.argv[1]) as campaign:
        question = campaign.ask()
        campaign.tell(question.id, "left")
    print(question.id, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(journal):
    command = [sys.executable, "-c", SCRIPT, str(journal)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        seen = [process.stdout.readline().strip() for _ in range(15)]
        time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        seen += process.stdout.read().split()
    counted = {c.question for c in Campaign.load(journal).comparisons()}
    assert set(seen) <= counted
    with opened(journal) as campaign:
        campaign.ask()
