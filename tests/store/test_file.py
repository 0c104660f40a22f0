"""A journal file under several processes and under a kill."""

import fcntl
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from nextpair import Campaign
from nextpair.errors import InvalidFile, UnknownQuestion
from nextpair.store.file import Shared, create, opened


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


def test_saving_appends_what_the_file_does_not_hold_yet(journal):
    before = journal.read_bytes()
    campaign = Campaign.load(journal)
    campaign.save(journal)
    assert journal.read_bytes() == before
    question = campaign.ask()
    campaign.save(journal)
    assert journal.read_bytes().startswith(before)
    campaign.tell(question.id, "left")
    with open(journal, "ab") as file:
        file.write(b'{"event":"Ans')  # what a killed process leaves
    campaign.save(journal)
    assert Campaign.load(journal).events == campaign.events


def test_saving_loses_nothing_that_others_told_since_loading(journal):
    campaign = Campaign.load(journal)
    with opened(journal) as other:
        other.tell(other.ask().id, "left")
    before = journal.read_bytes()
    with pytest.raises(InvalidFile, match="changed since it was loaded.* from line 2 on .*another name"):
        campaign.save(journal)
    campaign.set_budget(100)
    with pytest.raises(InvalidFile, match="from line 2 on"):
        campaign.save(journal)
    assert journal.read_bytes() == before
    with pytest.raises(InvalidFile, match="another campaign's: from line 1 on"):
        Campaign(["a", "b"]).save(journal)


@pytest.mark.parametrize("text", ["a note to myself", "a note\n", "\n"])
def test_saving_writes_over_nothing_but_journals(tmp_path, text):
    note = tmp_path / "note.txt"
    note.write_text(text)
    with pytest.raises(InvalidFile, match=r"note.txt.* not a .*journal"):
        Campaign(["a", "b"]).save(note)
    assert note.read_text() == text


def test_saving_keeps_the_mode_and_follows_links(journal, tmp_path):
    journal.chmod(0o664)
    link = tmp_path / "link.journal"
    link.symlink_to(journal)
    campaign = Campaign.load(link)
    campaign.ask()
    campaign.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(journal.stat().st_mode) == 0o664
    assert len(Campaign.load(journal).events) == 2
    campaign.save(tmp_path / "new.journal")
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "new.journal").stat().st_mode == plain.stat().st_mode
    plain.unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.journal", "link.journal", "new.journal"]


