"""What organisers can do, in the service's words; what workers can is in the hall that the desk stands in.

Routes and pages make every change through these, but for signing in and out (`auth`). What they only show they may read
from the records and the live campaign themselves.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from anyio import to_thread

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.questions import RankingRow
from nextpair.errors import CampaignClosed, InvalidSetting, JournalConflict, UnknownItem
from nextpair.service.content import MAX_ITEMS, Item
from nextpair.service.deleting import delete_campaign
from nextpair.service.drafts import Draft, first_events, refuse_lost_campaign, refuse_lost_pictures, refuse_unseen_words
from nextpair.service.errors import ServiceError
from nextpair.service.hall import Hall
from nextpair.service.invitations import (
    Acquaintances,
    Invitation,
    broken_off,
    given_before,
    invite,
    invited,
    link_of,
    refuse_known,
    renew,
)
from nextpair.service.live import ALIKE, Live, Own, Plan
from nextpair.service.pictures import Picture, picture_of
from nextpair.service.records import CampaignRecord, Options
from nextpair.service.security import hash_token, new_token, same, sign
from nextpair.service.undoing import Meant
from nextpair.service.views import ranking_rows

Rankings = tuple[list[RankingRow], list[RankingRow]]  # before and after


class Desk(Hall):
    """The service layer: every process has one, on the same database."""

    # for the organiser

    async def create(self, draft: Draft, form: str | None = None) -> CampaignRecord:
        """A new campaign. Its first events carry the items, the terms and the comparisons to start from.

        The same `form` (the hash of all that it says) makes one campaign, however often it is sent.
        """
        refuse_unseen_words(draft)
        draft.options.refuse_past_end()
        draft.options.refuse_missing_code()
        await to_thread.run_sync(refuse_lost_campaign, self.records, draft.options.workers_from)
        await to_thread.run_sync(refuse_lost_pictures, self.records, draft.items, draft.pictures)
        events = await to_thread.run_sync(first_events, draft, self.settings.lease)
        record = CampaignRecord(
            "c" + secrets.token_hex(6), draft.name, draft.question, time.time(), options=draft.options
        )
        record = await to_thread.run_sync(self.records.add_campaign, record, draft.items, draft.pictures, form)
        try:
            await to_thread.run_sync(self.store.append, record.id, 0, events, time.time())
        except JournalConflict:  # the form was sent before, and this time its journal is there
            if form is None:
                raise
        return record

    async def delete(self, campaign_id: str, name: str) -> None:
        """Take a campaign out for good, with all that belongs to it. Whoever means it gives its name."""
        live, record = await self.live(campaign_id)
        if name.strip() != record.name.strip():
            told = f"{name[:80]!r} is not the name of this campaign, so nothing was deleted: type {record.name!r}"
            raise ServiceError(422, "wrong_name", told)
        await self.alone(live, lambda _: delete_campaign(self.records.engine, campaign_id))
        self.forget(campaign_id)

    async def add_picture(self, content: bytes) -> Picture:
        """Keep an uploaded picture for items to show."""
        picture = picture_of(content)
        await to_thread.run_sync(self.records.add_media, picture)
        return picture

    async def change(self, campaign_id: str, plan: Plan) -> dict[str, Any]:
        """Make a change, and show the ranking before and after it."""
        return await self._compared(campaign_id, lambda live: live.compare(plan))

    async def change_terms(self, campaign_id: str, plan: Plan, **options: Any) -> dict[str, Any]:
        """The same for terms, and the options `ends_at` (another end time, or none) and `language`: all, or nothing."""

        def step(live: Live) -> Rankings:
            if "ends_at" in options:
                Options(ends_at=options["ends_at"]).refuse_past_end()
                if live.is_over(live.campaign, time.time()):
                    raise CampaignClosed("the campaign has ended, and can have no other end time: start a new one")
            rankings = live.compare(plan)
            if options:
                live.beside = self.records.set_options(campaign_id, **options)
            return rankings

        return await self._compared(campaign_id, step)

    async def _compared(self, campaign_id: str, step: Callable[[Live], Rankings]) -> dict[str, Any]:
        before, after = await self.run(campaign_id, step)
        items = await to_thread.run_sync(self.records.items, campaign_id)
        return {"before": ranking_rows(before, items), "after": ranking_rows(after, items)}

    async def undo(self, campaign_id: str, question_id: str, meant: Meant) -> dict[str, Any]:
        """Withdraw an answer in the organiser's name."""

        def step(live: Live) -> Rankings:
            now = time.time()
            return live.compare(lambda campaign: meant.plan(campaign, live.given(campaign.question(question_id)), now))

        return await self._compared(campaign_id, step)

    async def ban(self, campaign_id: str, worker: str) -> dict[str, Any]:
        """Take a worker's answers out, ask them no more, and make their links void."""
        change = await self.change(campaign_id, lambda campaign: campaign.plan_retract(worker))
        await to_thread.run_sync(self.records.revoke_worker, campaign_id, worker)
        return change

    async def add_item(self, campaign_id: str, item_of: Callable[[int], Item]) -> None:
        """One more item joins a running campaign: that of a free number, by which it may be called.

        One that was removed comes back as it was.
        """

        def add(live: Live) -> None:
            position = len(live.campaign.items)
            item = item_of(next(k for k in count(position + 1) if str(k) not in live.campaign.items))

            def plan(campaign: Campaign) -> list[ev.Event]:
                return campaign.plan_add_item(item.id, guess=item.guess)

            if item.id in live.campaign.removed_items:
                live.change(plan)
                return
            _refuse_more_items(live)
            plan(live.campaign)  # refuse before the row is written
            refuse_lost_pictures(self.records, [item])
            written = self.records.add_item(campaign_id, item, position)
            live.change(plan)
            if not written:
                self.records.replace_item(campaign_id, item, position)

        await self.run(campaign_id, add)

    async def mend_item(self, campaign_id: str, item: Item) -> None:
        """Other words for an item, or another picture, from now on. What was answered about it stays as it is."""

        def mend(live: Live) -> None:
            if item.id not in live.campaign.items:
                raise UnknownItem(f"there is no item {item.id!r} in this campaign: check the spelling")
            refuse_lost_pictures(self.records, [item])
            live.beside = self.records.mend_item(campaign_id, item)

        await self.run(campaign_id, mend)

    async def remove_item(self, campaign_id: str, item: str) -> dict[str, Any]:
        """Ask about an item no more, and leave it out of the ranking."""
        return await self.change(campaign_id, lambda campaign: campaign.plan_remove_item(item))

    # inviting workers

    def join_token(self, record: CampaignRecord) -> str:
        """The open link's secret: made from the installation's own, so that it can be shown again and revoked."""
        return f"{record.id}-{sign(self.secret, 'join', record.id, str(record.join_version))[:43]}"

    async def joinable(self, token: str) -> CampaignRecord:
        """The campaign that an open link leads to."""
        campaign_id = token.partition("-")[0]
        record = await to_thread.run_sync(self.records.campaign, campaign_id)
        if record is None or not same(token, self.join_token(record)):
            raise ServiceError(404, "unknown_link", "this link does not work (any more): ask for a new one")
        return record

    async def takes_in(self, campaign_id: str, outside_id: str) -> bool:
        """Whether who comes by the open link may take part: nobody new after the end."""

        def look(live: Live) -> bool:
            known = outside_id and self.records.worker_outside(campaign_id, outside_id)
            return bool(known) or not live.is_over(live.campaign, time.time())

        return await self.run(campaign_id, look)

    async def reset_join(self, campaign_id: str) -> CampaignRecord:
        """Make the open link void; a new one takes its place."""
        await self.live(campaign_id)
        await to_thread.run_sync(self.records.reset_join, campaign_id)
        return (await self.live(campaign_id))[1]

    async def invite(
        self,
        campaign_id: str,
        name: str = "",
        worker_id: str | None = None,
        outside_id: str | None = None,
        own: Own = ALIKE,
        token: str | None = None,
        known_as: str = "",
        by_open_link: bool = False,
    ) -> Invitation:
        """A new worker with a token of their own; with an outside id that is known, the same worker again.

        `known_as`: the name by which the organiser means somebody of an earlier campaign. What a worker types is none.
        A reliability of their `own` counts more than what an earlier campaign knows.
        """
        if own.reliability is None:
            earlier = await self.acquaintances(campaign_id)
            own = replace(own, reliability=earlier.reliability(worker_id, outside_id, known_as))
        terms = (name, worker_id, outside_id, own, token, by_open_link)
        return await self.run(campaign_id, lambda live: invite(self.records, live, *terms))

    async def acquaintances(self, campaign_id: str) -> Acquaintances:
        """Whom this campaign knows from the one before it, and from those before that, up to one that was deleted."""
        _, record = await self.live(campaign_id)
        before: list[str] = []
        while (earlier := record.options.workers_from) is not None and earlier not in before:
            found = await to_thread.run_sync(self.records.campaign, earlier)
            if found is None:
                break
            before.append(earlier)
            record = found
        known = Acquaintances()
        for one in reversed(before):
            known = await self.run(one, partial(known.and_of, self.records))
        return known

    async def invite_all(
        self,
        campaign_id: str,
        names: Sequence[str],
        form_key: str,
        own: Own = ALIKE,
    ) -> list[Invitation]:
        """New workers of these names; the same ones, with the same tokens, when the same form is sent again.

        A name that takes part already, or is there twice, is refused before anybody is invited.
        """
        links = {name: link_of(self.secret, campaign_id, form_key, name) for name in names}
        earlier = await self.acquaintances(campaign_id)
        known = {name: own.reliability or earlier.reliability(None, None, name) for name in names}
        terms = {name: replace(own, reliability=known[name]) for name in names}
        before = await self.run(campaign_id, lambda live: given_before(self.records, live, names, links, terms))
        for name, (worker, token) in links.items():
            if name not in before:
                new = partial(invite, self.records, name=name, worker_id=worker, token=token, own=terms[name])
                before[name] = await self.run(campaign_id, new)
        return [before[name] for name in links]

    async def refuse_known(self, campaign_id: str, name: str) -> str | None:
        """An error for a name that takes part already; the id to go on with, if their invitation broke off."""

        def look(live: Live) -> str | None:
            begun = broken_off(self.records, live, name)
            if begun is None:
                refuse_known(self.records, live, [name])
            return begun

        return await self.run(campaign_id, look)

    async def renew(self, campaign_id: str, worker_id: str) -> Invitation:
        """A new link for a worker; the old ones are void from now on."""
        return await self.run(campaign_id, lambda live: renew(self.records, live, worker_id))

    async def revoke(self, campaign_id: str, worker_id: str) -> None:
        """Make a worker's links void; their answers stay."""
        await self.live(campaign_id)
        await to_thread.run_sync(invited, self.records, campaign_id, worker_id)
        await to_thread.run_sync(self.records.revoke_worker, campaign_id, worker_id)

    # programs that organise

    async def make_token(self, name: str) -> str:
        """A token for a program. It is shown once and never stored."""
        token = new_token()
        await to_thread.run_sync(lambda: self.records.add_token(hash_token(token), "organiser", name=name))
        return token

    async def revoke_token(self, token_id: str) -> None:
        """A program's token opens nothing any more."""
        await to_thread.run_sync(self.records.revoke_token, token_id)


def _refuse_more_items(live: Live) -> None:
    if live.campaign.phase == "ended":
        raise CampaignClosed("the campaign has ended and takes no more items: start a new one")
    if len(live.campaign.items) >= MAX_ITEMS:
        raise InvalidSetting(f"a campaign can hold {MAX_ITEMS} items, and these are there")
