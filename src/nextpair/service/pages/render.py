"""Filling in the templates, with everything escaped and every form protected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nextpair import __version__
from nextpair.campaign.questions import the_best
from nextpair.service.auth import VISIT, form_token, set_cookie, visit_of
from nextpair.service.errors import ServiceError
from nextpair.service.languages.catalogue import DEFAULT, Language, language_of, languages
from nextpair.service.pages.forms import Unsent
from nextpair.service.security import page_policy

TEMPLATES = Path(__file__).parent.parent / "templates"


def _clock(moment: float | None) -> str:
    return "" if moment is None else time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(moment))


def _money(amount: float | None, currency: str = "") -> str:
    if amount is None:
        return "no limit"
    # two digits behind the point, or none, or as many as it takes: an answer may cost less than a cent
    whole, _, part = f"{amount:,.8f}".rstrip("0").partition(".")
    shown = f"{whole}.{part.ljust(2, '0')}" if part else whole
    return f"{shown} {currency}".strip()


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


_environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def _accuracy_of(campaign: Mapping[str, Any]) -> str:
    """What its expected accuracy is, for people."""
    best = campaign["best"]
    return "Expected accuracy" if best is None else f"{the_best(best).capitalize()}, expected right"


_environment.filters.update(clock=_clock, money=_money, percent=_percent, the_best=the_best, accuracy_of=_accuracy_of)
_environment.globals["languages"] = languages
_environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}  # words take fewer bytes as they are


def render(
    request: Request,
    template: str,
    status: int = 200,
    image_origins: tuple[str, ...] = (),
    headers: dict[str, str] | None = None,
    language: Language | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page. It may load pictures from the given origins and nothing else from elsewhere.

    The `language` of workers' pages is that of their campaign; organisers' pages are in English.
    """
    language = language or language_of(DEFAULT)
    every = {"csrf": form_token(request), "version": __version__, "path": request.url.path}
    html = _environment.get_template(template).render(**values, **every, language=language, phrase=language.phrase)
    policy = {"Content-Security-Policy": page_policy(image_origins), **(headers or {})}
    response = HTMLResponse(html, status, headers=policy)
    if VISIT not in request.cookies:
        set_cookie(request, response, VISIT, visit_of(request))
    return response


def error_page(
    request: Request, error: ServiceError, headers: dict[str, str], language: Language | None = None
) -> HTMLResponse:
    """An error for people, with what they wrote into a form that was not taken; for a worker in their language.

    Where that has no words for the error, the message is there in English.
    """
    if isinstance(error, Unsent):
        written = error.written | ({"lost_files": "yes"} if error.lost_files else {})
        return render(request, "kept.html", error.status, headers=headers, written=written, signed_in=False)
    said = language.error(error.code, error.values) if language else None
    return render(
        request,
        "error.html",
        error.status,
        headers=headers,
        language=language,
        signed_in=False,
        code=error.status,
        said=said,
        message=f"{str(error)[:1].upper()}{str(error)[1:]}.",
        for_worker=language is not None,
    )
