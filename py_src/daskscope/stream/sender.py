"""Decides which message is sent next, and how fast."""

from __future__ import annotations

import dataclasses
import logging
import time
from typing import TYPE_CHECKING, Any, Final

from packaging.version import InvalidVersion, Version

from daskscope.derive.focus_totals import FocusTotals
from daskscope.errors import Notice
from daskscope.focus import is_listed, requested_focus
from daskscope.recording import store_of
from daskscope.schema import LIMITS, PROTOCOL, SUMMARY, TASKS
from daskscope.stream.page import SUMMARY_S, WINDOW_BYTES, Cell, Page, Watched
from daskscope.version import installed_version
from daskscope.wire import Outgoing, outgoing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from daskscope.focus import Focus
    from daskscope.recording import Totals
    from daskscope.stream.feed import Feed
    from daskscope.stream.sources import Source
    from daskscope.wire import Hello

logger = logging.getLogger(__name__)

KEPT_NO_LONGER: Final = "The kernel no longer has this recording; the page keeps what it has."
"""Text for a stopped session that was replaced by later ones; this is not an error."""


def bye_message(page: str, session: str) -> Outgoing:
    """Return the last message of a session to a page."""
    return outgoing("bye", {"page": page, "session": session, "text": KEPT_NO_LONGER})


def unsendable(error: Exception) -> Notice:
    """Return the notice that a message about a session could not be built."""
    return Notice(
        "not-sent",
        "error",
        f"The kernel could not send part of this session ({type(error).__name__}: "
        f"{str(error)[:200]}); it tries again every second.",
        "If this message stays, please report it with the kernel's log.",
    )


IN_KERNEL: Final = "in the kernel's environment, then restart the kernel"
IN_JUPYTERLAB: Final = "in the environment that runs JupyterLab, then reload this page"


def _both(page_version: str) -> str:
    return f"The kernel has daskscope {installed_version()}, and this page {page_version}"


def _upgrade(place: str) -> str:
    return f"Run `pip install -U daskscope` {place}."


def version_differs(page_version: str) -> Notice | None:
    """Return the notice for a page of another version that speaks the same protocol."""
    here = installed_version()
    if page_version in ("", here):  # a page may omit its version
        return None
    try:
        kernel, page = Version(here), Version(page_version)
    except InvalidVersion:
        text = f"{_both(page_version)}: not the same, but they work together."
        return Notice("version-differs", "info", text, _upgrade(f"{IN_KERNEL}; {IN_JUPYTERLAB}"))
    if kernel == page:  # the same version, spelled differently
        return None
    if kernel < page:  # name the older side first, since a status line is short
        text = f"The kernel's daskscope {here} is older than this page's {page_version}"
    else:
        text = f"This page's daskscope {page_version} is older than the kernel's {here}"
    place = IN_KERNEL if kernel < page else IN_JUPYTERLAB
    return Notice("version-differs", "info", f"{text}; they work together.", _upgrade(place))


def mismatch(hello: Hello) -> dict[str, Any]:
    """Return the fields of the error for a page that speaks another protocol."""
    here = installed_version()
    place = IN_KERNEL if hello.protocol > PROTOCOL else IN_JUPYTERLAB
    return {
        "page": hello.page,
        "session": None,
        "code": "version-mismatch",
        "text": f"{_both(hello.version)}; their protocols differ.",
        "next": _upgrade(place),
        "protocol": PROTOCOL,
        "version": here,
    }


ACTIVE_S: Final = 3.0
"""A session counts as active for this long after its last task, so that pauses of a second
between tasks do not make it inactive."""


def chooser(sources: Iterable[Source], *, recorder_on: bool) -> dict[str, Any]:
    """Return the content of a chooser: sessions, and whether new clients are recorded.

    ``active`` can end without new tasks. This is noticed because a source reports a possible
    change after each answer of its scheduler.
    """
    sessions = [
        {
            "id": source.id,
            "name": source.name,
            "address": source.address,
            "state": source.state,
            "workers": len(source.workers),
            "threads": sum(int(worker.get("threads") or 0) for worker in source.workers),
            "active": source.state in ("live", "partly") and _busy(source),
        }
        for source in sources
        if is_listed(source)
    ]
    return {"sessions": sessions, "recorder": recorder_on}


def _busy(source: Source) -> bool:
    """Return whether tasks run or arrived recently."""
    if store_of(source.recording).quiet_s < ACTIVE_S:
        return True
    return any(worker.get("running") for worker in source.workers)


