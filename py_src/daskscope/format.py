"""Numbers as people read them: as panels write them (`js_src/base/format.ts`)."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTHING: Final = "–"
_BYTE_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
LONGEST_IN_SECONDS: Final = 120
"""Longer durations are shown in minutes."""
LONGEST_SUM_IN_SECONDS: Final = 36_000
"""Longer sums over threads are shown in hours."""

MOST_DECIMALS: Final = 6
_ZEROS: Final = re.compile(r"(\.\d*?[1-9])0+$")


def count_text(count: float, one: str, many: str = "") -> str:
    """Return how many there are of something.

    >>> count_text(1, "task"), count_text(1211, "task")
    ('1 task', '1,211 tasks')
    """
    return f"{count:,.0f} {one if count == 1 else many or one + 's'}"


def seconds_text(seconds: float) -> str:
    """Return a single duration.

    >>> [seconds_text(s) for s in (0, 412e-6, 0.0061, 0.25, 9.714, 29.14, 149, 5000)]
    ['0 s', '412 µs', '6.1 ms', '250 ms', '9.71 s', '29.1 s', '2 m 29 s', '1.4 h']
    """
    if not math.isfinite(seconds):
        return NOTHING
    size, sign = abs(seconds), "−" if seconds < 0 else ""
    whole = math.floor(size + 0.5)
    if whole >= 3600:
        return f"{sign}{math.floor(size / 360 + 0.5) / 10:,.1f} h"
    if size >= LONGEST_IN_SECONDS - 0.05:
        return f"{sign}{whole // 60} m {whole % 60} s"
    if size == 0:
        return "0 s"
    if size < 999.5e-6:
        return f"{sign}{size * 1e6:.0f} µs"
    if size < 9.95e-3:
        return f"{sign}{size * 1e3:.1f} ms"
    if size < 0.9995:
        return f"{sign}{size * 1e3:.0f} ms"
    return f"{sign}{size:.2f} s" if size < 9.995 else f"{sign}{size:.1f} s"


def seconds_among(seconds: float, longest: float) -> str:
    """Return a duration in a column: in one unit, with as many decimals as the longest has.

    >>> [seconds_among(s, 149.2) for s in (149.2, 0.2, 0.02)]
    ['149.2 s', '0.2 s', '< 0.1 s']
    >>> [seconds_among(s, 90_000) for s in (90_000, 5_000)]
    ['25.0 h', '1.4 h']
    """
    if not math.isfinite(seconds):
        return NOTHING
    if longest >= LONGEST_SUM_IN_SECONDS - 0.05:
        scale, unit, decimals = 1 / 3600, "h", 1
    elif longest >= 0.9995 or longest == 0:
        scale, unit, decimals = 1.0, "s", 1 if longest >= 9.995 else 2
    elif longest >= 999.5e-6:
        scale, unit, decimals = 1e3, "ms", 0 if longest >= 9.95e-3 else 1
    else:
        scale, unit, decimals = 1e6, "µs", 0
    value, least = seconds * scale, 10.0**-decimals
    if 0 < value < least / 2:
        return f"< {least:.{decimals}f} {unit}"
    return f"{value:,.{decimals}f} {unit}"


def share_text(share: float) -> str:
    """Return a share between 0 and 1; what is not nothing is never `0 %`.

    >>> [share_text(share) for share in (0.884, 0.003, 0)]
    ['88 %', '< 1 %', '0 %']
    """
    if not math.isfinite(share):
        return NOTHING
    return "< 1 %" if 0 < share < 0.005 else f"{share * 100:.0f} %"


def moment_text(seconds: float) -> str:
    """Return a time of the run, as axes show it.

    >>> [moment_text(s) for s in (16.52, 149, 5000)]
    ['16.5 s', '2:29', '1:23:20']
    """
    if not math.isfinite(seconds) or abs(seconds) < LONGEST_IN_SECONDS - 0.05:
        return seconds_text(seconds)
    minutes, rest = divmod(math.floor(abs(seconds) + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours:,}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{'−' if seconds < 0 else ''}{clock}"


def bytes_text(size: float) -> str:
    """Return a size.

    >>> [bytes_text(b) for b in (912, 48.3 * 2**20, 2.62 * 2**30)]
    ['912 B', '48.3 MiB', '2.62 GiB']
    """
    if not math.isfinite(size):
        return NOTHING
    unit = 0
    while abs(size) >= 1023.5 and unit < len(_BYTE_UNITS) - 1:
        size /= 1024
        unit += 1
    decimals = 0 if unit == 0 or abs(size) >= 99.95 else 1 if abs(size) >= 9.995 else 2
    return f"{size:,.{decimals}f} {_BYTE_UNITS[unit]}"


def amount_text(amount: float) -> str:
    """Return an amount of money: two digits that say something; what is not zero is never 0.

    >>> [amount_text(one) for one in (0.00776, 1.2, 1.0, 153.4, 1e-8)]
    ['0.0078', '1.2', '1.00', '153', '< 0.000001']
    """
    if not math.isfinite(amount):
        return NOTHING
    size, least = abs(amount), 10.0**-MOST_DECIMALS
    if 0 < size < least:
        return f"< {least:.{MOST_DECIMALS}f}"
    if size == 0 or round(size * 100) >= 10_000:  # as it will be read: 99.999 is 100
        return f"{amount:,.0f}"
    decimals = 2 if size >= 1 else min(MOST_DECIMALS, 1 - math.floor(math.log10(size)))
    return _ZEROS.sub(r"\1", f"{amount:.{decimals}f}")


def raised_text(exception: Mapping[str, object]) -> str:
    """Return what was raised: some exceptions have no words of their own.

    >>> raised_text({"type": "ValueError", "text": "no"})
    'ValueError: no'
    >>> raised_text({"type": "KeyboardInterrupt", "text": ""})
    'KeyboardInterrupt'
    """
    parts = (str(exception.get(name, "")) for name in ("type", "text"))
    return ": ".join(part for part in parts if part)


def natural(name: str) -> list[tuple[int, str]]:
    """Return a key that orders names as people do.

    >>> sorted(["worker-10", "worker-9", "a"], key=natural)
    ['a', 'worker-9', 'worker-10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(p), "") if p[0].isdecimal() and len(p) < 20 else (-1, p) for p in parts]


def cut(text: str, most: int) -> str:
    """Return a text with at most so many characters.

    >>> cut("abcdef", 6), cut("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def some_of(names: list[str], most: int = 5) -> str:
    """Return some names, and how many more there are.

    >>> some_of(["a", "b"]), some_of(["a", "b", "c", "d"], most=2)
    ('a, b', 'a, b and 2 more')
    """
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most:,} more"


_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
"""Categories of characters that move the cursor, turn the direction, or cannot be written."""

_JOINERS: Final = "\u200c\u200d"
"""They are parts of words and of emoji."""


def visible(text: str, layout: str = "") -> str:
    r"""Return text that changes nothing around it: what a terminal or a page would obey is �.

    >>> visible("one\ntwo\x1b[2J\u202e"), visible("one\ntwo", layout="\n")
    ('one�two�[2J�', 'one\ntwo')
    """
    if text.isascii() and text.isprintable():
        return text
    allowed = layout + _JOINERS
    return "".join(
        "\ufffd" if unicodedata.category(c) in _HIDDEN and c not in allowed else c for c in text
    )


def one_line(text: object) -> str:
    r"""Return text on one line that changes nothing around it.

    >>> one_line("one\n two\x1b[2J")
    'one two�[2J'
    """
    return visible(" ".join(str(text).split()))
