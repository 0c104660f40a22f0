"""Pictures from very many hosts: a header that proxies take, and pages that show them."""

from __future__ import annotations

import pytest
from harness import ITEMS

from nextpair.service.security import MAX_ORIGINS

PAGE = {"Accept": "text/html"}


def page_of(service, addresses):
    items = ITEMS[:2] + [{"id": f"p{k}", "image": address} for k, address in enumerate(addresses)]
    campaign = service.campaign(items=items)
    service.client.get(f"/w/{service.worker(campaign)['token']}")
    page = service.client.get(f"/work/{campaign}", headers=PAGE)
    policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
    return page, policy


@pytest.mark.parametrize(
    ("addresses", "images"),
    [
        ([f"https://a{k}.example/x.png" for k in range(30)], None),
        ([f"https://a{k}.example/x.png" for k in range(1000)], "'self' https:"),
        ([f"https://{k}.{'a' * 60}.{'b' * 60}.example/x.png" for k in range(30)], "'self' https:"),
        ([f"http{'s' * (k % 2)}://a{k}.example:8443/x.png" for k in range(1000)], "'self' http: https:"),
    ],
)
def test_very_many_hosts_of_pictures_make_no_header_that_proxies_refuse(service, addresses, images):
    page, policy = page_of(service, addresses)
    origins = sorted({address.rsplit("/", 1)[0] for address in addresses})
    assert policy["img-src"] == (images or " ".join(["'self'", *origins]))
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert sum(len(name) + len(value) for name, value in page.headers.items()) < MAX_ORIGINS + 1_500
    assert f'data-images="{" ".join(origins)}"' in page.text  # or the page would load itself again and again
