"""The hub of a kernel, which connects its sessions with pages.

Everything runs on one event loop in the background, so that data flows while a cell is
busy; public methods may be called from any thread. Nothing is queued: a page is a set of
cursors, and what cannot be sent now is read from the recording later. There is one timer
while a page watches a session, and none otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any, Final, Protocol

from daskscope.errors import DaskscopeError
from daskscope.focus import Focus, set_focus_soon
from daskscope.recording import store_of
from daskscope.schema import PROTOCOL
from daskscope.stream.feed import Feed
from daskscope.stream.page import STATUS_S, Cell, Page, Watched, state_pause_s
from daskscope.stream.sender import (
    KEPT_NO_LONGER,
    Sender,
    bye_message,
    chooser,
    mismatch,
    version_differs,
)
from daskscope.stream.sources import (
    KernelQuestions,
    Sources,
    ask_keys,
    describe_task,
    reject_questions,
)
from daskscope.version import installed_version
from daskscope.wire import (
    Ack,
    Ask,
    BadMessageError,
    Bye,
    Hello,
    PageMessage,
    SetFocus,
    Unwatch,
    WantCode,
    Watch,
    outgoing,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from daskscope.stream.page import Channel, Code
    from daskscope.stream.sources import Answerer, Source

logger = logging.getLogger(__name__)

MAX_PAGES: Final = 64

CODE_PAUSES_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Pauses before a widget's code is sent to a page whose request the kernel may not hear."""

CODE_AGAIN_S: Final = 1.0
"""Requests that waited for the end of a cell arrive together: one answer is enough."""


class Loop(Protocol):
    """Access to the background loop, which runs as long as someone holds it."""

    def hold(self, holder: object) -> asyncio.AbstractEventLoop:
        """Return the loop and keep it running."""

    def drop(self, holder: object) -> None:
        """Release the loop."""


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether the current thread runs this loop."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


