"""The docs are true: their python blocks run, their commands exist, and their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from program import in_its_own_process, in_this_process

ROOT = Path(__file__).parents[2]
DOCS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])
LINKED = [*DOCS, ROOT / "SECURITY.md", ROOT / "CHANGELOG.md"]
LONG = {"demo", "bench", "serve", "lab", "forecast"}  # these have tests of their own


def blocks(doc, language):
    return re.findall(rf"^```{language}\n(.*?)^```", doc.read_text(), flags=re.M | re.S)


@pytest.mark.parametrize("doc", [doc for doc in DOCS if blocks(doc, "python")], ids=lambda doc: doc.name)
def test_python_blocks_run(doc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": doc.stem}
    for number, block in enumerate(blocks(doc, "python")):
        exec(compile(block, f"{doc.name}, block {number + 1}", "exec"), namespace)


def commands(doc):
    lines = [line for block in blocks(doc, "console") for line in block.splitlines()]
    return [line[2:].split(" #")[0] for line in lines if line.startswith("$ nextpair ")]


@pytest.mark.parametrize(("doc", "run"), [("README", in_its_own_process), ("docs/tutorial", in_this_process)])
def test_console_commands_run(doc, run, tmp_path):
    (tmp_path / "answers.csv").write_text("worker,left,right,winner\nann,a,b,left\n")  # a file that a reader has
    for command in commands(ROOT / f"{doc}.md"):
        words = shlex.split(command)[1:]
        if words[0] not in LONG:
            done = run(*words, cwd=tmp_path)
            assert done.returncode == 0, f"{command}\n{done.stderr}"


def anchors(doc):
    """What a link may point to after the #: a heading in lower case, its words joined, its punctuation gone."""
    prose = re.sub(r"^```.*?^```", "", doc.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", prose, flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(doc):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", doc.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        page = doc.parent / target if target else doc
        if not page.exists() or (anchor and anchor not in anchors(page)):
            yield f"{target}#{anchor}" if anchor else target


@pytest.mark.parametrize("doc", LINKED, ids=lambda doc: doc.name)
def test_links_lead_somewhere(doc):
    assert list(broken_links(doc)) == []


def test_broken_links_are_found(tmp_path):
    (tmp_path / "other.md").write_text("# Why `a` wins on b_c?\n```\n# no heading\n```\n")
    page = tmp_path / "page.md"
    links = [
        "other.md",
        "other.md#why-a-wins-on-b_c",
        "#here",
        "gone.md",
        "other.md#no-heading",
        "#there",
        "https://a.b/#c",
    ]
    page.write_text("## Here\n" + "\n".join(f"[link]({link})" for link in links))
    assert list(broken_links(page)) == ["gone.md", "other.md#no-heading", "#there"]


def test_every_page_is_on_the_map():
    linked = set(re.findall(r"\]\((docs/[^)#]*\.md)", (ROOT / "README.md").read_text()))
    assert linked == {f"docs/{page.name}" for page in ROOT.glob("docs/*.md")}


def test_pages_that_the_code_names_exist():
    for source in [*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py"), ROOT / "SECURITY.md"]:
        for page in re.findall(r"docs/\w+\.md", source.read_text()):
            assert (ROOT / page).exists(), f"{source} names {page}"


def test_modules_and_functions_that_the_docs_name_exist():
    files = [
        ROOT / "check.py",
        *(path for folder in ("src", "tests", "docs") for path in ROOT.glob(f"{folder}/**/*.py")),
    ]
    for doc in DOCS:
        for name, function in re.findall(r"`([\w/]+\.py)(?:: ([\w.]+))?", doc.read_text()):
            named = [path for path in files if f"/{path.relative_to(ROOT)}".endswith(f"/{name}")]
            assert named, f"{doc.name} names {name}"
            last = function.split(".")[-1]
            assert any(re.search(rf"\b{last}\b", path.read_text()) for path in named), f"{doc.name}: {name}: {function}"


def test_every_command_and_option_of_the_docs_exists():
    from nextpair.cli.main import COMMANDS, cli

    for doc in DOCS:
        for command in commands(doc):
            words = shlex.split(command)[1:]
            if words[0].startswith("-"):
                continue
            assert words[0] in COMMANDS, f"{doc.name}: {command}"
            found = cli.get_command(None, words[0])
            while hasattr(found, "commands") and len(words) > 1 and words[1] in found.commands:
                found, words = found.commands[words[1]], words[1:]
            options = {option for parameter in found.params for option in parameter.opts} | {"--help"}
            used = {word.split("=")[0] for word in words[1:] if word.startswith("--")}
            assert used <= options, f"{doc.name}: {command}"


def test_every_policy_and_estimator_has_a_row():
    from nextpair.core.policies import POLICIES
    from nextpair.inference import ESTIMATORS

    page = (ROOT / "docs" / "policies.md").read_text()
    first, estimators = page.split("\n## Estimators\n")
    for table, names in ((first, POLICIES), (estimators, ESTIMATORS)):
        assert re.findall(r"^\| `([a-z-]+)` \|", table, flags=re.M) == list(names)


def rows(page):
    lines = (ROOT / "docs" / page).read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


COMING_BACK = {
    "10 items, 10 workers": "10 × 10",
    "25 items, 20 workers": "25 × 20",
    "100 items, 50 workers": "100 × 50",
    "event_time (144 items)": "event_time",
    "people_num (20 items), whose workers hardly differ": "people_num",
}


def test_the_summary_of_savings_is_that_of_the_measurements():
    def measured(policy):
        tables = [*rows("measurements.md"), *rows("real-crowds.md")]
        return [row for row in tables if len(row) == 9 and row[1] == policy]

    summary = [row for row in rows("beyond.md") if len(row) == 7 and re.fullmatch(r"0\.\d{3}", row[2])]
    for short, akg, full in zip(summary, measured("akg"), measured("full-posterior"), strict=True):
        saved = [cell.replace("+", "").replace("-", "−") for cell in full[6:]]
        assert short[1:] == [full[2], akg[5].split()[0], full[5].split()[0], *saved]


def test_the_summary_of_workers_who_come_back_is_that_of_the_measurements():
    known = [row for row in rows("measurements.md") if len(row) == 10 and row[1] == "full-posterior"]
    known = [row for row in known if row[2] in ("after 1", "known")]
    summary = [row for row in rows("beyond.md") if len(row) == 4 and row[0] in COMING_BACK]
    assert len(summary) == len(COMING_BACK)
    for short, full in zip(summary, known, strict=True):
        assert full[0].startswith(COMING_BACK[short[0]])
        assert short[1:] == [cell.replace("+", "").replace("-", "−") for cell in full[7:]]


def test_the_summary_of_what_it_saves_to_say_by_how_much_is_that_of_the_measurements():
    def figures(row):
        return re.findall(r"−?\d+ ± \d+", " ".join(row))

    said = {row[0]: row for row in rows("measurements.md") if len(row) == 9 and row[1] == "by how much"}
    summary = [row for row in rows("beyond.md") if len(row) == 5 and row[3].startswith("**") and row[1].isdigit()]
    assert len(summary) == len(said) == 6
    for short in summary:
        full = said[short[0]]
        assert (short[1], figures(short[3:4])) == (full[2], figures(full[6:]))


def test_the_summary_of_what_a_guess_saves_is_that_of_the_measurements():
    def figures(row):
        return re.findall(r"not reached|−?\d+(?=,| %)", re.sub(r" ± \d+", "", " ".join(row)))

    said = {(row[0], row[1].split(":")[0]): figures(row[7:]) for row in rows("measurements.md") if len(row) == 10}
    table = rows("beyond.md")
    (at,) = [at for at, row in enumerate(table) if row[0] == "what was guessed"]
    settings, summary = table[at][2:], table[at + 2 : at + 5]
    for kind, row in zip(["0.7", "0.5", "0"], summary, strict=True):
        for setting, cell in zip(settings, row[2:], strict=True):
            assert figures([cell]) == said[setting, kind], (setting, kind)
            assert len(said[setting, kind]) == 3


@pytest.mark.parametrize(
    ("campaigns", "width", "first", "at"),
    [
        ("simulated", 7, r"\d+ items", 4),
        ("simulated, with workers who may also say that one is better", 5, r"\d+ (items alike|× \d+ workers)", 3),
        ("simulated, with workers", 4, r"\d+ items, \d+ workers$", 1),
    ],
)
def test_what_the_front_page_says_is_saved_is_that_of_the_page_that_it_names(campaigns, width, first, at):
    table = [row for row in rows("beyond.md") if len(row) == width and re.match(first, row[0])]
    saved = [[int(share) for share in re.findall(r"(\d+) ±", " ".join(row[at : at + 3]))] for row in table]
    at_the_end, earlier = zip(*[(row[0], row[1:]) for row in saved if row], strict=True)
    early = [share for row in earlier for share in row]
    said = next(row[1] for row in rows("../README.md") if row[0].split(" [")[0] == campaigns)
    ranges = [(str(min(shares)), str(max(shares))) for shares in (at_the_end, early)]
    assert re.findall(r"(\d+) to (\d+) %", said) == ranges
