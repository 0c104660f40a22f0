"""The fixed paths and shapes of the API, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from harness import ITEMS, MINIMAL, TOKEN, bearer

from nextpair import Campaign
from nextpair.campaign.events import decode
from nextpair.campaign.questions import Question
from nextpair.errors import JournalConflict
from nextpair.service import desk, hall, live
from nextpair.service.content import Item
from nextpair.service.records import CampaignRecord, WorkerRecord
from nextpair.service.security import hash_token
from nextpair.service.undoing import Given


def error_of(response, status):
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"}
    assert set(response.json()["error"]) == {"code", "message"}
    return response.json()["error"]


def test_the_whole_way_of_a_campaign(any_service):
    service = any_service
    created = service.post("/campaigns", MINIMAL)
    assert created.status_code == 201
    campaign = created.json()["id"]
    assert f"/join/{campaign}-" in created.json()["join_url"]
    worker = service.post(f"/campaigns/{campaign}/workers", {"name": "Ada"})
    assert worker.status_code == 201
    assert worker.json()["url"].endswith(f"/w/{worker.json()['token']}")
    token = worker.json()["token"]
    asked = service.post(f"/campaigns/{campaign}/questions", token=token)
    assert asked.status_code == 201
    question = asked.json()
    assert {question["left"]["id"], question["right"]["id"]} < {item["id"] for item in ITEMS}
    assert question["left"]["text"] == f"The {question['left']['id']}"
    assert time.time() < question["expires_at"] < time.time() + 1000
    told = service.answer(question["id"], "right", token)
    assert told.status_code == 200
    done = {"answers": 1, "skipped": 0, "missing": 0}
    assert told.json()["progress"] == done | {"quota": None, "state": "open", "ended": False}
    assert service.get(f"/campaigns/{campaign}/comparisons").json() == [
        {
            "question": question["id"],
            "worker": worker.json()["id"],
            "winner": question["right"]["id"],
            "loser": question["left"]["id"],
            "tie": False,
            "much": False,
            "left": question["left"]["id"],
        }
    ]
    ranking = service.get(f"/campaigns/{campaign}/ranking").json()
    assert [row["rank"] for row in ranking] == [1, 2, 3, 4, 5]
    assert ranking[0]["item"] == question["right"]["id"]
    assert ranking[-1]["item"] == question["left"]["id"]
    rows = service.get(f"/campaigns/{campaign}/workers").json()
    assert [(row["id"], row["name"], row["answers"]) for row in rows] == [(worker.json()["id"], "Ada", 1)]
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["spent"], shown["held"], shown["remaining"], shown["phase"]) == (1, 0, 9, "running")


def test_live_state_is_the_replay_of_the_journal(any_service):
    service = any_service
    campaign = service.campaign(budget=6)
    tokens = [service.worker(campaign, name)["token"] for name in ("a", "b")]
    for k in range(8):
        question = service.ask(campaign, tokens[k % 2])
        if question is not None:
            service.answer(question["id"], ("left", "tie", "skip", "right")[k % 4], tokens[k % 2])
    events = [decode(json.loads(line)) for line in service.get(f"/campaigns/{campaign}/journal").iter_lines()]
    replayed = Campaign.replay(events)
    live = service.get(f"/campaigns/{campaign}/ranking").json()
    assert [(row["item"], row["score"]) for row in live] == [(row.item, row.score) for row in replayed.ranking()]
    assert replayed.spent == service.get(f"/campaigns/{campaign}").json()["spent"] == 6


def test_two_processes_on_one_database_are_one_campaign(open_service, service, postgres_url):
    """A second application on the same database stands for a second process: it shares nothing but the database."""
    for url in (service.settings.database, postgres_url):
        one, other = open_service(database=url), open_service(database=url)
        campaign = one.campaign(budget=4)
        token = one.worker(campaign)["token"]
        first, second = one.ask(campaign, token), other.ask(campaign, token)
        assert one.answer(second["id"], "left", token).status_code == 200
        assert other.answer(first["id"], "tie", token).status_code == 200
        assert other.answer(second["id"], "left", token).status_code == 200  # a duplicate
        assert other.answer(second["id"], "right", token).status_code == 409
        assert [s.get(f"/campaigns/{campaign}").json()["spent"] for s in (one, other)] == [2, 2]
        assert one.get(f"/campaigns/{campaign}/ranking").json() == other.get(f"/campaigns/{campaign}/ranking").json()
        third, fourth = other.ask(campaign, token), one.ask(campaign, token)
        assert len({first["id"], second["id"], third["id"], fourth["id"]}) == 4
        assert one.ask(campaign, token) is None
        assert other.ask(campaign, token) is None


def test_a_change_that_another_process_overtook_is_decided_anew(open_service, service, monkeypatch):
    other = open_service(database=service.settings.database)
    campaign = service.campaign(budget=1)
    ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
    store = service.client.app.state.desk.store
    real, taken = store.append, []

    def append(*args):
        if not taken:
            taken.append(other.ask(campaign, bob))
        real(*args)

    monkeypatch.setattr(store, "append", append)
    assert service.ask(campaign, ada) is None  # what Bob was asked holds the whole budget
    assert taken[0] is not None
    assert service.get(f"/campaigns/{campaign}").json()["held"] == 1


def test_who_is_overtaken_again_and_again_is_told_to_come_back(service, monkeypatch):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    tries = []

    def append(campaign, expected, *_):
        tries.append(expected)
        raise JournalConflict("somebody was faster")

    monkeypatch.setattr(live, "MAX_TRIES", 3)
    monkeypatch.setattr(service.client.app.state.desk.store, "append", append)
    response = service.post(f"/campaigns/{campaign}/questions", token=token)
    assert error_of(response, 503)["code"] == "busy"
    assert response.headers["Retry-After"] == "1"
    assert tries == [2, 2, 2]


def test_a_campaign_whose_process_was_killed_while_creating_it_is_not_there(service):
    """Its words are, and not its journal."""
    items = [Item(name, name) for name in "ab"]
    service.client.app.state.desk.records.add_campaign(CampaignRecord("chalf", "Half", "?", time.time()), items)
    assert "chalf" not in [row["id"] for row in service.get("/campaigns").json()]
    error_of(service.get("/campaigns/chalf"), 404)
    error_of(service.post("/campaigns", MINIMAL | {"workers_from": "chalf"}), 422)


def test_the_budget_is_never_overspent_and_204_says_so(service):
    campaign = service.campaign(budget=1, price=0.3)
    token = service.worker(campaign)["token"]
    questions = [service.ask(campaign, token) for _ in range(4)]
    assert [question is None for question in questions] == [False, False, False, True]
    for question in questions[:3]:
        assert service.answer(question["id"], "left", token).status_code == 200
    assert service.ask(campaign, token) is None
    assert service.get(f"/campaigns/{campaign}").json()["spent"] == pytest.approx(0.9)


def test_no_pair_goes_twice_to_a_worker_and_then_204(service):
    campaign = service.campaign(items=ITEMS[:3], budget=100)
    token = service.worker(campaign)["token"]
    pairs = set()
    for _ in range(3):
        question = service.ask(campaign, token)
        pairs.add(frozenset((question["left"]["id"], question["right"]["id"])))
        service.answer(question["id"], "left", token)
    assert len(pairs) == 3
    assert service.ask(campaign, token) is None


def test_a_quota_ends_a_worker_but_not_the_campaign(service):
    campaign = service.campaign(quota=1)
    ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
    question = service.ask(campaign, ada)
    assert service.answer(question["id"], "tie", ada).json()["progress"]["state"] == "done"
    assert service.ask(campaign, ada) is None
    assert service.ask(campaign, bob) is not None


def test_only_the_best_may_matter(service):
    campaign = service.campaign(best=1)
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)["id"]
    why = service.get(f"/questions/{question}/why").json()
    assert why["raises"] == "the share of pairs in the right order between the best and the others"
    service.answer(question, "left", token)
    rows = service.get(f"/campaigns/{campaign}/ranking").json()
    assert sum(row["prob_best"] for row in rows) == pytest.approx(1)
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["best"], shown["expected_accuracy"]) == (1, rows[0]["prob_best"])
    plain = service.campaign()
    assert service.get(f"/campaigns/{plain}").json()["best"] is None
    assert service.get(f"/campaigns/{plain}/ranking").json()[0]["prob_best"] is None
    for body, words in (({"best": 9}, "best goes from 1 to"), ({"best": 1, "policy": "akg"}, "choose full-posterior")):
        refused = service.post("/campaigns", MINIMAL | body)
        assert refused.status_code == 422
        assert words in refused.text


@pytest.mark.parametrize(
    ("terms", "answers"),
    [
        ({"quota": 2}, 2),
        ({"budget": 2}, 2),
        ({"items": ITEMS[:3]}, 3),  # every pair
        ({"target_accuracy": 0.6, "policy": "akg"}, None),
        ({}, 0),  # the organiser ends it
    ],
)
def test_the_completion_code_is_for_those_who_did_their_part(service, terms, answers):
    completion = {"completion_code": "C/1", "completion_url": "https://x.example/?cc={code}&who={worker}"}
    campaign = service.campaign(**terms, **completion)
    ada = service.post(f"/campaigns/{campaign}/workers", {"outside_id": "p 7"}).json()["token"]
    given = 0
    while given != (answers or 100) and (question := service.ask(campaign, ada)) is not None:
        shown = service.get(f"/campaigns/{campaign}", ada).json()
        assert shown["progress"]["state"] != "done"
        assert "completion" not in shown
        assert service.answer(question["id"], "left", ada).status_code == 200
        given += 1
        if answers == 0:
            service.post(f"/campaigns/{campaign}/end")
    shown = service.get(f"/campaigns/{campaign}", ada).json()
    assert shown["progress"]["state"] == "done"
    assert shown["completion"] == {"code": "C/1", "url": "https://x.example/?cc=C%2F1&who=p%207"}


def test_the_same_answer_twice_is_one_answer_and_another_is_refused(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)
    for _ in range(3):
        assert service.answer(question["id"], "left", token).status_code == 200
    assert error_of(service.answer(question["id"], "right", token), 409)["code"] == "question_closed"
    assert len(service.get(f"/campaigns/{campaign}/comparisons").json()) == 1


def test_an_abandoned_question_gives_its_budget_back_and_a_late_answer_counts_while_it_fits(service, wait):
    campaign = service.campaign(budget=1, lease=60)
    ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
    first = service.ask(campaign, ada)
    assert service.ask(campaign, bob) is None  # the only answer is held
    wait(61)
    second = service.ask(campaign, bob)  # the lease ran out: the money is free again
    assert second is not None
    assert error_of(service.answer(first["id"], "left", ada), 409)["code"] == "budget_exhausted"
    assert service.answer(second["id"], "left", bob).status_code == 200
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["spent"], shown["answers"]) == (1, 1)

    other = service.campaign(budget=5, lease=60)
    eve = service.worker(other)["token"]
    late = service.ask(other, eve)
    wait(61)
    assert service.get(f"/campaigns/{other}").json()["held"] == 0
    assert service.answer(late["id"], "right", eve).status_code == 200
    assert service.get(f"/campaigns/{other}").json()["spent"] == 1


def test_every_answer_of_a_worker_who_is_slower_than_the_lease_counts(service, wait):
    """The page holds two questions and asks for one more after each answer; a program may do the same."""
    campaign = service.campaign(items=ITEMS[:4], budget=100, lease=60)
    ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
    queue = [service.ask(campaign, ada), service.ask(campaign, ada)]
    for answers in range(1, 7):
        wait(61)
        service.get(f"/campaigns/{campaign}")  # somebody looks, and the leases are closed
        told = service.answer(queue.pop(0)["id"], "left", ada)
        assert told.status_code == 200, told.text
        assert told.json()["progress"]["answers"] == answers
        while len(queue) < 2 and (more := service.ask(campaign, ada)) is not None:
            queue += [more] if more["id"] not in [question["id"] for question in queue] else []
    assert queue == []
    rows = service.get(f"/campaigns/{campaign}/comparisons").json()
    assert len({frozenset((row["winner"], row["loser"])) for row in rows}) == 6  # every pair, and none twice
    late = service.ask(campaign, bob)
    wait(61)
    assert service.answer(late["id"], "skip", bob).json()["status"] == "skipped"
    assert service.ask(campaign, bob)["id"] != late["id"]


def test_a_worker_undoes_their_last_answer_only(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    first, second = service.ask(campaign, token), service.ask(campaign, token)
    for question in (first, second):
        service.answer(question["id"], "left", token)
    error_of(service.post(f"/questions/{first['id']}/undo", token=token), 409)
    for _ in range(2):  # again, should the first reply be lost
        undone = service.post(f"/questions/{second['id']}/undo", token=token)
        assert undone.json()["status"] == "open"
        assert undone.json()["progress"]["answers"] == 1
    other = service.worker(campaign, "Bob")["token"]
    error_of(service.post(f"/questions/{second['id']}/undo", token=other), 404)
    assert [q["id"] for q in service.get(f"/campaigns/{campaign}/questions", token).json()] == [second["id"]]
    assert service.answer(second["id"], "right", token).status_code == 200
    assert len(service.get(f"/campaigns/{campaign}/comparisons").json()) == 2


def test_a_worker_undoes_their_last_answer_though_the_organiser_undid_an_older_one(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    first, second = (service.ask(campaign, token)["id"] for _ in range(2))
    for question in (first, second):
        service.answer(question, "left", token)
    assert service.post(f"/questions/{first}/undo").status_code == 200
    assert service.post(f"/questions/{second}/undo", token=token).json()["status"] == "open"
    assert service.post(f"/questions/{first}/undo", token=token).json()["progress"]["answers"] == 0  # open already


def test_an_answer_that_was_undone_and_ran_out_is_undone_all_the_same(service, wait):
    campaign = service.campaign(lease=60)
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)["id"]
    service.answer(question, "left", token)
    assert service.post(f"/questions/{question}/undo", token=token).json()["status"] == "open"
    wait(61)
    service.get(f"/campaigns/{campaign}")  # takes in that it ran out
    assert service.post(f"/questions/{question}/undo", token=token).json()["status"] == "expired"
    assert service.answer(question, "right", token).json()["progress"]["answers"] == 1


def test_a_worker_cannot_flood_the_journal_by_undoing(service, monkeypatch):
    monkeypatch.setattr(live, "MAX_UNDONE", 3)
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)["id"]
    for _ in range(4):  # three, and one for the answer that stands meanwhile
        assert service.answer(question, "left", token).status_code == 200
        assert service.post(f"/questions/{question}/undo", token=token).status_code == 200
    assert service.answer(question, "right", token).status_code == 200
    problem = error_of(service.post(f"/questions/{question}/undo", token=token), 409)
    assert "leave this one as it is" in problem["message"]
    assert service.post(f"/questions/{question}/undo").status_code == 200  # the organiser may


def test_the_organiser_pauses_resumes_extends_and_ends(service):
    campaign = service.campaign(budget=2)
    token = service.worker(campaign)["token"]
    changed = service.post(f"/campaigns/{campaign}/pause").json()
    assert changed["before"] == changed["after"]
    assert service.ask(campaign, token) is None
    assert service.get(f"/campaigns/{campaign}", token).json()["progress"]["state"] == "waiting"
    service.post(f"/campaigns/{campaign}/resume")
    for _ in range(2):
        service.answer(service.ask(campaign, token)["id"], "left", token)
    assert service.ask(campaign, token) is None
    patched = service.client.patch(f"/api/v1/campaigns/{campaign}", json={"budget": 3}, headers=service.organiser)
    assert patched.status_code == 200
    assert service.ask(campaign, token) is not None
    error_of(service.client.patch(f"/api/v1/campaigns/{campaign}", json={"budget": 1}, headers=service.organiser), 422)
    service.post(f"/campaigns/{campaign}/end")
    assert service.get(f"/campaigns/{campaign}", token).json()["progress"]["state"] == "done"
    error_of(service.post(f"/campaigns/{campaign}/resume"), 409)


def test_the_price_of_an_answer_can_change(service):
    campaign = service.campaign(budget=10)
    token = service.worker(campaign)["token"]
    service.ask(campaign, token)
    path = f"/api/v1/campaigns/{campaign}"
    changed = service.client.patch(path, json={"price": 3.5}, headers=service.organiser)
    assert changed.status_code == 200, changed.text
    service.ask(campaign, token)
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["price"], shown["held"]) == (3.5, 4.5)
    error_of(service.client.patch(path, json={"price": 0}, headers=service.organiser), 422)


def test_what_may_be_sent_again_after_a_lost_reply_changes_nothing_the_second_time(service):
    campaign = service.campaign(lease=None)
    ada, bob = (service.worker(campaign, name) for name in ("Ada", "Bob"))
    taken, kept = service.ask(campaign, ada["token"]), service.ask(campaign, bob["token"])
    skipped, path = service.ask(campaign, ada["token"]), f"/campaigns/{campaign}"
    sent = [
        ("POST", f"/questions/{taken['id']}/answer", {"choice": "left"}, ada),
        ("POST", f"/questions/{taken['id']}/undo", None, ada),
        ("POST", f"/questions/{taken['id']}/answer", {"choice": "right"}, ada),
        ("POST", f"/questions/{skipped['id']}/answer", {"choice": "skip"}, ada),
        ("POST", f"/questions/{kept['id']}/answer", {"choice": "tie"}, bob),
        ("DELETE", f"{path}/items/cow", None, None),
        ("PATCH", path, {"budget": 20, "price": 0.3, "target_accuracy": 0.9}, None),
        ("POST", f"{path}/pause", None, None),
        ("POST", f"{path}/resume", None, None),
        ("POST", f"{path}/workers/{ada['id']}/ban", None, None),
        ("POST", f"{path}/end", None, None),
    ]
    for method, address, body, worker in sent:
        token = worker["token"] if worker else TOKEN
        standing = []
        for _ in range(2):
            reply = service.client.request(method, f"/api/v1{address}", json=body, headers=bearer(token))
            assert reply.status_code == 200, reply.text
            shown = service.get(f"{path}/dashboard").json()
            standing.append([shown["campaign"] | {"seq": None}, shown["ranking"], shown["in_flight"]])
            standing[-1].append([(row["id"], row["status"], row["answered"], row["spent"]) for row in shown["workers"]])
        assert standing[0] == standing[1], address
    shown = service.get(path).json()
    assert (shown["spent"], shown["held"], shown["answers"]) == (2, 0, 1)
    assert sum(row["spent"] for row in service.get(f"{path}/workers").json()) == 2  # the banned one's too
    table = service.client.get(f"{path}/export/workers.csv", headers=service.organiser)
    assert f"{ada['id']},Ada,,banned,0,1,1.0," in table.text


def test_an_end_time_in_words_is_told_what_a_moment_is(service):
    response = service.post("/campaigns", MINIMAL | {"ends_at": "2030-01-31T18:00"})
    assert error_of(response, 422)["message"] == (
        "ends_at: must be a number: seconds since 1970 (UTC), as `date +%s` prints"
    )


def test_a_budget_or_price_of_null_is_refused_instead_of_passed_over(service):
    """In the library None is no limit: whoever means that must not be told that it was done."""
    campaign = service.campaign()
    path = f"/api/v1/campaigns/{campaign}"
    for field in ("budget", "price"):
        error = error_of(service.client.patch(path, json={field: None}, headers=service.organiser), 422)
        assert error["message"].startswith(f"{field}: ")
    none = service.client.patch(path, json={"target_accuracy": None}, headers=service.organiser)
    assert none.status_code == 200


@pytest.mark.parametrize("by_the_clock", [True, False])
def test_what_is_out_at_the_end_is_taken_for_its_time_and_then_the_ranking_stays(service, wait, by_the_clock):
    ends = {"ends_at": time.time() + 100} if by_the_clock else {}
    campaign = service.campaign(lease=60, **ends)
    token = service.worker(campaign)["token"]
    wait(50)
    first, second, third = (service.ask(campaign, token) for _ in range(3))
    if by_the_clock:
        wait(51)
    else:
        service.post(f"/campaigns/{campaign}/end")
    assert service.answer(first["id"], "left", token).status_code == 200
    assert service.get(f"/campaigns/{campaign}").json()["answers"] == 1
    refused = error_of(service.post(f"/questions/{first['id']}/undo", token=token), 409)
    assert "ask the organiser" in refused["message"]
    wait(61)
    for _ in range(2):  # before anybody has looked, and after
        assert error_of(service.answer(second["id"], "left", token), 409)["code"] == "campaign_closed"
        assert service.get(f"/campaigns/{campaign}").json()["answers"] == 1
    assert service.answer(first["id"], "left", token).status_code == 200  # the receipt was lost, and it is sent again
    assert service.answer(third["id"], "skip", token).status_code == 200
    assert service.post(f"/questions/{first['id']}/undo").status_code == 200  # the organiser may
    assert service.answer(first["id"], "right", token).status_code == 200


def test_banning_takes_answers_out_closes_links_and_shows_before_and_after(service):
    campaign = service.campaign()
    worker = service.worker(campaign)
    question = service.ask(campaign, worker["token"])
    service.answer(question["id"], "left", worker["token"])
    change = service.post(f"/campaigns/{campaign}/workers/{worker['id']}/ban").json()
    assert change["before"][0]["item"] == question["left"]["id"]
    assert len({row["score"] for row in change["after"]}) == 1  # nothing is known any more
    assert service.get(f"/campaigns/{campaign}/comparisons").json() == []
    assert service.get(f"/campaigns/{campaign}").json()["spent"] == 1
    assert service.post(f"/campaigns/{campaign}/questions", token=worker["token"]).status_code == 401
    assert service.get(f"/campaigns/{campaign}/workers").json()[0]["status"] == "banned"
    error = error_of(service.post(f"/campaigns/{campaign}/workers/nobody/ban"), 404)
    assert error["message"] == "no worker 'nobody' takes part: check the spelling"
    problem = error_of(service.post(f"/campaigns/{campaign}/workers/{worker['id']}/token"), 403)
    assert problem["code"] == "banned"


def test_the_organiser_undoes_any_answer(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)
    service.answer(question["id"], "left", token)
    change = service.post(f"/questions/{question['id']}/undo").json()
    assert change["before"] != change["after"]
    assert service.get(f"/campaigns/{campaign}/comparisons").json() == []


def test_why_this_pair(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)
    reason = service.get(f"/questions/{question['id']}/why").json()
    assert reason["gain"] >= reason["runner_up_gain"] - 1e-12
    assert question["left"]["id"] in reason["text"]
    service.answer(service.ask(campaign, token)["id"], "left", token)
    assert service.get(f"/questions/{question['id']}/why").json() == reason  # as it was when it was asked
    error_of(service.get(f"/questions/{campaign}.q99/why"), 404)


def test_workers_do_not_wait_while_a_question_is_explained(service, monkeypatch):
    campaign = service.campaign()
    question = service.ask(campaign, service.worker(campaign)["token"])
    lock, real, waited = service.client.app.state.desk._lives[campaign].lock, Campaign.explain, []
    monkeypatch.setattr(Campaign, "explain", lambda self, of: waited.append(lock.locked()) or real(self, of))
    assert service.get(f"/questions/{question['id']}/why").status_code == 200
    assert waited == [False]


def test_a_target_and_an_end_time_stop_the_asking(service, wait):
    campaign = service.campaign(target_accuracy=0.5)
    token = service.worker(campaign)["token"]
    assert service.ask(campaign, token) is None
    assert service.get(f"/campaigns/{campaign}", token).json()["progress"]["state"] == "done"
    brief = service.campaign(ends_at=time.time() + 60)
    token = service.worker(brief)["token"]
    assert service.ask(brief, token)
    wait(61)
    assert service.ask(brief, token) is None
    assert service.get(f"/campaigns/{brief}").json()["phase"] == "ended"


def change(service, campaign, **terms):
    return service.client.patch(f"/api/v1/campaigns/{campaign}", json=terms, headers=service.organiser)


def test_the_end_time_is_put_off_and_brought_forward_in_every_process(any_service, open_service, wait):
    """A jury takes longer than it was given, and an end is for good."""
    service, other = any_service, open_service(database=any_service.settings.database)
    campaign = service.campaign(ends_at=time.time() + 60)
    token = service.worker(campaign)["token"]
    for place in (service, other):
        assert place.ask(campaign, token)
    later = time.time() + 3600
    assert change(service, campaign, ends_at=later, budget=20).json().keys() == {"before", "after"}
    assert service.get(f"/campaigns/{campaign}").json()["ends_at"] == later
    wait(61)
    assert other.ask(campaign, token)
    assert other.get(f"/campaigns/{campaign}").json()["phase"] == "running"
    assert change(service, campaign, ends_at=None).status_code == 200
    wait(3600)
    assert other.ask(campaign, token)
    change(service, campaign, ends_at=time.time() + 60)
    wait(61)
    assert other.ask(campaign, token) is None
    assert service.get(f"/campaigns/{campaign}").json()["phase"] == "ended"


def test_an_end_time_that_cannot_be_is_refused_with_all_that_was_sent_along(service, wait):
    end = time.time() + 60
    campaign = service.campaign(ends_at=end)
    error_of(change(service, campaign, ends_at="soon"), 422)
    assert "has passed" in error_of(change(service, campaign, ends_at=time.time() - 1, budget=20), 422)["message"]
    error_of(change(service, campaign, ends_at=end + 60, budget=1e13), 422)
    service.ask(campaign, service.worker(campaign)["token"])
    assert "0.5" in error_of(change(service, campaign, ends_at=end + 60, budget=0.5), 422)["message"]
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["ends_at"], shown["budget"]) == (end, 10)
    wait(61)  # nobody has looked, so nothing is written of the end yet
    refused = error_of(change(service, campaign, ends_at=time.time() + 60, budget=20), 409)
    assert refused["message"] == "the campaign has ended, and can have no other end time: start a new one"
    assert service.get(f"/campaigns/{campaign}").json()["budget"] == 10
    assert change(service, campaign, budget=20).status_code == 200  # as ever


@pytest.mark.parametrize("what", ["name", "question"])
def test_a_campaign_that_nobody_could_see_is_refused(service, what):
    error = error_of(service.post("/campaigns", MINIMAL | {what: " \u200b"}), 422)
    assert error["message"] == f"the {what} ' \\u200b' cannot be seen: write one that can"


def test_an_end_time_that_has_passed_is_refused(service):
    error = error_of(service.post("/campaigns", MINIMAL | {"ends_at": 1_600_000_000}), 422)
    assert error["code"] == "invalid_setting"
    assert error["message"] == "the end time 2020-09-13T12:26 (UTC) has passed: choose a later one"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "n" * 201}, "name: 201 characters are more than the 200 allowed: shorten it"),
        ({"currency": "doubloons"}, "currency: 9 characters are more than the 8 allowed: shorten it"),
        ({"items": [{"text": "a"}]}, "items: at least 2 entries are needed, but you gave 1: add some"),
        ({"items": [{"text": "a"}, {"text": "b" * 20_001}]},
         "items.1.text: 20,001 characters are more than the 20,000 allowed: shorten it"),
        ({"items": [{"text": "a"}] * 2001}, "items: 2,001 entries are more than the 2,000 allowed: leave some out"),
        ({"question": ""}, "question: it is empty: fill it in"),
        ({"budget": -1}, "budget: it must be more than 0, not -1"),
        ({"budget": 1e13}, "budget: it must be at most 1,000,000,000,000, not 10,000,000,000,000"),
        ({"quota": 0}, "quota: it must be at least 1, not 0"),
        ({"quota": 1.5}, "quota: it must be a whole number"),
        ({"quota": 10**400}, "quota: it must be at most 1,000,000, not a number as long as this"),
        ({"quotum": 1}, "quotum: there is no such field: check how it is spelled, or leave it out"),
        ({"name": 7}, "name: it must be a valid string"),
        ({"completion_url": "x"}, "completion_url: must begin with https:// and the name of a host, unlike 'x'"),
    ],
)  # fmt: skip
def test_a_field_that_does_not_fit_is_told_with_its_limit_and_the_remedy(service, changes, message):
    assert error_of(service.post("/campaigns", MINIMAL | changes), 422) == {
        "code": "invalid_request",
        "message": message,
    }


def test_a_number_in_an_address_is_told_with_its_limit_too(service):
    error = error_of(service.get(f"/campaigns/{service.campaign()}/events?from=-1"), 422)
    assert error["message"] == "query.from: it must be at least 0, not -1"


def test_earlier_comparisons_are_free_and_count(service):
    rows = [{"winner": "cow", "loser": "ant"}, {"winner": "cow", "loser": "bee", "worker": "x", "tie": True}]
    campaign = service.campaign(comparisons=rows)
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["answers"], shown["spent"]) == (2, 0)
    given = service.get(f"/campaigns/{campaign}/comparisons").json()
    assert [(row["worker"], row["winner"], row["tie"]) for row in given] == [
        ("imported", "cow", False),
        ("x", "cow", True),
    ]
    assert service.get(f"/campaigns/{campaign}/ranking").json()[0]["item"] == "cow"
    token = service.worker(campaign)["token"]
    assert service.ask(campaign, token)["id"].endswith(".q3")
    bad = MINIMAL | {"comparisons": [{"winner": "cow", "loser": "yak"}]}
    assert "yak" in error_of(service.post("/campaigns", bad), 404)["message"]


def test_a_worker_of_earlier_comparisons_goes_on_as_the_same(service):
    campaign = service.campaign(comparisons=[{"winner": "cow", "loser": "ant", "worker": "x"}])
    invited = service.post(f"/campaigns/{campaign}/workers", {"id": "x", "name": "Xenia"})
    assert (invited.status_code, invited.json()["id"]) == (201, "x")
    question = service.ask(campaign, invited.json()["token"])
    assert {question["left"]["id"], question["right"]["id"]} != {"cow", "ant"}  # which they compared before
    (row,) = service.get(f"/campaigns/{campaign}/workers").json()
    assert (row["id"], row["name"], row["answers"], row["invited"]) == ("x", "Xenia", 1, True)
    error = error_of(service.post(f"/campaigns/{campaign}/workers", {"id": "x", "name": "Xaver"}), 409)
    assert error["code"] == "worker_exists"


@pytest.mark.parametrize("who", [{"id": "x", "name": "Xenia", "price": 2}, {"id": "x"}, {"id": "new", "name": "Nia"}])
def test_an_invitation_by_id_can_be_sent_again(service, who):
    """Its reply may have been lost, and the link with it."""
    campaign = service.campaign(comparisons=[{"winner": "cow", "loser": "ant", "worker": "x"}])
    path = f"/campaigns/{campaign}/workers"
    first, again = (service.post(path, who).json() for _ in range(2))
    assert (again["id"], again["name"]) == (first["id"], first["name"])
    question = service.ask(campaign, first["token"])  # of which the link stays what it was
    assert service.answer(question["id"], "left", again["token"]).status_code == 200
    rows = {row["id"]: row for row in service.get(path).json()}
    assert rows.keys() == {"x", who["id"]}
    assert (rows[who["id"]]["price"], rows[who["id"]]["answered"]) == (who.get("price", 1), 1 + (who["id"] == "x"))
    service.post(f"{path}/{who['id']}/ban")
    assert error_of(service.post(path, who), 403)["code"] == "banned"


def test_a_campaign_with_a_target_learns_when_to_stop_and_says_so(service):
    campaign = service.campaign(target_accuracy=0.9)
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["policy"], shown["target_accuracy"]) == ("full-posterior-checked", 0.9)
    asked = service.ask(campaign, service.worker(campaign)["token"])
    assert "drawn at random" in service.get(f"/questions/{asked['id']}/why").json()["note"]
    assert not shown["may_stop_early"]
    plain = service.campaign()
    shown = service.get(f"/campaigns/{plain}").json()
    assert (shown["policy"], shown["may_stop_early"]) == ("full-posterior", False)
    asked = service.ask(plain, service.worker(plain)["token"])
    assert service.get(f"/questions/{asked['id']}/why").json()["note"] is None
    later = {"target_accuracy": 0.9}  # and the policy stays
    service.client.patch(f"/api/v1/campaigns/{plain}", json=later, headers=service.organiser).raise_for_status()
    shown = service.get(f"/campaigns/{plain}").json()
    assert (shown["policy"], shown["may_stop_early"]) == ("full-posterior", True)


def test_a_target_is_not_reached_before_every_item_had_its_looks(service):
    campaign = service.campaign(min_looks=1, target_accuracy=0.5)
    token = service.worker(campaign)["token"]
    for reached in (False, False, False, True):
        shown = service.get(f"/campaigns/{campaign}").json()
        assert shown["expected_accuracy"] >= shown["target_accuracy"]
        assert shown["target_reached"] is reached
        question = service.ask(campaign, token)
        assert (question is None) is reached
        if question:
            service.answer(question["id"], "left", token)


def test_a_worker_is_told_which_question_they_answered_last_and_can_undo(service):
    rows = [{"winner": "cow", "loser": "ant", "worker": "past"}]
    campaign = service.campaign(comparisons=rows)
    token = service.post(f"/campaigns/{campaign}/workers", {"id": "past"}).json()["token"]
    other = service.worker(campaign, "Bob")["token"]

    def last(token):
        return service.get(f"/campaigns/{campaign}", token=token).json().get("last")

    assert last(token) is None  # what they answered elsewhere is not theirs to take back here
    first, second = (service.ask(campaign, token) for _ in range(2))
    for question in (first, second):
        assert service.answer(question["id"], "left", token).status_code == 200
        assert last(token) == question | {"expires_at": None, "choice": "left"}
    assert last(other) is None
    assert service.post(f"/questions/{second['id']}/undo", token=token).status_code == 200
    assert last(token) is None  # the one before it stays


def test_earlier_comparisons_may_say_which_item_stood_left(service):
    pair = {"winner": "cow", "loser": "ant"}
    campaign = service.campaign(comparisons=[pair | {"left": "ant"}, pair | {"left": "cow"}, pair])
    lines = service.get(f"/campaigns/{campaign}/journal").text.splitlines()
    asked, told = ([e for e in map(json.loads, lines) if e["event"] == kind] for kind in ("Asked", "Answered"))
    assert [(event["left"], event.get("as_shown")) for event in asked] == [("ant", True), ("cow", True), ("cow", None)]
    assert [event["choice"] for event in told] == ["right", "left", "left"]
    bad = MINIMAL | {"comparisons": [pair | {"left": "bee"}]}
    assert "'bee' left: that is neither" in error_of(service.post("/campaigns", bad), 422)["message"]


@pytest.mark.parametrize(("policy", "leaning"), [("full-posterior", 0.5), ("akg", None)])
def test_who_favours_a_side_is_told_where_the_policy_knows(service, policy, leaning):
    campaign = service.campaign(policy=policy, comparisons=[{"winner": "cow", "loser": "ant", "worker": "x"}])
    (row,) = service.get(f"/campaigns/{campaign}/workers").json()
    assert (row["leaning"], row["favours"]) == (leaning, "")


def test_an_item_joins_a_running_campaign(service):
    campaign = service.campaign()
    added = service.post(f"/campaigns/{campaign}/items", {"id": "fox", "text": "The fox"})
    assert added.status_code == 201
    assert len(service.get(f"/campaigns/{campaign}/ranking").json()) == 6
    error_of(service.post(f"/campaigns/{campaign}/items", {"id": "fox", "text": "again"}), 422)


@pytest.mark.parametrize("pair", [("fox", "ant"), ("ant", "fox")])
def test_a_late_item_is_shown_on_either_side(service, pair):
    campaign = service.campaign()
    service.ask(campaign, service.worker(campaign)["token"])  # the process knows the items from now on
    service.post(f"/campaigns/{campaign}/items", {"id": "fox", "text": "The fox"})
    show = service.client.app.state.desk.show_question
    shown = service.client.portal.call(show, campaign, Given(Question("q2", "w", *pair, 1.0, None), 0))
    assert (shown["left"]["id"], shown["right"]["id"]) == pair


def test_a_late_item_that_has_no_name_is_called_by_a_number_that_is_free(service):
    """A long text is called by its number, which here is another item's name."""
    items = [{"text": name} for name in ("2", "3", "4")]
    campaign = service.campaign(items=items)
    for expected in ("5", "6"):
        added = service.post(f"/campaigns/{campaign}/items", {"text": "a long text " * 20})
        assert added.status_code == 201, added.text
        assert expected in [row["item"] for row in service.get(f"/campaigns/{campaign}/ranking").json()]


