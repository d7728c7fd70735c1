"""fsspec, which opens URLs, and what to tell where it or a part of it is not installed."""

from __future__ import annotations

from typing import Any

from daskscope.errors import DaskscopeError
from daskscope.urls import without_secrets


def fsspec() -> Any:
    """Return the module that opens URLs."""
    try:
        import fsspec as module
    except ImportError as error:
        raise DaskscopeError(
            "no-fsspec",
            "fsspec, which opens URLs, is not installed.",
            'Run pip install "daskscope[remote]", and what it needs for this kind of URL.',
        ) from error
    return module


def lacking(url: str, error: ImportError) -> DaskscopeError:
    """Return what to tell where fsspec lacks a package for a kind of URL."""
    module = getattr(error.__cause__, "name", None) or ""
    # Some packages are called otherwise than their module; fsspec's words name the package.
    package = module if module and module in str(error) else "and that package"
    why = without_secrets(str(error)).rstrip(".")
    return DaskscopeError(
        "no-fsspec",
        f"{without_secrets(url)} needs a package that is not installed: {why}.",
        f'Run pip install "daskscope[remote]" {package}.',
    )
