"""Items as they come in (lines, CSV, JSON, pictures) and as they are shown. All of it is untrusted."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt

from nextpair.campaign.names import can_be_seen
from nextpair.errors import InvalidFile
from nextpair.service.item_tables import COLUMNS, decode, json_of, read_table
from nextpair.store.comparisons import read_comparisons
from nextpair.store.rows import Fault, RefusedRows, encodable
from nextpair.store.scores import number_of
from nextpair.store.streams import CountedReader, Source, refuse_stranger

KINDS = ("text", "markdown", "image")
MAX_ITEMS = 2_000
MAX_TEXT = 20_000
MAX_ID = 200
SHORT = 60
FIRST = 1_000  # characters, in which the line of a label is found
Uploads = Mapping[str, str] | None  # what items show, by the names of the files; None where none can be sent along
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?")  # no *, which would let any host into a policy
_TAGS = {"p", "br", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "hr"} | {
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"
}  # fmt: skip


@dataclass(frozen=True)
class Item:
    """What is shown of an item. `image` is an address, or media/<id> for an upload; `text` then describes it, unless it
    is Markdown, which stands below it.

    `guess` is the rough number that comes in with it, if one does: the journal keeps it, and nobody is shown it.
    """

    id: str
    text: str
    kind: str = "text"
    image: str | None = None
    guess: float | None = None

    @property
    def label(self) -> str:
        """One short line for tables."""
        text = words_of_markdown(self.text) if self.kind == "markdown" else self.text
        line = " ".join(text.split()) or self.id
        return line if len(line) <= 80 else line[:79] + "…"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@lru_cache(maxsize=4096)
def words_of_markdown(text: str) -> str:
    """The words that Markdown begins with, without its marks: what a reader sees in a table is no source."""
    lines = []
    for block in _MARKDOWN.parse(text[:FIRST]):
        parts = block.children or ()
        words = "".join(" " if part.type.endswith("break") else part.content for part in parts)
        lines.append(words if parts else block.content)
    return " ".join(lines)


@lru_cache(maxsize=4096)
def render_markdown(text: str) -> str:
    """Markdown as HTML that can do nothing: no script, no style, no picture, links that say they are foreign."""
    html = _MARKDOWN.render(text)
    return nh3.clean(html, tags=_TAGS, attributes={"a": {"href", "title"}}, url_schemes={"https", "http", "mailto"})


def as_shown(item: Item) -> dict[str, Any]:
    """An item as the API gives it out."""
    shown: dict[str, Any] = {"id": item.id, "kind": item.kind, "text": item.text}
    if item.kind == "markdown":
        shown["html"] = render_markdown(item.text)
    if item.image is not None:
        shown["image"] = f"/{item.image}" if item.image.startswith("media/") else item.image
    return shown


def image_origins(items: list[Item]) -> tuple[str, ...]:
    """The hosts that pictures come from: a page's policy allows these and no others."""
    found = {urlsplit(item.image) for item in items if item.image and not item.image.startswith("media/")}
    return tuple(sorted({f"{url.scheme}://{url.netloc}" for url in found}))


def image_address(address: str) -> str:
    """An address that a picture may come from."""
    try:
        url = urlsplit(address)
        known = _HOST.fullmatch(url.netloc) and url.scheme in ("https", "http") and url.port != 0
    except ValueError:  # a port that is none
        known = False
    if not known or not address.isascii() or any(c in " ;,'\"\\<>" or ord(c) < 33 for c in address):
        raise InvalidFile(f"not the address of a picture: {address[:80]!r}; it begins with https:// and has no spaces")
    return address


def clean(text: str) -> str:
    """A text that every database can hold."""
    if "\x00" in text:
        raise ValueError("contains the character NUL, which no database holds: take it out")
    if not encodable(text):  # half a character: JSON can write one, and no page can show it
        raise ValueError("is not text that UTF-8 can hold: write it anew")
    return text


def items_of_lines(text: str, kind: str = "text", uploads: Uploads = None) -> list[Item]:
    """One item a line; empty lines are passed over."""
    return _numbered([{"text": line} for line in text.splitlines() if line.strip()], kind, 1, uploads)


def name_of_file(path: str | None) -> str:
    """The name of an uploaded file, without the folders that some browsers send along."""
    return (path or "").replace("\\", "/").rsplit("/", 1)[-1].strip()


