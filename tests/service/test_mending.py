"""What an item shows can be mended: a typo, a table that has moved, a picture of the wrong project."""

from itertools import count

import pytest
from harness import TOKEN, bearer
from test_api import error_of
from test_security import PNG


def mend(service, campaign, item, **words):
    path = f"/api/v1/campaigns/{campaign}/items"
    return service.client.patch(path, params={"id": item}, json=words, headers=bearer(TOKEN))


NUMBERS = count()


def shown(service, campaign):
    """What somebody who has just come sees of the item a, of two."""
    question = service.ask(campaign, service.worker(campaign, name=f"Ada {next(NUMBERS)}")["token"])
    return next(question[side]["text"] for side in ("left", "right") if question[side]["id"] == "a")


PAIR = [{"id": "a", "text": "Alpah, table 1"}, {"id": "b", "text": "Beta, table 2"}]


def test_workers_see_mended_words_in_every_process(any_service, open_service):
    service, other = any_service, open_service(database=any_service.settings.database)
    campaign = service.campaign(items=PAIR)
    for place in (service, other):  # which has read them before
        assert shown(place, campaign) == "Alpah, table 1"
    for words in ("Alpha, table 1", "Alpha, table 9"):
        listed = mend(service, campaign, "a", text=words)
        assert listed.status_code == 200, listed.text
        assert listed.json() == [
            {"id": "a", "text": words, "kind": "text", "image": None},
            {"id": "b", "text": "Beta, table 2", "kind": "text", "image": None},
        ]
        for place in (service, other):
            assert shown(place, campaign) == words
    assert other.get(f"/campaigns/{campaign}/items").json() == listed.json()
    assert {row["label"] for row in other.get(f"/campaigns/{campaign}/ranking").json()} == {
        "Alpha, table 9",
        "Beta, table 2",
    }


def test_answers_and_the_end_time_stay_as_they_are(service):
    campaign = service.campaign(items=PAIR, ends_at=4e9)
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)
    mend(service, campaign, "a", text="**Alpha**", kind="markdown")
    assert service.answer(question["id"], "left", token).status_code == 200
    told = service.get(f"/campaigns/{campaign}").json()
    assert (told["answers"], told["ends_at"]) == (1, 4e9)
    assert service.get(f"/campaigns/{campaign}/items").json()[0] == {
        "id": "a",
        "text": "**Alpha**",
        "kind": "markdown",
        "image": None,
    }


def picture(service):
    files = {"file": ("a.png", PNG)}
    return service.client.post("/api/v1/media", files=files, headers=service.organiser).json()["image"]


def test_a_picture_that_no_item_shows_any_more_is_gone(any_service):
    service = any_service
    wrong, right, both = (picture(service) for _ in range(3))
    campaign = service.campaign(items=[{"id": "a", "image": wrong, "text": "a cat"}, {"id": "b", "image": both}])
    twin = service.campaign(items=[{"id": "a", "image": both}, PAIR[1]])
    assert mend(service, campaign, "a", image=right, text="a cat").json()[0]["image"] == right
    assert mend(service, campaign, "b", text="only words").json()[1] == {
        "id": "b", "text": "only words", "kind": "text", "image": None,
    }  # fmt: skip
    assert [service.client.get(f"/{image}").status_code for image in (wrong, right, both)] == [404, 200, 200]
    assert mend(service, campaign, "a", image=right, text="a black cat").status_code == 200
    assert service.client.get(f"/{right}").status_code == 200
    assert service.client.delete(f"/api/v1/campaigns/{twin}?name=Animals", headers=service.organiser).status_code == 204
    assert service.client.get(f"/{both}").status_code == 404


@pytest.mark.parametrize(
    ("item", "words", "status", "told"),
    [
        ("", {"text": "Gamma"}, 404, "there is no item ''"),
        ("c" * 500, {"text": "Gamma"}, 404, "there is no item 'ccc"),
        ("c", {"text": "Gamma"}, 404, "there is no item 'c' in this campaign"),
        ("a", {"text": " \u200b"}, 422, "cannot be seen"),
        ("a", {}, 422, "no text and no image"),
        ("a", {"text": "x", "kind": "image"}, 422, "'x'"),
        ("a", {"image": "media/" + "0" * 32}, 422, "picture"),
        ("a", {"text": "x", "guess": 3}, 422, "guess"),
        ("a", {"text": "x", "id": "z"}, 422, "id"),
    ],
)
def test_what_cannot_be_shown_is_refused_and_the_item_stays(service, item, words, status, told):
    campaign = service.campaign(items=PAIR)
    assert told in str(error_of(mend(service, campaign, item, **words), status))
    assert [row["text"] for row in service.get(f"/campaigns/{campaign}/items").json()] == [
        "Alpah, table 1",
        "Beta, table 2",
    ]


def test_only_organisers_see_or_mend_the_list(service):
    campaign = service.campaign(items=PAIR)
    worker = service.worker(campaign)["token"]
    path = f"/api/v1/campaigns/{campaign}/items"
    for token in (None, worker):
        assert service.client.get(path, headers=bearer(token)).status_code in (401, 403)
        refused = service.client.patch(path, params={"id": "a"}, json={"text": "mine"}, headers=bearer(token))
        assert refused.status_code in (401, 403)
    assert service.get(f"/campaigns/{campaign}/items").json()[0]["text"] == "Alpah, table 1"
