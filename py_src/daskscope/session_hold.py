"""Who needs a session for a while: blocks that record, and samples of memory.

A session that one of them made is closed with the last of them.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daskscope import collect
from daskscope.errors import DaskscopeError
from daskscope.session_list import client_closed, connect, current_client, is_closed, of_client

if TYPE_CHECKING:
    from distributed import Client

    from daskscope.session import Session


@dataclass(slots=True)
class _Hold:
    """How many blocks need a session, and whether one of them made it."""

    made: bool
    blocks: int = 0


_lock = threading.Lock()
_holds: weakref.WeakKeyDictionary[Session, _Hold] = weakref.WeakKeyDictionary()


def hold_session(client: Client | None) -> Session:
    """Return the session of a client for one more block."""
    client = client or _current()
    with _lock:  # whole: between the two another block could end, and close the session
        known = of_client(getattr(client, "id", ""))  # of what is no client, connect says so
        session = connect(client)
        if is_closed(client):  # what was recorded of it is no block's
            raise client_closed()
        one = _holds.setdefault(session, _Hold(made=session is not known))
        one.blocks += 1
    session._count_block(1)
    return session


def _current() -> Client:
    """Return the current client; where there is none a block has nothing to look back at."""
    try:
        return current_client()
    except DaskscopeError as error:
        text = "There is no current Dask client."
        todo = "Run Client() first, or pass a client: client=…"
        raise DaskscopeError(error.code, text, todo) from None


def let_go_of(session: Session) -> None:
    """Say that one block less needs a session."""
    session._count_block(-1)
    with _lock:
        one = _holds[session]
        one.blocks -= 1
        if one.blocks:
            return
        del _holds[session]
        if one.made:
            session.close()


@collect.after_fork
def _renew() -> None:
    """In a forked child nobody holds the lock, and sessions belong to the parent."""
    global _lock
    _lock = threading.Lock()
    _holds.clear()
