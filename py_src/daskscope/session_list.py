"""The sessions of this process: made, found, and for how long they are kept.

Those that the recorder made are kept here, since nothing else holds them; so are a
few that have stopped, since their client or they themselves were closed, for a panel that
is opened afterwards.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daskscope import collect
from daskscope.errors import DaskscopeError
from daskscope.listeners import Listeners
from daskscope.session import (
    Session,
    closed_by_user,
    count_block,
    parts_of,
    start,
    stopped_s,
    title_of,
    wait_until_attached,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client

    from daskscope.session import Unsubscribe
    from daskscope.stream.sources import Source

KEPT_STOPPED: Final = 3
"""So many stopped sessions stay listed at most; the user may hold any number."""


@dataclass(slots=True)
class _Hold:
    """How many blocks need a session, and whether one of them made it."""

    made: bool
    blocks: int = 0


_lock = threading.RLock()
_holds_lock = threading.Lock()  # held while a session begins or ends, which may take a second
_holds: weakref.WeakKeyDictionary[Session, _Hold] = weakref.WeakKeyDictionary()
_sessions: dict[str, Session] = {}  # by their ids, oldest first
_changed = Listeners[[]]("sessions of daskscope")
_unlisted: weakref.WeakKeyDictionary[object, Source] = weakref.WeakKeyDictionary()
"""What panels show and no chooser lists, by who holds it."""

_left_alone: weakref.WeakSet[Client] = weakref.WeakSet()
"""Clients of which the user closed a session: whatever was recorded is what was wanted."""


def connect(client: Client | None = None) -> Session:
    """Return the session of a client, by default the current one.

    Without a current client it is the newest one that is recorded.
    There is one session per client: connecting again returns the same one. It records until
    the client or the session is closed; after `session.close()`, this starts a new one.
    To capture all later tasks, this waits for the scheduler: usually milliseconds, at most a
    second. With an asynchronous client, await the session instead.
    """
    from distributed import Client

    if client is None:
        client = current_client()
    if not isinstance(client, Client):
        raise TypeError(f"client must be a distributed.Client or None, got {type(client).__name__}")
    with _lock:
        session = of_client(client.id)
        over = is_closed(client)
        if session is not None and (over or not closed_by_user(session)):
            return session
        if over:
            raise client_closed()
        session = Session(client, _on_session_end)
        start(session)
        _sessions[session.id] = session
        _forget_stopped()
    _changed.notify()
    if client.status == "running":  # otherwise it has no tasks yet
        wait_until_attached(session)
    return session


def is_closed(client: Client) -> bool:
    """Return whether a client is closed, or closing."""
    return client.status in ("closing", "closed")


def client_closed() -> DaskscopeError:
    """Return the error for recording a closed client."""
    return DaskscopeError(
        "client-closed",
        "This Dask client is closed and can no longer be recorded.",
        "Create a new one with Client().",
    )


def current_client() -> Client:
    """Return Dask's current client, else the newest one that is recorded."""
    from distributed import Client

    try:
        return Client.current()
    except ValueError:
        for session in reversed(sessions()):
            client = session.client
            if client is not None and not session.closed:
                return client
    make = "Create one with Client(), or pass one: connect(client)."
    if not (stopped := sessions()):
        text = "There is no Dask client to record."
        raise DaskscopeError("no-client", text, make)
    listed = "; ".join(f"[{i}] {title_of(session)}" for i, session in enumerate(stopped))
    raise DaskscopeError(
        "no-client",
        f"There is no current Dask client, and all of daskscope.sessions() have stopped: {listed}.",
        "To see one of them, use daskscope.sessions()[0].recording or "
        f"daskscope.TaskStream(daskscope.sessions()[0]). {make}",
    )


def sessions() -> list[Session]:
    """Return the sessions of this process, oldest first, including a few that have stopped."""
    with _lock:
        return list(_sessions.values())


def hold_session(client: Client | None) -> Session:
    """Return the session of a client for one more block."""
    client = client or _current()
    with _holds_lock:  # otherwise another block could end meanwhile, and close the session
        known = of_client(getattr(client, "id", ""))  # `connect` raises an error for other objects
        session = connect(client)
        if is_closed(client):  # a block cannot record it any more
            raise client_closed()
        one = _holds.setdefault(session, _Hold(made=session is not known))
        one.blocks += 1
    count_block(session, 1)
    return session


def _current() -> Client:
    """Return the current client; without one, a block needs only the short error."""
    try:
        return current_client()
    except DaskscopeError as error:
        text = "There is no current Dask client."
        todo = "Run Client() first, or pass a client: client=…"
        raise DaskscopeError(error.code, text, todo) from None


def release_session(session: Session) -> None:
    """End the hold of one block on a session."""
    count_block(session, -1)
    with _holds_lock:
        one = _holds[session]
        one.blocks -= 1
        if one.blocks:
            return
        del _holds[session]
        if one.made:
            session.close()


def sources() -> list[Source]:
    """Return all that pages may see."""
    with _lock:
        return [*_sessions.values(), *_unlisted.values()]


def show(owner: object, source: Source) -> None:
    """Show a source that is not a session in pages, as long as its owner lives."""
    with _lock:
        if owner not in _unlisted:
            weakref.finalize(owner, _notify_soon).atexit = False
        _unlisted[owner] = source
    _changed.notify()


def _notify_soon() -> None:
    """Report a change from a finalizer, which must not wait for a lock."""
    threading.Thread(target=_changed.notify, name="daskscope-forget", daemon=True).start()


def find(session_id: str) -> Session | None:
    """Return the session with an id."""
    with _lock:
        return _sessions.get(session_id)


def of_client(client_id: str) -> Session | None:
    """Return the newest session of a client, by the client's id."""
    with _lock:
        newest_first = reversed(_sessions.values())
        return next((session for session in newest_first if session.client_id == client_id), None)


def was_closed_by_user(client: Client) -> bool:
    """Return whether a session of this client was closed: the recorder leaves it alone."""
    session = of_client(client.id)
    return client in _left_alone or (session is not None and closed_by_user(session))


def on_sessions_changed(callback: Callable[[], None]) -> Unsubscribe:
    """Call `callback()` when a session comes, stops or is closed; from any thread."""
    return _changed.add(callback)


def _on_session_end(session: Session) -> None:
    """Take note that a session has stopped, or that the user has closed it."""
    client = session.client
    if closed_by_user(session) and client is not None:
        _left_alone.add(client)
    _forget_stopped()
    _changed.notify()


def _forget_stopped() -> None:
    """Keep those sessions that stopped last, all within the bounds of one recording."""
    memory = disk = 0
    with _lock:
        stopped = [session for session in _sessions.values() if session.closed]
        stopped.sort(key=stopped_s, reverse=True)
        for place, session in enumerate(stopped):
            parts = parts_of(session)
            memory += parts.store.memory_bytes
            disk += parts.store.disk_bytes
            limits = parts.limits
            full = memory > limits.memory_limit or disk > limits.disk_limit
            if place and (place >= KEPT_STOPPED or full):  # the last is kept in any case
                _sessions.pop(session.id, None)


@collect.after_fork
def _forget_all() -> None:
    """In a forked child the sessions belong to the parent."""
    global _lock, _holds_lock
    _lock, _holds_lock = threading.RLock(), threading.Lock()
    _sessions.clear()
    _unlisted.clear()
    _holds.clear()
    _changed.clear()
