"""A guess from the shell: what the file may hold, and what `show` says of it."""

import json

from nextpair.campaign.campaign import Campaign
from program import in_this_process

START = ("start", "c.journal", "--guess", "guess.csv", "--worker", "ann")


def started(rows, *words, cwd, code=0):
    (cwd / "guess.csv").write_text(rows)
    done = in_this_process(*START, *words, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done.stderr


def show(cwd, *words):
    done = in_this_process("show", "c.journal", *words, cwd=cwd)
    assert done.returncode == 0
    return done.stdout


def told(cwd):
    """What `show` says, on however many lines."""
    return " ".join(show(cwd).split())


def test_the_items_may_be_those_of_the_guess(tmp_path):
    started("item,guess\nsouth,3\nnorth,\neast,7.5\n", cwd=tmp_path)
    campaign = Campaign.load(tmp_path / "c.journal")
    assert campaign.items == ("south", "north", "east")
    assert campaign.settings.guess == {"south": 3.0, "east": 7.5}
    assert "a correlation of about 0.37 with the scores, which is assumed before any answer." in told(tmp_path)
    assert json.loads(show(tmp_path, "--json"))["guess_agreement"] == campaign.guess_agreement


def test_a_ranking_of_before_is_a_guess(tmp_path):
    (tmp_path / "answers.csv").write_text("winner,loser\na,b\nb,c\na,c\n")
    assert in_this_process("rank", "answers.csv", "--out", "guess.csv", cwd=tmp_path).returncode == 0
    started((tmp_path / "guess.csv").read_text(), "--item", "c", "--item", "b", "--item", "a", cwd=tmp_path)
    assert [row.item for row in Campaign.load(tmp_path / "c.journal").ranking()] == ["a", "b", "c"]


def test_one_that_is_the_wrong_way_round_is_said_to_be(tmp_path):
    items = [f"item {k}" for k in range(6)]
    started("item,guess\n" + "".join(f"{item},{k}\n" for k, item in enumerate(items)), "--worker", "bob", cwd=tmp_path)
    campaign = Campaign.load(tmp_path / "c.journal")
    for question in campaign.ask_batch(15):
        campaign.tell(question.id, "left" if question.left < question.right else "right")
    campaign.save(tmp_path / "c.journal")
    assert campaign.guess_agreement < -0.3
    assert "with the scores, as far as answers tell. So it is the wrong way round, and taken so." in told(tmp_path)


def test_what_is_bad_is_refused_with_its_line_and_nothing_is_written(tmp_path):
    said = started("item,guess\na,3\nb,high\n", cwd=tmp_path, code=1)
    assert "line 3: the guess is 'high', which is not a number" in said
    said = started("item,guess\na,3\nb,2\n", "--item", "a", "--item", "c", cwd=tmp_path, code=1)
    assert "a guess is given for 'b', which is not among the items" in said
    said = started("item,guess\na,3\nb,3\n", cwd=tmp_path, code=1)
    assert "two items at least have different numbers" in said
    said = started("item,guess\na,3\nb,2\n", "--policy", "random", cwd=tmp_path, code=1)
    assert "'random' makes nothing of a guess: choose full-posterior or full-posterior-checked" in said
    assert [path.name for path in tmp_path.iterdir()] == ["guess.csv"]
    assert "skipped 1 bad row" in started("item,guess\na,3\nb,high\nc,1\n", "--skip-bad", cwd=tmp_path)
    assert Campaign.load(tmp_path / "c.journal").items == ("a", "c")


def test_only_one_list_can_come_from_standard_input(tmp_path):
    done = in_this_process("start", "c.journal", "--guess", "-", "--items", "-", cwd=tmp_path)
    assert done.returncode == 2
    assert "--items and --guess cannot both be standard input" in done.stderr