def status_message(feed: Feed, of_page: Sequence[Notice]) -> Outgoing:
    """Return the state of a session for one page, with the notices of that page."""
    source = feed.source
    recording = store_of(source.recording)
    notices = [*source.notices]
    if recording.spill_error:
        notices.append(
            Notice(
                "disk-refused",
                "warn",
                f"Tasks cannot spill to disk ({recording.spill_error}); the oldest are dropped.",
                "Free some space, or set another directory as daskscope.recording.directory.",
            )
        )
    if feed.full and (missing := feed.history_missing()):
        notices.append(
            Notice(
                "page-full",
                "info",
                "This page reached its limit of rows and loads no more history: "
                f"{missing:,} older tasks are shown as a preview only.",
                "New tasks still arrive in detail. To start with the newest ones, reload "
                "the page. `session.recording.tasks` has all tasks that are kept.",
            )
        )
    fields = {
        "page": feed.page,
        "session": source.id,
        "state": source.state,
        "counts": recording.counts.to_json(),
        "behind_s": source.behind_s,
        "now": source.now if source.now is not None else time.time(),
        "origin": recording.begin,
        "last_seq": feed.seq,
        "notices": [notice.to_json() for notice in (*notices, *of_page)],
        "workers": list(source.workers),
    }
    return outgoing("status", fields)


def totals_message(feed: Feed, focus: Focus, figures: Totals) -> Outgoing:
    """Return the message with the totals for the legend."""
    fields = {
        "page": feed.page,
        "session": feed.source.id,
        "focus": focus.to_json(),
        "prefixes": [[t.prefix, t.tasks, t.seconds, t.erred, t.computes] for t in figures.prefixes],
        "actions": [[t.action, t.rows, t.seconds] for t in figures.actions],
    }
    return outgoing("totals", fields)


BATCH_BYTES: Final = LIMITS["batch_bytes"]
BLIND_BYTES: Final = LIMITS["blind_bytes"]
RESTING_S: Final = 1.0
"""Pause of a feed after a failure; other feeds continue."""

TICK_BUDGET_S: Final = 0.03
"""Longest time that sending may block the loop, which it shares with the collector."""

TOTALS_BUDGET_S: Final = 0.01
LEAVING_S: Final = 10.0
"""The remaining rows of a forgotten session are sent for at most this long."""


class Allowance:
    """A token bucket: refills at `rate` per second up to `burst`.

    Spending may overdraw it, so that a large message is never stuck. The debt must refill before
    the next message.

    >>> allowance = Allowance(rate=100, burst=10, now=0.0)
    >>> allowance.spend(30, now=0.0)
    >>> allowance.wait_s(now=0.0), allowance.wait_s(now=0.25)
    (0.2, 0.0)
    """

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._level = burst
        self._at = now

    def wait_s(self, now: float) -> float:
        """Return in how many seconds more may be spent."""
        self._refill(now)
        return 0.0 if self._level > 0 else -self._level / self._rate

    def spend(self, amount: float, now: float) -> None:
        """Subtract from the allowance."""
        self._refill(now)
        self._level -= amount

    def _refill(self, now: float) -> None:
        self._level = min(self._burst, self._level + max(0.0, now - self._at) * self._rate)
        self._at = now


