"""What a person calls the cluster of a client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from distributed import Client

MAX_CHARACTERS: Final = 200

RANDOM: Final = re.compile("[0-9a-f]{8}")
"""What Dask calls a cluster that was given no name."""


def cluster_name(client: Client) -> str:
    """Return the name that the cluster was given, or its kind; nothing for a bare address."""
    cluster = getattr(client, "cluster", None)
    if cluster is None:
        return ""
    name = str(getattr(cluster, "name", None) or "")
    if name and not RANDOM.fullmatch(name):
        return name[:MAX_CHARACTERS]
    return type(cluster).__name__
