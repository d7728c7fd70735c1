"""Messages between kernel and page (docs/protocol.md, part B): built and checked here.

Knows nothing of comms, sessions or recordings: text and arrays in, messages out.
"""

from __future__ import annotations

from daskscope.wire.arrow import arrow_stream
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
    "arrow_stream",
    "outgoing",
    "parse",
]
