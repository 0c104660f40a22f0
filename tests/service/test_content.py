"""Items as they come in, and the forecast."""

from __future__ import annotations

import io
import math

import pytest
from PIL import Image

from nextpair.errors import InvalidFile
from nextpair.service import pictures
from nextpair.service.content import (
    Item,
    comparisons_of_file,
    image_address,
    image_origins,
    items_of_file,
    items_of_lines,
    picture_item,
)
from nextpair.service.forecast import Point, forecast
from nextpair.service.metrics import Metrics
from nextpair.service.pictures import picture_type
from nextpair.service.settings import Settings


def test_lines_become_items():
    assert items_of_lines(" a \n\n b\n") == [Item("a", "a"), Item("b", "b")]
    (picture,) = items_of_lines("https://x.example/p.png", "image")
    assert (picture.kind, picture.image) == ("image", "https://x.example/p.png")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"id,text\na,Alpha\nb,Beta\n", [Item("a", "Alpha"), Item("b", "Beta")]),
        (b"Alpha\nBeta\n", [Item("Alpha", "Alpha"), Item("Beta", "Beta")]),
        ("\ufefftext;x\nA;1\n".encode(), [Item("A", "A")]),
        (b"id;text\r\na;Alpha, the first\r\nb;Beta\r\n", [Item("a", "Alpha, the first"), Item("b", "Beta")]),
        (b"\nid\ttext\na\tAlpha\n", [Item("a", "Alpha")]),
        ("\ufeffsep=;\r\nid;text\r\na;Alpha\r\n".encode(), [Item("a", "Alpha")]),
        (b"sep=,\ntext\nAlpha\n", [Item("Alpha", "Alpha")]),
        (b'id,text\n"a" ,"Alpha,\n""the"" first"\n', [Item("a", 'Alpha,\n"the" first')]),
        (b"\xef\xbb\xbf\r\n", []),
        (b"item\nAlpha\nBeta\n", [Item("Alpha", "Alpha"), Item("Beta", "Beta")]),
        (b"Name,description\nAlpha,long\n", [Item("Alpha", "Alpha")]),
        (b"name,text,id\nA,Alpha,1\n", [Item("1", "Alpha")]),
        (b'"Paris, France"\n"Rome, Italy",\n', [Item(name, name) for name in ("Paris, France", "Rome, Italy")]),
        (b'id, text\n1, "Paris, France"\n2, Rome\n', [Item("1", "Paris, France"), Item("2", "Rome")]),
        (
            b'["Alpha", {"id": "b", "text": "*B*", "kind": "markdown"}]',
            [Item("Alpha", "Alpha"), Item("b", "*B*", "markdown")],
        ),
        (b'{"items": ["x"]}', [Item("x", "x")]),
        (b"id,image,text\np,https://x.example/1.png,one\n", [Item("p", "one", "image", "https://x.example/1.png")]),
        (
            b"text,kind,image\n*A*,markdown,https://x.example/1.png\n,markdown,https://x.example/1.png\nA,text,https://x.example/1.png\n",
            [Item(str(n), t, k, "https://x.example/1.png") for n, t, k in ((1, "*A*", "markdown"), (2, "", "image"))]
            + [Item("3", "A", "image", "https://x.example/1.png")],
        ),
        (b"Text;Kind;Guess\na;Markdown;0,5\n", [Item("1", "a", "markdown", guess=0.5)]),
        (b"text,guess\na,-1.5\nb,\n", [Item("a", "a", guess=-1.5), Item("b", "b")]),
        (b'[{"text": "a", "guess": 3}, {"text": "b", "guess": null}]', [Item("a", "a", guess=3.0), Item("b", "b")]),
    ],
)
def test_files_become_items(content, expected):
    assert items_of_file(content) == expected


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\xff\xfe\x00", "UTF-16 text: save it as CSV in UTF-8"),
        (b"\x80\x81", "not UTF-8 text"),
        (b"PK\x03\x04\x14\x00", "a spreadsheet: save the table as CSV in UTF-8"),
        (b'id,text\na,"Alpha\nb,Beta\nc,Gamma\n', "line 2 of the file: a quote is opened and not closed"),
        (b'\n\nid,text\na,"Alpha\nb,"Beta"\nc,"Gamma"\n', "line 4 of the file: broken quoting"),
        (b'"Ahoy" said he\nfine\n', "line 1 of the file: broken quoting .* write a quote inside .* twice"),
        (
            b"Paris, France\nRome, Italy\n",
            "row 1 .* 2 cells .*'Paris, France'; name .*id, text, kind, image",
        ),
        (b"Paris\nRome, Italy\n", "row 2 .* quote texts that hold commas"),
        (b"text\nParis, France\n", "row 1 .* 2 cells and not 1"),
        (b"a;b\n1;2\n", "row 1 .* 2 cells"),
        (b"[1", "JSON"),
        (b"[1]", "item 1"),
        (b'{"a": 1}', "list"),
        (b"text,guess\na,1\nb,high\n", "item 2: the guess is 'high', which is not a number"),
        (b'[{"text": "a", "guess": "inf"}]', "item 1: the guess is 'inf', which is not a number"),
        (b'[{"text": "a", "guess": [1]}]', "item 1: the guess is .*, which is not a number"),
        (b'[{"id": "x"}]', "no text"),
        (b'[{"text": "x", "kind": "film"}]', "film"),
        (b'[{"image": "javascript:alert(1)"}]', "address"),
        (b'[{"image": "https://a b/"}]', "address"),
        (b'[{"image": "https://x@evil.example/"}]', "address"),
        (b'[{"image": "https://[bad"}]', "address"),
    ],
)
def test_files_that_make_no_sense_say_why(content, word):
    with pytest.raises(InvalidFile, match=word):
        items_of_file(content)


