"""What to tell where fsspec, which comes with Dask and opens URLs, lacks a package for one."""

from __future__ import annotations

from daskscope.errors import DaskscopeError
from daskscope.urls import without_secrets


def lacking(url: str, error: ImportError) -> DaskscopeError:
    """Return what to tell where fsspec lacks a package for a kind of URL."""
    module = getattr(error.__cause__, "name", None) or ""
    # Some packages are called otherwise than their module; fsspec's words name the package.
    known = module and module in str(error)
    why = without_secrets(str(error)).rstrip(".")
    return DaskscopeError(
        "no-package",
        f"{without_secrets(url)} needs a package that is not installed: {why}.",
        f"Run pip install {module}." if known else "Install that package, with pip for example.",
    )
