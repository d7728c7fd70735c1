"""A browser tab in the hub: its channel, its feeds, and whether it acknowledges messages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from daskscope.schema import HEARD_AGAIN_S, LIMITS
from daskscope.wire import outgoing

if TYPE_CHECKING:
    from daskscope.errors import DaskscopeError, Notice
    from daskscope.focus import Focus
    from daskscope.stream.feed import Feed
    from daskscope.wire import Hello, Outgoing

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, Any], Sequence[bytes | memoryview]], None]

MAX_REPORTED: Final = 200
"""Number of sent errors to remember: a few for each page of the hub."""


class Code(NamedTuple):
    """The code of a widget; a page evaluates each build once."""

    build: str
    packed: Callable[[], bytes]
    """Returns the script, compressed with zlib."""


class Channel:
    """Sends messages. Pages may share a channel, since a widget's comm reaches all tabs.

    `send` may be called from the hub's thread. After a failure it is not called again.
    """

    def __init__(self, send: Send, code: Code | None = None) -> None:
        self.open = True
        self.code = code
        """The code of a widget, if its page may lack it."""
        self.greetings: dict[str, Hello] = {}
        """Latest greeting by page: only its first message has a version and build."""
        self.code_sent_s = float("-inf")
        self._send = send
        self._reported: dict[tuple[str, str | None, str | None], None] = {}  # oldest first

    def send(self, message: Outgoing) -> bool:
        """Send; return whether the channel still works."""
        if not self.open:
            return False
        try:
            self._send(message.message, message.buffers)
        except Exception:
            logger.debug("a channel of daskscope failed and is closed", exc_info=True)
            self.open = False
        return self.open

    def report(self, error: DaskscopeError, page: str | None, session: str | None) -> None:
        """Report an error to a page, once for each kind, page and session."""
        key = (error.code, page, session)
        if key in self._reported:
            return
        self._reported[key] = None
        if len(self._reported) > MAX_REPORTED:
            del self._reported[next(iter(self._reported))]
        self.send(outgoing("error", {"page": page, "session": session, **error.to_json()}))


Cell = int | None
"""Number of the running cell; 0 if none runs, `None` if unknown."""

WINDOW_BYTES: Final = LIMITS["window_bytes"]
BLIND_AFTER_S: Final = HEARD_AGAIN_S
"""A busy kernel that received nothing for this long sends without waiting for acks."""

BLIND_AFTER_HEARD_S: Final = 5.0
"""The same if the page sent something during this cell: the page itself may be stalled."""

SILENT_S: Final = 60.0
"""A page that owes an ack for this long counts as gone; if it only slept, it can return."""

ASLEEP_S: Final = 3600.0
"""A page that owes no ack may be silent for this long; a visible one sends more often."""

STATUS_S: Final = 0.5
CROWDED_STATUS_S: Final = 1.0
"""While a cell computes, since each message takes Python's lock from the cell several times."""

HIDDEN_STATUS_S: Final = 5.0
SUMMARY_S: Final = 2.0
TOTALS_PAUSE_S: Final = 0.02
"""Pause between two steps of computing the totals of a focus, so that the collector can run."""

STATE_MESSAGES_PER_S: Final = 0.3 * LIMITS["messages_per_s"]
"""For all pages together: the remaining messages are for data."""

STATE_MESSAGES: Final = 3
"""Messages in a burst: status, totals, focus; a summary is sent less often."""

STATUS_BYTES_PER_S: Final = 100_000
"""Statuses of clusters with thousands of workers are large, so they are sent less often."""


def state_pause_s(feeds: int, *, crowded: bool) -> float:
    """Return the time between two statuses of a feed if `feeds` are watched.

    >>> [state_pause_s(feeds, crowded=False) for feeds in (1, 5, 30)]
    [0.5, 0.5, 3.0]
    """
    return max(
        CROWDED_STATUS_S if crowded else STATUS_S, feeds * STATE_MESSAGES / STATE_MESSAGES_PER_S
    )


