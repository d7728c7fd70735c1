"""What a user is told: what happened, what was done, what to do next.

Panels show `text` and `next` as they are (`js_src/errors.ts`); programs go by `code`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal


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


@dataclass(frozen=True)
class Notice:
    """Something that the user should know while it lasts."""

    code: str
    level: Literal["info", "warn", "error"]
    text: str
    next: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the message form, see docs/protocol.md."""
        return asdict(self)


class BadSettingError(DaskscopeError, ValueError):
    """A value in Dask's configuration cannot be used; the message names its key."""

    def __init__(self, key: str, value: object, wanted: str) -> None:
        super().__init__(
            "bad-setting",
            f"The Dask configuration has {key} = {value!r}, but it must be {wanted}.",
            f"Change it with dask.config.set({{'{key}': …}}) or in your Dask configuration.",
        )
