"""The version of this installation, as both sides exchange it in their greeting."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def installed_version() -> str:
    """Return the version of the package, or of the checkout that it runs from."""
    try:
        return version("daskscope")
    except PackageNotFoundError:
        package = Path(__file__).parents[2] / "package.json"
        if not package.exists():
            return "0"
        return str(json.loads(package.read_text(encoding="utf-8"))["version"])