def test_a_late_item_whose_row_is_there_joins_all_the_same(any_service, monkeypatch):
    """Another process was faster with the row, or ended before it wrote the event."""
    campaign = any_service.campaign()
    records = any_service.client.app.state.desk.records
    records.add_item(campaign, Item("fox", "The fox"), 5)
    monkeypatch.setattr(records, "items", lambda _: {})  # as it was a moment before
    assert any_service.post(f"/campaigns/{campaign}/items", {"id": "fox", "text": "The fox"}).status_code == 201


def test_an_item_whose_row_was_left_by_a_process_that_ended_half_way_says_what_it_says_now(any_service, open_service):
    """Who was told that it did not work wrote it anew, in other words: workers were shown the old ones."""
    campaign = any_service.campaign(budget=50)
    any_service.client.app.state.desk.records.add_item(campaign, Item("fox", "Teh fox"), 5)
    processes = any_service, open_service(database=any_service.settings.database)
    tokens = [any_service.worker(campaign, name)["token"] for name in ("Ada", "Bob")]
    for process, token in zip(processes, tokens, strict=True):
        assert process.ask(campaign, token)  # it keeps what it has read
    fox = {"id": "fox", "text": "The fox"}
    assert any_service.post(f"/campaigns/{campaign}/items", fox).status_code == 201
    for process, token in zip(processes, tokens, strict=True):
        asked = iter(lambda process=process, token=token: process.ask(campaign, token), None)
        sides = (question[side] for question in asked for side in ("left", "right"))
        assert next(item for item in sides if item["id"] == "fox")["text"] == "The fox"


