"""Reading the pages' forms."""

from __future__ import annotations

import calendar
import json
import re
import time
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from anyio import to_thread
from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.service.api.campaigns import draft_of
from nextpair.service.api.schemas import NewCampaign
from nextpair.service.api.system import read_upload
from nextpair.service.auth import check_form, desk_of, is_from_here, is_organiser
from nextpair.service.content import (
    KINDS,
    Item,
    clean,
    comparisons_of_file,
    items_of_file,
    items_of_lines,
    name_of_file,
    picture_item,
)
from nextpair.service.drafts import Draft
from nextpair.service.errors import ServiceError, in_words
from nextpair.service.pictures import Picture, picture_of
from nextpair.service.security import hash_token

MAX_PICTURES = 500
LABELS = {  # what the form calls the fields of the API
    "name": "name of the campaign",
    "question": "the question that workers see",
    "language": "language of the workers' pages",
    "items": "items",
    "budget": "budget",
    "price": "price of an answer",
    "quota": "most questions per worker",
    "min_looks": "fewest looks at each item",
    "best": "only the best … matter",
    "target_accuracy": "target accuracy",
    "lease": "time to answer, in seconds",
    "ends_at": "end time",
    "completion_url": "completion address",
    "completion_code": "completion code",
    "comparisons": "comparisons to start from",
    "workers_from": "workers are known from",
}


class Unsent(ServiceError):
    """A form that is not taken, for the session that it was opened in has ended; with what was written in it."""

    def __init__(self, why: ServiceError, form: FormData) -> None:
        super().__init__(why.status, why.code, str(why))
        self.written = written_in(form)
        self.lost_files = holds_files(form) or "lost_files" in form


async def read_form(request: Request) -> FormData:
    """The form of one of our own pages."""
    form = await _form(request)
    check_form(request, text_of(form, "csrf"))
    return form


async def organisers_form(request: Request) -> FormData:
    """The form of an organiser's page. What was written is kept should the session have ended, but not a stranger's."""
    unknown = None if await is_organiser(request) else ServiceError(401, "signin", "sign in first")
    form = await _form(request)
    token = text_of(form, "csrf")
    try:
        if unknown:
            raise unknown
        check_form(request, token)
    except ServiceError as why:
        await form.close()
        raise Unsent(why, form) if is_from_here(request, token) else why from None
    return form


async def _form(request: Request) -> FormData:
    limit = desk_of(request).settings.upload_bytes
    return await request.form(max_files=MAX_PICTURES + 2, max_fields=100, max_part_size=limit)


def text_of(form: FormData, name: str) -> str:
    """A text field; empty when it is missing."""
    value = form.get(name, "")
    if not isinstance(value, str):
        return ""
    try:
        return clean(value)
    except ValueError as error:
        raise InvalidSetting(f"{name} {error}") from None


def written_in(form: FormData) -> dict[str, str]:
    """What was written into a form, for one that is shown again."""
    return {name: value for name, value in form.items() if isinstance(value, str) and name != "csrf"}


def holds_files(form: FormData) -> bool:
    """Whether files were sent along: a browser does not keep them when it shows the form again."""
    return any(isinstance(value, UploadFile) and value.size for _, value in form.multi_items())


async def hash_of(form: FormData) -> str | None:
    """What a form says, files as well, in a hash; None where it has no key, which makes it another than its like."""
    said: list[str] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            await value.seek(0)
            said += (name, value.filename or "", sha256(await value.read()).hexdigest())
        elif value and name != "csrf":  # who signed in anew has another one, and a field may be there from now on
            said += (name, value)
    return hash_token(json.dumps(said)) if text_of(form, "key") else None


async def campaign_of(request: Request, form: FormData) -> Draft:
    """The campaign that the form describes, checked like one that comes over the API.

    In a thread: it takes seconds for very many comparisons, and workers are waiting.
    """
    pictures = await _pictures(request, form)
    items, comparisons = [await _file(request, form, name) for name in ("items_file", "comparisons_file")]
    return await to_thread.run_sync(_draft, form, pictures, items, comparisons)


