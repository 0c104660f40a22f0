"""What SECURITY.md promises, line by line: each row of its tables names a test, most of them here."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
import time
from pathlib import Path

import pytest
from harness import ITEMS, MINIMAL, TOKEN, bearer
from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from test_api import error_of

from nextpair.service.api import stream
from nextpair.service.gate import without_secrets
from nextpair.service.security import hash_token, new_token

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
PAGE = {"Accept": "text/html"}


def form_of(service, path):
    """Open a page as a browser would, and give the token of its form."""
    html = service.client.get(path, headers=PAGE, follow_redirects=True).text
    return re.search(r'name="csrf" content="(\w+)"', html)[1]


def sign_in(service, token=TOKEN):
    csrf = form_of(service, "/signin")
    response = service.client.post("/signin", data={"csrf": csrf, "token": token})
    assert response.status_code == 303, response.text
    return response


def session_of(response):
    """The name and the value of the cookie that signs in."""
    ((name, value),) = [pair for pair in response.cookies.items() if pair[0].startswith("nextpair_session_")]
    return name, value


# tokens


def test_tokens_are_random_and_long():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) >= 43 for token in tokens)  # 256 bits in base64


def test_each_installation_has_a_secret_of_its_own_that_stays(open_service):
    """Open links and the tokens of forms are made from it."""
    one, other = open_service(), open_service()
    again = open_service(database=one.settings.database)
    secret, another, same = (place.client.app.state.desk.secret for place in (one, other, again))
    assert len(secret) >= 43
    assert secret == same != another


def test_no_token_is_stored(open_service):
    service = open_service()
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    _, session = session_of(sign_in(service))
    path = service.settings.database.removeprefix("sqlite:///")
    stored = "\n".join(sqlite3.connect(path).iterdump())
    for secret in (token, session, TOKEN):
        assert secret not in stored
    assert hash_token(token) in stored


def test_secrets_are_compared_in_constant_time(monkeypatch, service):
    """A bearer token is compared as a hash by hmac.compare_digest, never by ==."""
    from nextpair.service import security

    seen = []
    real = security.hmac.compare_digest
    monkeypatch.setattr(security.hmac, "compare_digest", lambda a, b: seen.append((a, b)) or real(a, b))
    assert service.get("/campaigns", TOKEN + "x").status_code == 401
    assert (hash_token(TOKEN + "x").encode(), hash_token(TOKEN).encode()) in seen


def test_a_link_can_be_revoked_and_renewed(service):
    campaign = service.campaign()
    worker = service.worker(campaign)
    path = f"/campaigns/{campaign}/workers/{worker['id']}/token"
    renewed = service.post(path).json()
    assert service.post(f"/campaigns/{campaign}/questions", token=worker["token"]).status_code == 401
    assert service.ask(campaign, renewed["token"]) is not None
    assert service.client.delete(f"/api/v1{path}", headers=service.organiser).status_code == 204
    assert service.post(f"/campaigns/{campaign}/questions", token=renewed["token"]).status_code == 401
    assert service.client.get(f"/w/{renewed['token']}").status_code == 404
    for method in ("POST", "DELETE"):  # who mistypes an id must not believe that a leaked link is void
        nobody = f"/api/v1/campaigns/{campaign}/workers/nobody/token"
        error = error_of(service.client.request(method, nobody, headers=service.organiser), 404)
        assert error["code"] == "unknown_worker"


def test_the_open_link_can_be_replaced(service):
    created = service.post("/campaigns", MINIMAL).json()
    old = created["join_url"].replace("http://testserver", "")
    assert service.client.get(old, headers=PAGE).status_code == 200
    new = service.post(f"/campaigns/{created['id']}/join-link").json()["join_url"].replace("http://testserver", "")
    assert new != old
    assert service.client.get(old, headers=PAGE).status_code == 404
    assert service.client.get(new, headers=PAGE).status_code == 200


def test_organisers_tokens_are_made_shown_once_and_revoked(service):
    sign_in(service)
    page = service.client.post("/tokens", data={"csrf": form_of(service, "/tokens"), "name": "script"}).text
    token = re.search(r'data-copy="([^"]+)"', page)[1]
    assert service.get("/campaigns", token).status_code == 200
    listed = service.client.get("/tokens", headers=PAGE).text
    assert token not in listed
    revoke = re.search(r'name="revoke" value="(\w+)"', listed)[1]
    service.client.post("/tokens", data={"csrf": form_of(service, "/tokens"), "revoke": revoke})
    assert service.get("/campaigns", token).status_code == 401


def test_the_one_time_link_works_once(open_service):
    service = open_service(organiser_token=None)
    records = service.client.app.state.desk.records
    records.add_token(hash_token("code"), "once", lifetime=60)
    assert service.client.get("/welcome/code").status_code == 303
    assert service.client.get("/", headers=PAGE).status_code == 200
    again = service.client.get("/welcome/code", headers=PAGE)  # who is signed in need not restart the server
    assert (again.status_code, again.headers["location"]) == (303, "/")
    service.client.cookies.clear()
    assert service.client.get("/welcome/code", headers=PAGE).status_code == 404
    assert service.get("/campaigns", "").status_code == 401
    records.add_token(hash_token("old"), "once", lifetime=-1)
    assert service.client.get("/welcome/old", headers=PAGE).status_code == 404


def test_a_session_ends_when_it_is_signed_out(service):
    session = session_of(sign_in(service))
    service.client.post("/signout", data={"csrf": form_of(service, "/")})
    service.client.cookies.set(*session)
    assert service.client.get("/", headers=PAGE).status_code == 303
    assert service.client.get("/api/v1/campaigns").status_code == 401


def test_two_servers_on_one_host_do_not_sign_each_other_out(service, open_service):
    """A browser keeps cookies by the host, whatever the port. Who has no token would have to restart the other one."""
    other = open_service()
    both = dict(session_of(sign_in(place)) for place in (service, other))
    for place in (service, other):
        place.client.cookies.update(both)
        assert place.client.get("/", headers=PAGE).status_code == 200


def test_a_session_ends_after_two_weeks(service, wait):
    session = session_of(sign_in(service))
    service.client.cookies.clear()
    service.client.cookies.set(*session)  # in a browser that keeps it for longer than it was told
    for seconds, status in ((14 * 24 * 3600 - 60, 200), (61, 303)):
        wait(seconds)
        assert service.client.get("/", headers=PAGE).status_code == status


def test_a_session_ends_with_the_token_that_began_it(open_service, service):
    """A token that leaked is revoked, or the server's is changed: whoever signed in with it is out."""
    token = service.client.portal.call(service.client.app.state.desk.make_token, "script")
    kept = session_of(sign_in(service))
    service.client.cookies.clear()
    sign_in(service, token)
    assert service.client.get("/", headers=PAGE).status_code == 200
    (listed,) = [t for t in service.client.app.state.desk.records.tokens("organiser") if t.name == "script"]
    data = {"csrf": form_of(service, "/tokens"), "revoke": listed.id}
    assert service.client.post("/tokens", data=data, headers=PAGE).status_code in (200, 303)
    assert service.client.get("/", headers=PAGE).status_code == 303
    for server_token, status in ((TOKEN, 200), ("another-token-of-the-server", 303), (None, 303)):
        anew = open_service(database=service.settings.database, organiser_token=server_token)
        anew.client.cookies.set(*kept)
        assert anew.client.get("/", headers=PAGE).status_code == status


