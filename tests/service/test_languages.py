"""What workers read is in the campaign's language: catalogues, API, form and pages, without a browser."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from harness import MINIMAL
from test_api import change, error_of
from test_pages import FORM, created, problem_of, submit
from test_security import PAGE, form_of, sign_in

import nextpair.service
from nextpair.service.languages.catalogue import Language, known, language_of, languages, wished_for

SERVICE = Path(nextpair.service.__file__).parent
ENGLISH = language_of("en")
OTHERS = [code for code in languages() if code != "en"]
ALIKE = {"pause", "key.shift", "between_sentences", "progress.of_quota"}  # what may be as in English
HIDES_ITS_NUMBER = {"zero", "one", "two"}  # as in "one answer"
WORD = re.compile("[a-z]{3,}")


def forms(words):
    """A phrase by the plurals that it has; by none where it depends on no number."""
    return {"": words} if isinstance(words, str) else words


def placeholders(words):
    return set(re.findall(r"\{(\w*)\}", words))


def words_of(language):
    return {
        word
        for words in language.phrases.values()
        for form in forms(words).values()
        for word in WORD.findall(re.sub(r"\{\w+\}", "", form).lower())
    }


class Shown(HTMLParser):
    """All words of a page that somebody may see or hear."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = False
        self.page: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.hidden = tag in ("script", "style")
        self.page = self.page or (dict(attrs) if tag == "html" else {})
        self.texts += [value for name, value in attrs if name in ("aria-label", "alt", "title", "placeholder")]

    def handle_data(self, data):
        if not self.hidden:
            self.texts.append(data)


def speaks_only(texts, code):
    """No word is there that only the English catalogue has."""
    found = {word for text in texts for word in WORD.findall(text.lower())}
    assert found & (words_of(ENGLISH) - words_of(language_of(code))) == set()


def check_page(response, code, status=200):
    """The page of a reply, which is in the language and in no other; its words in one line."""
    assert response.status_code == status, response.text
    shown = Shown(response.text)
    assert shown.page == {"lang": code, "dir": "rtl" if code == "ar" else "ltr"}
    if code != "en":
        speaks_only(shown.texts, code)
    return " ".join(" ".join(shown.texts).split())


# catalogues


@pytest.mark.parametrize("code", OTHERS)
def test_every_catalogue_has_all_phrases_and_nothing_else(code):
    assert list(language_of(code).phrases) == list(ENGLISH.phrases)
    for key, words in language_of(code).phrases.items():
        english = ENGLISH.phrases[key]
        assert isinstance(words, str) == isinstance(english, str), key
        filled = {frozenset(placeholders(form)) for form in forms(english).values()}
        (expected,) = filled
        for plural, form in forms(words).items():
            lacks = expected - placeholders(form)
            assert not placeholders(form) - expected, (key, form)
            assert lacks <= ({"count"} if plural in HIDES_ITS_NUMBER else set()), (key, form)
            assert key == "between_sentences" or form == form.strip() != "", key
            assert key in ALIKE or form not in forms(english).values(), f"{key} is in English: {form}"


@pytest.mark.parametrize("code", languages())
def test_the_direction_is_that_of_its_letters(code):
    language = language_of(code)
    letters = "".join(form for words in language.phrases.values() for form in forms(words).values())
    backwards = [unicodedata.bidirectional(letter) in ("R", "AL") for letter in letters if letter.isalpha()]
    assert language.direction == ("rtl" if sum(backwards) > len(backwards) / 2 else "ltr")
    assert re.fullmatch("[a-z]{2,8}", code)  # as a browser may ask for it


