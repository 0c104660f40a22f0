"""HEAD is GET without a body, for those who watch a page or show what a link leads to; it changes nothing."""

from __future__ import annotations

import pytest
from harness import MINIMAL
from sqlalchemy import select
from test_security import form_of, sign_in

from nextpair.service.security import hash_token
from nextpair.store import schema as db

PAGE = {"Accept": "text/html"}


@pytest.fixture
def places(service):
    """Addresses of every kind: pages, links, pictures and exports."""
    made = service.post("/campaigns", MINIMAL).json()
    join = made["join_url"].removeprefix("http://testserver")
    link = service.worker(made["id"])["url"].removeprefix("http://testserver")
    own = f"/campaigns/{made['id']}"
    pages = ["/", "/campaigns/new?key=k", "/tokens", own, f"{own}/invite", f"{own}/report", f"{own}/export/ranking.csv"]
    return [*pages, join, link, f"/work/{made['id']}", "/signin", "/media/none", "/static/api.js", "/healthz"]


def rows(service):
    with service.client.app.state.desk.records.engine.connect() as connection:
        return {table.name: connection.execute(select(table)).all() for table in db.metadata.sorted_tables}


@pytest.mark.parametrize("signed_in", [False, True])
def test_head_is_get_without_a_body_and_changes_nothing(service, places, signed_in):
    if signed_in:
        sign_in(service)
    form_of(service, "/campaigns/new" if signed_in else "/signin")  # a cookie of this browser
    before = rows(service)
    for path in places:
        head, get = (service.client.request(method, path, headers=PAGE) for method in ("HEAD", "GET"))
        assert head.content == b""
        same = ("content-type", "content-security-policy", "location")
        assert (head.status_code, *map(head.headers.get, same)) == (get.status_code, *map(get.headers.get, same)), path
        assert head.status_code < 405, path
    assert rows(service) == before


def test_head_does_not_use_up_the_link_that_signs_in_once(service):
    service.client.app.state.desk.records.add_token(hash_token("code"), "once", lifetime=60)
    assert service.client.head("/welcome/code", headers=PAGE).status_code == 405
    assert service.client.get("/welcome/code", headers=PAGE).headers["location"] == "/"
