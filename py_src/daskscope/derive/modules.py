"""Decides by its file whose code a function is; used for colours.

`js_src/derive/profile_modules.ts` has the same rules; `tests/contract/profile.json` checks both.
"""

from __future__ import annotations

import re
from typing import Final

from daskscope.schema import IN_ONE_OF

MODULES: Final = ("yours", "dask", "pandas", "pyarrow", "numpy", "other")
"""In the order of the legend."""

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
        # A git checkout has the package folder inside a folder of the same name.
        r"[/\\](?P<package>dask|distributed|pandas)[/\\](?P=package)[/\\]",
        # Paths of compiled code, and shortened paths, begin with the package.
        r"^(?P<package>\w+)[/\\].*\.(?:py|pyx|pxi|pxd|pxd\.in|c|cpp)$",
        r"^<__array_function__ (?P<package>internals)>",
        # Python's own modules.
        r"^<frozen ",
        r"[/\\](?:python|pypy)\d[\d.]*t?(?:\.zip)?[/\\]",
        r"^[A-Za-z]:\\.*\\[Ll]ib\\.*\.py$",
    )
)
"""The first match decides; its group `package`, if any, names the module."""


def module_of(name: str, file: str) -> str:
    """Return the one of `MODULES` that a function belongs to; without a match, "yours".

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