def test_every_phrase_is_used_and_all_that_are_used_are_there():
    sources = [*(SERVICE / "templates").glob("*.html"), *(SERVICE / "static").glob("*.js")]
    text = "\n".join(path.read_text() for path in sources)
    asked_for = set(re.findall(r'phrase\("([^"]+)"', text))
    made = {re.sub(r"\$\{\w+\}", "*", name) for name in re.findall(r"phrase\(`([^`]*)`", text)}
    assert made == {"item.*", "item.*_picture", "closed.*.title", "closed.*.text"}
    ways = {"item": "first second", "closed": "other_worker stale_form shut"}
    for name in made:
        asked_for |= {name.replace("*", way) for way in ways[name.partition(".")[0]].split()}
    by_code = {key for key in ENGLISH.phrases if key.startswith(("error.", "not_taken.", "not_undone."))}
    assert asked_for - set(ENGLISH.phrases) == set()
    named = {key for key in ENGLISH.phrases if f'"{key}"' in text}
    assert set(ENGLISH.phrases) - asked_for - named - by_code == set()


def test_the_codes_that_have_words_are_codes_that_there_are():
    written = "\n".join(path.read_text() for path in SERVICE.rglob("*.py"))
    codes = {
        key.partition(".")[2] for key in ENGLISH.phrases if key.startswith(("error.", "not_taken.", "not_undone."))
    }
    assert {code for code in codes - {"title"} if f'"{code}"' not in written} == set()


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en"), ("*", "en"), ("sv", "en"), ("de", "de"), ("DE-at", "de"), ("zh-Hans-CN,zh;q=0.9", "zh"),
        ("sv, fr-CA;q=0.8, en;q=0.5", "fr"), ("en;q=0.2, pl ; q=0.9", "pl"), ("de;q=0, ja;q=0.1", "ja"),
        ("es-419", "es"), ("nonsense;;q=x,ar", "ar"), ("tr;q=1.0000", "en"), ("," * 5000, "en"), ("tr;q=\u0661", "en"),
    ],
)  # fmt: skip
def test_a_browser_is_answered_in_the_first_of_its_languages_that_is_there(header, code):
    assert wished_for(header).code == code


def test_a_language_is_a_file(tmp_path, monkeypatch):
    """The recipe of CONTRIBUTING.md."""
    words = {"name": "Svenska", "direction": "ltr", "phrases": {"skip": "Hoppa över"}}
    for path in (SERVICE / "languages").glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "sv.json").write_text(json.dumps(words))
    monkeypatch.setattr("nextpair.service.languages.catalogue.__file__", str(tmp_path / "catalogue.py"))
    languages.cache_clear()
    try:
        assert language_of("sv") == Language("sv", "Svenska", "ltr", {"skip": "Hoppa över"})
        assert known("sv") == wished_for("sv-SE").code == "sv"
    finally:
        languages.cache_clear()


def test_the_languages_are_packed():
    project = (SERVICE.parents[2] / "pyproject.toml").read_text()
    assert '"service/languages/*.json"' in project


# the API and the form


def test_a_campaign_has_a_language_that_can_be_changed(any_service, open_service):
    service, other = any_service, open_service(database=any_service.settings.database)
    assert service.get(f"/campaigns/{service.campaign()}").json()["language"] == "en"
    campaign = service.campaign(language="de", ends_at=4e9)
    token = service.worker(campaign)["token"]
    assert change(service, campaign, language="uk").json().keys() == {"before", "after"}
    change(service, campaign, budget=20)
    change(service, campaign, ends_at=4.1e9)
    for place in (service, other):
        shown = place.get(f"/campaigns/{campaign}").json()
        assert (shown["language"], shown["ends_at"], shown["budget"]) == ("uk", 4.1e9, 20)
        assert place.get(f"/campaigns/{campaign}", token).json()["language"] == "uk"
    service.post(f"/campaigns/{campaign}/end")
    assert change(service, campaign, language="tr").status_code == 200  # who comes late reads it, too


@pytest.mark.parametrize("value", ["xx", "DE", "de-AT", "", "../en"])
def test_an_unknown_language_is_refused_with_those_that_there_are(service, value):
    told = f"language: there is no language {value!r}: use one of {', '.join(languages())}"
    assert error_of(service.post("/campaigns", MINIMAL | {"language": value}), 422)["message"] == told
    campaign = service.campaign(language="pl")
    assert error_of(change(service, campaign, language=value, budget=20), 422)["message"] == told
    assert error_of(change(service, campaign, language=None), 422)
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["language"], shown["budget"]) == ("pl", 10)


