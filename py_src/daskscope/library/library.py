"""A library: what lies in a store, with what is known of each file."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daskscope.errors import DaskscopeError
from daskscope.library.facts import SUFFIXES, Facts, Kind, checked_tags, created_text
from daskscope.library.retention import too_many
from daskscope.library.store import Found, Store, kind_of, new_name, plain_stem
from daskscope.urls import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from daskscope.config import LibrarySettings
    from daskscope.library.index import Index


@dataclass(frozen=True, slots=True)
class Entry:
    """A report or a recording in a library."""

    filename: str
    url: str
    size: int
    facts: Facts

    def to_json(self) -> dict[str, Any]:
        """Return it as users get it."""
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

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index

    def entries(self) -> list[Entry]:
        """Return everything, newest first. Only what has changed is read."""
        files = self._store.scan()
        known = self._index.load()
        kept: dict[str, Facts | None] = {}
        news = []
        for name, file in files.items():
            stamp, facts = known.get(name, ("", None))
            kept[name] = self._indexed(name, file, facts)
            if stamp != file.stamp or (facts is not None and kept[name] is None):
                news.append(name)
        read = self._read({name: files[name] for name in news})
        self._index.save(
            {
                name: (files[name].stamp, None if facts is None else facts.to_bytes())
                for name, facts in read.items()
            },
            gone=known.keys() - files.keys(),
        )
        kept.update(dict.fromkeys(news) | read)
        entries = [
            Entry(name, self._store.url(name), files[name].size, facts)
            for name, facts in kept.items()
            if facts is not None
        ]
        return sorted(entries, key=lambda e: (e.facts.created, e.filename), reverse=True)

    def add(
        self, source: str | Path | bytes, kind: Kind, facts: Mapping[str, Any], stem: str = ""
    ) -> Entry:
        """Copy a report or a recording, under a name of its own."""
        now = time.time()
        known = replace(Facts.of({**facts, "created": now}, kind, now), copied=True)
        content = source if isinstance(source, bytes) else Path(source)
        stem = stem or (content.stem if isinstance(content, Path) else kind)
        if not (known.title or known.source):  # what the copy is called says less
            known = replace(known, title=plain_stem(stem, kind))
        name = new_name(stem, kind, now)
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        self._store.put(name, content, known.to_bytes(), private=known.private)
        return Entry(name, self._store.url(name), size, known)

    def find(self, filename_or_url: str) -> Entry:
        """Return the entry with this name or address."""
        for entry in self.entries():
            if filename_or_url in (entry.filename, entry.url):
                return entry
        raise DaskscopeError(
            "no-report",
            f"The library at {self._store.name} has no {without_secrets(filename_or_url)!r}.",
            "daskscope.list_performance_reports() has the filename and the url of each report.",
        )

    def remove(self, entry: Entry) -> None:
        """Remove a copy from the library; what it was copied from stays."""
        self._store.remove(entry.filename)

    def tag(self, entry: Entry, add: Iterable[str], remove: Iterable[str]) -> list[str]:
        """Change tags; return those that it has then."""
        name, away = entry.filename, set(remove)
        with self._index.alone():
            beside = self._store.facts([name]).get(name, b"")
            now = Facts.from_bytes(beside, entry.facts.kind, entry.facts.created) or entry.facts
            tags = checked_tags([*(tag for tag in now.tags if tag not in away), *add])
            if tags != now.tags:
                self._store.put_facts(name, replace(now, tags=tags).to_bytes())
        return list(tags)

    def retain(self, settings: LibrarySettings, user: str) -> list[Entry]:
        """Remove this user's copies that are beyond a limit; return them."""
        if settings.keep_reports is settings.keep_days is settings.keep_bytes is None:
            return []
        mine = [e for e in self.entries() if e.facts.copied and e.facts.user == user]
        # Apart, lest one large recording push out many small reports.
        kinds = [[e for e in mine if e.facts.kind == kind] for kind in SUFFIXES]
        gone = [entry for of_kind in kinds for entry in too_many(of_kind, settings, time.time())]
        for entry in gone:
            self.remove(entry)
        return gone

    def _indexed(self, name: str, file: Found, data: bytes | None) -> Facts | None:
        kind = kind_of(name)
        if kind is None or not isinstance(data, bytes):
            return None
        return Facts.from_bytes(data, kind, file.written)

    def _read(self, files: Mapping[str, Found]) -> dict[str, Facts | None]:
        """Return the facts beside files, else what they say of themselves; None: none of ours.

        What cannot be read, since it is another user's or has gone, is left out.
        """
        beside = self._store.facts(name for name, file in files.items() if file.has_facts)
        read: dict[str, Facts | None] = {}
        for name, file in files.items():
            facts = self._indexed(name, file, beside.get(name))
            if facts is not None:
                read[name] = facts
                continue
            try:
                read[name] = self._of_file(name, file)
            except Exception:  # noqa: BLE001, S112 - whatever stores raise
                continue
        return read

    def _of_file(self, name: str, file: Found) -> Facts | None:
        from daskscope.library.reading import read_facts  # and pyarrow, which lists do without

        kind = kind_of(name)
        assert kind is not None
        with self._store.open(name) as opened:
            return read_facts(opened, kind, file.written)
