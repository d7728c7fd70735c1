"""The connection to a scheduler: the client's address and security, our own socket."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client
    from distributed.comm import Comm

CONNECT_TIMEOUT_S = 5.0
REFUSAL = "handler has been explicitly disallowed"
"""distributed's message for handlers in `blocked-handlers`, and its only sign."""


class ClientView:
    """What a collector may know of a client, without keeping it alive."""

    def __init__(self, client: Client) -> None:
        self.id: str = client.id
        self._client = weakref.ref(client)

    @property
    def client(self) -> Client | None:
        """The client, or nothing once the user has let it go."""
        return self._client()

    @property
    def over(self) -> bool:
        """Whether the client has been closed or forgotten."""
        client = self._client()
        return client is None or client.status in ("closing", "closed")

    @property
    def address(self) -> str | None:
        """Where the scheduler is, once the client knows it."""
        client = self._client()
        scheduler = getattr(client, "scheduler", None)
        return getattr(scheduler, "address", None)

    @property
    def connected(self) -> bool:
        """Whether the client is registered with its scheduler."""
        client = self._client()
        return client is not None and client.status == "running"

    @property
    def asynchronous(self) -> bool:
        """Whether it was made to be awaited; `Client.asynchronous` speaks of the calling thread."""
        client = self._client()
        return client is not None and bool(
            getattr(client, "_asynchronous", False) or client.asynchronous
        )


class HandlerRefused(Exception):  # noqa: N818 - a setting of the scheduler, no mistake
    """The scheduler's settings forbid one of its handlers."""

    def __init__(self, op: str) -> None:
        super().__init__(op)
        self.op = op


class Link:
    """One connection; requests go one after the other."""

    def __init__(self, comm: Comm) -> None:
        self._comm = comm

    @classmethod
    async def open(cls, view: ClientView) -> Link:
        """Connect to the scheduler of a client, or raise `OSError`."""
        from distributed.comm import connect

        client, address = view.client, view.address
        if client is None or address is None:
            raise ConnectionError("there is no scheduler")
        security = client.security.get_connection_args("client")
        # Not deserialized: what a user's exception pickles to is none of our business.
        comm = await connect(address, timeout=CONNECT_TIMEOUT_S, deserialize=False, **security)
        comm.name = "daskscope"
        # Requests are small: measuring each costs more than any thread could save.
        comm.allow_offload = False
        return cls(comm)

    async def ask(self, op: str, **arguments: Any) -> Any:
        """Call a handler of the scheduler and return its answer."""
        from distributed.core import send_recv

        try:
            return await send_recv(self._comm, op=op, **arguments)
        except OSError:
            raise
        except Exception as error:
            if REFUSAL in str(error):
                raise HandlerRefused(op) from error
            raise

    async def close(self) -> None:
        """Close the connection, whatever its state."""
        if not self._comm.closed():
            await self._comm.close()

    def abort(self) -> None:
        """Drop the connection without a word."""
        self._comm.abort()
