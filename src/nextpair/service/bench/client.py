"""A small HTTP client that can misbehave on purpose: it hangs up before the answer comes."""

from __future__ import annotations

import asyncio
import json
from typing import Any


class Unreachable(Exception):
    """No answer: the server is down, hung up, or took too long."""


class Client:
    """One worker's connection to one of several servers; after a failure it tries another."""

    def __init__(self, ports: list[int], token: str, start: int = 0, timeout: float = 30.0) -> None:
        self.ports, self.token, self.timeout = ports, token, timeout
        self.spans: dict[str, float] = {}  # where the server says that the time of the last answer went, in seconds
        self._turn = start
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, method: str, path: str, body: Any = None, hang_up: bool = False) -> tuple[int, Any]:
        """Status and JSON of the answer. With `hang_up` the request goes out and nobody waits for the answer."""
        try:
            return await asyncio.wait_for(self._send(method, path, body, hang_up), self.timeout)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError) as error:
            self.close()
            self._turn += 1
            raise Unreachable(f"{method} {path}: {type(error).__name__}") from None

    async def _send(self, method: str, path: str, body: Any, hang_up: bool) -> tuple[int, Any]:
        if self._writer is None:
            port = self.ports[self._turn % len(self.ports)]
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        assert self._reader is not None
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self._writer.write(head.encode() + content)
        await self._writer.drain()
        if hang_up:
            raise ConnectionAbortedError("hung up on purpose")
        return await self._receive(self._reader)

    async def _receive(self, reader: asyncio.StreamReader) -> tuple[int, Any]:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.spans = _spans(headers.get("server-timing", ""))
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        return status, json.loads(content) if content else None

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


def _spans(header: str) -> dict[str, float]:
    parts = (part.strip().partition(";dur=") for part in header.split(",") if part)
    return {name: float(milliseconds) / 1000 for name, _, milliseconds in parts}
