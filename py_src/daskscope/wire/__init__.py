"""Messages between kernel and page (docs/protocol.md, part B): built and checked here.

Knows nothing of comms, sessions or recordings: text and arrays in, messages out.
"""

from __future__ import annotations

from daskscope.wire.columns import pack_columns
from daskscope.wire.messages import Outgoing, outgoing
from daskscope.wire.parse import (
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
    parse,
)

__all__ = [
    "Ack",
    "Ask",
    "BadMessageError",
    "Bye",
    "Hello",
    "Outgoing",
    "PageMessage",
    "SetFocus",
    "Unwatch",
    "WantCode",
    "Watch",
    "outgoing",
    "pack_columns",
    "parse",
]