# who may do what

ORGANISER_ONLY = [
    ("GET", "/campaigns"), ("POST", "/campaigns"), ("GET", "/campaigns/{c}/ranking"), ("GET", "/campaigns/{c}/workers"),
    ("GET", "/campaigns/{c}/comparisons"), ("GET", "/campaigns/{c}/events"), ("GET", "/campaigns/{c}/journal"),
    ("GET", "/campaigns/{c}/dashboard"), ("POST", "/campaigns/{c}/workers"), ("POST", "/campaigns/{c}/pause"),
    ("POST", "/campaigns/{c}/resume"), ("POST", "/campaigns/{c}/end"), ("PATCH", "/campaigns/{c}"),
    ("POST", "/campaigns/{c}/items"), ("POST", "/campaigns/{c}/workers/x/ban"), ("POST", "/campaigns/{c}/join-link"),
    ("POST", "/campaigns/{c}/workers/x/token"), ("DELETE", "/campaigns/{c}/workers/x/token"), ("POST", "/media"),
    ("GET", "/questions/{c}.q1/why"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), ORGANISER_ONLY)
def test_only_organisers_organise(service, method, path):
    campaign = service.campaign()
    worker = service.worker(campaign)["token"]
    body = MINIMAL if path == "/campaigns" else {"text": "x", "id": "x"} if path.endswith("/items") else {}
    extra = {"files": {"file": ("x.png", PNG)}} if path == "/media" else {"json": body} if method != "GET" else {}
    for token, status in ((None, 401), ("wrong", 401), (worker, 403)):
        url = f"/api/v1{path.format(c=campaign)}"
        error_of(service.client.request(method, url, headers=bearer(token), **extra), status)


