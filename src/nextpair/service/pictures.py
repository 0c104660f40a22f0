"""Uploaded pictures: what they are by their content, and how large they would be on a screen."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from nextpair.errors import InvalidFile

MEDIA = "media/"  # what the image of an item that was uploaded begins with
MAX_PIXELS = 50_000_000  # a small file can hold a picture that fills a phone's memory
MAX_SEGMENTS = 1000  # of a JPEG's head
# the first bytes of the pictures that are taken, and their types; SVG is a program and is not taken
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True)
class Picture:
    """An uploaded picture, of a type that is taken. It has a name that cannot be guessed before it is stored."""

    content: bytes
    type: str
    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    @property
    def image(self) -> str:
        """What an item that shows it holds."""
        return MEDIA + self.name


def picture_of(content: bytes) -> Picture:
    """The picture of a file's content, or an error that says why it is not taken."""
    return Picture(content, picture_type(content))


def picture_type(content: bytes) -> str:
    """The type of a picture by its first bytes, whatever its name says; a picture that is too large is refused."""
    kind = next((kind for signature, kind in _SIGNATURES if content.startswith(signature)), None)
    if kind is None and content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        raise InvalidFile("not a picture that can be shown here: use PNG, JPEG, GIF or WebP")
    width, height = _SIZES[kind](content)
    if width * height > MAX_PIXELS:
        raise InvalidFile(f"the picture has {width} × {height} pixels: make it smaller than 7000 × 7000")
    return kind


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _png(content: bytes) -> tuple[int, int]:
    return _big(content[16:20]), _big(content[20:24])


def _gif(content: bytes) -> tuple[int, int]:
    return _little(content[6:8]), _little(content[8:10])


def _webp(content: bytes) -> tuple[int, int]:
    if content[12:16] == b"VP8X":
        return _little(content[24:27]) + 1, _little(content[27:30]) + 1
    if content[12:16] == b"VP8L":
        bits = _little(content[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _little(content[26:28]) & 0x3FFF, _little(content[28:30]) & 0x3FFF


def _jpeg(content: bytes) -> tuple[int, int]:
    """The size that the first start-of-frame segment tells; (0, 0) where there is none."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        marker = content[at + 1 : at + 2]
        if content[at : at + 1] != b"\xff" or not marker:
            break
        if 0xC0 <= marker[0] <= 0xCF and marker[0] not in (0xC4, 0xC8, 0xCC):
            return _big(content[at + 7 : at + 9]), _big(content[at + 5 : at + 7])
        at += 2 + _big(content[at + 2 : at + 4])
    return 0, 0


_SIZES = {"image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp}
