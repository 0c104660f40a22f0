"""The JSON API under /api/v1."""

from __future__ import annotations

from starlette.convertors import PathConvertor, register_url_convertor


class _AnyId(PathConvertor):
    """An id in an address: items are called as their organiser likes, workers of a restored journal as it has them."""

    regex = "(?s:.*)"  # with slashes, and with the line breaks of a spreadsheet's cell


register_url_convertor("any", _AnyId())  # {item_id:any}
