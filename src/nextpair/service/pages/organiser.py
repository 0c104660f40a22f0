"""The organiser's pages: the list, a new campaign, the dashboard, invitations, the report, exports, tokens."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from nextpair.campaign.names import heard
from nextpair.core.policies import AUTO, AUTO_MOST_ITEMS, POLICIES
from nextpair.errors import InvalidSetting, NextpairError
from nextpair.service.api.campaigns import join_url, listing, show_dashboard
from nextpair.service.api.workers import invited
from nextpair.service.auth import desk_of, is_organiser
from nextpair.service.content import KINDS
from nextpair.service.errors import ServiceError, as_service_error, not_found
from nextpair.service.export import JOURNAL_TYPE, as_csv, as_journal, as_json
from nextpair.service.forecast import BEFOREHAND
from nextpair.service.invitations import INVITED_AS, Invitation
from nextpair.service.languages.catalogue import wished_for
from nextpair.service.live import ALIKE, Live
from nextpair.service.pages.forms import (
    Unsent,
    campaign_of,
    hash_of,
    holds_files,
    organisers_form,
    read_form,
    text_of,
    written_in,
)
from nextpair.service.pages.render import render
from nextpair.service.pages.routes import pages
from nextpair.service.records import CampaignRecord
from nextpair.service.security import new_token
from nextpair.service.views import comparison_rows, distinct_names, ranking_rows, summary, told_apart, worker_rows

router = pages()
MAX_NAMES = 500
ANEW = "You have signed in again since you opened this form. What you wrote is still here: check it, and send it again."


async def _signed_in(request: Request) -> None:
    if not await is_organiser(request):
        raise ServiceError(401, "signin", "sign in first")


@router.get("/")
async def home(request: Request) -> Response:
    await _signed_in(request)
    return render(request, "home.html", signed_in=True, campaigns=await listing(request))


@router.get("/campaigns/new")
async def new_page(request: Request) -> Response:
    """The form. Its address holds its key: who comes back to it and sends it again makes no second campaign."""
    await _signed_in(request)
    key = request.query_params.get("key")
    return (
        await _new_page(request, {"key": key}, None)
        if key
        else RedirectResponse(f"{request.url.path}?key={new_token()}", 303)
    )


async def _new_page(
    request: Request, values: dict[str, str], problem: str | None, lost_files: bool = False
) -> Response:
    policies = [
        (AUTO, f"full-posterior up to {AUTO_MOST_ITEMS} items (with a target, full-posterior-checked), akg beyond")
    ]
    policies += [(policy.name, policy.summary) for policy in POLICIES.values()]
    status = 200 if problem is None else 422
    settings = desk_of(request).settings
    return render(
        request,
        "new.html",
        status,
        signed_in=True,
        values=values,
        problem=problem,
        lost_files=lost_files,
        policies=policies,
        at_home=wished_for(request.headers.get("accept-language", "")).code,
        hearing=[policy.name for policy in POLICIES.values() if policy.hears_much],
        auto_most=AUTO_MOST_ITEMS,
        earlier=await to_thread.run_sync(desk_of(request).records.campaigns),
        lease_minutes=settings.lease / 60,
        **settings.weights,
        beforehand=[list(row) for row in BEFOREHAND],
    )


@router.post("/campaigns")
async def create(request: Request) -> Response:
    try:
        form = await organisers_form(request)
    except Unsent as kept:
        if kept.status == 401:
            raise
        return await _new_page(request, kept.written, ANEW, kept.lost_files)
    try:
        record = await desk_of(request).create(await campaign_of(request, form), await hash_of(form))
    except NextpairError as error:
        return await _new_page(request, written_in(form), str(as_service_error(error)), holds_files(form))
    finally:
        await form.close()  # the uploaded files
    return RedirectResponse(f"/campaigns/{record.id}/invite", 303)


@router.get("/campaigns/{campaign_id}")
async def dashboard_page(request: Request, campaign_id: str) -> Response:
    await _signed_in(request)
    return await _dashboard_page(request, campaign_id, None)


async def _dashboard_page(request: Request, campaign_id: str, problem: str | None) -> Response:
    campaign = await desk_of(request).look(campaign_id, summary)
    status = 200 if problem is None else 422
    items = await to_thread.run_sync(desk_of(request).records.items, campaign_id)
    count = Counter(item.kind for item in items.values())
    kind = max(KINDS, key=lambda kind: count[kind])  # what one more will be, too
    shown = desk_of(request).settings.weights | {"campaign": campaign, "kind": kind, "problem": problem}
    return render(request, "dashboard.html", status, signed_in=True, **shown)


@router.post("/campaigns/{campaign_id}/delete")
async def delete(request: Request, campaign_id: str) -> Response:
    """Take a campaign out for good, if its name was typed."""
    await _signed_in(request)
    form = await read_form(request)
    try:
        await desk_of(request).delete(campaign_id, text_of(form, "name"))
    except ServiceError as error:
        if error.code != "wrong_name":
            raise
        return await _dashboard_page(request, campaign_id, str(error))
    return RedirectResponse("/", 303)


@router.get("/campaigns/{campaign_id}/invite")
async def invite_page(request: Request, campaign_id: str) -> Response:
    await _signed_in(request)
    return await _invite_page(request, campaign_id)


async def _invite_page(
    request: Request,
    campaign_id: str,
    invitations: Sequence[Invitation] = (),
    problem: str | None = None,
    written: Mapping[str, str] | None = None,
    renewed: bool = False,
) -> Response:
    desk, written = desk_of(request), written or {}
    names = await to_thread.run_sync(desk.records.workers, campaign_id)
    rows, phase, record = await desk.look(
        campaign_id, lambda live, record: (worker_rows(live, names, time.time()), live.campaign.phase, record)
    )
    called = told_apart((row["id"] for row in rows), names)
    here, before = {heard(row["name"]) for row in rows}, await desk.acquaintances(campaign_id)
    known = [name for called, name in before.names.items() if called not in here]
    return render(
        request,
        "invite.html",
        200 if problem is None else 422,
        signed_in=True,
        campaign=asdict(record) | asdict(record.options) | {"phase": phase},
        join_url=join_url(request, record),
        only_here=urlsplit(join_url(request, record)).hostname in ("127.0.0.1", "localhost", "::1"),
        links=[invited(request, invitation) for invitation in invitations],
        renewed=renewed,
        workers=[row | {"name": called[row["id"]]} for row in rows],
        problem=problem,
        written=written.get("names") or "\n".join(known[:MAX_NAMES]),
        kind=written.get("kind", ""),
        known=known,
        # what the links are made from: a form that is sent again makes the same ones
        key=written.get("key") or new_token(),
    )


@router.post("/campaigns/{campaign_id}/invite")
async def invite(request: Request, campaign_id: str) -> Response:
    """Make personal links, one a line of names; or a new link for a worker; or a new open link."""
    try:
        form = await organisers_form(request)
    except Unsent as kept:
        if kept.status == 401:
            raise
        return await _invite_page(request, campaign_id, problem=ANEW, written=kept.written)
    desk = desk_of(request)
    if text_of(form, "action") == "reset":
        await desk.reset_join(campaign_id)
        return RedirectResponse(f"/campaigns/{campaign_id}/invite", 303)  # a reload must not replace it once more
    if worker := text_of(form, "worker"):
        return await _invite_page(request, campaign_id, [await desk.renew(campaign_id, worker)], renewed=True)
    names = [line.strip()[:200] for line in text_of(form, "names").splitlines() if line.strip()]
    own = INVITED_AS.get(text_of(form, "kind"), ALIKE)
    try:
        if len(names) > MAX_NAMES:
            raise InvalidSetting(f"{len(names)} names are more than {MAX_NAMES} at once: invite them in several rounds")
        key = text_of(form, "key") or new_token()
        return await _invite_page(request, campaign_id, await desk.invite_all(campaign_id, names, key, own))
    except NextpairError as error:
        return await _invite_page(request, campaign_id, problem=str(error), written=written_in(form))


@router.get("/campaigns/{campaign_id}/report")
async def report(request: Request, campaign_id: str) -> Response:
    await _signed_in(request)
    return render(request, "report.html", signed_in=True, **await show_dashboard(request, campaign_id))


@router.get("/campaigns/{campaign_id}/export/{name}")
async def export(request: Request, campaign_id: str, name: str) -> Response:
    """ranking, comparisons or workers as .csv or .json, and journal.jsonl."""
    await _signed_in(request)
    what, _, form = name.partition(".")
    if name != "journal.jsonl" and (form not in ("csv", "json") or what not in _COLUMNS):
        raise not_found(f"there is no export {name[:60]!r}")
    records = desk_of(request).records
    items = await to_thread.run_sync(records.items, campaign_id)
    names = await to_thread.run_sync(records.workers, campaign_id)

    def view(live: Live, _: CampaignRecord) -> Callable[[], str]:
        """How the text is written: from rows of its own, for workers need not wait for that."""
        if what == "journal":
            return partial(as_journal, live.campaign.events)
        if what == "ranking":
            rows = ranking_rows(live.campaign.ranking(), items)
        elif what == "workers":
            rows = worker_rows(live, names, time.time())
        else:
            rows = comparison_rows(live)
        if form == "json":
            return partial(as_json, rows)
        if what == "comparisons":  # people read the table, programs the JSON
            called = distinct_names(live.campaign.worker_names, names)
            rows = [row | {"worker": called[row["worker"]]} for row in rows]
        return partial(as_csv, _COLUMNS[what], rows)

    text = await to_thread.run_sync(await desk_of(request).look(campaign_id, view))
    headers = {"Content-Disposition": f'attachment; filename="{campaign_id}-{name}"'}
    return Response(text, media_type=_TYPES[form], headers=headers)


_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "jsonl": JOURNAL_TYPE}
_COLUMNS = {
    "ranking": ("rank", "item", "label", "score", "low", "high", "prob_above_next", "prob_best"),
    "comparisons": ("question", "worker", "winner", "loser", "tie", "left", "much"),
    "workers": (
        "id",
        "name",
        "outside_id",
        "status",
        "answers",
        "answered",
        "spent",
        "reliability",
        "low",
        "high",
        "favours",
        "skipped",
        "late",
        "completed_at",
    ),
}


# tokens for programs


@router.get("/tokens")
async def tokens_page(request: Request) -> Response:
    await _signed_in(request)
    return await _tokens_page(request, None)


async def _tokens_page(request: Request, fresh: str | None) -> Response:
    tokens = await to_thread.run_sync(desk_of(request).records.tokens, "organiser")
    return render(request, "tokens.html", signed_in=True, tokens=tokens, fresh=fresh)


@router.post("/tokens")
async def change_tokens(request: Request) -> Response:
    """A new token for a program that organises, or an end to one."""
    await _signed_in(request)
    form = await read_form(request)
    if revoked := text_of(form, "revoke"):
        await desk_of(request).revoke_token(revoked)
        return await _tokens_page(request, None)
    name = text_of(form, "name").strip()[:200] or "unnamed"
    return await _tokens_page(request, await desk_of(request).make_token(name))
