"""URLs, as users give them and as they are shown."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import unquote
from urllib.request import url2pathname

from daskscope.errors import DaskscopeError


def is_url(place: str) -> bool:
    """Return whether this is for fsspec, and not a path."""
    return "://" in place


def path_or_url(place: str) -> str:
    """Return the path that a file: URL stands for; paths and other URLs as they are.

    >>> path_or_url("file:///tmp/my%20run.html"), path_or_url("s3://bucket/my%20run.html")
    ('/tmp/my run.html', 's3://bucket/my%20run.html')
    """
    if not place.startswith("file://"):
        return place
    path = re.sub(r"^localhost(?=/)", "", place.removeprefix("file://"))
    return url2pathname(path) if os.name == "nt" else unquote(path, errors="surrogateescape")


def without_secrets(text: str) -> str:
    """Return text with addresses, but without what proves who asks: passwords, and queries.

    Links that are signed have their signature in the query. A name alone stays, which may be
    that of a container; over HTTP it may be a token, and so may what follows a `#` there.

    >>> without_secrets("sftp://ada:secret@host/reports"), without_secrets("abfs://box@acc/run")
    ('sftp://host/reports', 'abfs://box@acc/run')
    >>> without_secrets("no answer from 'https://host/run.html?X-Amz-Signature=1f#tab', gone")
    "no answer from 'https://host/run.html', gone"
    """
    text = _PASSWORD.sub("://", text)
    for query in _QUERIES:
        text = query.sub(r"\1", text)
    return text


def reason(error: BaseException) -> str:
    """Return what an error says, on one line and without secrets; its type if it says nothing.

    >>> reason(OSError(2, "No such file")), reason(KeyError())
    ('No such file', 'KeyError')
    """
    text = error.text if isinstance(error, DaskscopeError) else getattr(error, "strerror", None)
    text = " ".join(str(text or error).split())
    return without_secrets(text).rstrip(".") or type(error).__name__


_PASSWORD: Final = re.compile(r"(?:://[^/\s:]*:|(?<=http)://|(?<=https)://)[^/\s]*@")
_REST: Final = r"""(?:[^\s'"<>]|['"](?=[\w%&=]))*+"""
_QUERIES: Final = (  # but not of file: URLs, which have none, and names with ? in them
    # Without a query, they match too: or each address in a long word would be looked for anew.
    re.compile(rf"((?:(?<=http)|(?<=https))://[^\s?#]*)(?:[?#]{_REST})?"),
    re.compile(rf"((?<!file)(?<!http)(?<!https)://[^\s?]*)(?:\?{_REST})?"),
    re.compile(rf"(\burl: /[^\s?]*)\?{_REST}"),
)
