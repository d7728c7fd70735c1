"""What the kernel says: JSON that every receiver can read, and its binary buffers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from daskscope.schema import KERNEL_MESSAGES

Buffer = bytes | memoryview

ENVELOPE_BYTES: Final = 600
"""Headers and signature of a Jupyter message, roughly."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message that is ready to be sent, and how large it is."""

    message: dict[str, Any]
    buffers: tuple[Buffer, ...]
    size_bytes: int


def outgoing(kind: str, fields: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> Outgoing:
    """Make a message. Text that is no Unicode and numbers that are no JSON are mended.

    >>> outgoing("bye", {"page": "p", "session": "s", "text": "gone"}).message["type"]
    'bye'
    """
    if kind not in KERNEL_MESSAGES:
        raise ValueError(f"kind: {kind!r} is not a message of the kernel")
    message = {"type": kind, **_clean(fields)}
    text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    size = len(text.encode()) + sum(len(buffer) for buffer in buffers) + ENVELOPE_BYTES
    return Outgoing(message, tuple(buffers), size)


def _clean(value: Any) -> Any:
    """Return `value` as plain JSON."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        # Nothing on a page can do anything with NaN; zero is drawn as nothing.
        return float(value) if math.isfinite(value) else 0.0
    if isinstance(value, Mapping):
        return {str(_clean(str(key))): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_clean(item) for item in value]
    return _clean(str(value))
