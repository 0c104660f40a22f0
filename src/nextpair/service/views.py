"""What the API and the pages show of a campaign, as JSON-able dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import quote

from nextpair.campaign.names import can_be_seen, heard
from nextpair.campaign.questions import Explanation, RankingRow
from nextpair.service.content import Item
from nextpair.service.forecast import Forecast, Point, forecast
from nextpair.service.live import Live
from nextpair.service.progress import answered_late, has_completed, is_through, progress_of
from nextpair.service.records import CampaignRecord, WorkerRecord

ACTIVE_SECONDS = 120.0
RECENT = 12


def join_question(campaign_id: str, question_id: str) -> str:
    """A question's id to the outside: it names the campaign, for an address without one."""
    return f"{campaign_id}.{question_id}"


def label_of(item: str, items: Mapping[str, Item]) -> str:
    """A line to recognise an item by."""
    return items[item].label if item in items else item


def name_of(worker: str | None, names: Mapping[str, WorkerRecord]) -> str:
    """What people call a worker: the name that was given, if it can be seen, or else the id."""
    name = names[worker].name if worker is not None and worker in names else ""
    return name if can_be_seen(name) else worker or ""


def distinct_names(workers: Iterable[str], names: Mapping[str, WorkerRecord]) -> dict[str, str]:
    """What a table calls workers: by their names, but by their ids where others have the same name."""
    called = {worker: name_of(worker, names).strip() for worker in workers}
    count = Counter((*called.values(), *called))  # nor may a name be another's id
    return {worker: name if name and count[name] == 1 else worker for worker, name in called.items()}


def told_apart(workers: Iterable[str], names: Mapping[str, WorkerRecord]) -> dict[str, str]:
    """What people call workers, with the id where several are called alike: a ban is for good, and for one of them."""
    called = {worker: name_of(worker, names) for worker in workers}
    count = Counter(map(heard, called.values()))
    return {worker: name if count[heard(name)] == 1 else f"{name} ({worker})" for worker, name in called.items()}


def ranking_rows(ranking: Sequence[RankingRow], items: Mapping[str, Item]) -> list[dict[str, Any]]:
    """The ranking with a line to recognise each item by."""
    return [asdict(row) | {"label": label_of(row.item, items)} for row in ranking]


def comparison_rows(live: Live) -> list[dict[str, Any]]:
    """The answers that count, with ids as given out."""
    return [vars(row) | {"question": join_question(live.id, row.question)} for row in live.campaign.comparisons()]


def named(reason: Explanation, items: Mapping[str, Item], names: Mapping[str, WorkerRecord]) -> Explanation:
    """An explanation in the words that people know items and workers by."""
    runner_up = reason.runner_up
    return replace(
        reason,
        left=label_of(reason.left, items),
        right=label_of(reason.right, items),
        runner_up=None if runner_up is None else (label_of(runner_up[0], items), label_of(runner_up[1], items)),
        worker=name_of(reason.worker, names) or None,
    )


def summary(live: Live, record: CampaignRecord) -> dict[str, Any]:
    """A campaign's words, money and progress."""
    campaign = live.campaign
    terms = campaign.settings
    return {
        "id": record.id,
        "name": record.name,
        "question": record.question,
        "phase": campaign.phase,
        "n_items": campaign.n_items,
        "fewest_items": campaign.fewest_items,
        "budget": campaign.budget,
        "spent": campaign.spent,
        "held": campaign.held,
        "remaining": campaign.remaining,
        "price": campaign.cost,
        "quota": terms.quota,
        "min_looks": terms.min_looks,
        "one_stays": bool(terms.one_stays),
        "best": campaign.best,
        "policy": terms.policy,
        "lease": terms.lease,
        "target_accuracy": campaign.target,
        "target_reached": campaign.target_reached,
        "may_stop_early": campaign.may_stop_early,
        "hears_much": campaign.hears_much,
        "guess_agreement": campaign.guess_agreement,
        "expected_accuracy": campaign.expected_accuracy(),
        "answers": live.n_answers,
        "created_at": record.created_at,
        **asdict(record.options),
        "seq": live.seq,
    }


def own_view(live: Live, record: CampaignRecord, worker: str, known: WorkerRecord | None) -> dict[str, Any]:
    """What a worker sees of a campaign: its words, how far they are, and where to go when they have done their part.

    Who was given the completion code keeps it, though there be more to answer later.
    """
    live.late[worker] = known.late.split() if known else []
    progress = progress_of(live, worker)
    words = {"id": record.id, "name": record.name, "question": record.question}
    options = {"by_how_much": record.options.by_how_much, "language": record.options.language}
    shown = words | options | {"progress": progress}
    kept = known is not None and known.completed_at is not None
    if (kept or has_completed(live, worker)) and not live.campaign.is_retracted(worker):
        shown["completion"] = _completion(record, known.outside_id if known else None)
        progress["missing"] = 0
    return shown


def _completion(record: CampaignRecord, outside_id: str | None) -> dict[str, str | None]:
    """The code, and the address to return to with the code and the outside id filled in."""
    code, address = record.options.completion_code, record.options.completion_url or ""
    filled = address.replace("{code}", quote(code or "", safe="")).replace("{worker}", quote(outside_id or "", safe=""))
    return {"code": code, "url": filled if address.startswith(("https://", "http://")) else None}


