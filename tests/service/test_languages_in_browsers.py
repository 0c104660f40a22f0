"""Workers who read no English: whole campaigns in a real browser, from the right to the left, on small screens."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import PHONE, WIDE, accessible, asked, campaign_of_ada, fits, next_question, shown
from harness import TOKEN, bearer
from playwright.sync_api import expect
from test_languages import speaks_only

from nextpair.service.languages.catalogue import language_of, languages

SMALL = {"width": 320, "height": 640}
DOCS = Path(__file__).parents[2] / "docs" / "service.md"
DIGITS = "1\n2\n3\n4"  # items that are written so in every language
SEEN = """[...document.querySelectorAll("body, body *")].flatMap((element) => [
  element.getAttribute("aria-label"), element.getAttribute("alt"),
  ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data)])
  .filter(Boolean)"""
NEXT = """id => document.querySelector("#asking").dataset.question !== id
  || !document.querySelector("#done").hidden"""
SPILLS = """[...document.querySelectorAll("button, .button")]
  .filter((button) => button.scrollWidth > button.clientWidth + 1).map((button) => button.textContent)"""


def at_work(visitor, language, viewport=WIDE, items=DIGITS, **fields):
    """The organiser, the campaign and a worker before the first question in a language."""
    fields = {"name": "1", "question": "2?", "language": language} | fields
    organiser, campaign, link = campaign_of_ada(visitor, items, **fields)
    worker = visitor(viewport)
    worker.goto(link)
    shown(worker)
    return organiser, campaign, worker


def choose(page, key):
    """Answer with a key, and see what comes next."""
    shown(page)
    before = asked(page)
    page.keyboard.press(key)
    page.wait_for_function(NEXT, arg=before)


def read(page, code):
    """What somebody may see or hear on the page is in one language."""
    speaks_only([text for text in page.evaluate(SEEN) if text != "Ada"], code)


@pytest.mark.parametrize("code", languages())
def test_a_page_in_any_language_fits_and_leaves_no_english_word(visitor, code):
    _, _, worker = at_work(visitor, code, by_how_much="yes", completion_code="7", show_ranking="yes")
    expect(worker.locator("html")).to_have_attribute("dir", language_of(code).direction)
    for viewport in (SMALL, PHONE, WIDE):
        worker.set_viewport_size(viewport)
        assert fits(worker)
        assert worker.evaluate(SPILLS) == []
    worker.locator("#pause").click()
    read(worker, code)
    worker.locator("#resume").click()
    for _ in range(6):
        choose(worker, "Space")
        read(worker, code)
    expect(worker.locator("#done-title")).to_have_text(language_of(code).phrase("thanks.title"))
    read(worker, code)
    for viewport in (WIDE, SMALL):
        worker.set_viewport_size(viewport)
        assert fits(worker)


@pytest.mark.parametrize("code", languages())
def test_a_language_has_the_plurals_that_browsers_know(chrome, code):
    """The oracle is CLDR, as the browser has it."""
    page = chrome.new_page()
    try:
        plurals, *names = page.evaluate(
            """code => [new Intl.PluralRules(code).resolvedOptions().pluralCategories,
            ...[code, "en"].map((reader) => new Intl.DisplayNames([reader], { type: "language" }).of(code))]""",
            code,
        )
    finally:
        page.close()
    assert names[0].casefold() in language_of(code).name.casefold()
    assert names[1] in DOCS.read_text()
    counted = {key: words for key, words in language_of(code).phrases.items() if not isinstance(words, str)}
    assert counted
    assert {key: sorted(words) for key, words in counted.items()} == dict.fromkeys(counted, sorted(plurals))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "uk",
            {1: "1 запитання.", 3: "3 запитання.", 5: "5 запитань.", 21: "21 запитання.", 12345: "12 345 запитань."},
        ),
        ("ar", {1: "سؤال واحد.", 2: "سؤالين.", 3: "أسئلة.", 11: "سؤالًا.", 100: "سؤال."}),
        ("fr", {0: "0 question.", 1: "1 question.", 2: "2 questions.", 10**6: "1 000 000 de questions."}),
        ("de", {1: "1 Frage beantwortet.", 1234: "1.234 Fragen beantwortet."}),
        ("ja", {1: "1 問にお答えいただきました。", 1234: "1,234 問にお答えいただきました。"}),
    ],
)
def test_numbers_and_plurals_are_those_of_the_language(visitor, code, told):
    _, _, worker = at_work(visitor, code)
    for count, words in told.items():
        said = worker.evaluate(
            'async (count) => (await import("/static/language.js")).phrase("thanks.answered", { count })', count
        )
        assert " ".join(said.split()).endswith(words)


def test_a_german_worker_answers_a_whole_campaign(visitor):
    _, campaign, worker = at_work(visitor, "de", viewport=PHONE, completion_code="C0DE", items="Tee\nKaffee\nWasser")
    accessible(worker)
    expect(worker.locator("html")).to_have_attribute("lang", "de")
    expect(worker.locator("#progress-text")).to_have_text("0 beantwortet")
    first = asked(worker)
    worker.get_by_role("button", name="Überspringen").click()
    second = next_question(worker, first)
    expect(worker.locator("#status")).to_have_text(
        "Übersprungen. Bisher übersprungen: 1, beantwortet: 0. Für den Abschlusscode bitte mindestens so viele "
        "beantworten wie überspringen. „Schwer zu sagen“ zählt als Antwort."
    )
    worker.get_by_role("button", name="Überspringen").click()
    next_question(worker, second)
    worker.get_by_role("button", name="Das hier (das erste)").click()
    expect(worker.locator("#done-title")).to_have_text("Vielen Dank!")
    expect(worker.locator("#done-text")).to_have_text(
        "Sie haben 1 Frage beantwortet und 2 übersprungen. Das war alles. Für den Abschlusscode müssen Sie mindestens "
        "so viele Fragen beantworten wie überspringen: Es fehlt noch 1 Antwort."
    )
    worker.get_by_role("button", name="Meine letzte Antwort zurücknehmen").click()
    expect(worker.locator("#status")).to_have_text("Die letzte Antwort ist zurückgenommen: Bitte neu wählen.")
    shown(worker)
    worker.get_by_role("button", name="Schwer zu sagen").click()
    expect(worker.locator("#done-title")).to_be_visible()
    accessible(worker)
    worker.goto(f"/work/{campaign}x")
    expect(
        worker.get_by_role("heading", name="That did not work")
    ).to_be_visible()  # whose campaign that is, nobody knows


def test_a_german_worker_gets_the_code_and_sees_the_ranking(visitor):
    _, _, worker = at_work(visitor, "de", items="Tee\nKaffee", completion_code="C0DE", show_ranking="yes")
    worker.keyboard.press("ArrowRight")
    expect(worker.locator("#done-text")).to_have_text("Sie haben 1 Frage beantwortet. Das war alles.")
    expect(worker.locator("#completion-code-row")).to_have_text("Ihr Abschlusscode: C0DE")
    expect(worker.get_by_role("heading", name="Die Rangliste bisher")).to_be_visible()


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_in_arabic_left_stays_on_the_left(visitor, viewport):
    organiser, campaign, worker = at_work(visitor, "ar", viewport=viewport, items="قطة\nكلب\nحصان", by_how_much="yes")
    accessible(worker)
    pause, name = (worker.locator(where).bounding_box() for where in ("#pause", ".work-name .brand"))
    assert pause["x"] < name["x"]  # the page is laid out from the right
    left, right = (worker.locator(where).bounding_box() for where in ("#left", "#right"))
    if viewport == WIDE:
        assert left["x"] + left["width"] < right["x"]
        keys = [button.locator("kbd").bounding_box() for button in worker.locator("[data-choice$=left]").all()]
        assert all(key["x"] < left["x"] + left["width"] / 2 for key in keys)
    else:
        assert left["y"] + left["height"] < right["y"]
    pairs = {}
    for key, side in (("ArrowLeft", 0), ("Shift+ArrowRight", 1), ("ArrowRight", 1)):
        pair, question = shown(worker), asked(worker)
        pairs[question] = (pair[side], pair[0])
        choose(worker, key)
    expect(worker.locator("#done-title")).to_have_text("شكرًا جزيلًا!")
    accessible(worker)
    rows = organiser.request.get(f"/api/v1/campaigns/{campaign}/comparisons", headers=bearer(TOKEN)).json()
    assert {row["question"]: (row["winner"], row["left"]) for row in rows} == pairs
    assert [row["much"] for row in rows] == [False, True, False]


def test_a_keyboard_without_latin_letters_has_the_keys_in_the_same_places(visitor):
    _, _, worker = at_work(visitor, "uk")
    press = """([key, code]) => document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""
    first = asked(worker)
    worker.evaluate(press, ["е", "KeyT"])
    next_question(worker, first)
    expect(worker.locator("#progress-text")).to_have_text("1 відповідь")
    worker.evaluate(press, ["г", "KeyU"])
    expect(worker.locator("#status")).to_have_text(language_of("uk").phrase("undone"))
    assert asked(worker) == first
    worker.evaluate(press, ["ц", "KeyW"])
    expect(worker.locator("#progress-text")).to_have_text("0 відповідей")


