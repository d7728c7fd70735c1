"""The keys of one session on their way to one page: which were sent, which come next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.schema import LIMITS
from daskscope.stream.contents import Keys
from daskscope.stream.ranges import Range, Ranges

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore

KEY_PIECES: Final = 64
KEYS_BYTES: Final = LIMITS["batch_bytes"] // 2
PAGE_KEY_BYTES: Final = LIMITS["page_key_bytes"]
"""A page keeps so many bytes of keys; what would push others out is sent only if asked for."""


class KeyCursor:
    """A feed's keys. What is planned counts as sent only when `took` says so."""

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._sent = Ranges()
        self._sent_bytes = 0
        self._asked: dict[Range, int] = {}  # whole blocks and their bytes, in order

    @property
    def asked(self) -> bool:
        """Whether keys are wanted that have not been sent yet."""
        return bool(self._asked)

    def restart(self) -> None:
        """Nothing of what was sent is there any more."""
        self._sent = Ranges()
        self._sent_bytes = 0

    def ask(self, first: int, stop: int, on_their_way: Ranges) -> None:
        """Send these keys first, again if need be: a page keeps only so many."""
        for chunk in self._recording.chunks_of(first, stop):
            for block in chunk.keys:
                wanted = max(first, block.first), min(stop, block.stop)
                if wanted[0] < wanted[1] and on_their_way.missing(*wanted):
                    # The whole block: a neighbour will be asked for next.
                    self._asked[block.first, block.stop] = len(block.data)

    def plan_asked(self, max_bytes: float) -> Keys | None:
        """Return keys that were asked for."""
        pieces: list[Range] = []
        size = 0
        for piece, size_bytes in self._asked.items():
            if len(pieces) == KEY_PIECES or size >= min(KEYS_BYTES, max_bytes / 2):
                break
            pieces.append(piece)
            size += size_bytes
        return Keys(tuple(pieces)) if pieces else None

    def plan(self, max_bytes: float) -> Keys | None:
        """Return keys that nobody asked for, newest first, until a page has enough."""
        chunks = self._recording.chunks()
        if not chunks:
            return None
        room = min(KEYS_BYTES, max_bytes / 2, PAGE_KEY_BYTES - self._sent_bytes)
        first, stop = chunks[0].first, self._recording.next_task
        size = 0
        pieces: list[Range] = []
        while size < room and len(pieces) < KEY_PIECES:
            gap = self._sent.newest_gap(first, stop)
            if gap is None:
                break
            chunk = self._recording.chunk_of(gap[1] - 1)
            blocks = [b for b in chunk.keys if b.first < gap[1] <= b.stop] if chunk else []
            if not blocks:
                break
            stop = max(gap[0], blocks[0].first)
            pieces.append((stop, gap[1]))
            size += len(blocks[0].data)
        return Keys(tuple(pieces)) if pieces else None

    def took(self, keys: Keys, size_bytes: int) -> None:
        """Count a message with these keys as sent."""
        self._sent_bytes += size_bytes
        for piece in keys.pieces:
            self._asked.pop(piece, None)
            self._sent.add(*piece)