class Hub:
    """Sends sessions to pages. There is one per process."""

    def __init__(
        self,
        background: Loop,
        *,
        cell: Callable[[], Cell] = lambda: 0,
        subshells: Callable[[], bool] = lambda: False,
        recorder_on: Callable[[], bool] = lambda: True,
        crowded: Callable[[], bool] = lambda: False,
        answer: Answerer = reject_questions,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id = uuid.uuid4().hex
        self._background = background
        self._cell = cell
        self._subshells = subshells
        self._recorder_on = recorder_on
        self._crowded = crowded
        self._clock = clock
        self._lock = threading.Lock()  # guards the next two; without a loop, all of the hub
        self._channels: set[Channel] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pages: dict[str, Page] = {}
        self._sources = Sources(self._on_source, self._on_focus)
        self._chooser: dict[str, Any] = {}  # as it was last sent
        self._chooser_at_s = float("-inf")  # when it was last checked
        self._timer: asyncio.TimerHandle | None = None
        self._ticking = False
        self._sender = Sender(clock)
        self._questions = KernelQuestions(answer)

    # -- called from any thread -----------------------------------------------

    def open(self, channel: Channel) -> None:
        """Add a channel."""
        with self._lock:
            if self._loop is None:
                self._loop = self._background.hold(self)
            self._channels.add(channel)
        if channel.code is not None:
            self._call(self._send_code_later, channel, channel.code, CODE_PAUSES_S)

    def receive(self, channel: Channel, data: object) -> None:
        """Handle a message of a page; a bad one is reported to the page and never raises."""
        try:
            message = parse(data)
        except BadMessageError as error:
            self._call(channel.report, error, None, None)
            return
        self._call(self._handle, channel, message)

    def close(self, channel: Channel) -> None:
        """Remove a channel that the other side closed."""
        channel.open = False
        self._call(self._close, channel)

    def set_sessions(self, current: Callable[[], Iterable[Source]]) -> None:
        """Update the sessions to those that `current` returns.

        `current` is called on the hub's loop: lists made by two threads could arrive in the
        wrong order.
        """
        with self._lock:
            if self._loop is None:
                self._set_sessions(list(current()))
                return
        self._call(lambda: self._set_sessions(list(current())))

    def abandon(self) -> None:
        """Stop without touching the loop, which belongs to the parent of a forked child."""
        self._lock = threading.Lock()
        self._timer = self._loop = None
        self._pages.clear()
        self._channels.clear()

    def _call(self, function: Callable[..., None], *args: Any) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        try:
            if _is_running(loop):  # waking the loop by its socket costs as much as a poll
                loop.call_soon(self._safely, function, *args)
            else:
                loop.call_soon_threadsafe(self._safely, function, *args)
        except RuntimeError:  # the loop was just closed
            logger.debug("the background loop of daskscope has ended", exc_info=True)

    def _safely(self, function: Callable[..., None], *args: Any) -> None:
        try:
            function(*args)
        except Exception:
            logger.exception("daskscope could not handle a message of a page")

    # -- messages from pages ----------------------------------------------------

    def _handle(self, channel: Channel, message: PageMessage) -> None:
        if channel not in self._channels:
            return
        now, cell = self._clock(), self._cell()
        if isinstance(message, Hello):
            self._hello(channel, message, now)
            return
        if isinstance(message, WantCode):
            self._send_code(channel, now)
            return
        page = self._pages.get(message.page)
        if page is None:
            if not isinstance(message, (Bye, Unwatch)):
                # The hub dropped this page, or it greeted an earlier hub: greet it again.
                unknown = Hello(message.page, PROTOCOL, "")
                self._hello(channel, channel.greetings.get(message.page, unknown), now)
            return
        page.note_message(now, cell)
        if isinstance(message, Bye):
            self._pages.pop(page.id)
        elif isinstance(message, Unwatch):
            page.watched.pop(message.session, None)
        elif isinstance(message, Ack):
            if message.session in page.watched:
                feed = page.watched[message.session].feed
                feed.acknowledge(message.seq, message.missing, now)
        elif isinstance(message, Ask):
            self._ask(page, message)
        else:
            self._session_message(page, message)
        self._tick()

    def _hello(self, channel: Channel, message: Hello, now: float) -> None:
        if message.protocol != PROTOCOL:
            channel.send(outgoing("error", mismatch(message)))
            return
        page = self._pages.get(message.page)
        resumed = page is not None
        if page is None:
            if len(self._pages) >= MAX_PAGES:
                silent = min(self._pages.values(), key=lambda page: page.heard_s)
                del self._pages[silent.id]
            page = self._pages[message.page] = Page(message.page, channel, now)
        page.channel = channel
        page.build = message.build
        page.differs = version_differs(message.version)
        channel.greetings[message.page] = message
        page.note_message(now, self._cell())
        fields = {
            "page": page.id,
            "protocol": PROTOCOL,
            "version": installed_version(),
            "kernel": self.id,
            "subshells": self._subshells(),
            "resumed": resumed,
            **chooser(self._sources.all(), recorder_on=self._recorder_on()),
        }
        channel.send(outgoing("welcome", fields))
        self._tick()

    def _send_code(self, channel: Channel, now: float) -> None:
        if channel.code is not None and now - channel.code_sent_s >= CODE_AGAIN_S:
            channel.code_sent_s = now
            channel.send(outgoing("code", {}, [channel.code.packed()]))

    def _send_code_later(self, channel: Channel, code: Code, pauses_s: Sequence[float]) -> None:
        """Send the code without request while a cell runs, which may delay requests."""
        if self._loop is None or not pauses_s:
            return

        def send() -> None:
            known = any(page.build == code.build for page in self._pages.values())
            if known or channel.greetings or channel not in self._channels:
                return
            if self._cell() != 0:
                self._send_code(channel, self._clock())
            self._send_code_later(channel, code, pauses_s[1:])

        self._loop.call_later(pauses_s[0], self._safely, send)

    def _session_message(self, page: Page, message: Watch | SetFocus) -> None:
        source = self._sources.get(message.session)
        if source is None:
            if isinstance(message, Watch):
                page.channel.send(bye_message(page.id, message.session))
            return
        watched = page.watched.get(source.id)
        if isinstance(message, Watch):
            if watched is None:
                watched = page.watched[source.id] = Watched(Feed(source, page.id))
            watched.feed.watch(
                message.visible, message.tables, message.have, restart=message.restart
            )
            watched.summary = None  # the last summary may not have arrived
            watched.status_at_s = float("-inf")
            if message.setting != watched.setting:
                watched.note_setting(message.setting)
            return
        # If not new, a later message already arrived through another channel.
        is_new = watched is not None and watched.note_setting(message.setting)
        try:
            focus = Focus.from_json(dict(message.focus))
        except (TypeError, ValueError) as error:
            page.channel.report(BadMessageError(str(error)), page.id, source.id)
            return
        if watched is not None and is_new:
            watched.focus = focus
        set_focus_soon(source, focus, page.id)

    def _ask(self, page: Page, message: Ask) -> None:
        try:
            if message.session is None:
                self._questions.put(
                    message.what,
                    message.args,
                    lambda fields: self._call(self._answer, page, message, fields),
                )
                return
            result = self._result(page, message, message.session)
        except DaskscopeError as error:
            self._answer(page, message, {"error": error.to_json()})
        else:
            if result is not None:  # otherwise `Sender.finish` answers after the requested keys
                self._answer(page, message, {"result": result})

    def _answer(self, page: Page, message: Ask, fields: dict[str, Any]) -> None:
        if self._pages.get(page.id) is page:
            self._sender.answer(page, message.session, message.id, fields, self._clock())

    def _result(self, page: Page, message: Ask, session: str) -> dict[str, Any] | None:
        source, watched = self._sources.get(session), page.watched.get(session)
        if message.what == "task" and source is not None:
            return describe_task(store_of(source.recording), message.args)
        if message.what == "keys" and watched is not None:
            ask_keys(watched.feed, message.args)
            watched.questions.append(message.id)
            return None
        if message.what in ("task", "keys"):
            raise DaskscopeError("unknown-session", KEPT_NO_LONGER, "Choose another session.")
        raise BadMessageError("its question is unknown")

    # -- changes of sessions ------------------------------------------------------

    def _set_sessions(self, sources: list[Source]) -> None:
        now = self._clock()
        for session in self._sources.replace(sources):
            self._sender.forget(session)
            for page in self._pages.values():
                if session in page.watched:
                    page.watched[session].leaving_since_s = now
                    page.watched[session].status_at_s = float("-inf")
        self._chooser_at_s = float("-inf")
        self._tick()

    def _on_source(self) -> None:
        """Send what is new; if on the loop, at once: another turn would slow down a cell."""
        loop = self._loop
        if loop is not None and not self._ticking and _is_running(loop):
            self._safely(self._tick)
        else:
            self._call(self._tick)

    def _on_focus(self, session: str, _: Focus, by: str) -> None:
        self._sender.focus_by[session] = by
        self._call(self._tick)

    def _close(self, channel: Channel) -> None:
        with self._lock:
            self._channels.discard(channel)
            if self._channels:
                return
            # The hub still listens to sessions, which costs nothing.
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._pages.clear()
            self._update_shown_tables()
            if self._loop is not None:
                self._loop = None
                self._background.drop(self)

    # -- sending --------------------------------------------------------------------

    def _tick(self) -> None:
        """Send what is allowed now, and set the timer for the rest."""
        if self._ticking or self._loop is None:
            return
        self._ticking = True
        wait_s = STATUS_S  # so that the timer continues after an exception
        try:
            wait_s = self._work()
        finally:
            self._ticking = False
            self._set_timer(wait_s)

    def _set_timer(self, wait_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if wait_s < float("inf") and self._loop is not None:
            self._timer = self._loop.call_later(wait_s, self._safely, self._tick)

    def _work(self) -> float:
        """Send messages; return in how many seconds there is more to do."""
        now, cell = self._clock(), self._cell()
        pages = self._pages.items()
        self._pages = {id_: page for id_, page in pages if not page.gone(now, cell)}
        self._update_shown_tables()
        wait_s = self._send_sessions(now)
        every = []
        pause_s = state_pause_s(len(self._watched()), crowded=self._crowded())
        for page, watched in self._watched():
            watched.state_pause_s = pause_s
            if watched.resting_until_s <= now:
                self._sender.send_state(page, watched, now)
            if watched.resting_until_s > now:
                wait_s = min(wait_s, watched.resting_until_s - now)
                continue
            wait_s = min(wait_s, max(0.0, watched.due_s(now) - now))
            every.append((page, watched))
        wait_s = min(wait_s, self._sender.send_content(every, now, cell))
        for page, watched in self._watched():
            self._sender.finish(page, watched, now)
        if wait_s == float("inf"):
            return wait_s
        return max(wait_s, 0.001)

    def _update_shown_tables(self) -> None:
        """Report to sessions which tables visible panels show."""
        shown: dict[str, frozenset[str]] = {}
        for _, watched in self._watched():
            feed = watched.feed
            if feed.visible:
                shown[feed.source.id] = shown.get(feed.source.id, frozenset()) | feed.tables
        self._sources.update_shown_tables(shown)

    def _watched(self) -> list[tuple[Page, Watched]]:
        return [(page, w) for page in self._pages.values() for w in page.watched.values()]

    def _send_sessions(self, now: float) -> float:
        """Send the list of sessions to every channel if it changed."""
        if not self._pages:
            return float("inf")
        due = self._chooser_at_s + STATUS_S - now
        if due > 0:
            return due
        self._chooser_at_s = now
        shown = chooser(self._sources.all(), recorder_on=self._recorder_on())
        if shown != self._chooser:
            self._chooser = shown
            message = outgoing("sessions", shown)
            for channel in {page.channel for page in self._pages.values()}:
                channel.send(message)
        return float("inf")