def test_items_are_read_once_for_all_who_come_back_after_a_restart(service, open_service, monkeypatch):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    asked = service.ask(campaign, token)
    again = open_service(database=service.settings.database)
    desk = again.client.app.state.desk
    real, read = desk.records.items, []
    monkeypatch.setattr(desk.records, "items", lambda campaign: read.append(campaign) or real(campaign))

    async def come():
        live, _ = await desk.live(campaign)
        live.fold()
        question = live.given(live.campaign.question(asked["id"].partition(".")[2]))
        return await asyncio.gather(*(desk.show_question(campaign, question) for _ in range(5)))

    assert again.client.portal.call(come) == 5 * [asked]
    assert len(read) == 1


def test_no_item_joins_when_all_is_over_or_there_are_too_many(service, monkeypatch):
    campaign = service.campaign()
    monkeypatch.setattr(desk, "MAX_ITEMS", len(ITEMS))
    assert "5 items" in error_of(service.post(f"/campaigns/{campaign}/items", {"text": "fly"}), 422)["message"]
    monkeypatch.undo()
    service.post(f"/campaigns/{campaign}/end")
    assert error_of(service.post(f"/campaigns/{campaign}/items", {"text": "fly"}), 409)["code"] == "campaign_closed"


def test_an_item_is_removed_and_comes_back_as_it_was(any_service):
    odd = [{"id": "e/f", "text": "A slash"}, {"id": "g\r\nh", "text": "Two lines in a cell"}]
    campaign = any_service.campaign(items=[*ITEMS, *odd], budget=100)
    worker = any_service.worker(campaign)
    for _ in range(8):
        any_service.answer(any_service.ask(campaign, worker["token"])["id"], "left", worker["token"])
    before = any_service.get(f"/campaigns/{campaign}/dashboard").json()
    for gone in ("e/f", "g%0D%0Ah", "bee"):
        done = any_service.client.delete(f"/api/v1/campaigns/{campaign}/items/{gone}", headers=any_service.organiser)
        assert done.status_code == 200, done.text
    was, now = ([row["item"] for row in done.json()[when]] for when in ("before", "after"))
    assert now == [item for item in was if item != "bee"]
    after = any_service.get(f"/campaigns/{campaign}/dashboard").json()
    assert (after["campaign"]["n_items"], len(after["ranking"])) == (4, 4)
    assert [(row["item"], row["label"]) for row in after["removed"]] == [
        ("bee", "The bee"),
        ("e/f", "A slash"),
        ("g\r\nh", "Two lines in a cell"),
    ]
    assert after["workers"][0]["agreed"] == before["workers"][0]["agreed"]  # their answers are judged by as before
    while question := any_service.ask(campaign, worker["token"]):
        assert not {"bee", "e/f", "g\r\nh"} & {question["left"]["id"], question["right"]["id"]}
        any_service.answer(question["id"], "left", worker["token"])
    any_service.post(f"/campaigns/{campaign}/end")
    back = any_service.post(f"/campaigns/{campaign}/items", {"id": "bee", "text": "another text"})
    assert (back.status_code, back.json()["n_items"]) == (201, 5)
    assert "The bee" in [row["label"] for row in any_service.get(f"/campaigns/{campaign}/ranking").json()]


