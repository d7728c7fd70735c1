"""A library at a place that fsspec reaches; others may read it, too."""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from daskscope.library.facts import MAX_FACTS_BYTES
from daskscope.library.store import BESIDE, Found, kind_of
from daskscope.urls import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Remote:
    """A bucket, or a directory of another machine."""

    remote = True

    def __init__(self, url: str, fs: Any, root: str) -> None:
        self.name = without_secrets(url).rstrip("/")
        self._fs = fs
        self._root = root.rstrip("/")

    def scan(self) -> dict[str, Found]:
        """Return the files that may be reports or recordings."""
        self._fs.invalidate_cache()
        try:
            listed = self._fs.ls(self._root, detail=True)
        except FileNotFoundError:
            return {}
        found = {
            PurePosixPath(info["name"]).name: info for info in listed if info["type"] == "file"
        }
        return {
            name: Found(
                _fingerprint(info, found.get(name + BESIDE)),
                int(info.get("size") or 0),
                _written(info),
                name + BESIDE in found,
            )
            for name, info in found.items()
            if kind_of(name)
        }

    def facts(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return what stands beside these files, as far as it can be read."""
        at = {self._at(name + BESIDE): name for name in names}
        if not at:
            return {}
        read = self._fs.cat_ranges(
            list(at), [0] * len(at), [MAX_FACTS_BYTES + 1] * len(at), on_error="return"
        )
        pairs = zip(at.values(), read, strict=True)
        return {name: bytes(data) for name, data in pairs if not isinstance(data, Exception)}

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file to read."""
        with self._fs.open(self._at(name), "rb") as file:
            yield file

    def put(  # private ones do not come here
        self,
        name: str,
        source: Path | bytes,
        facts: bytes,
        *,
        private: bool,  # noqa: ARG002
    ) -> None:
        """Copy a file. In a bucket it appears once it is whole; over SFTP or SMB while it comes."""
        self.put_facts(name, facts)
        try:
            if isinstance(source, bytes):
                self._fs.pipe_file(self._at(name), source)
            else:
                self._fs.put_file(os.fspath(source), self._at(name))
        except BaseException:
            with suppress(Exception):
                self.remove(name)
            raise

    def put_facts(self, name: str, facts: bytes) -> None:
        """Write what stands beside a file, in the place of what stood there."""
        try:
            self._fs.pipe_file(self._at(name + BESIDE), facts)
        except FileNotFoundError:
            if "/" not in self._root.strip("/"):
                raise  # this might be a bucket, and nobody asked for a new one
            self._fs.mkdir(self._root, create_parents=False)
            self._fs.pipe_file(self._at(name + BESIDE), facts)

    def remove(self, name: str) -> None:
        """Remove a file and what stands beside it; it may have gone already."""
        for one in (name, name + BESIDE):
            with suppress(FileNotFoundError):
                self._fs.rm_file(self._at(one))

    def url(self, name: str) -> str:
        """Return where a file is."""
        return f"{self.name}/{name}"

    def server_path(self, name: str) -> str | None:  # noqa: ARG002 - none of them
        """No server shows what is elsewhere."""
        return None

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"


def _fingerprint(*infos: Mapping[str, Any] | None) -> str:
    """Take all that a store says of a file: which of it changes with the content differs."""
    told = repr([None if info is None else sorted(info.items(), key=str) for info in infos])
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()


def _written(info: Mapping[str, Any]) -> float:
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        when = info.get(name)
        if isinstance(when, datetime):
            return when.timestamp()
        if isinstance(when, int | float):
            return float(when)
    return time.time()
