"""Observes the graphs that clients of this process send.

The cell of a graph is known only while the graph is sent. The scheduler's agent reports one key
of each graph, which is matched with the first sent graph that has this key.
"""

from __future__ import annotations

import ast
import logging
import time
import weakref
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from daskscope.agent.packing import clean_text
from daskscope.collect.poll_pace import Clock
from daskscope.forks import after_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from distributed import Client

    from daskscope.collect.link import ClientView

logger = logging.getLogger(__name__)

MAX_PENDING: Final = 10_000
MAX_PENDING_S: Final = 300.0
"""Bounds for graphs that the scheduler has not reported: their number, and their age."""

SEND: Final = "_send_to_scheduler"
NFRAMES: Final = "distributed.diagnostics.computations.nframes"
FRAMES: Final = 2
"""Value for the setting NFRAMES (frames of code that clients send), if it is 0."""
MAX_WITH_CODE: Final = 3
"""Graphs with code between two answers, since Dask takes a millisecond to look up code."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A graph that was sent; `time` is by this computer's clock."""

    client: ClientView
    keys: Collection[Any]
    cell: str
    time: float
    packed_code: Any

    def has(self, key: str, parsed: Any) -> bool:
        """Return whether the graph asks for a key, given as text and, if a tuple, also parsed."""
        if key in self.keys or parsed is not None:
            return key in self.keys or parsed in self.keys
        is_tuple, changed = key.startswith("("), "\ufffd" in key or key.endswith("…")
        return any(
            clean_text(one) == key
            for one in self.keys
            if changed or (not isinstance(one, str) and isinstance(one, tuple) == is_tuple)
        )

    @property
    def code(self) -> str:
        """The code that sent the graph, from the outermost frame to the innermost."""
        frames = getattr(self.packed_code, "data", self.packed_code) or ()
        return "\n\n".join(str(getattr(frame, "code", frame)) for frame in frames)


class _Hook:
    """Replaces ``client._send_to_scheduler``, and passes every message on unchanged."""

    def __init__(self, client: Client, view: ClientView, cell: Callable[[], str]) -> None:
        # A weak reference, because a bound method would keep the client alive.
        self._client, self._send = weakref.ref(client), getattr(type(client), SEND)
        self._before = vars(client).get(SEND)
        self._view, self._cell = view, cell
        self.sessions: tuple[SentGraphs, ...] = ()

    def __call__(self, message: Any, *args: Any, **more: Any) -> Any:
        if self.sessions:
            try:
                if message["op"] == "update-graph":
                    self._note(message)
            except Exception:  # the client must send the graph in any case
                logger.debug("a graph could not be noted", exc_info=True)
        if self._before is not None:
            return self._before(message, *args, **more)
        return self._send(self._client(), message, *args, **more)

    def _note(self, message: Any) -> None:
        sent = (self._view, message["keys"], self._cell(), time.time(), message.get("code"))
        for one in _open:  # the agent may report this graph to another client's session
            one.came.append(sent)
        _count_graph()

    def restore(self) -> None:
        """Restore the client; if another hook wraps this one, this one stays, and only forwards."""
        client = self._client()
        if client is None or vars(client).get(SEND) is not self:
            return
        if self._before is None:
            delattr(client, SEND)
        else:
            setattr(client, SEND, self._before)


_lock = Lock()
_open: tuple[SentGraphs, ...] = ()  # replaced, never changed
_nframes_before: int | None = None  # the user's setting while ours is active
_with_code = 0  # number of graphs sent since the latest answer


class SentGraphs:
    """The graphs that were sent and not yet reported by the scheduler of a session.

    Any thread may send; the collecting thread calls all other methods.
    """

    def __init__(self, client: ClientView, cell: Callable[[], str]) -> None:
        self._view = client
        self._cell = cell
        self._hook: _Hook | None = None
        self.came: deque[tuple[ClientView, Collection[Any], str, float, Any]]
        self.came = deque(maxlen=MAX_PENDING)  # any thread may append to a deque without lock
        self._pending: list[Sent] = []
        self.clock = Clock()

    def open(self) -> None:
        """Start watching the client. Any thread may call this."""
        global _open, _nframes_before
        client = self._view.client
        with _lock:
            if client is None or self in _open or not hasattr(client, SEND):
                return
            found = vars(client).get(SEND)
            if not isinstance(found, _Hook):
                found = _Hook(client, self._view, self._cell)
                setattr(client, SEND, found)
            self._hook = found
            found.sessions = (*found.sessions, self)
            if not _open:
                _nframes_before = _changed_nframes(0, FRAMES)
            _open = (*_open, self)

    def close(self) -> None:
        """Undo all changes; a second call does nothing."""
        global _open, _nframes_before
        with _lock:
            hook, self._hook = self._hook, None
            if hook is None:
                return
            _open = tuple(one for one in _open if one is not self)
            hook.sessions = tuple(one for one in hook.sessions if one is not self)
            if not hook.sessions:
                hook.restore()
            if not _open and _nframes_before is not None:
                _changed_nframes(FRAMES, _nframes_before)
                _nframes_before = None
        self._pending = []

    def take(self, client: str, key: str) -> Sent | None:
        """Remove and return the first graph of a client that asks for a key."""
        self._forget_old()
        parsed = None
        if key.startswith("("):
            with suppress(Exception):
                parsed = ast.literal_eval(key)
                hash(parsed)
        for place, sent in enumerate(self._pending):
            if sent.client.id == client and sent.has(key, parsed):
                return self._pending.pop(place)
        return None

    def answered(self) -> None:
        """Note that all graphs of an answer of the scheduler were taken."""
        global _with_code
        self._forget_old()
        if _with_code >= MAX_WITH_CODE:
            with _lock:
                if _nframes_before is not None:
                    _changed_nframes(0, FRAMES)
        _with_code = 0

    def _forget_old(self) -> None:
        """Forget graphs that were not reported for long, or went to another scheduler."""
        address, came = self._view.address, self.came
        while came:
            sent = Sent(*came.popleft())
            if sent.client is self._view or sent.client.address == address:
                self._pending.append(sent)
        since = time.time() - MAX_PENDING_S
        if self._pending and (len(self._pending) > MAX_PENDING or self._pending[0].time < since):
            self._pending = [one for one in self._pending if one.time >= since][-MAX_PENDING:]


def _count_graph() -> None:
    """Count a sent graph; after MAX_WITH_CODE, switch code off until the next answer."""
    global _with_code
    _with_code += 1
    if _with_code == MAX_WITH_CODE:
        with _lock:
            if _nframes_before is not None:
                _changed_nframes(FRAMES, 0)


def _changed_nframes(old: int, new: int) -> int | None:
    """Change the setting NFRAMES from `old` to `new`; return None if it was not `old`."""
    import dask.config

    if dask.config.get(NFRAMES, None) != old:
        return None
    dask.config.set({NFRAMES: new})
    return old


@after_fork
def _forget_all() -> None:
    """Remove all hooks in a forked child, where nothing is collected."""
    global _lock, _nframes_before
    _lock, _nframes_before = Lock(), None  # in the child, dask.config's lock may never be free
    for one in _open:
        one.close()
