"""What users ask of their library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.library.accounts import no_hub
from daskscope.library.facts import MAX_TAG_CHARACTERS, MAX_TAGS
from daskscope.library.place import in_words, open_library

if TYPE_CHECKING:
    from collections.abc import Sequence


def list_performance_reports(
    account: str | None = None, *, kind: Literal["report", "recording"] | None = "report"
) -> list[dict[str, Any]]:
    """Return the reports that were made, newest first: a dict each.

    ===========  =================================================================
    filename     its name in the library, for `delete_performance_report` and `tag`
    url          where it is; browsers open it
    private      whether it was made with ``private=True``
    created      when it was written, as ISO text with its zone
    title        as given to the report, else its source, else the name of its own file
    source       where it was made, such as "tour.ipynb, In [3]"
    duration     seconds that the block took
    tasks        how many finished in it; ``erred``: how many of them failed
    workers      how many there were at its end
    user, host   who made it, and where
    tags         what `tag` has added
    size         bytes
    kind         "report", or "recording"
    account      of a hub; None in a library
    ===========  =================================================================

    What is not known is None, or empty text. ``pandas.DataFrame(list_performance_reports())``
    makes a table of it. With ``kind="recording"`` recordings are listed, with None both.

    >>> [(one["filename"], one["kind"]) for one in daskscope.list_performance_reports(kind=None)]
    [('run.daskscope', 'recording')]
    """
    if account is not None:
        raise no_hub(account)
    if kind not in ("report", "recording", None):
        raise ValueError(f'kind must be "report", "recording" or None, got {kind!r}')
    settings = config.library_settings()
    with in_words(settings):
        library, _ = open_library(settings)
        entries = library.entries()
    return [entry.to_json() for entry in entries if kind in (None, entry.facts.kind)]


def delete_performance_report(filename: str) -> None:
    """Remove a report or a recording from the library, by its filename or url there.

    The file that it is a copy of stays where it is.

    >>> daskscope.delete_performance_report("run.daskscope")
    >>> daskscope.list_performance_reports(kind=None)
    []
    """
    wanted, settings = _text(filename), config.library_settings()
    with in_words(settings):
        library, _ = open_library(settings)
        library.remove(library.find(wanted))


def tag(filename: str, *tags: str, remove: Sequence[str] = ()) -> list[str]:
    """Add tags to a report or a recording in the library, and take others away.

    It is named by its filename or url there. Returns all tags that it has then.

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
    wanted, settings = _text(filename), config.library_settings()
    with in_words(settings):
        library, _ = open_library(settings)
        entry = library.find(wanted)
        if len({*entry.facts.tags, *tags} - set(removed)) > MAX_TAGS:
            raise DaskscopeError(
                "bad-tag",
                f"A report has at most {MAX_TAGS} tags.",
                "Remove some: tag(…, remove=…).",
            )
        return library.tag(entry, tags, removed)


def _text(filename: object) -> str:
    if not isinstance(filename, str):
        raise TypeError(f"filename must be text, got {type(filename).__name__}")
    return filename
