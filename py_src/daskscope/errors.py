"""Errors that a user may meet: what happened, what was done, what to do next.

`js_src/errors.ts` names the same codes. Panels show `text` and `next` as they are.
"""

from __future__ import annotations

from typing import Final

CODES: Final = (
    "bad-argument",
    "bad-setting",
    "no-client",
    "client-closed",
    "session-closed",
    "agent-failed",
    "plugins-refused",
    "scheduler-lost",
    "version-mismatch",
    "unknown-session",
    "unknown-task",
    "bad-message",
)
"""Every code of an error or a notice, in both languages."""


class DaskscopeError(Exception):
    """Something went wrong that the user can understand and act upon.

    >>> str(DaskscopeError("no-client", "No Dask client here.", "Run Client()."))
    'No Dask client here. Run Client().'
    """

    def __init__(self, code: str, text: str, next: str = "") -> None:  # noqa: A002 - as in messages
        super().__init__(f"{text} {next}".strip())
        self.code = code
        self.text = text
        self.next = next


class BadSettingError(DaskscopeError, ValueError):
    """A value in Dask's configuration cannot be used; the message names its key."""

    def __init__(self, key: str, value: object, wanted: str) -> None:
        super().__init__(
            "bad-setting",
            f"The Dask configuration has {key} = {value!r}, but it must be {wanted}.",
            f"Change it with dask.config.set({{'{key}': …}}) or in your Dask configuration.",
        )