@pytest.mark.parametrize("name", ["none/x", ".", "a\0b"])
def test_where_nothing_can_be_saved_is_said(tmp_path, name):
    with pytest.raises(InvalidFile, match=r"cannot (write|open) the journal"):
        Campaign(["a", "b"]).save(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_no_journal(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidFile, match="not a plain file"):
        Campaign(["a", "b"]).save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("removed", [False, True])
def test_a_file_that_was_replaced_while_waiting_for_its_lock_is_opened_anew(journal, tmp_path, monkeypatch, removed):
    waiting = threading.Event()
    lock = fcntl.flock

    def announced(file, how):
        waiting.set()
        lock(file, how)

    def tell():
        try:
            with opened(journal) as campaign:
                told.append(campaign.tell(campaign.ask().id, "left").id)
        except InvalidFile as error:
            told.append(str(error))

    told = []
    thread = threading.Thread(target=tell)
    with open(journal, "r+b") as holder:
        lock(holder, fcntl.LOCK_EX)
        monkeypatch.setattr(fcntl, "flock", announced)
        thread.start()
        waiting.wait(300)
        if removed:
            journal.unlink()
        else:
            draft = tmp_path / "draft"
            draft.write_bytes(journal.read_bytes())
            os.replace(draft, journal)
    thread.join(300)
    if removed:
        assert "cannot open" in told[0]
    else:
        assert [c.question for c in Campaign.load(journal).comparisons()] == told


@pytest.mark.parametrize(
    ("error", "told", "says"),
    [
        (OSError(28, "No space left on device"), InvalidFile, "no space left on device. Nothing was written"),
        (KeyboardInterrupt(), KeyboardInterrupt, "^$"),
    ],
)
def test_a_full_disk_or_a_break_leaves_the_journal_as_it_was(journal, monkeypatch, error, told, says):
    """Half of the lines fit: neither they nor a part of one stay, and what follows is not written behind them."""
    before = journal.read_bytes()
    real = os.fsync

    def full(fd):
        os.truncate(fd, len(before) + 50)
        raise error

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(told, match=says), opened(journal) as campaign:
        campaign.ask_batch(5)
    assert journal.read_bytes() == before
    monkeypatch.setattr(os, "fsync", real)
    with opened(journal) as campaign:
        campaign.ask()
    assert len(Campaign.load(journal).events) == 2


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv = ["nextpair", *sys.argv[2:]]
from nextpair.cli.main import main
main()
"""


def test_a_disk_that_fills_up_in_the_middle_of_a_line(journal, tmp_path):
    def run(most, *words):
        command = [sys.executable, "-B", "-c", LIMITED, str(most), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    before = journal.read_bytes()
    done = run(len(before) + 250, "ask", str(journal), "--batch", "9")
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]  # behind what a slow machine is told of progress
    assert said.startswith(f"nextpair: cannot write the journal {journal}: file too large")
    assert journal.read_bytes() == before
    started = run(100, "start", str(tmp_path / "new.journal"), "--item", "a", "--item", "b", "--alike")
    assert started.returncode == 1
    said = started.stderr.splitlines()[-1]
    assert said.startswith(f"nextpair: cannot write the journal {tmp_path / 'new.journal'}: file too large")
    assert list(tmp_path.iterdir()) == [journal]


def test_what_is_torn_may_be_longer_than_a_block(journal):
    with open(journal, "ab") as file:
        file.write(b"x" * 200_000)
    with opened(journal) as campaign:
        campaign.ask()
    assert len(Campaign.load(journal).events) == 2
    assert journal.stat().st_size < 10_000


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
        process.join(300)
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


def test_saving_what_is_being_changed_is_refused_and_does_not_wait_for_ever(tmp_path):
    path = tmp_path / "c.journal"
    Campaign(["a", "b", "c"], budget=9).save(path)
    with pytest.raises(InvalidFile, match="saved when that is done"), opened(path) as campaign:
        campaign.save(path)
    with opened(path) as campaign:
        campaign.ask()
    assert len(Campaign.load(path).events) == 2


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "", "."])
def test_a_path_that_can_be_none_is_refused_by_our_own_error(path):
    campaign = Campaign(["a", "b"])
    with pytest.raises(InvalidFile, match="cannot read the journal"):
        Campaign.load(path)
    with pytest.raises(InvalidFile), opened(path):
        pass
    with pytest.raises(InvalidFile):
        create(path, campaign)
    with pytest.raises(InvalidFile):
        campaign.save(path)


def test_who_changes_a_journal_again_and_again_reads_it_once(journal):
    shared = Shared(journal)
    with shared.opened() as campaign:
        question = campaign.ask()
    with shared.opened() as again:
        assert again is campaign
        again.tell(question.id, "left")
    assert Campaign.load(journal).events == campaign.events


def test_it_is_read_anew_where_others_changed_it(journal):
    shared = Shared(journal)
    with shared.opened() as campaign:
        question = campaign.ask()
    with opened(journal) as other:
        other.tell(question.id, "left")
    with shared.opened() as again:
        assert again is campaign  # with what it knows: to learn it again takes seconds, where answers are many
        assert again.question(question.id).choice == "left"
        again.ask()
    assert Campaign.load(journal).events == campaign.events
    replaced = Campaign(["x", "y"], ["w"])
    journal.unlink()
    replaced.save(journal)
    with shared.opened() as again:
        assert again.items == ("x", "y")


def test_what_others_added_that_makes_no_sense_is_named_by_its_line(journal):
    shared = Shared(journal)
    with shared.opened() as campaign:
        campaign.ask()
    whole = journal.read_bytes()
    with open(journal, "a") as file:
        file.write('{"event":"Answered","question":"q9","choice":"left"}\n')
    with pytest.raises(InvalidFile, match="line 3: .*q9"), shared.opened():
        pass
    journal.write_bytes(whole)
    with shared.opened() as again:
        assert len(again.events) == 2


def test_a_process_that_was_forked_meanwhile_keeps_no_lock(journal):
    """As of a pool that a judge begins in its thread: it has all files that were open, and lives on."""
    ends = os.pipe()
    with opened(journal) as campaign:
        campaign.ask()
        if not (child := os.fork()):
            os.read(ends[0], 1)
            os._exit(0)
    try:
        with open(journal, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError if the child holds it
    finally:
        os.write(ends[1], b".")
        os.waitpid(child, 0)
        for end in ends:
            os.close(end)


def test_what_a_failed_block_did_is_forgotten(journal):
    shared = Shared(journal)
    with shared.opened():
        pass
    with pytest.raises(UnknownQuestion), shared.opened() as campaign:
        campaign.ask()
        campaign.tell("q99", "left")
    with shared.opened() as campaign:
        assert campaign.open_questions() == []
    assert len(Campaign.load(journal).events) == 1