@pytest.mark.parametrize(("best", "fewest"), [(None, 2), (3, 4)])
def test_items_can_be_removed_down_to_the_fewest_that_are_told(service, best, fewest):
    campaign = service.campaign(best=best)
    for item in ITEMS[fewest:]:
        removed = service.client.delete(f"/api/v1/campaigns/{campaign}/items/{item['id']}", headers=service.organiser)
        assert removed.status_code == 200
    shown = service.get(f"/campaigns/{campaign}").json()
    assert shown["n_items"] == shown["fewest_items"] == fewest
    error_of(service.client.delete(f"/api/v1/campaigns/{campaign}/items/ant", headers=service.organiser), 422)


def test_what_cannot_be_removed_is_told(service):
    campaign = service.campaign(items=ITEMS[:2])
    path = f"/api/v1/campaigns/{campaign}/items"
    assert error_of(service.client.delete(f"{path}/yak", headers=service.organiser), 404)["code"] == "unknown_item"
    stays = error_of(service.client.delete(f"{path}/ant", headers=service.organiser), 422)["message"]
    assert "at least 2 items, so 'ant' stays" in stays


def test_items_without_ids_are_named_by_their_text_or_number(service):
    long = "long " * 30
    campaign = service.campaign(items=[{"text": "short"}, {"text": long}, {"id": "x", "text": "short"}])
    assert {row["item"] for row in service.get(f"/campaigns/{campaign}/ranking").json()} == {"short", "2", "x"}


