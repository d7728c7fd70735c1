"""URLs, as users give them and as they are shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from urllib.request import url2pathname


def is_url(place: str) -> bool:
    """Return whether this is for fsspec, and not a path."""
    return "://" in place


def path_or_url(place: str) -> str:
    """Return the path that a file: URL stands for; paths and other URLs as they are.

    >>> path_or_url("file:///tmp/my%20run.html"), path_or_url("s3://bucket/my%20run.html")
    ('/tmp/my run.html', 's3://bucket/my%20run.html')
    """
    return url2pathname(urlsplit(place).path) if place.startswith("file://") else place


def without_password(text: str) -> str:
    """Return text with addresses, but not with who asks them.

    >>> without_password("sftp://ada:secret@host/reports")
    'sftp://host/reports'
    """
    return re.sub(r"://[^/\s]*@", "://", text)
