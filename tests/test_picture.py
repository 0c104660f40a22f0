"""A ranking as a picture: what is drawn, whatever names are like, and which files are refused."""

import math

import pytest
from matplotlib.figure import Figure

import nextpair
from nextpair.campaign.questions import RankingRow, WorkerRow
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.picture import GONE, ITEM, MOST_WORKERS, ROOM, WORKER, draw_ranking, draw_workers, short


def ranked(*names, sure=True):
    end = 1.0 if sure else math.nan
    return [RankingRow(k, name, -float(k), -k - end, -k + end, None) for k, name in enumerate(names, start=1)]


def workers(n, **more):
    return [WorkerRow(f"w{k}", k / n, k / n - 0.1, k / n + 0.1, 1, **more) for k in range(n)]


def drawn(draw, *given):
    axes = Figure().subplots()
    draw(axes, *given)
    return axes


def rows(axes):
    """(name, dot, interval or None, colour) of each row, from the top down."""
    names = {tick: label.get_text() for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    dots, bars = {}, {}
    for line in axes.lines:
        x, y = line.get_data()
        if line.get_marker() == "o":
            dots[y[0]] = (x[0], line.get_color())
        elif y[0] == y[1]:
            bars[y[0]] = tuple(x)
    low, high = axes.get_ylim()
    down = sorted(names, reverse=bool(low < high))
    return [(names[y], *dots.get(y, (None, None)), bars.get(y)) for y in down]


def test_items_stand_best_first_with_their_intervals():
    axes = drawn(draw_ranking, ranked("best", "worst"))
    assert rows(axes) == [("best", -1, ITEM, (-2, 0)), ("worst", -2, ITEM, (-3, -1))]
    assert "90 %" in axes.get_xlabel()


def test_models_that_do_not_say_how_sure_they_are_have_no_intervals():
    axes = drawn(draw_ranking, ranked("best", "worst", sure=False))
    assert rows(axes) == [("best", -1, ITEM, None), ("worst", -2, ITEM, None)]
    assert axes.get_xlabel() == "score"


def test_of_a_long_ranking_the_first_are_drawn_and_the_others_counted():
    names = [f"item {k}" for k in range(1200)]
    assert [row[0] for row in rows(drawn(draw_ranking, ranked(*names), 2))] == ["item 0", "item 1", "… 1,198 more"]
    assert len(rows(drawn(draw_ranking, ranked(*names)))) == 101


def test_workers_stand_most_reliable_first_and_of_many_the_two_ends():
    few = rows(drawn(draw_workers, workers(3)))
    assert [row[0] for row in few] == ["w2", "w1", "w0"]
    assert {row[2] for row in few} == {WORKER}
    many = [row[0] for row in rows(drawn(draw_workers, workers(100)))]
    half = MOST_WORKERS // 2
    assert many[0] == "w99"
    assert many[-1] == "w0"
    assert many[half] == f"… {100 - MOST_WORKERS} more"
    assert len(many) == MOST_WORKERS + 1
    assert len(rows(drawn(draw_workers, workers(MOST_WORKERS)))) == MOST_WORKERS


def test_who_was_retracted_is_grey_and_said_to_be():
    (row,) = rows(drawn(draw_workers, workers(1, status="retracted")))
    assert row[0] == "w0 (retracted)"
    assert row[2] == GONE


def test_names_are_on_one_line_and_lack_their_middle_where_they_are_long():
    assert short("tea") == "tea"
    assert short("a\x1b[31m\nb\t c") == "a [31m b c"
    long = short("an essay " * 100 + "about tea")
    assert len(long) == ROOM
    assert long.startswith("an essay an essay")
    assert long.endswith("about tea")
    assert short("\u200b") == repr("\u200b")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_any_names_are_drawn_and_the_same_ranking_is_the_same_file(tmp_path, ending):
    names = ["$x^2$", "$", "\\frac", "<b>", "寿司 🍣", "مرحبا", "a\nb", "x" * 500]  # a warning would be an error here
    paths = [tmp_path / f"{k}.{ending}" for k in range(2)]
    for path in paths:
        nextpair.draw(path, ranked(*names), workers(2))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending.lower()])


def test_a_campaign_is_drawn_before_it_knows_anything_and_without_workers(tmp_path):
    campaign = nextpair.Campaign(["tea", "coffee"])
    nextpair.draw(str(tmp_path / "c.svg"), campaign.ranking(), campaign.workers())
    assert (tmp_path / "c.svg").stat().st_size > 1000


def test_a_picture_that_cannot_be_is_refused_with_its_name(tmp_path, monkeypatch):
    (tmp_path / "folder.png").mkdir()
    for name, why in (
        ("c.jpeg", "a .png, .svg or .pdf file"),
        ("c", "by its ending"),
        ("no/c.png", "there is no folder"),
        ("folder.png", "it is a folder"),
    ):
        with pytest.raises(InvalidSetting, match=why) as refused:
            nextpair.draw(tmp_path / name, ranked("a", "b"))
        assert str(tmp_path / name) in str(refused.value)
    monkeypatch.setattr("nextpair.extras.find_spec", lambda package: None)
    with pytest.raises(InvalidSetting, match=r"needs matplotlib: pip install 'nextpair\[lab\]'"):
        nextpair.draw(tmp_path / "c.png", ranked("a", "b"))


def test_a_picture_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "c.png"
    path.write_bytes(b"the old one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InvalidFile, match="no space left"):
        nextpair.draw(path, ranked("a", "b"))
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_the_words_below_say_which_intervals_they_are(tmp_path):
    assert "with its 50 % interval" in drawn(draw_ranking, ranked("a", "b"), 9, 0.5).get_xlabel()
    for level, words in ((0.5, "50"), (0.999, "99.9")):
        nextpair.draw(tmp_path / "a.svg", ranked("a", "b"), level=level)
        assert f"score, with its {words} % interval" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"top": 0}, "top must be a whole number from 1 up, not 0"),
        ({"top": -1}, "top must be a whole number from 1 up, not -1"),
        ({"top": 2.5}, "top must be a whole number from 1 up, not 2.5"),
        ({"level": 90}, "the level of an interval lies between 0 and 1, not at 90"),
        ({"path": None}, "a figure is named by its path, as text or a Path, not by None"),
        ({"ranking": nextpair.Campaign(["a", "b"])}, r"drawn is what Campaign.ranking\(\) gives, and not <Campaign"),
        ({"ranking": workers(2)}, r"drawn is what Campaign.ranking\(\) gives, and not \[WorkerRow"),
        ({"workers": ["ann"]}, r"drawn is what Campaign.workers\(\) gives, and not \['ann'\]"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(tmp_path, given, says):
    with pytest.raises(InvalidSetting, match=says):
        nextpair.draw(**{"path": tmp_path / "a.svg", "ranking": ranked("a", "b")} | given)
    assert not list(tmp_path.iterdir())