@pytest.mark.parametrize(
    "change",
    [
        {"items": ITEMS[:1]},
        {"items": [ITEMS[0], ITEMS[0]]},
        {"budget": 0},
        {"budget": -3},
        {"budget": "much"},
        {"name": ""},
        {"name": "a\x00b"},
        {"question": None},
        {"policy": "guess"},
        {"target_accuracy": 1.5},
        {"items": [{"id": "a", "image": "javascript:alert(1)"}, ITEMS[0]]},
        {"items": [{"id": "a", "image": "media/../secret"}, ITEMS[0]]},
        {"surprise": 1},
        {"quota": 0},
        {"completion_url": "app.example/complete?cc={code}"},
        {"completion_url": "javascript:alert(1)"},
        {"completion_url": "https://"},
        {"completion_url": "https://app.example/complete?cc={code}"},
        {"completion_url": "https://app.example/complete?cc={code}", "completion_code": " "},
    ],
)
def test_a_campaign_that_makes_no_sense_is_refused_with_a_reason(service, change):
    assert len(error_of(service.post("/campaigns", MINIMAL | change), 422)["message"]) > 10


@pytest.mark.parametrize(
    ("body", "words"),
    [(b'{"name": x}', "the body is not JSON: expecting value at character 9"), (b"[1]", "it must be a JSON object")],
)
def test_a_body_that_is_no_object_is_told(service, body, words):
    headers = service.organiser | {"Content-Type": "application/json"}
    response = service.client.post("/api/v1/campaigns", content=body, headers=headers)
    assert error_of(response, 422)["message"].startswith(words)


