"""How much a recording captured, and how much of it is there."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was captured, and how much of it is here.

    ``captured`` tasks reached the agent since it came; ``kept`` are in the
    recording, with ``rows`` start/stop intervals. The rest was dropped, by the
    agent's bound or by the recording's. ``erred`` counts captured tasks, whether
    they, or what they raised, were dropped or not. So does ``changes`` count how
    often a worker came, changed or left, of which the newest are kept.
    """

    captured: int = 0
    kept: int = 0
    dropped_agent: int = 0
    dropped_recording: int = 0
    rows: int = 0
    erred: int = 0
    changes: int = 0

    def to_json(self) -> dict[str, int]:
        """Return the counts as a message carries them."""
        return asdict(self)
