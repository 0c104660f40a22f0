"""How pages are reached: by GET, and by HEAD, which monitors and previews of links use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute


class PageRoute(APIRoute):
    """HEAD is GET, of which the server leaves out the body. A page to look at changes nothing."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if self.methods and "GET" in self.methods:
            self.methods.add("HEAD")


def pages() -> APIRouter:
    return APIRouter(include_in_schema=False, route_class=PageRoute)
