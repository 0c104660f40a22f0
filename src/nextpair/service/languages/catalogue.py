"""The languages that are there, and how a phrase is found in one. Templates and the worker's scripts use the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DEFAULT = "en"
_WISH = re.compile(r"\s*([A-Za-z]{2,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?")


@dataclass(frozen=True)
class Language:
    """The phrases of a language by their keys. One that depends on a number has a form for each plural of CLDR."""

    code: str
    name: str  # as those who speak it call it
    direction: str  # ltr or rtl
    phrases: Mapping[str, str | Mapping[str, str]]

    def phrase(self, key: str, **values: str) -> str:
        """A phrase that depends on no number, filled in."""
        words = self.phrases[key]
        assert isinstance(words, str), f"{key} depends on a number: only pages of scripts count"
        return words.format_map(values)

    def error(self, code: str, values: Mapping[str, str]) -> str | None:
        """What an error means to a worker; None where there are no words for its code."""
        key = f"error.{code}"
        return self.phrase(key, **values) if key in self.phrases else None


@cache
def languages() -> Mapping[str, Language]:
    """All languages by their codes: every file beside this one is one."""
    return {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.json"))}


def _read(path: Path) -> Language:
    found = json.loads(path.read_text(encoding="utf-8"))
    return Language(path.stem, found["name"], found["direction"], found["phrases"])


def language_of(code: str) -> Language:
    """The language of that code; English for one that this version has not (any more)."""
    return languages().get(code, languages()[DEFAULT])


def known(code: str) -> str:
    """The code, or an error that says which there are."""
    if code not in languages():
        raise ValueError(f"there is no language {code[:40]!r}: use one of {', '.join(languages())}")
    return code


def wished_for(header: str) -> Language:
    """The language that a browser asks for first (Accept-Language), of those that are there; English if it is none."""
    wishes = [found for part in header.split(",") if (found := _WISH.fullmatch(part))]
    ranked = sorted(wishes, key=lambda wish: -float(wish[2] or 1))
    wanted = (wish[1].lower() for wish in ranked if float(wish[2] or 1) > 0)
    return language_of(next((code for code in wanted if code in languages()), DEFAULT))
