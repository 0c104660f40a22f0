"""Who comes when a campaign is over is told so and is nobody's worker; who took part comes back as before."""

from __future__ import annotations

import re
import time

import pytest
from harness import MINIMAL
from test_security import sign_in

PAGE = {"Accept": "text/html"}
OVER = "This campaign is over"


@pytest.fixture(params=["ended", "out of time"])
def over(request, service, wait):
    """End a campaign: by hand, or by its end time, at which nobody was there."""

    def end(**changes):
        soon = {"ends_at": time.time() + 60} if request.param == "out of time" else {}
        made = service.post("/campaigns", MINIMAL | soon | changes).json()
        path, join = f"/campaigns/{made['id']}", made["join_url"].removeprefix("http://testserver")

        def finish():
            if soon:
                wait(120)
            else:
                service.post(f"{path}/end")

        return path, join, finish

    return end


def workers(service, path):
    return [row["name"] for row in service.get(f"{path}/workers").json()]


def join_as(service, join, **fields):
    """Open the page in a new browser and press the button, if there is one."""
    service.client.cookies.clear()
    page = service.client.get(join, headers=PAGE).text
    form = dict(re.findall(r'name="(csrf|key)" value="([^"]+)"', page))
    return page, form, lambda: service.client.post(join, data=form | fields, headers=PAGE)


@pytest.mark.parametrize("who", [{"name": "Late"}, {"outside_id": "p9"}])
def test_who_comes_too_late_is_told_and_is_no_worker(service, over, who):
    path, join, finish = over()
    _, _, start = join_as(service, join, **who)
    finish()  # while the page is open
    refused = start()
    assert refused.status_code == 409
    assert OVER in refused.text
    assert "Start</button>" not in refused.text
    page, form, _ = join_as(service, join)
    assert OVER in page
    assert "Start</button>" not in page
    assert "key" not in form
    assert workers(service, path) == []


def test_who_took_part_still_comes_in_by_the_open_link_for_their_code(service, over):
    path, join, finish = over(completion_code="C0DE")
    for who in ({"name": "Ada"}, {"outside_id": "p1"}):
        _, _, start = join_as(service, join, **who)
        start()
    again = start  # the reply was lost
    finish()
    assert again().headers["location"] == f"/work{path.removeprefix('/campaigns')}"
    page, _, start = join_as(service, f"{join}?PROLIFIC_PID=p1", outside_id="p1")
    assert "Start</button>" in page
    assert start().headers["location"] == f"/work{path.removeprefix('/campaigns')}"
    assert workers(service, path) == ["Ada", "p1"]


def test_who_answered_and_opens_the_open_link_again_is_led_to_their_page(service, over):
    _, join, finish = over()
    _, _, start = join_as(service, join, name="Ada")
    start()
    finish()
    assert service.client.get(join, headers=PAGE).status_code == 303


def test_an_organiser_can_still_show_somebody_the_ranking(service, over):
    path, _, finish = over(show_ranking=True)
    finish()
    late = service.worker(path.removeprefix("/campaigns/"), "Late")
    assert len(service.get(f"{path}/ranking", token=late["token"]).json()) == len(MINIMAL["items"])


def test_the_page_to_invite_says_that_it_is_over(service, over):
    path, _, finish = over()
    sign_in(service)
    words = "nobody new can join by the open link"
    assert words not in service.client.get(f"{path}/invite", headers=PAGE).text
    finish()
    assert words in service.client.get(f"{path}/invite", headers=PAGE).text