def test_a_picture_that_is_not_there_is_refused_before_anybody_misses_it(service):
    lost = {"id": "cat", "image": "media/lost"}
    campaign = service.campaign()
    for path, body in (("/campaigns", MINIMAL | {"items": [lost, ITEMS[0]]}), (f"/campaigns/{campaign}/items", lost)):
        assert (
            "'cat' shows the picture 'media/lost', which is not here"
            in error_of(service.post(path, body), 422)["message"]
        )
    assert service.get(f"/campaigns/{campaign}").json()["n_items"] == len(ITEMS)


def test_numbers_that_are_none_are_refused(service):
    for word in ("Infinity", "NaN", "1e999"):
        body = json.dumps(MINIMAL | {"budget": 0}).replace('"budget": 0', f'"budget": {word}')
        headers = service.organiser | {"Content-Type": "application/json"}
        error_of(service.client.post("/api/v1/campaigns", content=body, headers=headers), 422)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/campaigns/nothing", 404),
        ("GET", "/api/v1/campaigns/a%00b", 404),
        ("GET", "/api/v1/campaigns/nothing/ranking", 404),
        ("POST", "/api/v1/campaigns/nothing/workers", 404),
        ("POST", "/api/v1/campaigns/nothing/pause", 404),
        ("GET", "/api/v1/nowhere", 404),
        ("DELETE", "/api/v1/campaigns", 405),
        ("POST", "/api/v1/questions/nodot/undo", 404),
        ("POST", "/api/v1/campaigns", 422),
    ],
)
def test_mistakes_have_one_shape(service, method, path, status):
    error_of(service.client.request(method, path, headers=service.organiser), status)


