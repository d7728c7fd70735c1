"""Whose code a function is, by its file: `js_src/panels/profile/frames.ts` says the same."""

from __future__ import annotations

import re
from typing import Final

from daskscope.schema import IN_ONE_OF

MODULES: Final = ("yours", "dask", "pandas", "pyarrow", "numpy", "other")
"""In the order of legends."""

MODULE_NAMES: Final = ("your code", "dask, distributed", "pandas", "pyarrow", "numpy", "other")

_OF_PACKAGE: Final = {
    **dict.fromkeys(("dask", "distributed", "tornado", "daskscope"), "dask"),
    **{name: name for name in ("pandas", "pyarrow", "numpy")},
}
_INSTALLED: Final = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")
_STANDARD: Final = re.compile(r"^.*[/\\]python3[^/\\]*[/\\](?!(?:site|dist)-packages)")
_CHECKOUT: Final = re.compile(r"[/\\](dask|distributed)[/\\](?=[^/\\]*\.py$|[^/\\]+[/\\])")
_COMPILED: Final = re.compile(r"\.(?:pyx|pxi|pxd|pxd\.in|c|cpp)$")
_ABSOLUTE: Final = re.compile(r"^([/\\]|\w:)")


def module_of(name: str, file: str) -> str:
    """Return which of `MODULES` a function is of.

    >>> module_of("inc", "/home/ada/job.py"), module_of("sum", "pandas/_libs/groupby.pyx")
    ('yours', 'pandas')
    >>> module_of("call", "/env/lib/python3.12/site-packages/distributed/worker.py")
    'dask'
    >>> module_of("read", "/usr/lib/python3.12/socket.py")
    'other'
    """
    if not file or name.startswith(IN_ONE_OF):
        return "other"
    package = _package_of(file)
    if package is not None:
        return _OF_PACKAGE.get(package, "other")
    return "other" if _STANDARD.match(file) or file.startswith("<frozen") else "yours"


def _package_of(file: str) -> str | None:
    """Return the package that a file is of; None of what is nobody's package."""
    within = None
    if _INSTALLED.match(file):
        within = _INSTALLED.sub("", file)
    elif _COMPILED.search(file) and not _ABSOLUTE.match(file):
        within = file
    if within is not None:
        return re.split(r"[/\\.]", within)[0]
    checkout = _CHECKOUT.search(file)
    return checkout[1] if checkout else None
