"""Where the files of a library are: a folder, or a place that fsspec reaches.

The files are the truth. Beside each copy is a small JSON file with its facts, so that a library
can be moved, shared, and cleared by hand.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Final

from daskscope.atomic_files import replaced
from daskscope.files.reading import missing_package
from daskscope.files.target import PAGES
from daskscope.library.facts import MAX_FACTS_BYTES, SUFFIXES, Kind, created_text
from daskscope.report.address import Addresses
from daskscope.urls import is_url, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

BESIDE: Final = ".json"
"""Appended to the name of a file, for its facts."""

ENDINGS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "report": PAGES,
    "recording": (SUFFIXES["recording"],),
}
MAX_STEM_BYTES: Final = 120
_DATED: Final = re.compile(r"-\d{8}-\d{6}$", re.ASCII)
"""How the names end that `daskscope record` makes: they need no second date."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file, and whether its facts are beside it."""

    stamp: str
    """Changes whenever the file or its facts change."""
    size: int
    written: float
    has_facts: bool


class Store:
    """The files of one library. Without a `folder` others may read them, too."""

    def __init__(self, name: str, fs: Any, root: str, folder: Path | None = None) -> None:
        self.name = name
        self.folder = folder
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
            PurePosixPath(info["name"]).name: info
            for info in listed
            if info["type"] == "file" or info.get("islink")
        }
        return {
            name: Found(
                repr((info, found.get(name + BESIDE))),
                int(info.get("size") or 0),
                _written(info),
                name + BESIDE in found,
            )
            for name, info in found.items()
            if kind_of(name)
        }

    def facts(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return what is beside these files, as far as it can be read."""
        at = {self._at(name + BESIDE): name for name in names}
        if not at:
            return {}
        read = self._fs.cat_ranges(
            list(at), [0] * len(at), [MAX_FACTS_BYTES + 1] * len(at), on_error="return"
        )
        pairs = zip(at.values(), read, strict=True)
        return {name: bytes(data) for name, data in pairs if not isinstance(data, Exception)}

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Open a file to read."""
        opened: AbstractContextManager[IO[bytes]] = self._fs.open(self._at(name), "rb")
        return opened

    def put(self, name: str, source: Path, facts: bytes, *, private: bool) -> None:
        """Copy a file; in a folder, or in a bucket, it appears once it is whole."""
        if self.folder is not None:
            # Reports hold code and host names: a folder that we make is for its user alone.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.put_facts(name, facts, private=private)
        try:
            if self.folder is None:
                self._fs.put_file(os.fspath(source), self._at(name))
            else:
                path = self.folder / name
                with source.open("rb") as original, replaced(path, private=private) as file:
                    shutil.copyfileobj(original, file, 2**20)
        except BaseException:
            with suppress(Exception):
                self.remove(name)
            raise

    def put_facts(self, name: str, facts: bytes, *, private: bool) -> None:
        """Write the facts of a file, in the place of older ones."""
        if self.folder is not None:
            with replaced(self.folder / (name + BESIDE), private=private) as file:
                file.write(facts)
            return
        try:
            self._fs.pipe_file(self._at(name + BESIDE), facts)
        except FileNotFoundError:
            if "/" not in self._root.strip("/"):
                raise  # this may be a bucket, which only its owner creates
            self._fs.mkdir(self._root, create_parents=False)
            self._fs.pipe_file(self._at(name + BESIDE), facts)

    def remove(self, name: str) -> None:
        """Remove a file and its facts; it may have gone already."""
        for one in (name, name + BESIDE):
            with suppress(FileNotFoundError):
                self._fs.rm_file(self._at(one))

    def url(self, name: str) -> str:
        """Return where a browser opens a file: below a Jupyter server's root, through that."""
        real = self._real
        return f"{self.name}/{name}" if real is None else self._addresses.url_of(real / name)

    def server_path(self, name: str) -> str | None:
        """Return the path below the root of the Jupyter server, where it serves the file."""
        served = None if self._real is None else self._addresses.served(self._real / name)
        return None if served is None else served.path

    @cached_property
    def _addresses(self) -> Addresses:
        return Addresses()

    @cached_property
    def _real(self) -> Path | None:
        return None if self.folder is None else Path(os.path.realpath(self.folder))

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"


def store_at(place: str | Path) -> Store:
    """Return the store of a folder or a URL; nothing is made or read yet."""
    try:
        if isinstance(place, str) and is_url(place):
            import fsspec

            fs, root = fsspec.core.url_to_fs(place)
            protocols = (fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol
            if "file" not in protocols:
                return Store(without_secrets(place).rstrip("/"), fs, root)
            place = root
        from fsspec.implementations.local import LocalFileSystem
    except ImportError as error:
        raise missing_package(str(place), error) from error
    folder = Path(place).expanduser().absolute()
    return Store(str(folder), LocalFileSystem(), folder.as_posix(), folder)


def _written(info: Mapping[str, Any]) -> float:
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        when = info.get(name)
        if isinstance(when, datetime):
            return when.timestamp()
        if isinstance(when, int | float):
            return float(when)
    return time.time()


def kind_of(name: str) -> Kind | None:
    """Return the kind of a file with this name, as JupyterLab sees it.

    >>> [kind_of(name) for name in ("run.html", "RUN.HTM", "run.Daskscope", "run.txt", ".x.html")]
    ['report', 'report', 'recording', None, None]
    """
    if name.startswith("."):
        return None
    return next((kind for kind, ends in ENDINGS.items() if name.lower().endswith(ends)), None)


def plain_stem(stem: str, kind: Kind) -> str:
    """Return how the name of a copy begins: the stem of its original, in portable characters.

    >>> plain_stem("a/b: c", "report"), plain_stem("..", "recording")
    ('a-b- c', 'recording')
    """
    plain = re.sub(r"[^\w. -]+", "-", stem).strip(" .-").encode("utf-8", "ignore")
    return plain[:MAX_STEM_BYTES].decode("utf-8", "ignore") or kind


def new_name(stem: str, kind: Kind, created: float) -> str:
    """Return a name that no other copy has, with its original and its date.

    >>> new_name("dask-report", "report", 1_790_000_000)[:-13]
    'dask-report-20260921-141320-'
    >>> new_name("run-20260921-161103", "recording", 1_790_000_000)[:-18]
    'run-20260921-161103-'
    """
    when = f"-{re.sub('[:-]', '', created_text(created))[:15].replace('T', '-')}"
    own = plain_stem(stem, kind)
    return f"{own}{'' if _DATED.search(own) else when}-{secrets.token_hex(4)}{SUFFIXES[kind]}"