def test_a_token_opens_only_what_it_is_for(open_service):
    """Whoever has one may send it as any cookie, and put it into any address."""
    service = open_service()  # of its own: others revoke the first token that they find
    service.client.app.state.desk.records.add_token(hash_token("once"), "once", lifetime=60)
    worker = service.worker(service.campaign())["token"]
    program = service.client.portal.call(service.client.app.state.desk.make_token, "script")
    cookie, session = session_of(sign_in(service))
    service.client.cookies.clear()
    for token in (worker, program, session):
        assert service.client.get(f"/welcome/{token}", headers=PAGE).status_code == 404
    for token in ("once", program):
        assert service.client.get(f"/w/{token}", headers=PAGE).status_code == 404
    for token in (worker, "once"):
        form = {"csrf": form_of(service, "/signin"), "token": token}
        assert service.client.post("/signin", data=form).status_code == 401
        assert service.get("/campaigns", token).status_code == 403
    for token in (worker, "once", program):
        service.client.cookies.set(cookie, token)
        assert service.client.get("/api/v1/campaigns").status_code == 401
        assert service.client.get("/", headers=PAGE).status_code == 303


def test_every_path_of_the_api_asks_who_is_there(service):
    """No path is forgotten: without a token the whole description answers 401, but for health and metrics."""
    paths = service.client.get("/api/v1/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for method in methods:
            filled = re.sub(r"\{\w+\}", "c.q1", path)
            response = service.client.request(method.upper(), filled, json={"choice": "left"})
            if path.rsplit("/", 1)[1] in ("healthz", "metrics"):
                assert response.status_code == 200
            else:
                assert response.status_code == 401, (method, path, response.text)


def test_a_worker_sees_and_answers_their_own_questions_only(service):
    campaign = service.campaign()
    ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
    question = service.ask(campaign, ada)
    error_of(service.answer(question["id"], "left", bob), 404)
    error_of(service.post(f"/questions/{question['id']}/undo", token=bob), 404)
    assert service.get(f"/campaigns/{campaign}/questions", bob).json() == []
    error_of(service.answer(question["id"], "left", TOKEN), 403)
    other = service.campaign()
    stranger = service.worker(other)["token"]
    error_of(service.answer(question["id"], "left", stranger), 403)
    error_of(service.post(f"/campaigns/{campaign}/questions", token=stranger), 403)
    assert service.get(f"/campaigns/{campaign}/comparisons").json() == []


def test_a_worker_learns_nothing_of_others_answers(service):
    """What a worker gets to see is the same, byte for byte, whatever the others answered."""

    def view(choice):
        campaign = service.campaign(seed=5, policy="random", min_looks=0)
        ada, bob = service.worker(campaign)["token"], service.worker(campaign, "Bob")["token"]
        mine = service.ask(campaign, bob)
        for _ in range(3):
            service.answer(service.ask(campaign, ada)["id"], choice, ada)
        told = service.answer(mine["id"], "left", bob).json()
        shown = service.get(f"/campaigns/{campaign}", bob).json()
        return json.dumps([told, shown]).replace(campaign, "C")

    assert view("left") == view("right")


def test_the_ranking_is_shown_to_workers_only_if_the_organiser_says_so(service):
    hidden, shown = service.campaign(), service.campaign(show_ranking=True)
    error_of(service.get(f"/campaigns/{hidden}/ranking", service.worker(hidden)["token"]), 403)
    token = service.worker(shown)["token"]
    error_of(service.get(f"/campaigns/{hidden}/ranking", token), 403)
    assert error_of(service.get(f"/campaigns/{shown}/ranking", token), 403)["code"] == "not_yet"
    for path in (shown, hidden):
        service.post(f"/campaigns/{path}/end")
    assert service.get(f"/campaigns/{shown}/ranking", token).status_code == 200
    error_of(service.get(f"/campaigns/{hidden}/ranking", service.worker(hidden, "Ben")["token"]), 403)


# untrusted items

NASTY = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def test_text_is_escaped_on_every_page(service):
    sign_in(service)
    campaign = service.campaign(name=NASTY, question=NASTY, items=[{"id": NASTY, "text": NASTY}, ITEMS[0]])
    service.worker(campaign, NASTY)
    join = service.get(f"/campaigns/{campaign}").json()["join_url"].replace("http://testserver", "")
    for path in ("/", *(f"/campaigns/{campaign}{page}" for page in ("", "/invite", "/report")), join):
        html = service.client.get(path, headers=PAGE).text
        assert "<script>alert" not in html, path
        assert "<img src=x" not in html, path
        assert "&lt;script&gt;" in html, path


@pytest.mark.parametrize(
    ("text", "never"),
    [
        (NASTY, "<script"),
        ("[x](javascript:alert(1))", 'href="javascript'),
        ("[x](data:text/html;base64,AAAA)", 'href="data'),
        ("![x](https://evil.example/pixel.png)", "<img"),
        ('<a href="https://a" onclick="x()">y</a>', "<a"),
        ("<style>body{display:none}</style>", "<style"),
        ("<iframe src=https://a></iframe>", "<iframe"),
    ],
)
def test_markdown_is_sanitised(service, text, never):
    campaign = service.campaign(items=[{"text": text, "kind": "markdown"}, {"text": "**b**", "kind": "markdown"}])
    question = service.ask(campaign, service.worker(campaign)["token"])
    html = [question[side]["html"] for side in ("left", "right")]
    assert never not in " ".join(html)
    assert "<p><strong>b</strong></p>\n" in html


def test_links_in_markdown_do_not_pass_on_where_they_were_clicked(service):
    campaign = service.campaign(items=[{"text": "[a](https://a.example)", "kind": "markdown"}, ITEMS[0]])
    question = service.ask(campaign, service.worker(campaign)["token"])
    html = question["left"].get("html") or question["right"].get("html")
    assert 'rel="noopener noreferrer"' in html


def test_uploads_are_pictures_by_content_and_small(open_service):
    service = open_service(upload_bytes=1000)

    def upload(content, name="x.png", kind="image/png"):
        files = {"file": (name, content, kind)}
        return service.client.post("/api/v1/media", files=files, headers=service.organiser)

    for content in (b"<svg onload=alert(1)>", b"GIF", b"<html>", b"MZ\x90", b""):
        error_of(upload(content), 422)
    error_of(upload(PNG + b"\0" * 1000), 413)
    error_of(upload(PNG + b"\0" * 9000), 413)
    made = upload(PNG, "evil.html", "text/html")
    assert made.json()["type"] == "image/png"
    response = service.client.get("/" + made.json()["image"])
    assert response.content == PNG
    assert response.headers["content-type"] == "image/png"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert service.client.get("/media/other").status_code == 404


def test_a_body_in_pieces_cannot_be_larger_either(open_service):
    service = open_service(upload_bytes=1000)
    response = service.client.post(
        "/api/v1/campaigns", content=(b"x" * 500 for _ in range(50)), headers=service.organiser
    )
    assert 400 <= response.status_code < 500


def test_megabytes_are_for_organisers(service):
    """A body is taken apart before it is known who sends it: strangers could keep the server from all others by it."""
    campaign = service.campaign()
    worker = service.worker(campaign)["token"]
    body, kind = b"x" * 1_000_001, {"Content-Type": "application/json"}
    ways = ("/campaigns", worker), ("/campaigns", None), ("/questions/q/answer", worker), ("/campaigns", "guessed")
    for path, token in ways:
        refused = service.client.post(f"/api/v1{path}", content=body, headers=bearer(token) | kind)
        assert "only an organiser can send more than 1 MB at once" in error_of(refused, 401)["message"]
    pieces = (body[:500_000] for _ in range(3))
    error_of(service.client.post("/api/v1/campaigns", content=pieces, headers=kind), 400)
    for form in ("/signin", "/campaigns"):
        refused = service.client.post(form, data={"token": "x" * 1_000_001}, headers={"Accept": "text/html"})
        assert "Only an organiser can send more than 1 MB at once" in refused.text
    pieces = (body[:500_000] for _ in range(3))
    for content in (body, pieces):  # what an organiser sends is read
        error_of(service.client.post("/api/v1/campaigns", content=content, headers=service.organiser | kind), 422)


def test_a_form_that_broke_off_is_no_mistake_of_ours(service, caplog):
    """A phone leaves the wifi while it joins: no traceback for that."""
    _, _, join = service.get(f"/campaigns/{service.campaign()}").json()["join_url"].partition("testserver")
    parts = iter([b"csrf=", None])
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with caplog.at_level(logging.WARNING, "nextpair"):
        sent = asyncio.run(_sent_in(service.client.app, join, form, parts))
    assert sent[0]["status"] == 400
    assert "internal" not in caplog.text


async def _sent_in(app, path, headers, parts):
    """What an application answers to a form of which these parts come; None: the connection is gone."""
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "http_version": "1.1"}
    scope |= {"headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()], "client": ("1.2.3.4", 5)}
    sent = []

    async def receive():
        part = next(parts)
        return (
            {"type": "http.disconnect"} if part is None else {"type": "http.request", "body": part, "more_body": True}
        )

    async def send(message):
        sent.append(message)

    await app(scope | {"scheme": "http", "server": ("testserver", 80), "root_path": ""}, receive, send)
    return sent


# the browser


def test_the_policy_of_pages_is_strict_and_names_the_hosts_of_pictures(service):
    sign_in(service)
    campaign = service.campaign(
        items=[{"image": "https://pics.example/a.png"}, {"image": "https://pics.example/b.png"}]
    )
    for path in ("/", "/campaigns/new?key=k", f"/campaigns/{campaign}", "/signin"):
        policy = service.client.get(path, headers=PAGE).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "img-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
    worker = service.worker(campaign)
    service.client.get(f"/w/{worker['token']}")
    policy = service.client.get(f"/work/{campaign}", headers=PAGE).headers["content-security-policy"]
    assert "img-src 'self' https://pics.example;" in policy


def test_pages_hold_no_inline_script_or_style():
    import nextpair.service.pages.render as render

    templates = list(Path(render.TEMPLATES).glob("*.html"))
    scripts = list((Path(render.TEMPLATES).parent / "static").glob("*.js"))
    assert templates
    assert scripts
    for template in templates:
        text = template.read_text()
        assert not re.search(r'<script(?![^>]*src=)(?! type="application/json")', text), template  # data does not run
        assert not re.search(r"<style|\sstyle=|\son\w+=", text), template
    for script in scripts:
        assert "http://" not in script.read_text().replace("http://www.w3.org/2000/svg", ""), script


def test_no_header_is_missing_anywhere(service, monkeypatch):
    monkeypatch.setattr(service.client.app.state.desk.records, "media", None)  # a mistake of ours
    assert service.client.get("/media/x").status_code == 500
    for path in ("/signin", "/api/v1/campaigns", "/nowhere", "/static/nextpair.css", "/healthz", "/media/x"):
        headers = service.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["x-frame-options"] == "DENY", path
        assert headers["referrer-policy"] == "no-referrer", path
        assert "content-security-policy" in headers, path
    assert service.client.get("/signin").headers["cache-control"] == "no-store"


def test_cookies_are_out_of_reach_of_scripts_and_foreign_pages(open_service):
    service = open_service(base_url="https://rank.example")
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    headers = [
        service.client.get("/signin").headers["set-cookie"],
        service.client.get(f"/w/{token}").headers["set-cookie"],
    ]
    for cookie in headers:
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Secure" in cookie
    assert "Strict-Transport-Security" in service.client.get("/signin").headers
    # where no address was given, it is what the browser came by: over http a secure cookie would be lost
    service = open_service()
    for address, secure in (("https://testserver/signin", True), ("http://testserver/signin", False)):
        service.client.cookies.clear()
        assert ("Secure" in service.client.get(address).headers["set-cookie"]) is secure


def test_a_form_from_elsewhere_is_refused(service):
    sign_in(service)
    campaign = service.campaign()
    for data in ({}, {"csrf": "0" * 64}):
        for path in ("/campaigns", "/tokens", f"/campaigns/{campaign}/invite", "/signout", "/signin"):
            assert service.client.post(path, data=data, headers=PAGE).status_code == 403, path
    # the API with a cookie is a page's script: it needs the page's token too
    error_of(service.client.post(f"/api/v1/campaigns/{campaign}/pause"), 403)
    header = {"X-CSRF-Token": form_of(service, "/")}
    assert service.client.post(f"/api/v1/campaigns/{campaign}/pause", headers=header).status_code == 200


def test_a_form_token_of_another_browser_is_worthless(service):
    stolen = form_of(service, "/signin")
    service.client.cookies.clear()
    form_of(service, "/signin")
    assert service.client.post("/signin", data={"csrf": stolen, "token": TOKEN}).status_code == 403


def test_a_worker_in_a_browser_needs_the_pages_token_too(service):
    campaign = service.campaign()
    service.client.get(f"/w/{service.worker(campaign)['token']}")
    error_of(service.client.post(f"/api/v1/campaigns/{campaign}/questions"), 403)
    header = {"X-CSRF-Token": form_of(service, f"/work/{campaign}")}
    assert service.client.post(f"/api/v1/campaigns/{campaign}/questions", headers=header).status_code == 201


def browser_of(service, *workers):
    """A browser in which an organiser signed in and these workers' links were opened, the last one last."""
    sign_in(service)
    for worker in workers:
        campaign = service.client.get(f"/w/{worker['token']}").headers["location"].removeprefix("/work/")
    return {"X-CSRF-Token": form_of(service, f"/work/{campaign}")}


def test_a_page_that_speaks_as_a_worker_is_no_organiser_in_the_same_browser(service):
    campaign = service.campaign()
    worker = service.worker(campaign)
    page, own = browser_of(service, worker), {"X-Worker": worker["id"]}
    asked = [service.ask(campaign, worker["token"])["id"] for _ in range(2)]
    for question in asked:
        service.answer(question, "left", worker["token"])
    path = f"/api/v1/campaigns/{campaign}"
    assert "progress" not in service.client.get(path).json()
    assert service.client.get(path, headers=own).json()["progress"]["answers"] == 2
    assert service.client.get(f"{path}/ranking").status_code == 200
    error_of(service.client.get(f"{path}/ranking", headers=own), 403)
    # what a worker may not do is refused, though the organiser might; the header does not stand in for the form's token
    undo = "/api/v1/questions/{}/undo"
    error_of(service.client.post(undo.format(asked[0]), headers=page | own), 409)
    assert error_of(service.client.post(undo.format(asked[1]), headers=own), 403)["code"] == "stale_form"
    assert service.client.post(undo.format(asked[1]), headers=page | own).json()["status"] == "open"
    assert "after" in service.client.post(undo.format(asked[0]), headers=page).json()


def test_answers_of_one_worker_are_not_taken_as_anothers_in_the_same_browser(service):
    campaign = service.campaign()
    ada, grace = service.worker(campaign), service.worker(campaign, "Grace")
    question = service.ask(campaign, ada["token"])["id"]
    page = browser_of(service, ada, grace)
    asking = f"/api/v1/campaigns/{campaign}/questions"
    for _ in range(2):  # the first time and when the token is known already
        for method, path in (("POST", asking), ("GET", asking), ("GET", f"/api/v1/campaigns/{campaign}")):
            response = service.client.request(method, path, headers=page | {"X-Worker": ada["id"]})
            assert error_of(response, 409)["code"] == "other_worker"
        answer = {"url": f"/api/v1/questions/{question}/answer", "json": {"choice": "left"}}
        assert error_of(service.client.post(**answer, headers=page | {"X-Worker": ada["id"]}), 409)
        assert service.client.post(asking, headers=page | {"X-Worker": grace["id"]}).status_code == 201
    service.client.get(f"/w/{ada['token']}")  # her own link again
    assert service.client.post(**answer, headers=page | {"X-Worker": ada["id"]}).status_code == 200
    rows = service.get(f"/campaigns/{campaign}/comparisons").json()
    assert [row["worker"] for row in rows] == [ada["id"]]


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_signing_in_and_joining_are_limited_in_rate(open_service, request, monkeypatch, backend):
    change = {"database": request.getfixturevalue("postgres_url")} if backend == "postgresql" else {}
    service = open_service(signin_rate=3, join_rate=2, **change)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # no new minute begins in between
    token = form_of(service, "/signin")
    tries = [service.client.post("/signin", data={"csrf": token, "token": "guess"}).status_code for _ in range(6)]
    assert tries == [401] * 3 + [429] * 3
    created = service.post("/campaigns", MINIMAL).json()
    join = created["join_url"].replace("http://testserver", "")
    joins = [service.client.post(join, data={"csrf": token}).status_code for _ in range(5)]
    assert joins == [303] * 2 + [429] * 3
    page = service.client.post(join, data={"csrf": token}, headers=PAGE)
    assert "wait a minute" in page.text
    assert 'class="button" href="/"' not in page.text  # who wants to join is not sent to sign in


# exports and logs


def test_exported_csv_runs_nothing_in_a_spreadsheet(service):
    sign_in(service)
    campaign = service.campaign(items=[{"id": "=1+1", "text": "@SUM(A1)"}, {"id": "b", "text": "fine"}])
    token = service.worker(campaign, "=1+1")["token"]
    service.answer(service.ask(campaign, token)["id"], "left", token)
    for what in ("ranking", "comparisons", "workers"):
        text = service.client.get(f"/campaigns/{campaign}/export/{what}.csv").text
        assert "'=1+1" in text
        assert not re.search(r'(^|,)"?[=@+]', text)


def test_exported_csv_runs_nothing_where_semicolons_separate_cells(service):
    sign_in(service)
    campaign = service.campaign(items=[{"id": "a;=1+1", "text": "x\n=1+1"}, {"id": "b\n=1+1", "text": "y;@SUM(A1)"}])
    token = service.worker(campaign, "x;=cmd|' /C calc'!A0;y")["token"]
    service.answer(service.ask(campaign, token)["id"], "left", token)
    for what in ("ranking", "comparisons", "workers"):
        text = service.client.get(f"/campaigns/{campaign}/export/{what}.csv").text
        assert ";'=" in text
        assert not re.search(r'(^|[;\n\r\t])"*[=@+-]', text)


def test_nothing_secret_is_logged(service, caplog):
    caplog.set_level(logging.DEBUG)
    created = service.post("/campaigns", MINIMAL).json()
    worker = service.worker(created["id"])
    service.client.get(f"/w/{worker['token']}")
    join = created["join_url"].replace("http://testserver", "")
    service.client.get(join + "?PROLIFIC_PID=secret-person", headers=PAGE)
    service.ask(created["id"], worker["token"])
    sign_in(service)
    text = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    assert "/w/…" in text
    assert "/join/…" in text
    for secret in (worker["token"], join.rsplit("/", 1)[1], TOKEN, "secret-person"):
        assert secret not in text
    assert without_secrets("/welcome/abc") == "/welcome/…"
    assert without_secrets("/x\ninjected\x1b[2J\u2028ä") == "/x%0Ainjected%1B[2J%E2%80%A8ä"


def test_an_outside_id_is_the_same_worker_again(service):
    created = service.post("/campaigns", MINIMAL).json()
    join = created["join_url"].replace("http://testserver", "")
    for _ in range(2):
        service.client.cookies.clear()
        page = service.client.get(join + "?PROLIFIC_PID=p1", headers=PAGE).text
        assert 'value="p1"' in page
        csrf = re.search(r'name="csrf" value="(\w+)"', page)[1]
        response = service.client.post(join, data={"csrf": csrf, "outside_id": "p1"})
        assert response.headers["location"] == f"/work/{created['id']}"
    assert [row["name"] for row in service.get(f"/campaigns/{created['id']}/workers").json()] == ["p1"]


@pytest.mark.parametrize("gap", ["{{%PROLIFIC_PID%}}", "${workerId}", "${e://Field/PID}", "{workerId}", "…"])
def test_an_id_that_no_platform_filled_in_is_nobodys(service, gap):
    """Two hundred workers would be one, whose reliability is that of their mixture, and one would be paid."""
    created = service.post("/campaigns", MINIMAL).json()
    join = created["join_url"].replace("http://testserver", "")
    page = service.client.get(join, params={"PROLIFIC_PID": gap}, headers=PAGE)
    assert page.status_code == 422
    assert "This link was to bring your id along, but brings" in page.text
    csrf = re.search(r'name="csrf" value="(\w+)"', service.client.get(join, headers=PAGE).text)[1]
    assert service.client.post(join, data={"csrf": csrf, "outside_id": gap}).status_code == 422
    assert service.get(f"/campaigns/{created['id']}/workers").json() == []


def test_an_odd_id_of_a_platform_is_taken(service):
    join = service.post("/campaigns", MINIMAL).json()["join_url"].replace("http://testserver", "")
    for given in ("{0F8FAD5B-D9CB-469F-A165-70867728950E}", "A1%3D=", "$1"):
        assert service.client.get(join, params={"workerId": given}, headers=PAGE).status_code == 200


def test_a_banned_worker_does_not_come_back_by_their_outside_id_and_nobody_has_the_code_for_nothing(service):
    created = service.post("/campaigns", MINIMAL | {"completion_code": "SECRET42"}).json()
    path = f"/campaigns/{created['id']}"

    def join(outside_id):
        service.client.cookies.clear()
        address = created["join_url"].replace("http://testserver", "") + f"?PROLIFIC_PID={outside_id}"
        form = {"csrf": form_of(service, address), "outside_id": outside_id}
        return service.client.post(address, data=form, headers=PAGE)

    assert join("cheat").status_code == 303
    assert "SECRET42" not in service.client.get(f"/work/{created['id']}", headers=PAGE).text
    header = {"X-CSRF-Token": form_of(service, f"/work/{created['id']}")}
    question = service.client.post(f"/api/v1{path}/questions", headers=header).json()["id"]
    service.client.post(f"/api/v1/questions/{question}/answer", json={"choice": "left"}, headers=header)
    (cheat,) = service.get(f"{path}/workers").json()
    service.post(f"{path}/workers/{cheat['id']}/ban")
    again = join("cheat")
    assert again.status_code == 403
    assert "takes no more answers from you" in again.text
    # there is no new link for them, and who has done nothing when all is over is given no code
    assert service.post(f"{path}/workers/{cheat['id']}/token").status_code == 403
    assert join("idle").status_code == 303
    service.post(f"{path}/end")
    shown = service.client.get(f"/api/v1{path}").json()
    assert shown["progress"]["state"] == "done"
    assert "SECRET42" not in json.dumps(shown)


def test_a_stream_ends_with_its_database_in_one_line(service, monkeypatch, caplog):
    """It was a traceback for every open dashboard; the page asks again by itself."""
    campaign = service.campaign()
    store = service.client.app.state.desk.store
    gone = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))

    def read(*_):
        raise gone

    async def follow():
        scope = {
            "type": "http",
            "app": service.client.app,
            "headers": [],
            "method": "GET",
            "path": "/",
            "query_string": b"",
        }
        monkeypatch.setattr(store, "read", read)
        response = stream._while_it_answers(stream._follow(Request(scope), campaign, 1, 1))
        return [event async for event in response]

    with caplog.at_level(logging.INFO):
        events = service.client.portal.call(follow)
    assert [event.event for event in events] == ["state"]
    (line,) = [record.getMessage() for record in caplog.records if "stream" in record.getMessage()]
    assert "the server closed the connection" in line
    assert "\n" not in line


def test_an_error_in_the_server_tells_nothing_about_it(service, monkeypatch, caplog):
    def fail(_):
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(service.client.app.state.desk.records, "campaigns", fail)
    told = error_of(service.get("/campaigns"), 500)
    assert "hunter2" not in told["message"]


SECURITY = Path(__file__).parents[2] / "SECURITY.md"


def test_each_promise_of_the_security_page_names_a_test_that_exists():
    rows = [line for line in SECURITY.read_text().splitlines() if line.startswith("|") and "`test_" in line]
    assert len(rows) >= 20
    named = {name for row in rows for name in re.findall(r"`(test_\w+)`", row)}
    written = set()
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        written |= set(re.findall(r"def (test_\w+)", file.read_text()))
    assert named <= written, named - written
    promises = [
        line for line in SECURITY.read_text().splitlines() if line.startswith("|") and not line.startswith("| -")
    ]
    assert all("`test_" in line or "| test" in line for line in promises)
