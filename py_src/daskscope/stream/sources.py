"""The sessions that the hub knows: it listens to them, and says whether somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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


class Sources:
    """Sessions by their ids, in the order in which they came."""

    def __init__(self, on_change: Callable[[], None], on_focus: Callable[[str, str], None]) -> None:
        self._on_change = on_change
        self._on_focus = on_focus  # is told the session's id, and who set its focus
        self._known: dict[str, Source] = {}
        self._stops: dict[str, tuple[Callable[[], None], ...]] = {}
        self._wanted: dict[str, frozenset[str]] = {}

    def get(self, session: str) -> Source | None:
        """Return a session, if it is known."""
        return self._known.get(session)

    def all(self) -> Iterable[Source]:
        """Return every session."""
        return self._known.values()

    def replace(self, sources: Iterable[Source]) -> list[str]:
        """Listen to these from now on; return the ids of those that are no more."""
        current = {source.id: source for source in sources}
        gone = [session for session in self._known if session not in current]
        for session in gone:
            for stop in self._stops.pop(session):
                stop()
        for session, source in current.items():
            if session not in self._known:
                self._stops[session] = self._listen(source)
        self._known = current
        return gone

    def _listen(self, source: Source) -> tuple[Callable[[], None], ...]:
        def on_focus(_: Focus, by: str) -> None:
            self._on_focus(source.id, by)

        return source.on_change(lambda _: self._on_change()), source._on_focus(on_focus)

    def say_what_is_wanted(self, wanted: Mapping[str, frozenset[str]]) -> None:
        """Let sessions know which of their tables pages show, where that changed."""
        for session, source in self._known.items():
            tables = wanted.get(session, frozenset())
            if tables != self._wanted.get(session, frozenset()):
                source._set_wanted(tables)
        self._wanted = dict(wanted)
