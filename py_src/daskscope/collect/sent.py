"""The graphs that clients of this process send, seen as they are sent.

Only the thread that sends a graph knows its cell. The scheduler's agent reports one key of each
graph; the first graph that was sent with this key is the one.
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
"""So many graphs that the scheduler has not reported are remembered, and so long."""

SEND: Final = "_send_to_scheduler"
NFRAMES: Final = "distributed.diagnostics.computations.nframes"
FRAMES: Final = 2
"""Of so many frames clients send the code, if the setting above says that they send none."""
MAX_WITH_CODE: Final = 3
"""So many graphs have code between two answers: looking it up takes Dask a millisecond each."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A graph that was sent; `time` is this computer's."""

    client: ClientView
    keys: Collection[Any]
    cell: str
    time: float
    packed_code: Any

    def has(self, key: str, parsed: Any) -> bool:
        """Return whether it asks for a key, given as text and, of a tuple, as what that says."""
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
        """The code that sent it, from the outermost frame to the innermost."""
        frames = getattr(self.packed_code, "data", self.packed_code) or ()
        return "\n\n".join(str(getattr(frame, "code", frame)) for frame in frames)


class _Hook:
    """Stands in for ``client._send_to_scheduler``, and passes everything on as it is."""

    def __init__(self, client: Client, view: ClientView, cell: Callable[[], str]) -> None:
        # What sends holds the client; this must not.
        self._client, self._send = weakref.ref(client), getattr(type(client), SEND)
        self._before = vars(client).get(SEND)
        self._view, self._cell = view, cell
        self.sessions: tuple[SentGraphs, ...] = ()

    def __call__(self, message: Any, *args: Any, **more: Any) -> Any:
        if self.sessions:
            try:
                if message["op"] == "update-graph":
                    self._note(message)
            except Exception:  # whatever it was, the client sends it
                logger.debug("a graph could not be noted", exc_info=True)
        if self._before is not None:
            return self._before(message, *args, **more)
        return self._send(self._client(), message, *args, **more)

    def _note(self, message: Any) -> None:
        sent = (self._view, message["keys"], self._cell(), time.time(), message.get("code"))
        for one in _open:  # a graph of this client may be reported to the session of another
            one.came.append(sent)
        _count_code()

    def give_back(self) -> None:
        """Leave the client as it was; a hook that was put over this one stays, and passes on."""
        client = self._client()
        if client is None or vars(client).get(SEND) is not self:
            return
        if self._before is None:
            delattr(client, SEND)
        else:
            setattr(client, SEND, self._before)


_lock = Lock()
_open: tuple[SentGraphs, ...] = ()  # replaced, never changed
_nframes_before: int | None = None  # of the user, while ours is set
_with_code = 0  # graphs since the latest answer


class SentGraphs:
    """What was sent and not yet reported by the scheduler of a session.

    Any thread sends; all else is called by the thread that collects.
    """

    def __init__(self, client: ClientView, cell: Callable[[], str]) -> None:
        self._view = client
        self._cell = cell
        self._hook: _Hook | None = None
        self.came: deque[tuple[ClientView, Collection[Any], str, float, Any]]
        self.came = deque(maxlen=MAX_PENDING)  # from any thread: a deque needs no lock for that
        self._pending: list[Sent] = []
        self.clock = Clock()

    def open(self) -> None:
        """Begin to watch the client, from any thread."""
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
        """Give back what was changed; again does nothing."""
        global _open, _nframes_before
        with _lock:
            hook, self._hook = self._hook, None
            if hook is None:
                return
            _open = tuple(one for one in _open if one is not self)
            hook.sessions = tuple(one for one in hook.sessions if one is not self)
            if not hook.sessions:
                hook.give_back()
            if not _open and _nframes_before is not None:
                _changed_nframes(FRAMES, _nframes_before)
                _nframes_before = None
        self._pending = []

    def take(self, client: str, key: str) -> Sent | None:
        """Return the first graph of a client that asks for a key, and forget it."""
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
        """Take note of an answer of the scheduler, of which all graphs were taken."""
        global _with_code
        self._forget_old()
        if _with_code >= MAX_WITH_CODE:
            with _lock:
                if _nframes_before is not None:
                    _changed_nframes(0, FRAMES)
        _with_code = 0

    def _forget_old(self) -> None:
        """Forget what was not reported for long, and what went to another scheduler."""
        address, came = self._view.address, self.came
        while came:
            sent = Sent(*came.popleft())
            if sent.client is self._view or sent.client.address == address:
                self._pending.append(sent)
        since = time.time() - MAX_PENDING_S
        if self._pending and (len(self._pending) > MAX_PENDING or self._pending[0].time < since):
            self._pending = [one for one in self._pending if one.time >= since][-MAX_PENDING:]


def _count_code() -> None:
    """Let clients send no more code until the next answer, if they sent that of many graphs."""
    global _with_code
    _with_code += 1
    if _with_code == MAX_WITH_CODE:
        with _lock:
            if _nframes_before is not None:
                _changed_nframes(FRAMES, 0)


def _changed_nframes(old: int, new: int) -> int | None:
    """Set how many frames of code clients send, if it is `old`; return `old` if it was."""
    import dask.config

    if dask.config.get(NFRAMES, None) != old:
        return None
    dask.config.set({NFRAMES: new})
    return old


@after_fork
def _forget_all() -> None:
    """Leave the clients of a forked child alone: nothing is collected there."""
    global _lock, _nframes_before
    _lock, _nframes_before = Lock(), None  # the lock of dask.config may be held for ever there
    for one in _open:
        one.close()