@pytest.mark.parametrize(
    ("kind", "text", "label"),
    [
        ("markdown", "**EcoRoute** · table 1\n\nPlans *low-carbon* trips", "EcoRoute · table 1 Plans low-carbon trips"),
        ("markdown", "# A title\n\n- [a link](https://example.org)\n- `code`", "A title a link code"),
        ("markdown", "```python\nx = 1\n```", "x = 1"),
        ("markdown", "| a | b |\n| --- | --- |\n| 2 * 3 | **6** |", "a b 2 * 3 6"),
        ("markdown", "***", "the-id"),  # a rule has no words
        ("markdown", f"**{50 * 'long '}.**", (80 * "long ")[:79] + "…"),
        ("markdown", "**Eco**Route\\\nnew line\nand another", "EcoRoute new line and another"),
        ("text", "**as it is**\n and more", "**as it is** and more"),
    ],
)
def test_a_label_is_one_short_line_of_words(kind, text, label):
    assert Item("the-id", text, kind).label == label


def test_comparisons_are_read_as_rank_reads_them():
    table = b"winner,loser,worker,tie\na,b,ann,0\nb,c,bob,1\n"
    assert comparisons_of_file(table) == [
        {"winner": "a", "loser": "b", "left": None, "worker": "ann", "tie": False, "much": False},
        {"winner": "b", "loser": "c", "left": None, "worker": "bob", "tie": True, "much": False},
    ]
    assert comparisons_of_file(b"left,right,winner\na,b,right\n")[0]["winner"] == "b"
    shown = comparisons_of_file(b"left,right,winner\na,b,right\na,b,left\nb,a,tie\n")
    assert [(row["winner"], row["left"], row["tie"]) for row in shown] == [
        ("b", "a", False),
        ("a", "a", False),
        ("b", "b", True),
    ]
    for mark in (b"", b"\xef\xbb\xbf"):
        assert comparisons_of_file(mark + b'[{"winner": "a", "loser": "b", "tie": true}]')[0]["tie"] is True
    for table in ("winner,loser\na,b\n".encode("utf-16"), b"PK\x03\x04\x14\x00"):
        with pytest.raises(InvalidFile, match="^the file of comparisons is .*: save .* as CSV in UTF-8"):
            comparisons_of_file(table)
    for bad in (b"x,y\n1,2\n", b"[{}]", b"[1", b"winner,loser\na,a\n"):
        with pytest.raises(InvalidFile):
            comparisons_of_file(bad)


def test_pictures_are_known_by_their_first_bytes():
    assert picture_type(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert picture_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert picture_item("C:\\x\\cat.png", "media/1", 1) == Item("cat.png", "cat", "image", "media/1")
    assert picture_item(None, "media/1", 3).id == "picture 3"
    assert image_origins([Item("a", "", "image", "https://x.example:8/1.png"), Item("b", "", "image", "media/2")]) == (
        "https://x.example:8",
    )


@pytest.mark.parametrize(
    "address",
    ["https://*/a.png", "https://h:99999/a.png", "https://h:x/a.png", "https://a|b/a.png", "https://a%20b/a.png",
     "https://u@h/a.png", "https:///a.png", "ftp://h/a.png", "https://[::1/a.png", "https://h/a b.png"],
)  # fmt: skip
def test_what_no_browser_takes_for_an_address_or_any_host_would_fit_is_refused(address):
    with pytest.raises(InvalidFile, match="not the address of a picture"):
        image_address(address)


@pytest.mark.parametrize(
    "address", ["https://h/a.png", "http://10.0.0.1:8000/%20?a=*|b", "https://[::1]:8/a", "https://a_b.c-d/"]
)
def test_addresses_of_pictures_are_taken(address):
    assert image_address(address) == address


def power_law(answers, n_items=10, start=0.4, slope=-0.5):
    return 1 - math.exp(start + slope * math.log(answers + n_items))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "lossless WEBP", "WEBP with transparency"])
