"""Who makes a recording, of which cluster, and what it is called."""

from __future__ import annotations

import getpass
import platform

from daskscope.version import installed_version


def made_by(
    cluster: str, scheduler: str, *, title: str = "", code: str = "", source: str = ""
) -> dict[str, str]:
    """Return what is known of a recording when it begins."""
    return {
        "title": title,
        "code": code,
        "source": source,
        "user": _user(),
        "host": platform.node(),
        "cluster": cluster,
        "scheduler": scheduler,
        "daskscope": installed_version(),
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an id without a name, as in many containers
        return ""