def test_a_campaign_of_before_is_in_english_and_so_is_one_whose_language_is_gone(open_service):
    service = open_service()
    file = service.settings.database.removeprefix("sqlite:///")
    campaign = service.campaign()
    for settings in ({}, {"language": "tlh"}):
        with sqlite3.connect(file) as database:
            database.execute("UPDATE campaigns SET settings = ?", [json.dumps(settings)])
        link = service.get(f"/campaigns/{campaign}").json()["join_url"]
        check_page(service.client.get(link, headers=PAGE), "en")
    assert change(service, campaign, language="it").status_code == 200
    check_page(service.client.get(link, headers=PAGE), "it")


def test_the_form_begins_with_the_language_of_the_browser_and_keeps_what_was_chosen(service):
    sign_in(service)

    def chosen(page):
        return re.findall(r'<option value="(\w+)" lang="\w+" selected>', page)

    for header, code in (("", "en"), ("de-CH,en;q=0.5", "de"), ("sv", "en")):
        page = service.client.get("/campaigns/new?key=k", headers=PAGE | {"Accept-Language": header}).text
        assert chosen(page) == [code]
    assert created(service, submit(service, language="fr"))["language"] == "fr"
    assert created(service, submit(service))["language"] == "en"
    refused = submit(service, language="fr", budget="much")
    assert chosen(refused.text) == ["fr"]
    assert "language of the workers' pages: there is no language 'xx'" in problem_of(submit(service, language="xx"))
    assert set(FORM) & {"language"} == set()


# pages


@pytest.fixture(params=languages())
def spoken(request, service):
    """A language, and a campaign in it whose words are in none."""

    def start(**terms):
        names = [{"id": str(k), "text": str(k)} for k in range(3)]
        made = service.post(
            "/campaigns", MINIMAL | {"name": "1", "question": "2?", "items": names, "language": request.param} | terms
        ).json()
        return made["id"], made["join_url"].removeprefix("http://testserver")

    return request.param, start


def form(service, join, **fields):
    """The form of the page to join by, as a new browser has it."""
    service.client.cookies.clear()
    page = service.client.get(join, headers=PAGE).text
    return dict(re.findall(r'name="(csrf|key|outside_id)" value="([^"]*)"', page)) | fields


@pytest.mark.parametrize(
    ("terms", "key"),
    [
        ({}, "join.how"),
        ({"completion_code": "7"}, "join.how_for_code"),
        ({"completion_url": "https://x.example"}, "join.how_for_link"),
    ],
)
def test_the_page_to_join_by(service, spoken, terms, key):
    code, start = spoken
    _, join = start(**terms)
    shown = check_page(service.client.get(join, headers=PAGE | {"Accept-Language": "en"}), code)
    assert all(language_of(code).phrase(name) in shown for name in (key, "join.name", "join.optional", "join.start"))


def test_the_pages_for_who_comes_late_again_or_by_a_link_that_was_replaced(service, spoken):
    code, start = spoken
    campaign, join = start()
    phrase = language_of(code).phrase
    fields = form(service, join)
    assert service.client.post(join, data=fields, headers=PAGE).status_code == 303
    assert phrase("this_one") in check_page(service.client.get(f"/work/{campaign}", headers=PAGE), code)
    (worker,) = service.get(f"/campaigns/{campaign}/workers").json()
    service.post(f"/campaigns/{campaign}/workers/{worker['id']}/token")
    again = check_page(service.client.post(join, data=fields, headers=PAGE), code, 409)
    assert phrase("join.again", start=phrase("join.start")) in again
    service.post(f"/campaigns/{campaign}/end")
    assert phrase("join.over") in check_page(service.client.get(join, headers=PAGE), code)
    assert phrase("error.unknown_worker") in check_page(
        service.client.get(f"/work/{campaign}", headers=PAGE), code, 403
    )
    service.post(f"/campaigns/{campaign}/join-link")
    assert phrase("error.unknown_link") in check_page(service.client.get(join, headers=PAGE), code, 404)


