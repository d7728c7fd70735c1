"""The library that the settings name, and words for what goes wrong with it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from daskscope.errors import DaskscopeError
from daskscope.library.folder import Folder
from daskscope.library.index import Index
from daskscope.library.library import Library
from daskscope.library.remote import Remote
from daskscope.urls import is_url, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope.config import LibrarySettings
    from daskscope.library.store import Store


def place_of(settings: LibrarySettings) -> str | Path:
    """Return where the library is: what is set, else the platform's place for a user's data."""
    if settings.path is not None:
        return settings.path
    return platformdirs.user_data_path("daskscope", appauthor=False) / "library"


def _store_at(place: str | Path) -> Store:
    if isinstance(place, Path) or not is_url(place):
        return Folder(Path(place))
    # And pyarrow, which lists of folders do without.
    from daskscope.files.remote import lacking

    try:
        import fsspec

        fs, root = fsspec.core.url_to_fs(place)
    except ImportError as error:
        raise lacking(place, error) from error
    protocols = (fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol
    return Folder(Path(root)) if "file" in protocols else Remote(place, fs, root)


def open_library(settings: LibrarySettings) -> tuple[Library, Store]:
    """Return the library and where it lies; nothing is made or read yet."""
    store = _store_at(place_of(settings))
    cache = platformdirs.user_cache_path("daskscope", appauthor=False)
    return Library(store, Index(cache, store.name)), store


def why(error: BaseException) -> str:
    """Return what an error says, without secrets of URLs."""
    if isinstance(error, DaskscopeError):
        text = error.text
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return without_secrets(text).rstrip(".")


@contextmanager
def in_words(settings: LibrarySettings) -> Iterator[None]:
    """Let whatever a store raises come as a sentence."""
    try:
        yield
    except DaskscopeError:
        raise
    except Exception as error:
        place = without_secrets(str(place_of(settings)))
        raise DaskscopeError(
            "bad-library",
            f"The library at {place} cannot be used: {why(error)}.",
            "Check the setting daskscope.library.path, and who may read and write there.",
        ) from error
