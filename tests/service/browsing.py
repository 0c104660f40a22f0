"""What an organiser and a worker do in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from axe_playwright_python.sync_playwright import Axe
from harness import TOKEN
from playwright.sync_api import APIResponse, Page, Route, expect

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000  # milliseconds: a machine that does other things too is slow, not wrong
expect.set_options(timeout=PATIENCE)
AWAY = """away => {
  Object.defineProperty(document, "hidden", { value: away, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""  # Playwright's tabs are all in front
CITIES = ["Lisbon", "Oslo", "Kyoto", "Quito", "Cairo", "Perth"]


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def sign_in(page: Page) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile("/signin$"))
    page.get_by_label("Organiser's token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()


def open_all(page: Page) -> None:
    """Every part of a form that is folded away."""
    for summary in page.locator("summary").all():
        summary.click()


def create(page: Page, items: str = "\n".join(CITIES), **fields: str) -> str:
    page.goto("/campaigns/new")
    page.get_by_label("Name of the campaign").fill("Cities")
    page.get_by_label("The question that workers see").fill("Where would you rather live?")
    page.get_by_label("Items, one per line").fill(items)
    open_all(page)
    for label, value in fields.items():
        page.locator(f"#{label}").fill(value)
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="Invite workers")).to_be_visible()
    return re.search(r"/campaigns/(\w+)/invite", page.url)[1]


def personal_links(page: Page, *names: str) -> list[str]:
    page.get_by_label("Names, one per line").fill("\n".join(names))
    page.get_by_role("button", name="Make personal links").click()
    links = page.locator("[aria-labelledby=fresh] code")
    expect(links).to_have_count(len(names))  # waits for the page that the click asked for
    return links.all_inner_texts()


def send(page: Page, path: str, to: str = "", **fields: str) -> APIResponse:
    """The form of a page, sent without being drawn or typed into."""
    csrf = re.search(r'name="csrf" value="([^"]+)"', page.request.get(path).text())[1]
    reply = page.request.post(to or path, form={"csrf": csrf, **fields})
    assert reply.ok, reply.text()
    return reply


def campaign_of_ada(
    visitor: Callable[..., Page], items: str = "\n".join(CITIES), **fields: str
) -> tuple[Page, str, str]:
    """An organiser on the dashboard of a new campaign, the id of that, and the link of its one worker."""
    organiser = visitor()
    send(organiser, "/signin", token=TOKEN)
    new = {"name": "Cities", "question": "Where would you rather live?", "items": items, "budget": "100", "price": "1"}
    made = send(organiser, "/campaigns/new", to="/campaigns", **{**new, "min_looks": "1", **fields})
    campaign = re.search(r"/campaigns/(\w+)/invite$", made.url)[1]
    invited = send(organiser, f"/campaigns/{campaign}/invite", names="Ada").text()
    (link,) = re.findall(r"<code[^>]*>(http[^<]+/w/[^<]+)</code>", invited)
    organiser.goto(f"/campaigns/{campaign}")
    return organiser, campaign, link


def ada_at_work(visitor: Callable[..., Page], viewport: dict[str, int] = WIDE) -> tuple[Page, str, str, Page]:
    """The same for cities, and the worker before the first question, with the second at hand."""
    organiser, campaign, link = campaign_of_ada(visitor)
    worker = visitor(viewport)
    worker.goto(link)
    shown(worker)
    expect(organiser.locator("#open")).to_have_text("2 open questions")  # this one and the next
    return organiser, campaign, link, worker


def asked(page: Page) -> str | None:
    """The id of the question that a worker sees."""
    return page.locator("#asking").get_attribute("data-question")


def shown(page: Page) -> tuple[str, str]:
    page.wait_for_selector("#asking:not([hidden]):not([data-settling])")
    return page.locator("#left").inner_text(), page.locator("#right").inner_text()


def next_question(page: Page, before: str) -> str:
    page.wait_for_function("id => document.querySelector('#asking')?.dataset.question !== id", arg=before)
    page.wait_for_selector("#asking:not([data-settling])", state="attached")
    return asked(page)


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for what the page cannot be asked about."""
    for _ in range(PATIENCE // 20):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come")


class Held:
    """Requests that are on their way for as long as the test likes."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.passes = page, False
        self.routes: list[Route] = []
        page.route(url, lambda route: route.continue_() if self.passes else self.routes.append(route))

    def arrived(self, n: int = 1) -> None:
        until(self.page, lambda: len(self.routes) >= n)

    def let_go(self) -> None:
        self.passes = True
        for route in self.routes:
            route.continue_()


def stop_the_clock(page: Page) -> None:
    """No timer of the page goes off any more. Its clock must be installed."""
    page.clock.pause_at(datetime.now() + timedelta(hours=1))


def fits(page: Page) -> bool:
    """Nothing sticks out at the side."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
