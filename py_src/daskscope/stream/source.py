"""What the stream needs of a session. `daskscope.session.Session` is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from daskscope.errors import Notice
    from daskscope.focus import Focus
    from daskscope.recording import Recording


class Source(Protocol):
    """A session, as the stream sees it. Attributes are read from the hub's thread."""

    id: str
    focus: Focus

    @property
    def _focus_to_come(self) -> Focus: ...
    @property
    def recording(self) -> Recording: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def address(self) -> str: ...  # noqa: D102
    @property
    def state(self) -> str: ...  # noqa: D102
    @property
    def notices(self) -> Sequence[Notice]: ...  # noqa: D102
    @property
    def workers(self) -> Sequence[Mapping[str, Any]]: ...  # noqa: D102
    @property
    def now(self) -> float | None: ...  # noqa: D102
    @property
    def behind_s(self) -> float: ...  # noqa: D102

    def summary(self) -> Mapping[str, Any]:
        """Return the figures of the whole; the same object while they are the same."""

    def _set_focus_soon(self, focus: Focus, by: str) -> None:
        """Set the focus in the name of a page, without waiting for whoever observes it."""

    def _set_wanted(self, tables: frozenset[str]) -> None:
        """Say which tables pages show just now: it need not hurry if there are none."""

    def on_change(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Call `callback(source)` whenever there may be news; return how to stop."""

    def _on_focus(self, callback: Callable[[Focus, str], None]) -> Callable[[], None]:
        """Call `callback(focus, by)` when the focus changed; return how to stop."""
