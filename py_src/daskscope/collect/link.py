"""The connection to a scheduler, with the client's address and security but its own socket."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client
    from distributed.comm import Comm

CONNECT_TIMEOUT_S = 5.0
REFUSAL = "handler has been explicitly disallowed"
"""distributed's message for handlers in `blocked-handlers`, which is the only sign of them."""


class ClientView:
    """A view of a client for collectors, which does not keep the client alive."""

    def __init__(self, client: Client) -> None:
        self.id: str = client.id
        self._client = weakref.ref(client)

    @property
    def client(self) -> Client | None:
        """The client, or None once the user has dropped it."""
        return self._client()

    @property
    def over(self) -> bool:
        """Whether the client has been closed or forgotten."""
        client = self._client()
        return client is None or client.status in ("closing", "closed")

    @property
    def address(self) -> str | None:
        """The scheduler's address, once the client has it."""
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
        """Whether the client is asynchronous; `Client.asynchronous` depends on the thread."""
        client = self._client()
        return client is not None and bool(
            getattr(client, "_asynchronous", False) or client.asynchronous
        )


class HandlerRefused(Exception):  # noqa: N818 - a setting of the scheduler, not an error
    """The scheduler's settings forbid one of its handlers."""

    def __init__(self, op: str) -> None:
        super().__init__(op)
        self.op = op


class Link:
    """One connection, with one request at a time."""

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
        # Without deserialization, because unpickling a user's exception could run any code.
        comm = await connect(address, timeout=CONNECT_TIMEOUT_S, deserialize=False, **security)
        comm.name = "daskscope"
        # Requests are small: measuring their size costs more than an offload thread can save.
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
        """Drop the connection at once, without closing messages."""
        self._comm.abort()
