"""A new journal is there whole or not at all: its first lines alone would be a shorter campaign."""

import fcntl
import os
import signal
import subprocess
import sys

import pytest

from nextpair.campaign.campaign import Campaign
from nextpair.errors import InvalidFile
from nextpair.store.file import create

KILLED = """
import resource, signal, sys
from nextpair.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.argv = ["nextpair", "start", "c.journal", "--answers", "answers.csv"]
main()
"""


def test_who_is_killed_while_writing_it_leaves_no_journal(tmp_path):
    """The system kills whoever writes more than it may, in the middle of a line."""
    (tmp_path / "answers.csv").write_text("winner,loser,worker\n" + "tea,coffee,ann\n" * 300)
    done = subprocess.run([sys.executable, "-B", "-c", KILLED], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGXFSZ, done.stderr
    assert not (tmp_path / "c.journal").exists()
    (draft,) = tmp_path.glob(".c.journal.*.draft")
    assert draft.stat().st_size == 4096  # it was killed while it wrote, and neither before nor after


def without_links(*_):
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
def test_a_new_journal_stands_alone(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", without_links)
    campaign = Campaign(["a", "b", "c"], budget=5)
    campaign.ask()
    create(tmp_path / "c.journal", campaign)
    assert [path.name for path in tmp_path.iterdir()] == ["c.journal"]
    assert Campaign.load(tmp_path / "c.journal").events == campaign.events
    with pytest.raises(InvalidFile, match="exists already"):
        create(tmp_path / "c.journal", Campaign(["d", "e"]))
    assert Campaign.load(tmp_path / "c.journal").events == campaign.events


@pytest.mark.parametrize("links", [True, False])
def test_of_two_who_create_a_journal_at_once_one_is_told(tmp_path, monkeypatch, links):
    """Another one is faster, after we saw that there is no such file: with links, by the link; else, by the lock."""
    path = tmp_path / "c.journal"
    first = Campaign(["a", "b"])
    first.save(tmp_path / "first")
    link, lock = os.link, fcntl.flock

    def by_link(draft, target):
        path.write_bytes((tmp_path / "first").read_bytes())
        link(draft, target)

    def by_lock(file, how):
        path.write_bytes((tmp_path / "first").read_bytes())
        lock(file, how)

    monkeypatch.setattr(os, "link", by_link if links else without_links)
    monkeypatch.setattr(fcntl, "flock", fcntl.flock if links else by_lock)
    with pytest.raises(InvalidFile, match="exists already"):
        create(path, Campaign(["c", "d"]))
    assert Campaign.load(path).events == first.events
    assert sorted(found.name for found in tmp_path.iterdir()) == ["c.journal", "first"]


def test_a_folder_is_no_name_for_a_journal(tmp_path):
    with pytest.raises(InvalidFile, match="cannot write the journal"):
        create(f"{tmp_path}/c.journal/", Campaign(["a", "b"]))
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_that_a_file_may_have(tmp_path):
    path = tmp_path / ("日" * 85)
    Campaign(["a", "b"]).save(path)
    assert Campaign.load(path).items == ("a", "b")
