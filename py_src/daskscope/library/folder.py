"""A library in a directory."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from daskscope.library.facts import MAX_FACTS_BYTES
from daskscope.library.store import BESIDE, Found, kind_of
from daskscope.report.address import Addresses

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

_LEFTOVER: Final = re.compile(r"\..+\.[0-9a-f]{8}\.part", re.DOTALL)
_LEFT_ALONE: Final = re.compile(
    r"(.+-\d{8}-\d{6}-[0-9a-f]{8}\.(?:html|daskscope))\.json", re.DOTALL
)
_LEFT_AFTER_S: Final = 86_400.0
_O_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
"""Windows would change the ends of lines without it."""


class Folder:
    """A directory."""

    remote = False

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        self.name = str(self.path)

    def scan(self) -> dict[str, Found]:
        """Return the files that may be reports or recordings."""
        found: dict[str, os.stat_result] = {}
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):  # removed since
                        if entry.is_file():
                            found[entry.name] = entry.stat()
        except FileNotFoundError:
            return {}
        return {
            name: Found(
                f"{_stamp(stat)}/{_stamp(found.get(name + BESIDE))}",
                stat.st_size,
                stat.st_mtime,
                name + BESIDE in found,
            )
            for name, stat in found.items()
            if kind_of(name)
        }

    def facts(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return what stands beside these files, as far as it can be read."""
        read = {}
        for name in names:
            beside = self.path / (name + BESIDE)
            with suppress(OSError):
                if beside.is_file():  # opening a pipe would wait
                    with beside.open("rb") as file:
                        read[name] = file.read(MAX_FACTS_BYTES + 1)
        return read

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Open a file to read."""
        return (self.path / name).open("rb")

    def put(self, name: str, source: Path | bytes, facts: bytes, *, private: bool) -> None:
        """Copy a file, which appears whole or not at all."""
        # Reports hold code and names of machines: a folder that we make is for its user alone.
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._sweep()
        part, beside = self._part(name), self.path / (name + BESIDE)
        # First the facts: whoever finds the file finds them. They also take the name.
        reserved = _new(beside, private=private)
        try:
            with reserved as file:
                file.write(facts)
            with _new(part, private=private) as file:
                _copy(source, file)
            part.replace(self.path / name)
        except BaseException:
            for left in (part, beside):
                with suppress(OSError):
                    left.unlink()
            raise

    def put_facts(self, name: str, facts: bytes) -> None:
        """Write what stands beside a file, in the place of what stood there."""
        part = self._part(name)
        private = not (self.path / name).stat().st_mode & 0o077
        try:
            with _new(part, private=private) as file:
                file.write(facts)
            part.replace(self.path / (name + BESIDE))
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise

    def remove(self, name: str) -> None:
        """Remove a file and what stands beside it; it may have gone already."""
        (self.path / name).unlink(missing_ok=True)
        (self.path / (name + BESIDE)).unlink(missing_ok=True)

    def url(self, name: str) -> str:
        """Return where a browser opens a file: below a Jupyter server's root, through that."""
        return self._addresses.url_of(self._real / name)

    def server_path(self, name: str) -> str | None:
        """Return the path below the root of the Jupyter server, where it shows the file."""
        served = self._addresses.served(self._real / name)
        return None if served is None else served.path

    @cached_property
    def _addresses(self) -> Addresses:
        return Addresses()

    @cached_property
    def _real(self) -> Path:
        return Path(os.path.realpath(self.path))

    def _part(self, name: str) -> Path:
        return self.path / f".{name}.{secrets.token_hex(4)}.part"

    def _sweep(self) -> None:
        """Remove what processes left that were killed while they copied: only names of ours."""
        before = time.time() - _LEFT_AFTER_S
        with os.scandir(self.path) as entries:
            for entry in entries:
                alone = _LEFT_ALONE.fullmatch(entry.name)
                orphan = alone is not None and not (self.path / alone[1]).exists()
                if orphan or _LEFTOVER.fullmatch(entry.name):
                    with suppress(OSError):
                        if entry.stat().st_mtime < before:
                            Path(entry.path).unlink()


def _stamp(stat: os.stat_result | None) -> str:
    return "" if stat is None else f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}"


def _new(path: Path, *, private: bool) -> IO[bytes]:
    """Open a file that is not there yet; a private one is for nobody else to read."""
    mode = 0o600 if private else 0o666
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY, mode), "wb")


def _copy(source: Path | bytes, file: IO[bytes]) -> None:
    if isinstance(source, bytes):
        file.write(source)
    else:
        with source.open("rb") as original:
            shutil.copyfileobj(original, file, 2**20)
