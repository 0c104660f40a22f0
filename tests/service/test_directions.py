"""Words that are written from right to left stand as they should, and nothing around them is turned round."""

from __future__ import annotations

from browsing import ada_at_work, campaign_of_ada, fits, send, shown
from playwright.sync_api import expect

NARROW = {"width": 360, "height": 740}
QUESTION, NAME = "מה עדיף?", "יוסי (תל אביב)"
# where the first item, the sign and the second item stand
PLACES = """row => {
  const [one, other] = row.querySelectorAll(".one"), range = document.createRange();
  range.selectNodeContents(other.parentElement.firstChild);
  return [one, range, other].map((part) => part.getBoundingClientRect()).map(({ left, right }) => [left, right]);
}"""


def test_the_sign_stands_between_two_items_and_points_to_the_loser(visitor):
    organiser, _, link = campaign_of_ada(visitor, "tea\nתה")
    worker = visitor()
    worker.goto(link)
    worker.locator("#left" if shown(worker)[0] == "tea" else "#right").click()
    row = organiser.locator("#recent li .what")
    expect(row).to_contain_text("tea ≻ תה")
    (_, tea), (begin, end), (other, _) = row.evaluate(PLACES)
    assert tea <= begin < end <= other
    # what is mirrored is what stands in a box from right to left
    expect(row.locator(".other")).to_have_css("direction", "ltr")
    expect(row.locator(".other .one")).to_have_css("direction", "rtl")


def test_questions_and_names_run_in_their_own_direction(visitor):
    organiser, campaign, _ = campaign_of_ada(visitor, question=QUESTION, name=NAME)
    invited = send(organiser, f"/campaigns/{campaign}/invite", names=NAME).text()
    worker = visitor(NARROW)
    worker.goto(invited.split('class="link-text">')[1].split("<")[0])
    shown(worker)
    for place in ("#question", "#who", ".brand"):
        expect(worker.locator(place)).to_have_css("direction", "rtl")
    assert fits(worker)
    for page in ("", "/invite", "/report"):
        organiser.goto(f"/campaigns/{campaign}{page}")
        expect(organiser.locator("bdi", has_text=NAME).first).to_have_css("direction", "rtl")
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#active-names bdi")).to_have_text([NAME])


def test_who_writes_from_left_to_right_sees_no_difference(visitor):
    _, _, _, worker = ada_at_work(visitor)
    for place in ("#question", "#who", ".brand"):
        expect(worker.locator(place)).to_have_css("direction", "ltr")
