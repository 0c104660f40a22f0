"""Take the screenshots of the docs anew, from the demo: python tests/service/take_screenshots.py docs/images."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from browsing import PHONE, WIDE, shown
from harness import TOKEN, bearer
from playwright.sync_api import Browser, Page, expect, sync_playwright
from servers import running_server

sys.path.insert(0, str(Path(__file__).parents[1]))
import parts

NAMES = {"": "Ada Lovelace\nGrace Hopper", "-narrow": "Emmy Noether\nMaryam Mirzakhani"}
ANSWERS = 120  # until the dashboard has something to show
BY_FAR = {
    "name": "Posters",
    "question": "Which poster would you rather stop at?",
    "items": [{"text": "A red fox on white"}, {"text": "Blue waves, and the date in large letters"}],
    "budget": 10,
    "by_how_much": True,
}

ARABIC = {
    "name": "مسابقة الملصقات",
    "question": "أي الملصقين يلفت انتباهك أكثر؟",
    "items": [{"text": "ثعلب أحمر على خلفية بيضاء"}, {"text": "أمواج زرقاء والتاريخ بحروف كبيرة"}],
    "budget": 10,
    "language": "ar",
}


class Camera:
    """Pages of one server, photographed."""

    def __init__(self, browser: Browser, url: str, folder: Path) -> None:
        self.browser, self.url, self.folder = browser, url, folder

    def open(self, path: str, viewport: dict[str, int], dark: bool = False, signed_in: bool = False) -> Page:
        look = {"viewport": viewport, "color_scheme": "dark" if dark else "light"}
        page = self.browser.new_context(base_url=self.url, **look).new_page()
        if signed_in:
            page.goto("/signin")
            page.get_by_label("Organiser's token").fill(TOKEN)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/")
        page.goto(path)
        return page

    def take(self, page: Page, name: str, whole: bool = True) -> None:
        page.wait_for_timeout(400)
        page.screenshot(path=self.folder / f"service-{name}.png", full_page=whole)


def take_all(camera: Camera, campaign: str, join_url: str, work_url: str) -> None:
    camera.take(camera.open("/signin", WIDE), "signin", whole=False)
    camera.take(camera.open(join_url, PHONE), "join", whole=False)
    for name, viewport, dark in (("work", WIDE, False), ("work-narrow", PHONE, False), ("work-dark", WIDE, True)):
        page = camera.open(work_url, viewport, dark)
        shown(page)
        camera.take(page, name, whole=False)
    page.locator("#pause").click()
    camera.take(page, "work-paused", whole=False)
    for suffix, viewport in (("", WIDE), ("-narrow", PHONE)):
        page = camera.open("/", viewport, signed_in=True)
        for name, path in {
            "home": "/",
            "new": "/campaigns/new",
            "report": f"/campaigns/{campaign}/report",
            "tokens": "/tokens",
        }.items():
            page.goto(path)
            camera.take(page, name + suffix)
        page.goto(f"/campaigns/{campaign}/invite")
        page.get_by_label("Names, one per line").fill(NAMES[suffix])
        page.get_by_role("button", name="Make personal links").click()
        camera.take(page, f"invite{suffix}")
        _dashboard(camera, page, campaign, suffix)
    page = camera.open(f"/campaigns/{campaign}", WIDE, dark=True, signed_in=True)
    expect(page.locator("#ranking tr").first).to_be_visible()
    camera.take(page, "dashboard-dark")


def take_work(camera: Camera, client: httpx.Client, name: str, terms: dict[str, Any], viewport: dict[str, int]) -> None:
    campaign = client.post("/campaigns", json=terms).json()["id"]
    worker = client.post(f"/campaigns/{campaign}/workers", json={"name": "You"}).json()
    page = camera.open(worker["url"], viewport)
    shown(page)
    camera.take(page, name, whole=False)


def _dashboard(camera: Camera, page: Page, campaign: str, suffix: str) -> None:
    page.goto(f"/campaigns/{campaign}")
    expect(page.locator("#ranking tr").first).to_be_visible()
    camera.take(page, f"dashboard{suffix}")
    page.locator("#flight button").first.click(force=True)
    expect(page.locator("#dialog-body .gain").first).to_be_visible()
    camera.take(page, f"why{suffix}", whole=False)
    page.get_by_role("button", name="Close").click()
    if suffix:
        return
    page.get_by_role("button", name="Ban Button presser").click()
    page.locator("#dialog-ok").click()
    expect(page.locator("#dialog-title")).to_contain_text("banned")
    camera.take(page, "ban", whole=False)


def main(folder: Path) -> None:
    with (
        tempfile.TemporaryDirectory() as work,
        running_server(Path(work), "--demo") as server,
        httpx.Client(base_url=f"{server.url}/api/v1", headers=bearer(TOKEN), timeout=60) as client,
        sync_playwright() as playwright,
    ):
        campaign = client.get("/campaigns").json()[0]["id"]
        while (shown_now := client.get(f"/campaigns/{campaign}").json())["answers"] < ANSWERS:
            time.sleep(0.5)
        worker = client.post(f"/campaigns/{campaign}/workers", json={"name": "You"}).json()
        browser = playwright.chromium.launch(executable_path=parts.chromium(), args=["--no-sandbox"])
        camera = Camera(browser, server.url, folder)
        take_all(camera, campaign, shown_now["join_url"], worker["url"])
        take_work(camera, client, "work-by-far", BY_FAR, PHONE)
        take_work(camera, client, "work-arabic", ARABIC, {"width": 900, "height": 640})
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