def test_a_picture_that_would_fill_the_memory_is_refused(form, monkeypatch):
    def picture(width, height):
        kind, mode = form.split()[-1 if form.startswith("lossless") else 0], "RGBA" if "transp" in form else "RGB"
        out = io.BytesIO()
        lossless = {"lossless": True} if form.startswith("lossless") else {}
        Image.new(mode, (width, height)).save(out, kind, **lossless)
        return out.getvalue()

    monkeypatch.setattr(pictures, "MAX_PIXELS", 300 * 200)
    assert picture_type(picture(300, 200)).startswith("image/")
    with pytest.raises(InvalidFile, match="301 × 200"):
        picture_type(picture(301, 200))


@pytest.mark.parametrize(
    "odd", [b"\xff" * 5_000_000, b"\xff\xe0\0\0" * 1_000_000, b"\xff\xe0\0\x02" * 1_000_000, b"\xff\xe0\0\x01" * 9]
)
def test_of_an_odd_head_of_a_picture_few_parts_are_read(odd, monkeypatch):
    read = []
    monkeypatch.setattr(pictures, "_big", lambda data: read.append(data) or int.from_bytes(data, "big"))
    assert picture_type(b"\xff\xd8" + odd) == "image/jpeg"
    assert len(read) <= pictures.MAX_SEGMENTS  # the length of each part that was passed over


def test_a_forecast_continues_a_power_law():
    curve = [Point(n, 0.2 * n, power_law(n), 10) for n in range(20, 201, 10)]
    found = forecast(curve, target=0.93, remaining=100.0, price=0.2)
    expected = math.exp((math.log(0.07) - 0.4) / -0.5) - 10 - 200
    assert found.answers == math.ceil(expected)
    assert found.cost == pytest.approx(0.2 * found.answers)
    assert found.at_budget == pytest.approx(power_law(700))


def test_a_forecast_goes_by_the_price_of_an_answer_and_not_by_what_those_so_far_have_cost():
    free = [Point(n, 0.0, power_law(n), 10) for n in range(20, 201, 10)]  # imported
    found = forecast(free, target=0.93, remaining=100.0, price=0.2)
    assert found.cost == pytest.approx(0.2 * found.answers)
    assert found.at_budget == pytest.approx(power_law(700))


def test_a_forecast_passes_over_what_was_before_a_ban():
    curve = [Point(n, n, power_law(n), 10) for n in range(10, 101, 5)]
    banned = [Point(n, n, 0.99, 10) for n in range(105, 140, 5)]  # with answers that do not count any more
    after = Point(100, 140, power_law(100), 10)
    assert forecast([*curve, *banned, after], 0.93, 100, 1) == forecast([*curve, after], 0.93, 100, 1)


def test_a_forecast_passes_over_what_was_before_items_joined_or_were_removed():
    before = [Point(n, n, 0.5 * power_law(n), 12) for n in range(10, 80, 5)]
    after = [Point(n, n, power_law(n), 10) for n in range(60, 101, 5)]
    found = forecast(after, 0.93, 100, 1)
    assert found.answers is not None
    assert forecast([*before, *after], 0.93, 100, 1) == found
    assert forecast([*after, Point(100, 100, 0.7, 11)], 0.93, 100, 1).answers is None  # one has just joined


def test_a_forecast_says_nothing_when_there_is_nothing_to_say():
    assert forecast([], 0.9, 10, 1).answers is None
    few = [Point(0, 0, 0.5, 5), Point(1, 1, 0.6, 5)]
    assert forecast(few, 0.9, 10, 1).at_budget is None
    flat = [Point(n, n, 0.7, 5) for n in range(1, 30)]
    assert forecast(flat, 0.9, 10, 1).answers is None
    assert forecast([Point(9, 9, 0.95, 5)], 0.9, 10, 1).answers == 0
    slow = [Point(n, n, power_law(n, slope=-0.02, start=-0.5), 10) for n in range(1, 60)]
    assert forecast(slow, 0.99, 10, 1).answers is None


def test_metrics_count_and_time():
    metrics = Metrics()
    metrics.observe("GET", "/x", 200, 0.003)
    metrics.observe("GET", "/x", 200, 9.0)
    text = metrics.render()
    assert 'nextpair_requests_total{method="GET",route="/x",status="200"} 2' in text
    assert 'nextpair_request_seconds_bucket{method="GET",route="/x",le="0.005"} 1' in text
    assert 'nextpair_request_seconds_bucket{method="GET",route="/x",le="+Inf"} 2' in text


def test_settings_survive_the_way_through_the_environment(monkeypatch):
    settings = Settings("sqlite:///x.db", "token", "https://a.example", 5.5, 1, 2, 3, demo=True)
    for name, value in settings.to_environment().items():
        monkeypatch.setenv(name, value)
    assert Settings.from_environment() == settings
    assert settings.https


def test_an_item_that_cannot_be_seen_is_refused_by_its_number():
    with pytest.raises(InvalidFile, match=r"item 2 has no text and no image: '\\u200b' cannot be seen"):
        items_of_lines("first\n\u200b\nthird")
    assert picture_item("\u2060", "media/x.png", 3).id == "picture 3"
