"""Whose code a function is, by its file; `js_src/derive/profile_modules.ts` has the same rules.

`tests/contract/profile.json` holds both to the same answers.
"""

from __future__ import annotations

import re
from typing import Final

from daskscope.schema import IN_ONE_OF

MODULES: Final = ("yours", "dask", "pandas", "pyarrow", "numpy", "other")
"""In the order of legends."""

MODULE_NAMES: Final = ("your code", "dask, distributed", "pandas", "pyarrow", "numpy", "other")

_OF_PACKAGE: Final = {
    **dict.fromkeys(("dask", "dask_expr", "distributed", "tornado", "daskscope"), "dask"),
    **{name: name for name in ("pandas", "pyarrow", "numpy")},
    "internals": "numpy",
}

_RULES: Final = tuple(
    re.compile(rule, re.ASCII)
    for rule in (
        r"[/\\](?:site|dist)-packages[/\\](?P<package>[^/\\.]+)",
        # A checkout has a folder of the package's name in another one.
        r"[/\\](?P<package>dask|distributed|pandas)[/\\](?P=package)[/\\]",
        # What is compiled, or cut out of a path, begins with its package.
        r"^(?P<package>\w+)[/\\].*\.(?:py|pyx|pxi|pxd|pxd\.in|c|cpp)$",
        r"^<__array_function__ (?P<package>internals)>",
        # Python's own.
        r"^<frozen ",
        r"[/\\](?:python|pypy)\d[\d.]*t?(?:\.zip)?[/\\]",
        r"^[A-Za-z]:\\.*\\[Ll]ib\\.*\.py$",
    )
)
"""The first that matches says it, by the package in it, if one is named; else it is yours."""


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
    found = next(filter(None, (rule.search(file) for rule in _RULES)), None)
    if found is None:
        return "yours"
    return _OF_PACKAGE.get(found.groupdict().get("package") or "", "other")
