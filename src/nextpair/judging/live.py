"""A live campaign as a place for a judge: the service, by the personal link of a worker."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from nextpair.errors import InvalidSetting, NothingToAsk, ServiceRefused
from nextpair.judging.alone import hold
from nextpair.judging.places import Put, Standing

LINK = re.compile(r"((?i:https?)://[^/\s]+(?:/[!-~]*)?)/w/([\w.~-]+)/?", re.ASCII)
PATIENCE = 300.0  # seconds for which a service that does not answer is tried again
LONGEST = 30.0  # seconds between two tries
REPLY = 60.0  # seconds for one reply
BUSY = (429, 500, 502, 503, 504)
MANY_OPEN = "too_many_open"  # no matter of time: answers come first


@dataclass(frozen=True)
class LiveQuestion:
    """A question with what is shown: `left` and `right` are texts, the items have ids, kinds and pictures too."""

    id: str
    worker: str
    left: str
    right: str
    question: str
    by_how_much: bool
    left_item: dict[str, Any]
    right_item: dict[str, Any]


def is_link(where: str) -> bool:
    return where.lower().startswith(("http://", "https://"))


def _has_address(link: str) -> bool:
    try:
        return urlsplit(link).port != 0
    except ValueError:  # a port that is no number, or half an address
        return False


class ByLink:
    """The campaign of a personal link. What was not answered in time is asked again; so a reply may get lost."""

    def __init__(self, link: str, note: Callable[[str], None]) -> None:
        found = LINK.fullmatch(link)
        if found is None or not _has_address(link):
            raise InvalidSetting(f"{link!r} is not the personal link of a worker: it looks like https://host/w/…")
        self._base, self._token = found.groups()
        self._held, self._note = ExitStack(), note
        self._known: set[str] = set()  # questions that were handed on
        self._lost = False  # whether a question may have been asked for whose reply never came

    def begin(self, judges: Sequence[str]) -> None:
        if len(judges) > 1:
            raise InvalidSetting(f"a personal link is for one worker, so one judge answers, not {len(judges)}")
        self._name = judges[0]
        hold(self._held, self._token, "a judge with this link")  # by whatever address
        reply = self._send("GET", f"/w/{self._token}", authorised=False)
        place = re.fullmatch(r".*/work/([^/?#]+)", reply.location)
        if place is None:
            if reply.status == 404:
                raise InvalidSetting("this link does not work (any more): ask the organiser for a new one")
            found = f"it answered {reply.status}" + (f" and leads to {reply.location}" if reply.location else "")
            raise InvalidSetting(f"there is no nextpair service at {self._base}, for {found}: check the link")
        self._campaign = f"/api/v1/campaigns/{place[1]}"
        self._words = self._call("GET", self._campaign)

    def end(self) -> None:
        self._held.close()

    def open(self) -> Sequence[Put]:
        return [self._shown(row) for row in self._call("GET", f"{self._campaign}/questions")]

    def ask(self, n: int, judges: Sequence[str]) -> Sequence[Put]:
        asked: list[Put] = self._found(n)
        while len(asked) < n and (row := self._next()) is not None:
            asked.append(self._shown(row))
        asked += self._found(n - len(asked))
        if not asked and self._call("GET", self._campaign)["progress"]["state"] == "done":
            raise NothingToAsk(f"nothing is left to ask {self._name}")
        return asked

    def tell(self, answers: Sequence[tuple[Put, str]]) -> dict[str, str]:
        refused = {}
        for question, answer in answers:
            try:
                self._call("POST", f"/api/v1/questions/{question.id}/answer", {"choice": answer})
            except ServiceRefused as why:
                if why.status != 409:
                    raise
                refused[question.id] = str(why)
        return refused

    def standing(self) -> Standing:
        return Standing()  # money and ranking are the organiser's

    def _next(self) -> Any:
        """A new question; None if there is none, or if as many are open as one worker may have."""
        try:
            return self._call("POST", f"{self._campaign}/questions")
        except ServiceRefused as why:
            if why.code == MANY_OPEN:
                return None
            raise

    def _found(self, n: int) -> list[Put]:
        """Up to n questions that were asked for without hearing of it: a reply got lost, and it was asked again."""
        if not self._lost or not n:
            return []
        rows = self._call("GET", f"{self._campaign}/questions")
        found = [row for row in rows if row["id"] not in self._known]
        self._lost = len(found) > n
        return [self._shown(row) for row in found[:n]]

    def _shown(self, row: dict[str, Any]) -> LiveQuestion:
        self._known.add(row["id"])
        left, right = map(self._with_address, (row["left"], row["right"]))
        words = self._words["question"], self._words["by_how_much"]
        return LiveQuestion(row["id"], self._name, left["text"], right["text"], *words, left, right)

    def _with_address(self, item: dict[str, Any]) -> dict[str, Any]:
        return item | {"image": urljoin(f"{self._base}/", item["image"])} if item.get("image") else item

    def _call(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of a reply, None for an empty one. Whoever is busy or away is tried again."""
        reply = self._send(method, path, body)
        if reply.status >= 400:
            raise ServiceRefused(reply.status, reply.code, reply.reason)
        try:
            return json.loads(reply.content) if reply.content else None
        except ValueError:
            raise ServiceRefused(reply.status, "", f"{self._base} answers as no nextpair service does") from None

    def _send(self, method: str, path: str, body: object = None, authorised: bool = True) -> _Reply:
        headers = {"Authorization": f"Bearer {self._token}"} if authorised else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, headers | {"Content-Type": "application/json"}, method=method
        )
        pause, end = 1.0, time.monotonic() + PATIENCE
        while (reply := _reply(request)).status in (0, *BUSY) and reply.code != MANY_OPEN:
            if time.monotonic() + pause > end:
                why = f"{self._base} does not answer: {reply.reason}. Run this again once it does"
                raise ServiceRefused(reply.status, reply.code, why)
            if pause == 1.0:
                self._note(f"{self._base} does not answer: {reply.reason}. It is tried again for {PATIENCE:g} seconds")
            self._lost = True
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)
        return reply


class _Reply(NamedTuple):
    """`status` is 0, and `reason` says why, where there was none."""

    status: int
    reason: str
    code: str = ""
    location: str = ""
    content: bytes = b""


def _reply(request: urllib.request.Request) -> _Reply:
    try:
        with _OPENER.open(request, timeout=REPLY) as reply:
            return _Reply(reply.status, "", content=reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return _Reply(error.code, *_told(error), error.headers.get("location", ""))
    except urllib.error.URLError as error:
        return _Reply(0, str(error.reason).lower())
    except (OSError, HTTPException) as error:
        return _Reply(0, str(error).lower())


class _Stay(urllib.request.HTTPRedirectHandler):
    """Where a link leads is read, not followed: there the page would be, in place of the campaign's name."""

    def redirect_request(self, req: Any, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str) -> None:
        return None


_OPENER = urllib.request.build_opener(_Stay)


def _told(error: urllib.error.HTTPError) -> tuple[str, str]:
    """What the service says, and its word for that; a proxy before it may say anything."""
    try:
        told = json.loads(error.read())["error"]
        return str(told["message"]), str(told["code"])
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"it answered {error.code} ({error.reason})", ""
