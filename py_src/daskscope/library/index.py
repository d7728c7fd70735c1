"""What is known of the files of a library, in SQLite: a cache in the user's cache directory.

Whatever is wrong with it, the library works: what it lacks is read from the files again. It lies
not beside them, since a library may be read-only, in a bucket, or on a disk of the network, whose
locks are not to be relied upon.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

VERSION: Final = 2
"""In the name of the file, so that versions of daskscope side by side have one each."""

WAIT_S: Final = 5.0
"""For another kernel that writes; it does so for milliseconds."""

_PASSING: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PROTOCOL,
}
"""It is locked, the disk is full … With any other error a file is of no use to anybody."""

_Known = dict[str, tuple[str, bytes | None]]
_T = TypeVar("_T")


class Index:
    """Of one library: for each file its stamp, and its facts, or that it is none of ours."""

    def __init__(self, folder: Path, library: str) -> None:
        place = hashlib.sha256(library.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.path = folder / f"library-{VERSION}-{place}.sqlite"

    def load(self) -> _Known:
        """Return stamp and facts by name; nothing, where nothing can be read."""
        return self._run(_load, {})

    def save(self, changed: Mapping[str, tuple[str, bytes | None]], gone: Iterable[str]) -> None:
        """Keep what has changed, if possible."""
        rows = [
            (_key(name), stamp, facts, _written(_key(name), stamp, facts))
            for name, (stamp, facts) in changed.items()
        ]
        names = [(_key(name),) for name in gone]
        if rows or names:
            self._run(lambda connection: _save(connection, rows, names), None)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other kernels of this user out for a moment; no longer than they would wait."""
        connection: sqlite3.Connection | None = None
        # Where nothing can be locked, the last one wins.
        with suppress(sqlite3.Error, OSError):
            connection = self._connected()
            connection.execute("begin immediate")
        try:
            yield
        finally:
            if connection is not None:
                connection.close()

    def _run(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        for _ in range(2):
            try:
                with closing(self._connected()) as connection:
                    return work(connection)
            except OSError:
                break
            except (sqlite3.Error, ValueError) as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _PASSING:
                    break
                self._discard()
        return otherwise

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
        try:
            connection.execute(
                "create table if not exists files"
                " (name blob primary key, stamp text, facts blob, written blob)"
            )
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _discard(self) -> None:
        for suffix in ("", "-journal"):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()


def _load(connection: sqlite3.Connection) -> _Known:
    known = {}
    for name, stamp, facts, written in connection.execute("select * from files"):
        if written != _written(name, stamp, facts):
            raise ValueError("not what was written")
        known[name.decode("utf-8", "surrogatepass")] = (stamp, facts)
    return known


def _save(
    connection: sqlite3.Connection,
    rows: list[tuple[bytes, str, bytes | None, bytes]],
    gone: list[tuple[bytes]],
) -> None:
    connection.execute("begin immediate")
    connection.executemany("delete from files where name = ?", gone)
    connection.executemany("insert or replace into files values (?, ?, ?, ?)", rows)
    connection.execute("commit")


def _written(*row: object) -> bytes:
    """Return what tells a row that was written from one that a disk spoilt."""
    return hashlib.sha256(repr(row).encode()).digest()[:8]


def _key(name: str) -> bytes:
    """Return a name as it can be stored: those of files need not be Unicode."""
    return name.encode("utf-8", "surrogatepass")
