"""What goes out, in which order and how fast: the half of the hub that speaks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from daskscope.schema import LIMITS
from daskscope.stream import reports
from daskscope.stream.page import SUMMARY_S, WINDOW_BYTES, Cell, Page, Watched
from daskscope.stream.problems import good_bye, unsendable
from daskscope.wire import Outgoing, outgoing

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

BATCH_BYTES: Final = LIMITS["batch_bytes"]
BLIND_BYTES: Final = LIMITS["blind_bytes"]
RESTING_S: Final = 1.0
"""After a failure; its feed alone waits."""

TICK_BUDGET_S: Final = 0.03
"""The collector shares this loop: it must not wait longer for its turn."""

TOTALS_BUDGET_S: Final = 0.01
LEAVING_S: Final = 10.0
"""A session that was forgotten is sent to its end, but not for longer than this."""


class Allowance:
    """Refills at `rate` a second up to `burst`.

    Spending may overdraw it, so that one large message is never stuck; what was
    overdrawn has to refill first.

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
        """Return in how many seconds something may be spent; 0 is now."""
        self._refill(now)
        return 0.0 if self._level > 0 else -self._level / self._rate

    def spend(self, amount: float, now: float) -> None:
        """Take from the allowance."""
        self._refill(now)
        self._level -= amount

    def _refill(self, now: float) -> None:
        self._level = min(self._burst, self._level + max(0.0, now - self._at) * self._rate)
        self._at = now


class Sender:
    """Spends the allowances of one kernel on its pages, in turn."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.focus_by: dict[str, str] = {}
        self._clock = clock
        self._totals: dict[str, reports.SessionTotals] = {}
        self._turn = 0
        now = clock()
        self._messages = Allowance(LIMITS["messages_per_s"], LIMITS["messages_per_s"] / 5, now)
        self._bytes = Allowance(LIMITS["bytes_per_s"], LIMITS["bytes_per_s"] / 20, now)
        self._blind = Allowance(LIMITS["blind_bytes_per_s"], LIMITS["blind_bytes_per_s"] / 4, now)

    def forget(self, session: str) -> None:
        """Drop what is kept of a session."""
        self._totals.pop(session, None)
        self.focus_by.pop(session, None)

    def answer(
        self, page: Page, session: str | None, question: str, fields: dict[str, Any], now: float
    ) -> None:
        """Answer a question with a result or an error."""
        address = {"page": page.id, "session": session, "id": question}
        self._send(page, outgoing("answer", address | fields), now)

    def say_state(self, page: Page, watched: Watched, now: float) -> None:
        """Say what is not numbered, when it is time and there is news."""
        for part, say in (("status", self._say_status), ("figures", self._say_figures)):
            try:
                say(page, watched, now)
            except Exception as error:  # noqa: BLE001 - one feed must not stop the others
                self._rest(page, watched, now, part, error)
                return
            watched.troubles.pop(part, None)

    def _rest(self, page: Page, watched: Watched, now: float, part: str, error: Exception) -> None:
        """Try a feed again in a moment; until it works, each status says that it failed."""
        watched.resting_until_s = now + RESTING_S
        watched.failures += 1
        if watched.failures == 1:
            logger.error("daskscope could not send a part of a session", exc_info=error)
        trouble = unsendable(error)
        if part == "status" and part not in watched.troubles:  # there is none to say it
            address = {"page": page.id, "session": watched.feed.source.id}
            fields = {"code": trouble.code, "text": trouble.text, "next": trouble.next}
            self._send(page, outgoing("error", address | fields), now)
        watched.troubles[part] = trouble

    def _say_status(self, page: Page, watched: Watched, now: float) -> None:
        if now < watched.status_due_s():
            return
        feed = watched.feed
        message = reports.status(feed, page.notices(watched))
        known = {k: v for k, v in message.message.items() if k not in ("now", "behind_s")}
        if feed.visible or known != watched.said:
            self._send(page, message, now)
            watched.said = known
        watched.status_at_s, watched.status_bytes = now, message.size_bytes

    def _say_figures(self, page: Page, watched: Watched, now: float) -> None:
        feed = watched.feed
        if not feed.visible:
            return
        pause_s = watched.state_pause_s
        focus = feed.source._focus_to_come
        if focus != watched.focus and now - watched.focus_at_s >= pause_s:
            watched.focus, watched.focus_at_s = focus, now
            by = self.focus_by.get(feed.source.id, "python")
            address = {"page": page.id, "session": feed.source.id}
            fields = {"focus": focus.to_json(), "by": by, "setting": watched.setting}
            self._send(page, outgoing("focus", address | fields), now)
        if feed.summary and now - watched.summary_at_s >= max(SUMMARY_S, pause_s):
            watched.summary_at_s = now
            figures = feed.source.summary()
            if figures is not watched.summary:
                watched.summary = figures
                address = {"page": page.id, "session": feed.source.id}
                self._send(page, outgoing("summary", address | {"figures": figures}), now)
        if not feed.tasks:
            return
        # A session that is leaving says its rows to their end; its figures were said.
        if now - watched.totals_at_s >= pause_s and watched.leaving_since_s is None:
            watched.totals_unfinished = not self._say_totals(page, watched, now)

    def _say_totals(self, page: Page, watched: Watched, now: float) -> bool:
        """Return whether the figures are complete: with a focus they take several turns."""
        source = watched.feed.source
        if source.id not in self._totals:
            self._totals[source.id] = reports.SessionTotals(source)
        done = self._totals[source.id].advance(TOTALS_BUDGET_S)
        if done is None:
            return False
        if done[:2] != watched.totals_of:
            focus, _, figures = done
            self._send(page, reports.totals(watched.feed, focus, figures), now)
            watched.totals_of = done[:2]
            watched.totals_at_s = now
        return True

    def say_content(self, every: list[tuple[Page, Watched]], now: float, cell: Cell) -> float:
        """Send numbered messages in turn, as far as allowed; return when to go on."""
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
            blind = page.blind(now, cell)
            if blind and credit_s <= 0:
                credit_s = self._blind.wait_s(now)
            feed, message = watched.feed, None
            try:
                if credit_s <= 0:
                    message = feed.next_message(now, keys_while_busy=blind, max_bytes=message_bytes)
                    watched.troubles.pop("content", None)
                else:
                    # A whole window may be lost: without this, no ack would ever come.
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
            self._blind.spend(message.size_bytes, now)  # whoever could hear it
            self._send(page, message, now)
            now = self._clock()
        return wait_s

    def finish(self, page: Page, watched: Watched, now: float) -> None:
        """Answer who asked for keys; say good-bye for a session that was forgotten."""
        feed = watched.feed
        if watched.questions and not feed.asked:
            for question in watched.questions:
                self.answer(page, feed.source.id, question, {"result": {}}, now)
            watched.questions.clear()
        since_s = watched.leaving_since_s
        if since_s is None:
            return
        if not feed.in_flight_bytes or now - since_s > LEAVING_S:
            self._send(page, good_bye(page.id, feed.source.id), now)
            page.watched.pop(feed.source.id, None)
            self.forget(feed.source.id)

    def _send(self, page: Page, message: Outgoing, now: float) -> None:
        self._messages.spend(1, now)
        self._bytes.spend(message.size_bytes, now)
        page.channel.send(message)