def refuse(page, url, status, code):
    body = f'{{"error": {{"code": "{code}", "message": "Only the server knows."}}}}'
    page.route(url, lambda route: route.fulfill(status=status, content_type="application/json", body=body))


@pytest.mark.parametrize(
    ("url", "status", "code", "where", "told"),
    [
        ("**/answer", 409, "question_closed", "#status", "not_taken.question_closed"),
        ("**/answer", 409, "campaign_closed", "#status", "not_taken.campaign_closed"),
        ("**/answer", 409, "other_worker", "#waiting-title", "closed.other_worker.title"),
        ("**/answer", 403, "stale_form", "#waiting-text", "closed.stale_form.text"),
        ("**/answer", 401, "unauthorised", "#waiting-title", "closed.shut.title"),
        ("**/answer", 409, "new_code", "#status", None),
        ("**/undo", 409, "question_closed", "#status", "not_undone.question_closed"),
        ("**/undo", 409, "campaign_closed", "#status", "not_undone.campaign_closed"),
        ("**/answer", 503, "busy", "#status", "no_connection"),
    ],
)
def test_what_is_refused_is_told_by_its_code(visitor, url, status, code, where, told):
    _, _, worker = at_work(visitor, "es")
    refuse(worker, url, status, code)
    first = asked(worker)
    worker.keyboard.press("ArrowLeft")
    if url == "**/undo":
        next_question(worker, first)
        expect(worker.locator("#status")).to_have_text("Guardado.")
        worker.keyboard.press("u")
    expect(worker.locator(where)).to_have_text(
        "Only the server knows." if told is None else language_of("es").phrase(told)
    )
    if told:
        read(worker, "es")


def test_the_organiser_changes_the_language(visitor):
    organiser, campaign, worker = at_work(visitor, "de")
    organiser.goto(f"/campaigns/{campaign}")
    organiser.get_by_role("button", name="Language…").click()
    field = organiser.get_by_label("Language of the workers’ pages")
    expect(field).to_have_value("de")
    field.select_option("pl")
    accessible(organiser)
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The language has changed")
    worker.reload()
    shown(worker)
    expect(worker.get_by_role("button", name="Pomiń")).to_be_visible()
    organiser.locator("#dialog-close").click()
    organiser.get_by_role("button", name="Language…").click()
    expect(organiser.get_by_label("Language of the workers’ pages")).to_have_value("pl")
