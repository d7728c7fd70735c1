"""A library: the files of a store, with the facts of each."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

import platformdirs

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.library.facts import SUFFIXES, Facts, Kind, checked_tags, created_text
from daskscope.library.store import Found, Store, kind_of, new_name, plain_stem, store_at
from daskscope.urls import reason, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from daskscope.config import LibrarySettings

DAY_S: Final = 86_400.0

_known: dict[str, dict[str, tuple[str, Facts | None]]] = {}
"""By library and file: its stamp and its facts; None for a file that is not ours."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A report or a recording in a library."""

    filename: str
    url: str
    size: int
    facts: Facts

    def to_json(self) -> dict[str, Any]:
        """Return it in the form that users get."""
        facts = asdict(self.facts)
        del facts["copied"]
        return {
            "private": facts.pop("private"),
            "filename": self.filename,
            "url": self.url,
            **facts,
            "title": self.facts.title or self.facts.source or self.filename,
            "created": created_text(self.facts.created),
            "tags": list(self.facts.tags),
            "size": self.size,
        }


class Library:
    """Adds, lists, tags and removes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def entries(self) -> list[Entry]:
        """Return everything, newest first. Only files that have changed are read."""
        files = self.store.scan()
        before = _known.get(self.store.name, {})
        known = {
            name: before[name]
            for name, file in files.items()
            if name in before and before[name][0] == file.stamp
        }
        read = self._read({name: file for name, file in files.items() if name not in known})
        known |= {name: (files[name].stamp, facts) for name, facts in read.items()}
        _known[self.store.name] = known
        entries = [
            Entry(name, self.store.url(name), files[name].size, facts)
            for name, (_, facts) in known.items()
            if facts is not None
        ]
        return sorted(entries, key=lambda e: (e.facts.created, e.filename), reverse=True)

    def add(self, source: Path, kind: Kind, facts: Mapping[str, Any], stem: str) -> Entry:
        """Copy a report or a recording, under a name of its own."""
        now = time.time()
        known = replace(Facts.of({**facts, "created": now}, kind, now), copied=True)
        if not (known.title or known.source):
            known = replace(known, title=plain_stem(stem, kind))
        name = new_name(stem, kind, now)
        size = source.stat().st_size
        self.store.put(name, source, known.to_bytes(), private=known.private)
        return Entry(name, self.store.url(name), size, known)

    def find(self, filename_or_url: str) -> Entry:
        """Return the entry with this name or address."""
        for entry in self.entries():
            if filename_or_url in (entry.filename, entry.url):
                return entry
        raise DaskscopeError(
            "no-report",
            f"The library at {self.store.name} has no report {without_secrets(filename_or_url)!r}.",
            "daskscope.list_performance_reports() lists the filename and URL of each report.",
        )

    def tag(self, entry: Entry, add: Iterable[str], remove: Iterable[str]) -> list[str]:
        """Change tags; return those that it has then."""
        facts, away = entry.facts, set(remove)
        tags = checked_tags([*(tag for tag in facts.tags if tag not in away), *add])
        if tags != facts.tags:
            data = replace(facts, tags=tags).to_bytes()
            self.store.put_facts(entry.filename, data, private=facts.private)
        return list(tags)

    def retain(self, settings: LibrarySettings, user: str) -> None:
        """Remove this user's copies that are beyond a limit."""
        if settings.keep_reports is settings.keep_days is settings.keep_bytes is None:
            return
        mine = [e for e in self.entries() if e.facts.copied and e.facts.user == user]
        for kind in SUFFIXES:  # apart, lest one large recording push out many small reports
            for entry in _too_many([e for e in mine if e.facts.kind == kind], settings):
                self.store.remove(entry.filename)

    def _read(self, files: Mapping[str, Found]) -> dict[str, Facts | None]:
        """Return the facts beside files, else those that they hold themselves.

        Files that cannot be read, such as another user's, are left out.
        """
        beside = self.store.facts(name for name, file in files.items() if file.has_facts)
        read: dict[str, Facts | None] = {}
        for name, file in files.items():
            kind = kind_of(name)
            assert kind is not None
            facts = Facts.from_bytes(beside.get(name, b""), kind, file.written)
            try:
                if facts is None:
                    with self.store.open(name) as opened:
                        facts = _own_facts(opened, kind, file.written)
            except Exception:  # noqa: BLE001, S112 - whatever stores raise
                continue
            read[name] = facts
        return read


def _own_facts(file: IO[bytes], kind: Kind, written: float) -> Facts | None:
    """Return the facts that a file holds itself; nothing if it is no report or recording."""
    # And pyarrow, which most lists do without.
    from daskscope.recording.file_reader import about_in
    from daskscope.report.extract import summary_of

    found = summary_of(file) if kind == "report" else about_in(cast("BinaryIO", file))
    return None if found is None else Facts.of(found, kind, written)


def _too_many(entries: Sequence[Entry], settings: LibrarySettings) -> Sequence[Entry]:
    """Return what is beyond a limit, of entries that are sorted newest first.

    The newest is never among them. What is older than one that does not fit goes, too.
    """
    oldest = None if settings.keep_days is None else time.time() - settings.keep_days * DAY_S
    total_bytes = 0
    for place, entry in enumerate(entries):
        total_bytes += entry.size
        if place and (
            (settings.keep_reports is not None and place >= settings.keep_reports)
            or (oldest is not None and entry.facts.created < oldest)
            or (settings.keep_bytes is not None and total_bytes > settings.keep_bytes)
        ):
            return entries[place:]
    return []


def library_at(settings: LibrarySettings) -> Library:
    """Return the library that is set, else that in the platform's place for a user's data."""
    return Library(store_at(_place(settings)))


def _place(settings: LibrarySettings) -> str | Path:
    default = platformdirs.user_data_path("daskscope", appauthor=False) / "library"
    return default if settings.path is None else settings.path


@contextmanager
def opened_library() -> Iterator[Library]:
    """Give the library; errors of its store become a sentence."""
    settings = config.library_settings()
    try:
        yield library_at(settings)
    except DaskscopeError:
        raise
    except Exception as error:
        raise DaskscopeError(
            "bad-library",
            f"The library at {without_secrets(str(_place(settings)))} cannot be used: "
            f"{reason(error)}.",
            "Check the setting daskscope.library.path, and who may read and write there.",
        ) from error
