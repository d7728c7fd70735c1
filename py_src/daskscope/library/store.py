"""Where files of the library lie: a folder, or a place that fsspec reaches.

The files are the truth. Beside each copy stands a small JSON with its facts, so that a library
can be moved, shared, and cleared by hand.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final, Protocol

from daskscope.files.target import PAGES
from daskscope.library.facts import SUFFIXES, Kind, created_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

BESIDE: Final = ".json"
"""What the facts of a file are called, after its own name."""

ENDINGS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "report": PAGES,
    "recording": (SUFFIXES["recording"],),
}
"""Of files that somebody put there; copies have the first."""

MAX_STEM_BYTES: Final = 120
_DATED: Final = re.compile(r"-\d{8}-\d{6}$", re.ASCII)
"""How names end that `daskscope record` makes: they say when by themselves."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that lies there, and whether facts stand beside it."""

    stamp: str
    """Another one whenever the file or its facts have changed."""
    size: int
    written: float
    has_facts: bool


class Store(Protocol):
    """What the library needs of a place."""

    name: str
    """What errors call it, without passwords."""
    remote: bool

    def scan(self) -> dict[str, Found]:
        """Return the files that may be reports or recordings."""
        ...

    def facts(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return what stands beside these files, as far as it can be read."""
        ...

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Open a file to read."""
        ...

    def put(self, name: str, source: Path | bytes, facts: bytes, *, private: bool) -> None:
        """Copy a file, which appears once it is whole where the place can do that."""
        ...

    def put_facts(self, name: str, facts: bytes) -> None:
        """Write what stands beside a file, in the place of what stood there."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file and what stands beside it; it may have gone already."""
        ...

    def url(self, name: str) -> str:
        """Return where a file is."""
        ...

    def server_path(self, name: str) -> str | None:
        """Return the path below the root of the Jupyter server, where it shows the file."""
        ...


def kind_of(name: str) -> Kind | None:
    """Return what a file with this name would be, as JupyterLab takes it.

    >>> [kind_of(name) for name in ("run.html", "RUN.HTM", "run.Daskscope", "run.txt", ".x.html")]
    ['report', 'report', 'recording', None, None]
    """
    if name.startswith("."):
        return None
    return next((kind for kind, ends in ENDINGS.items() if name.lower().endswith(ends)), None)


def plain_stem(stem: str, kind: Kind) -> str:
    """Return what the name of a copy begins with: the stem of its original, as any place takes it.

    >>> plain_stem("a/b: c", "report"), plain_stem("..", "recording")
    ('a-b- c', 'recording')
    """
    plain = re.sub(r"[^\w. -]+", "-", stem).strip(" .-").encode("utf-8", "ignore")
    return plain[:MAX_STEM_BYTES].decode("utf-8", "ignore") or kind


def new_name(stem: str, kind: Kind, created: float) -> str:
    """Return a name that no other copy has, and that says what it is of and when.

    >>> new_name("dask-report", "report", 1_790_000_000)[:-13]
    'dask-report-20260921-141320-'
    >>> new_name("run-20260921-161103", "recording", 1_790_000_000)[:-18]
    'run-20260921-161103-'
    """
    when = f"-{re.sub('[:-]', '', created_text(created))[:15].replace('T', '-')}"
    own = plain_stem(stem, kind)
    return f"{own}{'' if _DATED.search(own) else when}-{secrets.token_hex(4)}{SUFFIXES[kind]}"