def test_the_work_page_has_all_phrases_once_and_says_what_it_needs(service, spoken):
    code, start = spoken
    campaign, join = start(by_how_much=True, completion_code="7", show_ranking=True)
    service.client.post(join, data=form(service, join, name="3"), headers=PAGE)
    response = service.client.get(f"/work/{campaign}", headers=PAGE)
    shown = check_page(response, code)
    for key in ("by_far", "who", "noscript", "thanks.code", "key.space", "paused.keys"):
        assert language_of(code).phrase(key) in shown
    (data,) = re.findall('<script type="application/json" id="phrases">(.*?)</script>', response.text)
    assert json.loads(data) == language_of(code).phrases
    assert "<" not in data


def test_what_is_refused_when_joining(service, open_service, spoken):
    code, start = spoken
    campaign, join = start()
    phrase, read = language_of(code).phrase, service.client.get
    gap = check_page(read(f"{join}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}", headers=PAGE), code, 422)
    assert phrase("error.no_outside_id", given="{{%PROLIFIC_PID%}}") in gap
    stale = service.client.post(join, data=form(service, join, csrf="0"), headers=PAGE)
    assert phrase("error.stale_form") in check_page(stale, code, 403)
    banned = service.post(f"/campaigns/{campaign}/workers", {"outside_id": "p9"}).json()["id"]
    service.post(f"/campaigns/{campaign}/workers/{banned}/ban")
    refused = service.client.post(join, data=form(service, join, outside_id="p9"), headers=PAGE)
    assert phrase("error.banned") in check_page(refused, code, 403)
    strict = open_service(join_rate=0, database=service.settings.database)
    often = strict.client.post(join, data=form(strict, join), headers=PAGE)
    assert phrase("error.too_many_attempts") in check_page(often, code, 429)


@pytest.mark.parametrize("path", ["/join/c0-x", "/join/", "/w/x", "/work/c0", "/w/%00"])
def test_where_the_campaign_is_unknown_the_browser_says_which_language(service, path):
    for header, code in (("uk,en;q=0.5", "uk"), ("ar-EG", "ar"), ("sv", "en")):
        response = service.client.get(path, headers=PAGE | {"Accept-Language": header})
        shown = check_page(response, code, response.status_code)
        assert language_of(code).phrase("error.title") in shown
        assert response.status_code in (403, 404)


def test_a_database_that_is_away_is_told_of_in_the_language_of_the_browser(service, monkeypatch):
    from sqlalchemy.exc import OperationalError

    def away(*_):
        raise OperationalError("", None, Exception())

    campaign = service.campaign(language="de")
    monkeypatch.setattr(service.client.app.state.desk.records, "campaign", away)
    headers = PAGE | {"Accept-Language": "es"}
    shown = check_page(service.client.get(f"/join/{campaign}-x", headers=headers), "es", 503)
    assert language_of("es").phrase("error.busy") in shown
    check_page(service.client.get(f"/work/{campaign}", headers=headers), "es", 403)  # found out, but not whose it is


def test_an_error_without_words_is_told_in_english_and_says_so(service):
    campaign = service.post("/campaigns", MINIMAL | {"language": "ja"}).json()
    page = service.client.put(f"/work/{campaign['id']}", headers=PAGE).text
    assert '<p lang="en" dir="ltr">Method Not Allowed.</p>' in page
    assert language_of("ja").phrase("error.title") in page


def test_organisers_read_english_whatever_their_browser_asks_for(service):
    sign_in(service)
    campaign = service.campaign(language="ar")
    for path in ("/", "/campaigns/new?key=k", f"/campaigns/{campaign}", f"/campaigns/{campaign}/invite", "/nowhere"):
        page = Shown(service.client.get(path, headers=PAGE | {"Accept-Language": "de"}).text)
        assert page.page == {"lang": "en", "dir": "ltr"}
    assert form_of(service, "/")
