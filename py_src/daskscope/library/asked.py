"""What a page asks of the library: the sidebar's list, a report in pieces, away with one."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from daskscope import config
from daskscope.library.place import in_words, open_library
from daskscope.library.public import delete_performance_report
from daskscope.wire.parse import BadMessageError, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daskscope.library.library import Entry

MOST_LISTED: Final = 1_000
MAX_PIECE_BYTES: Final = 2 * 2**20
"""A page asks for the next piece when it has one: so much is under way."""

MOST_HANDED_OVER: Final = 16
_handed_over: dict[tuple[str, str], Entry] = {}
"""By place and name: of which pieces were asked for. The library is searched once for each."""


def answer(what: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one question, in JSON."""
    if what == "reports":
        return _list()
    if what == "report":
        return _piece(args)
    if what == "delete-report":
        delete_performance_report(_filename(args))
        return {}
    raise BadMessageError("it asks for something unknown")


def _list() -> dict[str, Any]:
    settings = config.library_settings()
    with in_words(settings):
        library, store = open_library(settings)
        entries = library.entries()
    listed = [
        entry.to_json() | {"path": store.server_path(entry.filename)}
        for entry in entries[:MOST_LISTED]
    ]
    return {"reports": listed, "total": len(entries), "place": store.name}


def _piece(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return bytes of a report: the page's own widget shows it, not a browser's window."""
    filename, at = _filename(args), number(args.get("at"), "args.at")
    settings = config.library_settings()
    with in_words(settings):
        library, store = open_library(settings)
        entry = _handed_over.get((store.name, filename)) if at else None
        if entry is None:
            entry = library.find(filename)
            _remember(store.name, entry)
        with store.open(entry.filename) as file:
            file.seek(at)
            piece = file.read(MAX_PIECE_BYTES)
    return {"base64": base64.b64encode(piece).decode("ascii"), "size": entry.size}


def _remember(place: str, entry: Entry) -> None:
    _handed_over[place, entry.filename] = entry
    for key in list(_handed_over)[:-MOST_HANDED_OVER]:
        _handed_over.pop(key, None)


def _filename(args: Mapping[str, Any]) -> str:
    filename = args.get("filename")
    if not isinstance(filename, str):
        raise BadMessageError("args.filename is not a text")
    return filename
