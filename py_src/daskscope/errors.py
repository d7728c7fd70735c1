"""Errors and notices for users: what happened, what was done, what to do next.

Panels show `text` and `next` as they are (`js_src/errors.ts`); programs go by `code`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence


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

    def to_json(self) -> dict[str, str]:
        """Return the message form, see docs/protocol.md."""
        return {"code": self.code, "text": self.text, "next": self.next}


@dataclass(frozen=True)
class Notice:
    """A problem or remark that panels show while it lasts."""

    code: str
    level: Literal["info", "warn", "error"]
    text: str
    next: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the message form, see docs/protocol.md."""
        return asdict(self)


@dataclass(eq=False)
class WrongSettingError(Exception):
    """One value in Dask's configuration cannot be used; all wrong values are reported together."""

    key: str
    value: object
    wanted: str


class BadSettingError(DaskscopeError, ValueError):
    """Values in Dask's configuration cannot be used; the message names their keys.

    >>> BadSettingError([WrongSettingError("a", 1, "true or false")]).text
    'The Dask configuration has a = 1, but it must be true or false.'
    """

    def __init__(self, wrong: Sequence[WrongSettingError]) -> None:
        faults = "; ".join(f"{w.key} = {w.value!r}, but it must be {w.wanted}" for w in wrong)
        keys = ", ".join(f"'{w.key}': …" for w in wrong)
        super().__init__(
            "bad-setting",
            f"The Dask configuration has {faults}.",
            f"Change {'it' if len(wrong) == 1 else 'them'} with dask.config.set({{{keys}}}) "
            "or in your Dask configuration.",
        )
