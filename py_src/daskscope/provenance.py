"""Who makes a recording, of which cluster, and the names of both."""

from __future__ import annotations

import getpass
import platform
import re
from typing import TYPE_CHECKING, Final

from daskscope.version import installed_version

if TYPE_CHECKING:
    from distributed import Client

MAX_CHARACTERS: Final = 200

RANDOM: Final = re.compile("[0-9a-f]{8}")
"""What Dask calls a cluster that was given no name."""


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


def cluster_name(client: Client) -> str:
    """Return the name that the cluster was given, or its kind; nothing for a bare address."""
    cluster = getattr(client, "cluster", None)
    if cluster is None:
        return ""
    name = str(getattr(cluster, "name", None) or "")
    if name and not RANDOM.fullmatch(name):
        return name[:MAX_CHARACTERS]
    return type(cluster).__name__
