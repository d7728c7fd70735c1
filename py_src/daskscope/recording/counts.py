"""How much a recording captured, and how much of it is there."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Counts:
    """How much was captured, and how much of it is here.

    ``captured`` tasks reached the agent since it came; ``kept`` are in the
    recording, with ``rows`` start/stop intervals. The rest was ``dropped``:
    ``dropped_agent`` by the agent's bound, ``dropped_recording`` by the recording's.
    ``erred`` counts captured tasks, whether they, or what they raised, were dropped
    or not. So does ``changes`` count how often a worker came, changed or left, of
    which the newest are kept.

    >>> Counts(captured=10, kept=7, dropped_agent=2, dropped_recording=1, rows=9)
    Counts(captured=10, kept=7, dropped=3, dropped_agent=2, dropped_recording=1, rows=9, \
erred=0, changes=0)
    """

    captured: int = 0
    kept: int = 0
    dropped_agent: int = 0
    dropped_recording: int = 0
    rows: int = 0
    erred: int = 0
    changes: int = 0

    @property
    def dropped(self) -> int:
        """How many tasks were captured and are not kept, whoever dropped them."""
        return self.dropped_agent + self.dropped_recording

    def to_json(self) -> dict[str, int]:
        """Return the counts as a message carries them."""
        return asdict(self)

    def __repr__(self) -> str:
        said = {"captured": self.captured, "kept": self.kept, "dropped": self.dropped}
        figures = ", ".join(f"{name}={count}" for name, count in {**said, **asdict(self)}.items())
        return f"Counts({figures})"


@dataclass(frozen=True, slots=True)
class NotRead:
    """What a cluster had to tell and could not be read, or not whole, of all that it told.

    >>> NotRead(events=5, incomplete=1).since(NotRead(events=3))
    NotRead(events=2, incomplete=1, unreadable=0)
    """

    events: int = 0
    """That the agent dropped before anybody read them."""
    incomplete: int = 0
    """Tasks of which workers reported times that cannot be read."""
    unreadable: int = 0
    """Tasks that came in a form that cannot be read."""

    def __add__(self, other: NotRead) -> NotRead:
        return NotRead(
            self.events + other.events,
            self.incomplete + other.incomplete,
            self.unreadable + other.unreadable,
        )

    def since(self, before: NotRead) -> NotRead:
        """Return what has come to it since it was `before`."""
        return NotRead(
            self.events - before.events,
            self.incomplete - before.incomplete,
            self.unreadable - before.unreadable,
        )