def worker_rows(live: Live, names: Mapping[str, WorkerRecord], now: float) -> list[dict[str, Any]]:
    """The workers with their reliability and what it rests on."""
    campaign = live.campaign
    place = {campaign.items[i]: rank for rank, i in enumerate(campaign.belief.ranking())}  # removed items have one, too
    agreed: Counter[str] = Counter()
    ties: Counter[str] = Counter()
    for answer in campaign.comparisons():
        agreed[answer.worker or ""] += not answer.tie and place[answer.winner] < place[answer.loser]
        ties[answer.worker or ""] += answer.tie
    open_now = Counter(question.worker for question in campaign.open_questions())
    rows = []
    live.late = {name: known.late.split() for name, known in names.items()}
    for row in campaign.workers():
        seen = live.seen_at.get(row.worker)
        rows.append(
            {
                "id": row.worker,
                "name": name_of(row.worker, names),
                "known": row.known,
                "reliability": row.reliability,
                "low": row.low,
                "high": row.high,
                "leaning": row.leaning,
                "favours": row.favours,
                "answers": row.answers,
                "agreed": agreed[row.worker],
                "ties": ties[row.worker],
                "price": row.cost,
                "answered": live.answered[row.worker],  # banned or not: this many were paid, if none was imported
                "skipped": live.skipped[row.worker],
                "late": answered_late(live, row.worker),
                "spent": row.spent,
                "outside_id": names[row.worker].outside_id if row.worker in names else None,
                "status": "banned" if row.status == "retracted" else "active",
                "completed_at": names[row.worker].completed_at if row.worker in names else None,
                "invited": row.worker in names,  # an earlier comparison's worker was not, and has no link
                "open": open_now[row.worker],
                "seen_at": seen,
                "answering": seen is not None and now - seen < ACTIVE_SECONDS and row.status == "active",
            }
        )
    return rows


def nobody_left(live: Live, names: Mapping[str, WorkerRecord]) -> bool:
    """Whether everybody who was invited has answered all that they may be asked, so that only new workers help."""
    campaign = live.campaign
    if campaign.phase == "ended" or campaign.open_questions() or not names:
        return False
    return not _askable(live, names)


def _askable(live: Live, names: Mapping[str, WorkerRecord]) -> list[str]:
    """Those of the invited who may still be asked something."""
    return [name for name in names if not is_through(live, name)]


def _price(live: Live, names: Mapping[str, WorkerRecord]) -> float:
    """What an answer to come costs: the campaign's price, or the average where workers have costs of their own.

    It is the average of those who can still be asked. Each counts as often as they have answered, and
    once more: who has not begun yet may.
    """
    price, weights = live.campaign.cost, {name: 1 + live.answered[name] for name in _askable(live, names)}
    if not weights:
        return price
    above = sum(weight * (live.campaign.terms(name)[1] - price) for name, weight in weights.items())
    return price + above / sum(weights.values())


def _most(live: Live, names: Mapping[str, WorkerRecord], price: float) -> int | None:
    """How many more questions those who were invited can be asked, if the budget would buy more answers."""
    campaign = live.campaign
    if campaign.remaining is None or campaign.phase == "ended":
        return None
    joined = [name for name in campaign.worker_names if name in names]
    most = 0
    for name in joined:
        most += campaign.questions_left(name)
        if most >= int(campaign.remaining / price + 1e-9):  # with many items one worker is enough to know
            return None
    return most if joined else None


def _outlook(live: Live, curve: Sequence[Point], price: float, stuck: bool) -> Forecast:
    campaign = live.campaign
    if stuck or campaign.phase == "ended":  # whatever the curve promises
        return Forecast(campaign.target, None, None, None)
    return forecast(curve, campaign.target, campaign.remaining, price)


def dashboard(
    live: Live, record: CampaignRecord, items: Mapping[str, Item], names: Mapping[str, WorkerRecord], now: float
) -> dict[str, Any]:
    """Everything that the organiser's live page shows."""
    campaign = live.campaign
    head = summary(live, record)
    here = Point(head["answers"], campaign.spent, head["expected_accuracy"], campaign.n_items)
    curve, stuck, price = [*live.curve, here], nobody_left(live, names), _price(live, names)
    rows, called = ranking_rows(campaign.ranking(), items), told_apart(campaign.worker_names, names)
    in_flight = [
        {
            "id": join_question(live.id, question.id),
            "worker": called.get(question.worker or "", ""),
            "left": label_of(question.left, items),
            "right": label_of(question.right, items),
            "asked_at": live.asked_at.get(question.id),
            "expires_at": question.expires_at,
        }
        for question in campaign.open_questions()
    ]
    recent = [
        {
            "id": join_question(live.id, answer.question),
            "worker": called.get(answer.worker or "", ""),
            "winner": label_of(answer.winner, items),
            "loser": label_of(answer.loser, items),
            "tie": answer.tie,
            "much": answer.much,
            "choice": campaign.question(answer.question).choice,
            "undone": live.times_undone[answer.question],
            "at": live.told_at.get(answer.question),
        }
        for answer in campaign.comparisons()[-RECENT:][::-1]
    ]
    return {
        "campaign": head,
        "ranking": rows,
        "removed": [{"item": item, "label": label_of(item, items)} for item in campaign.removed_items],
        "workers": [row | {"name": called[row["id"]]} for row in worker_rows(live, names, now)],
        "in_flight": in_flight,
        "recent": recent,
        "curve": [point._asdict() for point in curve],
        "forecast": asdict(_outlook(live, curve, price, stuck)) | {"price": price, "most": _most(live, names, price)},
        "nobody_left": stuck,
        "guess": campaign.guess_in_words,
        "now": now,
    }
