"""What users, pages and our own code ask of the library."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.library.facts import MAX_TAG_CHARACTERS, MAX_TAGS
from daskscope.library.library import library_at, opened_library
from daskscope.report import base85
from daskscope.urls import reason, without_secrets
from daskscope.wire import BadMessageError, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from types import FrameType

    from daskscope.library.facts import Kind

MOST_LISTED: Final = 1_000
MAX_PIECE_BYTES: Final = 2 * 2**20
"""A page asks for the next piece when it has received one: so much is in flight."""


def list_performance_reports(
    account: str | None = None, *, kind: Literal["report", "recording"] | None = "report"
) -> list[dict[str, Any]]:
    """Return the reports in the library, newest first, as dicts.

    ===========  =================================================================
    filename     its name in the library, for `delete_performance_report` and `tag`
    url          its address, for a browser
    private      whether it was made with ``private=True``
    created      when it was written, as ISO text with its time zone
    title        the report's title, else its source, else the name of the original file
    source       where it was made, such as "tour.ipynb, In [3]"
    duration     seconds that the block took
    tasks        tasks that finished in it; ``erred``: how many of them failed
    workers      number of workers at its end
    user, host   who made it, and where
    tags         tags that `tag` added
    size         bytes
    kind         "report", or "recording"
    account      account of a hub; always None in this version
    ===========  =================================================================

    Unknown values are None or empty text. ``pandas.DataFrame(list_performance_reports())`` makes
    a table. ``kind="recording"`` lists recordings, ``kind=None`` both.

    >>> [(one["filename"], one["kind"]) for one in daskscope.list_performance_reports(kind=None)]
    [('run.daskscope', 'recording')]
    """
    if account is not None:
        raise no_hub(account)
    if kind not in ("report", "recording", None):
        raise ValueError(f'kind must be "report", "recording" or None, got {kind!r}')
    with opened_library() as library:
        entries = library.entries()
    return [entry.to_json() for entry in entries if kind in (None, entry.facts.kind)]


def delete_performance_report(filename: str) -> None:
    """Delete a report or a recording from the library, by its filename or url there.

    The original file stays.

    >>> daskscope.delete_performance_report("run.daskscope")
    >>> daskscope.list_performance_reports(kind=None)
    []
    """
    wanted = _text(filename)
    with opened_library() as library:
        library.store.remove(library.find(wanted).filename)


def tag(filename: str, *tags: str, remove: Sequence[str] = ()) -> list[str]:
    """Add tags to a report or a recording in the library, and remove others.

    Pass its filename or url there. Return all tags that it has afterwards.

    >>> daskscope.tag("run.daskscope", "slow", "March")
    ['slow', 'March']
    >>> daskscope.tag("run.daskscope", remove=["slow"])
    ['March']
    """
    removed = [remove] if isinstance(remove, str) else list(remove)
    for one in (*tags, *removed):
        if not isinstance(one, str):
            raise TypeError(f"a tag must be text, got {type(one).__name__}")
        if not one.strip() or len(one) > MAX_TAG_CHARACTERS:
            raise DaskscopeError(
                "bad-tag",
                f"{one[:MAX_TAG_CHARACTERS]!r} cannot be a tag.",
                f"Tags have between 1 and {MAX_TAG_CHARACTERS} characters.",
            )
    wanted = _text(filename)
    with opened_library() as library:
        entry = library.find(wanted)
        if len({*entry.facts.tags, *tags} - set(removed)) > MAX_TAGS:
            raise DaskscopeError(
                "bad-tag",
                f"A report has at most {MAX_TAGS} tags.",
                "Remove some: tag(…, remove=…).",
            )
        return library.tag(entry, tags, removed)


def keep(
    path: str | PathLike[str],
    facts: Mapping[str, Any],
    *,
    kind: Kind = "report",
    location: str | None = None,
) -> dict[str, Any] | None:
    """Copy a report or a recording into the library; return its entry as `list_…` shows it.

    `facts` are a report's summary, or what a recording has in `about`, with `private`.
    `location` is where the file at `path` was put for its user, if that is elsewhere. A failure
    is a warning only: the user's own file is written.
    """
    name = without_secrets(str(path) if location is None else location)
    try:
        settings = config.library_settings()
        if not settings.enabled:
            return None
        library = library_at(settings)
        if library.store.folder is None and facts.get("private") is True:
            _warn(
                f"{name} is private, so it was not copied to the library at "
                f"{library.store.name}, which others may read."
            )
            return None
        entry = library.add(Path(path).expanduser(), kind, facts, Path(name).stem)
    except Exception as error:  # noqa: BLE001 - whatever stores raise
        _warn(
            f"{name} was written, but could not be copied to the library: "
            f"{reason(error)}. "
            "Check daskscope.library.path, or set daskscope.library.enabled to false."
        )
        return None
    try:
        library.retain(settings, entry.facts.user)
    except Exception as error:  # noqa: BLE001
        place = library.store.name
        _warn(f"Old reports could not be removed from the library at {place}: {reason(error)}.")
    return entry.to_json()


def _warn(text: str) -> None:
    """Warn the caller outside of daskscope."""
    level = 1
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("daskscope"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def no_hub(account: str, option: str = "account=") -> DaskscopeError:
    """Return the error for a user who names an account of a hub, by an option of this name."""
    hub = config.read("hub.url")
    where = "No hub is configured" if hub is None else f"The hub is {without_secrets(hub)}"
    return DaskscopeError(
        "no-hub",
        f"{where}, and this version of daskscope does not support hubs yet, so the account "
        f"{account!r} cannot be used.",
        f"Leave {option} out to use your own library. A later version will use the hub set in "
        "daskscope.hub.url.",
    )


def _text(filename: object) -> str:
    if not isinstance(filename, str):
        raise TypeError(f"filename must be text, got {type(filename).__name__}")
    return filename


def answer(what: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a question of a page, in JSON: the sidebar's list, a report in pieces, delete one."""
    if what == "reports":
        return _list()
    if what == "report":
        return _piece(args)
    if what == "delete-report":
        delete_performance_report(_filename(args))
        return {}
    raise BadMessageError("its question is unknown")


def _list() -> dict[str, Any]:
    with opened_library() as library:
        entries, store = library.entries(), library.store
    listed = [
        entry.to_json() | {"path": store.server_path(entry.filename)}
        for entry in entries[:MOST_LISTED]
    ]
    return {"reports": listed, "total": len(entries)}


def _piece(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return bytes of a report: the page's own widget shows it, not a browser's window."""
    filename, at = _filename(args), number(args.get("at"), "args.at")
    with opened_library() as library:
        entry = library.find(filename)
        with library.store.open(entry.filename) as file:
            file.seek(at)
            piece = file.read(MAX_PIECE_BYTES)
    return {"text": base85.encode(piece).decode("ascii"), "size": entry.size}


def _filename(args: Mapping[str, Any]) -> str:
    filename = args.get("filename")
    if not isinstance(filename, str):
        raise BadMessageError("args.filename is not a text")
    return filename