def test_a_method_that_is_not_there_names_those_that_are(service):
    response = service.client.request("DELETE", "/api/v1/campaigns", headers=service.organiser)
    assert set(response.headers["Allow"].split(", ")) == {"GET", "POST"}
    assert service.client.put("/signin").headers["Allow"]  # pages say so too


@pytest.mark.parametrize(
    "odd", [{"budget": "10"}, {"budget": True}, {"quota": "5"}, {"quota": 2.5}, {"show_ranking": 1}, {"seed": False}]
)
def test_numbers_are_numbers_and_truths_are_truths(service, odd):
    error_of(service.post("/campaigns", MINIMAL | odd), 422)
    assert service.post("/campaigns", MINIMAL | {"quota": 5.0}).json()["quota"] == 5  # to JSON, 5.0 is whole


def test_broken_json_is_a_mistake_of_the_client(service):
    headers = service.organiser | {"Content-Type": "application/json"}
    for body in (b"{", b"\xff\xfe", b'"\\ud800"', b"[" * 5000):
        response = service.client.post("/api/v1/campaigns", content=body, headers=headers)
        assert response.status_code in (400, 422), response.text


@pytest.mark.parametrize("field", ["name", "completion_code", "currency"])
def test_half_a_character_is_refused_and_breaks_no_list_of_campaigns(service, field):
    body = json.dumps(MINIMAL | {field: "a\ud800"})  # a page could not show it, and a list with it neither
    headers = service.organiser | {"Content-Type": "application/json"}
    error_of(service.client.post("/api/v1/campaigns", content=body, headers=headers), 422)
    assert service.get("/campaigns").status_code == 200


def test_a_worker_with_half_a_character_is_refused(service):
    path, headers = f"/api/v1/campaigns/{service.campaign()}/workers", service.organiser
    for field in ("name", "outside_id"):
        body = json.dumps({field: "\ud800"})
        response = service.client.post(path, content=body, headers=headers | {"Content-Type": "application/json"})
        assert "UTF-8" in error_of(response, 422)["message"]


def test_health_and_metrics_are_open_at_both_places(any_service):
    for prefix in ("", "/api/v1"):
        assert any_service.client.get(f"{prefix}/healthz").json() == {"status": "ok"}
        text = any_service.client.get(f"{prefix}/metrics").text
    assert 'nextpair_requests_total{method="GET",route="/healthz",status="200"}' in text


def test_health_can_be_asked_for_without_a_body(service):
    answer = service.client.head("/healthz")
    assert (answer.status_code, answer.content) == (200, b"")


