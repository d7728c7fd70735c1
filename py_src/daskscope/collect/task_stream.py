"""What is new in Dask's own task stream: each task once, and what it forgot before we asked.

The stream is a buffer in order of arrival that drops its oldest tasks. Since distributed 2026.5
it tells how many came in all, so what it has dropped can be counted. Before, it can be asked by
time, which would lose reports that arrive late, or for its last so many: then the last task that
is known is looked for among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.collect.link import Link

    Message = Mapping[str, Any]

LEAST_COUNT: Final = 16
MORE: Final = 4
"""Asked for so many times as many, when the last known task was not among them."""


@dataclass(frozen=True, slots=True)
class News:
    """What one reading of the stream brought."""

    messages: Sequence[Message]
    forgotten: int | None = 0
    """Tasks that can no longer be read; ``None`` for some of which nobody knows how many."""


class TaskStream:
    """Reads the stream of one scheduler, from its beginning or from now on."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._knows_index = True
        self._read_once = False  # a refusal is to be known before the first task is lost
        self._cursor = 0  # of all that came so many have been read, or are known to be forgotten
        self._last: tuple[Any, ...] | None = None  # the newest that was read
        self._count = LEAST_COUNT

    async def skip(self) -> None:
        """Leave out what the stream has now."""
        index = await self._index()
        if index is not None:
            self._cursor = index
            return
        messages = await self.link.ask("get_task_stream", count=1)
        self._last = _identity(messages[-1]) if messages else None

    async def read(self) -> News:
        """Return what is new."""
        index = await self._index()
        news = await (self._last_ones() if index is None else self._from_cursor(index))
        if news.messages:
            self._last = _identity(news.messages[-1])
        return news

    async def _index(self) -> int | None:
        """Return how many tasks came in all, where the scheduler tells."""
        if not self._knows_index:
            return None
        try:
            index: int | None = await self.link.ask("get_task_stream_index")
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - forbidden, for example
            index = None
        self._knows_index = index is not None
        return index

    async def _from_cursor(self, index: int) -> News:
        """Read by index.

        More tasks come, and push others out, between the two questions. So at least `index`
        tasks were read or are forgotten after the second one. What that underrates is counted
        by a later index; until then the next answer begins with tasks that were read.
        """
        began_anew = index < self._cursor  # somebody removed the stream from the scheduler
        if began_anew:
            self._cursor = 0
        if index == self._cursor and self._read_once:
            return News((), None if began_anew else 0)
        messages = await self.link.ask("get_task_stream", start_index=self._cursor)
        self._read_once = True
        new = messages[self._known(messages) :]
        read = self._cursor + len(new)
        self._cursor = max(read, index)
        return News(new, None if began_anew else self._cursor - read)

    async def _last_ones(self) -> News:
        """Read the newest tasks, more of them until the last known one is there."""
        if self._last is None:
            return News(await self.link.ask("get_task_stream"))
        count = self._count
        while True:
            messages = await self.link.ask("get_task_stream", count=count)
            known = self._known(messages)
            if known or len(messages) < count:
                break
            count *= MORE
        self._count = max(LEAST_COUNT, 2 * (len(messages) - known))
        return News(messages[known:], 0 if known else None)

    def _known(self, messages: Sequence[Message]) -> int:
        """Return how many of the first messages were read before: up to the last known one."""
        if self._last is not None:
            for place in range(len(messages) - 1, -1, -1):
                if messages[place]["key"] == self._last[0] and (
                    _identity(messages[place]) == self._last
                ):
                    return place + 1
        return 0


def _identity(message: Message) -> tuple[Any, ...]:
    """Return what tells one run of a task from all others; a key may run again."""
    # As text, times that are no numbers equal themselves.
    times = repr(message.get("startstops"))
    return (message["key"], message.get("worker"), message.get("thread"), times)