def _draft(
    form: FormData, pictures: list[tuple[str | None, Picture]], items_file: bytes | None, comparisons: bytes | None
) -> Draft:
    items = _items(form, items_file, pictures)
    values: dict[str, Any] = {
        "name": text_of(form, "name").strip(),
        "question": text_of(form, "question").strip(),
        "items": [asdict(item) for item in items],
        "show_ranking": text_of(form, "show_ranking") == "yes",
        "one_stays": text_of(form, "one_stays") == "yes",
        "by_how_much": text_of(form, "by_how_much") == "yes",
        "comparisons": comparisons_of_file(comparisons) if comparisons else [],
    }
    for name in ("policy", "completion_url", "completion_code", "currency", "workers_from", "language"):
        if written := text_of(form, name).strip():
            values[name] = written
    for name in ("budget", "price", "quota", "min_looks", "best"):
        if written := text_of(form, name).strip():
            values[name] = _amount(LABELS[name], written)
    if target := text_of(form, "target").strip():
        values["target_accuracy"] = _share(target)
    if minutes := text_of(form, "lease_minutes").strip():
        values["lease"] = 60 * _number("minutes to answer", minutes)
    if end := text_of(form, "ends_at").strip():
        values["ends_at"] = _moment(end)
    try:
        return replace(draft_of(NewCampaign.model_validate(values)), pictures=[picture for _, picture in pictures])
    except ValidationError as error:
        problem = error.errors()[0]
        raise InvalidSetting(f"{_field(*problem['loc'])}: {in_words(problem)}") from None


def _field(name: int | str, number: int | str | None = None, part: int | str | None = None) -> str:
    """A field as the form calls it; of one of many, such as an item, its number and the part that is meant."""
    label = LABELS.get(str(name), str(name))
    if not isinstance(number, int):
        return label
    return f"{str(name).removesuffix('s')} {number + 1}" + (f", {part}" if part else "")


async def _pictures(request: Request, form: FormData) -> list[tuple[str | None, Picture]]:
    """The uploaded pictures and the names of their files. They are stored with the campaign, if all is well."""
    pictures = []
    for file in form.getlist("pictures"):
        if isinstance(file, UploadFile) and file.size:
            content = await read_upload(file, desk_of(request).settings.upload_bytes)
            try:
                pictures.append((file.filename, picture_of(content)))
            except InvalidFile as error:
                raise InvalidFile(f"{(file.filename or 'a picture')[:80]}: {error}") from None
    return pictures


def _items(form: FormData, content: bytes | None, pictures: list[tuple[str | None, Picture]]) -> list[Item]:
    kind = text_of(form, "kind") or "text"
    if kind not in KINDS:
        raise InvalidSetting(f"items are one of {', '.join(KINDS)}, not {kind!r}")
    uploads = {name_of_file(name): picture.image for name, picture in pictures}
    items = items_of_lines(text_of(form, "items"), kind, uploads)
    if content:
        items += items_of_file(content, kind, len(items) + 1, uploads)
    shown = {item.image for item in items}  # the other pictures are items of their own
    return items + [
        picture_item(name, picture.image, number)
        for number, (name, picture) in enumerate(pictures, start=1)
        if picture.image not in shown
    ]


async def _file(request: Request, form: FormData, name: str) -> bytes | None:
    file = form.get(name)
    if not isinstance(file, UploadFile) or not file.size:
        return None
    return await read_upload(file, desk_of(request).settings.upload_bytes)


def _amount(what: str, written: str) -> float:
    # 1,000 is a thousand here and one there: where it is money, nobody should have to guess
    if re.fullmatch(r"[1-9][0-9]{0,2}([.,' ][0-9]{3})+([.,][0-9]*)?", written):
        raise InvalidSetting(f"{what}: {written[:40]!r} can be read in two ways: write it like 1000 or 1.50")
    return _number(what, written)


def _number(what: str, written: str) -> float:
    try:
        return float(written.replace(",", "."))
    except ValueError:
        raise InvalidSetting(f"{what}: {written[:40]!r} is not a number") from None


def _share(written: str) -> float:
    number = _number("target accuracy", written.rstrip("% "))
    return number / 100 if number > 1 else number


def _moment(written: str) -> float:
    try:
        return float(calendar.timegm(time.strptime(written[:16], "%Y-%m-%dT%H:%M")))
    except ValueError:
        raise InvalidSetting(f"the end time {written[:40]!r} is not a time such as 2030-01-31T18:00") from None