def test_the_list_of_campaigns_has_the_newest_first(service):
    one, two = service.campaign(name="one"), service.campaign(name="two")
    ids = [row["id"] for row in service.get("/campaigns").json()]
    assert ids.index(two) < ids.index(one)


def test_an_id_is_one_worker_and_so_is_an_outside_id(any_service, monkeypatch):
    campaign = any_service.campaign(comparisons=[{"winner": "cow", "loser": "ant", "worker": "past"}])

    def invite(**who):
        return any_service.post(f"/campaigns/{campaign}/workers", who)

    assert invite(id="ada", outside_id="p1").json()["id"] == "ada"
    assert invite(id="past").json()["id"] == "past"  # who answered earlier goes on as the same
    for taken, name in (("ada", "Ada"), ("past", "Pat")):
        error = error_of(invite(id=taken, name=name), 409)
        assert error["code"] == "worker_exists"
        assert f"/workers/{taken}/token" in error["message"]
    records = any_service.client.app.state.desk.records
    real, first = records.worker_outside, [None]  # another process is faster, a moment after we looked
    monkeypatch.setattr(records, "worker_outside", lambda *which: first.pop() if first else real(*which))
    assert invite(outside_id="p1").json()["id"] == "ada"
    assert first == []


def test_of_those_who_were_let_in_only_so_many_are_remembered(service, monkeypatch):
    monkeypatch.setattr(hall, "MAX_MET", 2)
    campaign = service.campaign()
    tokens = [service.worker(campaign, name)["token"] for name in "abcde"]
    for token in tokens + tokens:
        assert service.ask(campaign, token) is not None
        assert len(service.client.app.state.desk._met) <= 3


def test_one_worker_cannot_sit_on_the_whole_budget(service):
    items = [{"text": f"item {k}"} for k in range(12)]
    campaign = service.campaign(items=items, budget=1000, policy="random")
    token = service.worker(campaign)["token"]
    assert all(service.ask(campaign, token) for _ in range(50))
    response = service.post(f"/campaigns/{campaign}/questions", token=token)
    assert error_of(response, 429)["code"] == "too_many_open"
    assert response.headers["Retry-After"] == "1"


def test_a_ban_frees_at_once_what_a_worker_holds(service):
    campaign = service.campaign(budget=10)
    idle, bob = (service.worker(campaign, name) for name in ("Idle", "Bob"))
    while service.ask(campaign, idle["token"]):
        pass
    assert service.get(f"/campaigns/{campaign}").json()["held"] == 10
    assert service.ask(campaign, bob["token"]) is None
    service.post(f"/campaigns/{campaign}/workers/{idle['id']}/ban")
    assert service.get(f"/campaigns/{campaign}").json()["held"] == 0
    assert service.ask(campaign, bob["token"]) is not None


def test_a_worker_row_without_its_event_is_healed_on_the_first_question(service):
    """A process killed between the two leaves a worker whom the journal does not know."""
    campaign = service.campaign()
    records = service.client.app.state.desk.records
    records.add_worker(WorkerRecord(campaign, "lost", "Lost", None))
    records.add_token(hash_token("t" * 40), "worker", campaign=campaign, worker="lost")
    assert service.ask(campaign, "t" * 40) is not None


def test_a_worker_has_a_price_of_their_own_which_can_change(service):
    campaign = service.campaign(price=1, budget=50)
    path = f"/campaigns/{campaign}/workers"

    def costs():
        return [row["price"] for row in service.get(path).json()]

    service.post(path, {"outside_id": "P-1", "price": 2.5})
    service.post(path, {"outside_id": "P-2"})
    assert costs() == [2.5, 1]
    service.post(path, {"outside_id": "P-1"})  # here again, and no word of a price
    assert costs() == [2.5, 1]
    service.post(path, {"outside_id": "P-1", "price": 3})
    assert costs() == [3, 1]
    lines = service.get(f"/campaigns/{campaign}/journal").text
    service.post(path, {"outside_id": "P-1", "price": 3})
    assert service.get(f"/campaigns/{campaign}/journal").text == lines
    error_of(service.post(path, {"name": "Free", "price": 0}), 422)


def test_an_expert_is_known_to_be_one_from_the_start(service):
    campaign = service.campaign(price=1, budget=50)
    path = f"/campaigns/{campaign}/workers"
    service.post(path, {"id": "dee", "price": 2, "reliability": [38, 2]})
    service.post(path, {"id": "ann"})
    service.post(path, {"id": "dee", "price": 2, "reliability": [38, 2]})  # the reply was lost
    dee, ann = service.get(path).json()
    assert (dee["known"], ann["known"]) == (True, False)
    assert (round(dee["reliability"], 2), round(ann["reliability"], 2)) == (0.95, 0.8)
    for wrong in ([38], [0, 1], [38, -2], [1, 2, 3], [1e300, 1]):
        error_of(service.post(path, {"id": "eve", "reliability": wrong}), 422)
    refused = service.post(path, {"id": "eve", "reliability": "expert"})
    assert error_of(refused, 422)["message"] == "reliability: it must be a list of two numbers, such as [38, 2]"
    assert len(service.get(path).json()) == 2


def test_a_model_may_be_asked_the_same_pair_more_than_once(service):
    campaign = service.campaign(items=[{"id": name, "text": name} for name in "ab"], budget=50)
    path = f"/campaigns/{campaign}/workers"
    model, person = (service.post(path, body).json()["token"] for body in ({"id": "gpt", "times": 3}, {"id": "ann"}))
    asked = {}
    for token in (model, person):
        asked[token] = []
        while (question := service.ask(campaign, token)) is not None:
            asked[token].append(question["left"]["id"])
            service.answer(question["id"], "left", token)
    assert len(asked[person]) == 1
    assert sorted(asked[model]) in (["a", "a", "b"], ["a", "b", "b"])
    for wrong in (0, -1, 1.5, "2", 1001):
        error_of(service.post(path, {"id": "eve", "times": wrong}), 422)


def test_the_price_of_one_worker_is_changed_alone_and_together_with_the_budget(service):
    campaign = service.campaign(price=1, budget=10)
    ada, bob = (service.worker(campaign, name) for name in ("Ada", "Bob"))

    def change(**terms):
        return service.client.patch(f"/api/v1/campaigns/{campaign}", json=terms, headers=service.organiser)

    assert change(price=2.5, worker=ada["id"], budget=20).status_code == 200
    assert [row["price"] for row in service.get(f"/campaigns/{campaign}/workers").json()] == [2.5, 1]
    assert (service.ask(campaign, ada["token"]) and service.ask(campaign, bob["token"])) is not None
    shown = service.get(f"/campaigns/{campaign}").json()
    assert (shown["price"], shown["held"], shown["budget"]) == (1, 3.5, 20)
    assert "give it as well" in error_of(change(worker=ada["id"], budget=30), 422)["message"]
    error_of(change(price=3, worker="nobody", budget=30), 404)
    assert service.get(f"/campaigns/{campaign}").json()["budget"] == 20  # all of it or nothing