def picture_item(filename: str | None, image: str, number: int) -> Item:
    """The item of an uploaded picture: its file's name is its id and its description."""
    name = name_of_file(filename)[:MAX_ID]
    return Item(name if can_be_seen(name) else f"picture {number}", name.rsplit(".", 1)[0], "image", image)


def items_of_file(content: bytes, kind: str = "text", start: int = 1, uploads: Uploads = None) -> list[Item]:
    """The items of a CSV file (columns id, text, kind, image, guess; or one column) or of a JSON list.

    `start` is the number of the first: items that have no id and no short text are called by their numbers. An image
    is an address or the name of one of the `uploads`.
    """
    return _numbered(read_table(decode(content)).rows, kind, start, uploads)


def _numbered(rows: Sequence[Any], kind: str, start: int, uploads: Uploads) -> list[Item]:
    return [item_of_row(row, number, kind, uploads) for number, row in enumerate(rows, start=start)]


def item_of_row(row: Any, number: int, kind: str = "text", uploads: Uploads = None) -> Item:
    """An item of a row: {"id", "text", "kind", "image", "guess"}, of which text or image must be there."""
    if not isinstance(row, dict):
        raise InvalidFile(f"item {number} is not an object with a text: {str(row)[:60]}")
    values = {key: str(row[key]).strip() for key in COLUMNS if row.get(key) is not None}
    try:
        for value in values.values():
            clean(value)
    except ValueError as error:
        raise InvalidFile(f"item {number} {error}") from None
    try:
        guess = number_of(values["guess"], "guess") if values.get("guess") else None
    except Fault as error:
        raise InvalidFile(f"item {number}: {error}") from None
    image = _picture(values["image"], uploads) if values.get("image") else None
    kind, text = (values.get("kind") or kind).lower(), values.get("text", "")
    if kind not in KINDS:
        raise InvalidFile(f"item {number} has the kind {kind!r}: use one of {', '.join(KINDS)}")
    if kind == "image" and image is None:
        image = _picture(text, uploads)
    kind = kind_with(image, kind, text)
    if image is None and not can_be_seen(text):
        raise InvalidFile(f"item {number} has no text and no image" + (f": {text!a} cannot be seen" if text else ""))
    # a short text is the best name: exports stay readable and earlier comparisons can be given by it
    short = text if kind == "text" and len(text) <= SHORT and "\n" not in text else str(number)
    return Item(values.get("id") or short, text, kind, image, guess)


def kind_with(image: str | None, kind: str | None, text: str) -> str:
    """A picture with Markdown is shown above that; with any other text alone, and the text describes it."""
    if image is None:
        return kind or "text"
    return "markdown" if kind == "markdown" and can_be_seen(text) else "image"


def _picture(written: str, uploads: Uploads) -> str:
    if uploads is None:
        return image_address(written)
    try:
        return uploads.get(written) or image_address(written)
    except InvalidFile as error:
        raise InvalidFile(f"{error}, or is the name of a picture that you upload as well") from None


def comparisons_of_file(content: bytes) -> list[dict[str, Any]]:
    """Comparisons made earlier: CSV as `nextpair rank` reads it (or as we export it), or the API's JSON."""
    if content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
        rows = json_of(decode(content), "the file of comparisons")
        return [_comparison(row, number) for number, row in enumerate(rows, start=1)]
    refuse_stranger("the file of comparisons", content)
    stream = io.BytesIO(content)
    try:
        table = read_comparisons(Source("the file of comparisons", stream, len(content), CountedReader(stream)))
    except RefusedRows as refused:
        raise InvalidFile(f"correct these rows of the file of comparisons:\n{refused.bad.listing()}") from None
    items, workers = table.items, [*table.workers, "imported"]  # the last is nobody's, whose code is -1
    return [
        {
            "winner": items[winner],
            "loser": items[loser],
            "left": {1: items[winner], -1: items[loser]}.get(side),
            "worker": workers[worker],
            "tie": bool(tie),
            "much": bool(much),
        }
        for winner, loser, worker, tie, side, much in table.comparisons.columns().T.tolist()
    ]


def _comparison(row: Any, number: int) -> dict[str, Any]:
    if not isinstance(row, dict) or not row.get("winner") or not row.get("loser"):
        raise InvalidFile(f"comparison {number} needs a winner and a loser")
    return {
        "winner": str(row["winner"]),
        "loser": str(row["loser"]),
        "left": None if row.get("left") is None else str(row["left"]),
        "worker": str(row.get("worker") or "imported"),
        "tie": row.get("tie") is True,
        "much": row.get("much") is True,
    }