@dataclass(slots=True)
class Watched:
    """A feed, and the state messages that were last sent for it."""

    feed: Feed
    status_at_s: float = float("-inf")
    status_bytes: int = 0
    status: Any = None  # the last status that was sent, to notice changes
    totals_at_s: float = float("-inf")
    totals_of: Any = None
    totals_unfinished: bool = False
    summary: Any = None  # the last summary that was sent
    summary_at_s: float = float("-inf")
    focus: Focus | None = None  # the focus that the page has, if known
    setting: int = 0  # number of the last focus that the page set
    focus_at_s: float = float("-inf")
    questions: list[str] = field(default_factory=list)  # questions that wait for requested keys
    leaving_since_s: float | None = None  # when the session was forgotten
    resting_until_s: float = float("-inf")  # pause after a message could not be built
    failures: int = 0
    troubles: dict[str, Notice] = field(default_factory=dict)  # by the part that fails
    state_pause_s: float = STATUS_S

    def note_setting(self, setting: int) -> bool:
        """Note the number of a focus that the page set; return whether it is new."""
        is_new = setting > self.setting
        self.focus, self.setting = None, max(setting, self.setting)
        return is_new

    def due_s(self, now_s: float) -> float:
        """Return the time at which the next state message is due."""
        if self.totals_unfinished and self.feed.visible and self.leaving_since_s is None:
            return now_s + TOTALS_PAUSE_S
        return self.status_due_s()

    def status_due_s(self) -> float:
        """Return the time from which the next status may be sent."""
        pause = max(self.state_pause_s, STATUS_S if self.feed.visible else HIDDEN_STATUS_S)
        return self.status_at_s + max(pause, self.status_bytes / STATUS_BYTES_PER_S)


class Page:
    """A tab. It counts the bytes that were sent and not acknowledged."""

    def __init__(self, page_id: str, channel: Channel, now_s: float) -> None:
        self.id = page_id
        self.channel = channel
        self.build = ""
        self.differs: Notice | None = None  # from the kernel's version
        self.watched: dict[str, Watched] = {}
        self.heard_s = now_s
        self._heard_in_cell = 0
        self._kernel_blocked_until_s = now_s  # before, the kernel could not receive its messages

    def notices(self, watched: Watched) -> list[Notice]:
        """Return the notices that are only for this page."""
        # A status that could be built needs no notice of a failed one; one failure is enough.
        troubles = [trouble for part, trouble in watched.troubles.items() if part != "status"]
        return troubles[:1] + ([self.differs] if self.differs else [])

    @property
    def in_flight_bytes(self) -> int:
        """Bytes that were sent and not acknowledged."""
        return sum(watched.feed.in_flight_bytes for watched in self.watched.values())

    def note_message(self, now_s: float, cell: Cell) -> None:
        """Note that a message of the page arrived."""
        self.heard_s = now_s
        self._heard_in_cell = cell or 0

    def _kernel_blocked(self, cell: Cell) -> bool:
        """Return whether the running cell may prevent the kernel from receiving messages."""
        return cell is None or (cell > 0 and cell != self._heard_in_cell)

    def no_acks_expected(self, now_s: float, cell: Cell) -> bool:
        """Return whether acks cannot be expected now."""
        wait_s = BLIND_AFTER_S if self._kernel_blocked(cell) else BLIND_AFTER_HEARD_S
        return cell != 0 and now_s - self.heard_s >= wait_s

    def credit_wait_s(
        self, now_s: float, room_bytes: float, blind_bytes: float, cell: Cell
    ) -> float:
        """Return in how many seconds the page may get more; infinite if it must ack first.

        Up to `room_bytes` may be unacknowledged before another message, or `blind_bytes` while
        no ack can be expected.
        """
        if self.no_acks_expected(now_s, cell):
            return 0.0 if self.in_flight_bytes < blind_bytes else float("inf")
        if self.in_flight_bytes <= room_bytes:
            return 0.0
        return float("inf") if cell == 0 else BLIND_AFTER_S

    def gone(self, now_s: float, cell: Cell) -> bool:
        """Return whether the page counts as gone."""
        if not self.channel.open:
            return True
        if self._kernel_blocked(cell):
            self._kernel_blocked_until_s = now_s
            return cell is None and now_s - self.heard_s > ASLEEP_S
        silent_s = now_s - max(self.heard_s, self._kernel_blocked_until_s)
        return silent_s > (SILENT_S if self.in_flight_bytes else ASLEEP_S)