class Sender:
    """Sends messages to the pages of one kernel in turn, within its allowances."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.focus_by: dict[str, str] = {}
        self._clock = clock
        self._totals: dict[str, FocusTotals] = {}
        self._turn = 0
        now = clock()
        self._messages = Allowance(LIMITS["messages_per_s"], LIMITS["messages_per_s"] / 5, now)
        self._bytes = Allowance(LIMITS["bytes_per_s"], LIMITS["bytes_per_s"] / 20, now)
        self._blind = Allowance(LIMITS["blind_bytes_per_s"], LIMITS["blind_bytes_per_s"] / 4, now)

    def forget(self, session: str) -> None:
        """Drop the state of a session."""
        self._totals.pop(session, None)
        self.focus_by.pop(session, None)

    def answer(
        self, page: Page, session: str | None, question: str, fields: dict[str, Any], now: float
    ) -> None:
        """Answer a question with a result or an error."""
        address = {"page": page.id, "session": session, "id": question}
        self._send(page, outgoing("answer", address | fields), now)

    def send_state(self, page: Page, watched: Watched, now: float) -> None:
        """Send the unnumbered messages that are due: status, focus, summary, totals."""
        for part, send in (("status", self._send_status), ("figures", self._send_figures)):
            try:
                send(page, watched, now)
            except Exception as error:  # noqa: BLE001 - one feed must not stop the others
                self._rest(page, watched, now, part, error)
                return
            watched.troubles.pop(part, None)

    def _rest(self, page: Page, watched: Watched, now: float, part: str, error: Exception) -> None:
        """Retry a feed after a pause; until it works, each status has a notice of the failure."""
        watched.resting_until_s = now + RESTING_S
        watched.failures += 1
        if watched.failures == 1:
            logger.error("daskscope could not send a part of a session", exc_info=error)
        trouble = unsendable(error)
        if part == "status" and part not in watched.troubles:  # no status can show the notice
            address = {"page": page.id, "session": watched.feed.source.id}
            fields = {"code": trouble.code, "text": trouble.text, "next": trouble.next}
            self._send(page, outgoing("error", address | fields), now)
        watched.troubles[part] = trouble

    def _send_status(self, page: Page, watched: Watched, now: float) -> None:
        if now < watched.status_due_s():
            return
        feed = watched.feed
        message = status_message(feed, page.notices(watched))
        known = {k: v for k, v in message.message.items() if k not in ("now", "behind_s")}
        if feed.visible or known != watched.status:
            self._send(page, message, now)
            watched.status = known
        watched.status_at_s, watched.status_bytes = now, message.size_bytes

    def _send_figures(self, page: Page, watched: Watched, now: float) -> None:
        feed = watched.feed
        if not feed.visible:
            return
        pause_s = watched.state_pause_s
        focus = requested_focus(feed.source)
        if focus != watched.focus and now - watched.focus_at_s >= pause_s:
            watched.focus, watched.focus_at_s = focus, now
            by = self.focus_by.get(feed.source.id, "python")
            address = {"page": page.id, "session": feed.source.id}
            fields = {"focus": focus.to_json(), "by": by, "setting": watched.setting}
            self._send(page, outgoing("focus", address | fields), now)
        if SUMMARY in feed.tables and now - watched.summary_at_s >= max(SUMMARY_S, pause_s):
            watched.summary_at_s = now
            figures = feed.source.summary()
            if figures is not watched.summary:
                watched.summary = figures
                address = {"page": page.id, "session": feed.source.id}
                self._send(page, outgoing("summary", address | {"figures": figures}), now)
        if TASKS.name not in feed.tables:
            return
        # A forgotten session only sends its remaining rows.
        if now - watched.totals_at_s >= pause_s and watched.leaving_since_s is None:
            watched.totals_unfinished = not self._send_totals(page, watched, now)

    def _send_totals(self, page: Page, watched: Watched, now: float) -> bool:
        """Send totals; return whether they are complete, since a focus takes several turns.

        The totals ignore the prefixes of the focus: the legend shows selected prefixes beside the
        others, which keep their numbers.
        """
        source = watched.feed.source
        recording = store_of(source.recording)
        of = dataclasses.replace(source.focus, prefixes=()), recording.next_task
        if of == watched.totals_of:
            return True
        if source.id not in self._totals:
            self._totals[source.id] = FocusTotals(recording)
        figures = self._totals[source.id].advance(of[0], TOTALS_BUDGET_S)
        if figures is None:
            return False
        self._send(page, totals_message(watched.feed, of[0], figures), now)
        watched.totals_of, watched.totals_at_s = of, now
        return True

    def send_content(self, every: list[tuple[Page, Watched]], now: float, cell: Cell) -> float:
        """Send numbered messages in turn, as far as allowed; return when to go on, in seconds."""
        active = len({page.id for page, watched in every if watched.feed.visible}) or 1
        share_bytes = WINDOW_BYTES / active
        message_bytes = min(BATCH_BYTES, share_bytes / 2)
        end = now + TICK_BUDGET_S
        wait_s = float("inf")
        waiting = list(every)
        while waiting:
            allowed_s = max(self._messages.wait_s(now), self._bytes.wait_s(now))
            if allowed_s > 0 or now > end:
                return min(wait_s, max(allowed_s, 0.002))
            self._turn += 1
            page, watched = waiting[self._turn % len(waiting)]
            room_bytes = share_bytes - message_bytes
            credit_s = page.credit_wait_s(now, room_bytes, BLIND_BYTES / active, cell)
            blind = page.no_acks_expected(now, cell)
            if blind and credit_s <= 0:
                credit_s = self._blind.wait_s(now)
            feed, message = watched.feed, None
            try:
                if credit_s <= 0:
                    message = feed.next_message(now, keys_while_busy=blind, max_bytes=message_bytes)
                    watched.troubles.pop("content", None)
                else:
                    # If a whole window was lost, only sending it again leads to an ack.
                    message = feed.lost_message(now)
            except Exception as error:  # noqa: BLE001 - one feed must not stop the others
                self._rest(page, watched, now, "content", error)
            if watched.resting_until_s > now:
                waiting.remove((page, watched))
                wait_s = min(wait_s, watched.resting_until_s - now)
                continue
            if message is None:
                waiting.remove((page, watched))
                wait_s = min(wait_s, credit_s if credit_s > 0 else float("inf"))
                continue
            self._blind.spend(message.size_bytes, now)  # blind or not
            self._send(page, message, now)
            now = self._clock()
        return wait_s

    def finish(self, page: Page, watched: Watched, now: float) -> None:
        """Answer questions that waited for keys; end the feed of a forgotten session."""
        feed = watched.feed
        if watched.questions and not feed.keys.asked:
            for question in watched.questions:
                self.answer(page, feed.source.id, question, {"result": {}}, now)
            watched.questions.clear()
        since_s = watched.leaving_since_s
        if since_s is None:
            return
        done = not feed.in_flight_bytes and not feed.has_rows(now)
        if done or now - since_s > LEAVING_S:
            self._send(page, bye_message(page.id, feed.source.id), now)
            page.watched.pop(feed.source.id, None)
            self.forget(feed.source.id)

    def _send(self, page: Page, message: Outgoing, now: float) -> None:
        self._messages.spend(1, now)
        self._bytes.spend(message.size_bytes, now)
        page.channel.send(message)
