"""What `import nextpair` gives."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import nextpair


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", nextpair.__all__)
def test_every_name_is_there_without_another_import(name):
    """`nextpair.errors` was not, before a campaign had been made."""
    done = run(f"import nextpair\nprint(nextpair.{name})")
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_it_imports_nothing_that_takes_long():
    done = run("import sys, nextpair\nprint(*sorted({'numpy', 'scipy', 'numba', 'click'} & set(sys.modules)))")
    assert (done.stdout, done.stderr) == ("\n", "")


CLIENT = """
import nextpair


def prefer(question: nextpair.Question) -> str:
    return "left" if len(question.left) < len(question.right) else "right"


def names(rows: list[nextpair.RankingRow]) -> list[str]:
    return [row.item for row in rows if row.prob_best is None or row.prob_best > 0.5]


def main() -> nextpair.Judged:
    campaign = nextpair.Campaign(["a", "b"], ["ann"], 3, cost={"ann": 1}, reliability={"ann": (4, 1)})
    campaign.add_answers([("ann", "a", "b", "left")])
    try:
        question = campaign.tell(campaign.ask().id, "left")
        print(campaign.explain(question).gain + 1, names(campaign.ranking()), campaign.workers()[0].favours.upper())
    except nextpair.errors.NothingToAsk as done:
        print(done)
    found = nextpair.rank([("ann", "a", "b", "left")])
    print(found.prob_top(1)["a"] + 1, names(found.rows), found.workers[0].favours.upper(), found.notes)
    print(nextpair.akg_scores(nextpair.Belief.prior(3)).sum(), campaign.belief.scores().sum())
    return nextpair.judge(campaign, {"ann": prefer})
"""


def mypy(folder, program):
    (folder / "client.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", "client.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_a_program_that_uses_it_is_checked_strictly(tmp_path):
    assert mypy(tmp_path, CLIENT) == "Success: no issues found in 1 source file\n"
    wrong = CLIENT.replace("row.item", "row.itme").replace("campaign.ask().id", "campaign.ask()")
    told = mypy(tmp_path, wrong)
    assert '"RankingRow" has no attribute "itme"' in told
    assert 'Argument 1 to "tell" of "Campaign" has incompatible type "Question"' in told


def test_its_types_are_packed():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert "py.typed" in project["tool"]["setuptools"]["package-data"]["nextpair"]
    assert (Path(nextpair.__file__).parent / "py.typed").exists()
