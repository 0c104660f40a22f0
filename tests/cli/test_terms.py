"""What each worker costs and what is thought of them, from the shell."""

import pytest

from nextpair.campaign.campaign import Campaign
from program import in_this_process

START = ("start", "c.journal", "--item", "a", "--item", "b", "--item", "c", "--item", "d", "--worker", "ann")
NOBODY_ASKS = "they are asked once the others have little left to tell: "


def started(*words, cwd, code=0):
    done = in_this_process(*START, *words, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done.stderr


def asked_first(journal):
    return Campaign.load(journal).ask().worker


def test_an_expert_who_costs_more_is_asked_once_it_is_said_that_they_are_one(tmp_path):
    started("--cost-of", "dee", "1.5", cwd=tmp_path)
    assert asked_first(tmp_path / "c.journal") == "ann"
    (tmp_path / "c.journal").unlink()
    started("--cost-of", "dee", "1.5", "--reliability-of", "dee", "38", "2", cwd=tmp_path)
    campaign = Campaign.load(tmp_path / "c.journal")
    assert campaign.reliabilities() == {"dee": (38, 2)}
    assert campaign.terms("dee") == (None, 1.5)
    assert asked_first(tmp_path / "c.journal") == "dee"


def test_what_is_said_counts_more_than_what_an_earlier_campaign_knew(tmp_path):
    earlier = Campaign(["x", "y"], workers=["bob", "cho"], reliability={"bob": (5, 5), "cho": (7, 2)})
    earlier.save(tmp_path / "earlier.journal")
    started("--workers-from", "earlier.journal", "--reliability-of", "bob", "9", "1", cwd=tmp_path)
    assert Campaign.load(tmp_path / "c.journal").reliabilities() == {"bob": (9, 1), "cho": (7, 2)}


@pytest.mark.parametrize(("mu", "nu"), [("0", "2"), ("-1", "2"), ("nan", "2"), ("inf", "1")])
def test_what_is_no_beta_is_refused_and_nothing_is_written(tmp_path, mu, nu):
    assert "the reliability of 'dee' is a pair of positive numbers" in started(
        "--reliability-of", "dee", mu, nu, cwd=tmp_path, code=1
    )
    assert not list(tmp_path.iterdir())


def test_who_is_dear_and_not_said_to_be_better_is_named(tmp_path):
    told = started("--cost-of", "the dear one", "3", "--cost-of", "bob", "2.9", cwd=tmp_path)
    assert f"{NOBODY_ASKS}'the dear one'. If they are better, start with --reliability-of 'the dear one' 38 2" in told
    many = [word for n in range(7) for word in ("--cost-of", f"w{n}", "30")]
    (tmp_path / "c.journal").unlink()
    assert f"{NOBODY_ASKS}'w0', 'w1', 'w2', 'w3', 'w4', …. If" in started(*many, cwd=tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ["--cost-of", "bob", "2.9"],
        ["--cost-of", "bob", "30", "--reliability-of", "bob", "38", "2"],
        ["--cost-of", "bob", "30", "--cost", "30"],
        ["--cost-of", "bob", "30", "--answers", "some.csv"],
    ],
)
def test_nobody_is_named_where_there_is_a_reason_to_ask(tmp_path, words):
    (tmp_path / "some.csv").write_text("worker,left,right,winner\nbob,a,b,left\n")
    assert NOBODY_ASKS not in started(*words, cwd=tmp_path)
