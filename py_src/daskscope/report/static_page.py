"""What a report says without scripts: its figures as tables. The page puts itself in their place.

Everything that comes from users is text: `shown` is the only way in.
"""

from __future__ import annotations

import time
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Any, Final

from daskscope.words import (
    amount_text,
    bytes_text,
    count_text,
    seconds_among,
    seconds_text,
    share_text,
    some_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_ROWS: Final = 100
MAX_CHARACTERS: Final = 20_000
_INVISIBLE: Final = ("Cc", "Cs", "Cn", "Co")
_LAYOUT: Final = "\n\t"

STYLE: Final = (
    b"#daskscope-report>:is(h1,h2,p,table,pre){margin:8px 16px;overflow-wrap:anywhere}"
    b"#daskscope-report>h1{font-size:1.5em}#daskscope-report>h2{margin-top:20px;font-size:1.1em}"
    b"#daskscope-report>table{border-collapse:collapse}"
    b"#daskscope-report>table :is(th,td){padding:2px 16px 2px 0;text-align:left;vertical-align:top}"
    b"#daskscope-report>table th{min-width:5.5em}"
    b"#daskscope-report>table.numbers th:not(:first-child){min-width:0}"
    b"#daskscope-report>table.numbers :is(th,td):not(:first-child)"
    b"{text-align:right;white-space:nowrap}"
    b"#daskscope-report>pre{overflow:auto}"
)
"""What these tables need besides the style of the page, which takes no notice of them."""

NO_SCRIPT: Final = (
    "Scripts are off, so this is all that can be shown here. "
    "With scripts, this file shows every task; it asks nobody for anything. "
    "<code>daskscope extract</code> takes the recording out of it."
)


def shown(value: object) -> str:
    r"""Return text as HTML that shows it, and does nothing else.

    >>> shown('<b onclick="x">\0')
    '&lt;b onclick=&quot;x&quot;&gt;�'
    """
    text = str(value).replace("\r\n", "\n")
    if len(text) > MAX_CHARACTERS:
        text = text[: MAX_CHARACTERS - 1] + "…"
    if not text.isascii() or not text.isprintable():
        text = "".join(
            "\ufffd" if c not in _LAYOUT and unicodedata.category(c) in _INVISIBLE else c
            for c in text
        )
    return escape(text, quote=True)


def body(figures: Mapping[str, Any]) -> str:
    """Return the summary as HTML."""
    start = time.gmtime(_clamped(figures["start"]))
    when = f"{start.tm_mday} {time.strftime('%b %Y, %H:%M:%S UTC', start)}"
    where = f"on {_alone(figures['host'])}" if figures["host"] else ""

    def among(seconds: float, column: Sequence[Mapping[str, Any]]) -> str:
        return seconds_among(seconds, max(one["seconds"] for one in column))

    parts = [
        f"<h1>{_alone(figures['title'])}</h1>",
        f"<p>{', '.join(part for part in (when if figures['start'] else '', where) if part)}</p>",
        f"<p><noscript>{NO_SCRIPT}</noscript></p>",
        _table("Figures", (), _figures(figures)),
        _table(
            "Needs a look", (), [(one["title"], one["text"]) for one in figures["needs_a_look"]]
        ),
        _preformatted("Exception", (figures["exception"] or {}).get("traceback", "")),
        _table(
            "Time by prefix",
            ("Prefix", "Tasks", "Computing", "Erred"),
            [
                (
                    one["name"],
                    f"{one['tasks']:,}",
                    among(one["seconds"], figures["prefixes"]),
                    f"{one['erred']:,}",
                )
                for one in figures["prefixes"]
            ],
            numbers=True,
        ),
        _table(
            "Time by action",
            ("Action", "Rows", "Time"),
            [
                (one["name"], f"{one['rows']:,}", among(one["seconds"], figures["actions"]))
                for one in figures["actions"]
            ],
            numbers=True,
        ),
        _table(
            "Versions",
            ("Package", "Client", "Scheduler", "Workers", ""),
            [
                (
                    one["package"],
                    one["client"],
                    one["scheduler"],
                    some_of(one["workers"]),
                    "differs" if one["differs"] else "",
                )
                for one in figures["versions"]
            ],
        ),
        _table(
            "Not in this report", (), [(one["text"], one["next"]) for one in figures["missing"]]
        ),
        _preformatted("Code", figures["code"]),
        f"<p>{_footer(figures)}</p>",
    ]
    return "\n".join(part for part in parts if part)


def _figures(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    tasks, cluster = figures["tasks"], figures["cluster_facts"]
    erred = f"of which {tasks['erred']:,} erred" if tasks["erred"] else "none erred"
    rows = [
        ("Duration", seconds_text(figures["duration"])),
        ("Tasks", f"{tasks['captured']:,}, {erred}" if tasks["captured"] else "none"),
    ]
    every = figures["progress"]["all"]
    left = (
        (every["running"], "running"),
        (every["waiting"], "waiting"),
        (every["erred"] - every["raised"], "unable to run since others erred"),
        (figures["answer"]["cancelled"], "cancelled"),
    )
    rows.append(("Not finished", ", ".join(f"{count:,} {what}" for count, what in left if count)))
    if busy := figures["busy"]:
        together = seconds_text(busy["thread_seconds"])
        threads = count_text(busy["threads"], "thread")
        share = share_text(busy["percent"] / 100)
        rows.append(("Threads busy", f"{share} of {together}, {threads} together"))
    if memory := figures["memory"]:
        limit = f" of {bytes_text(memory['limit'])}" if memory["limit"] else ""
        rows.append(("Peak memory", bytes_text(memory["peak"]) + limit))
    if (moved := figures["transfers"])["rows"]:
        took = seconds_text(moved["seconds"])
        rows.append(("Transfers", f"{moved['rows']:,}, which took {took} together"))
    if spilled := figures["spilled"]:
        parts = (bytes_text(spilled["peak"]), some_of(spilled["workers"]))
        rows.append(("Spilled", "; ".join(part for part in parts if part)))
    if types := (errors := figures["errors"])["types"]:
        all_kept = errors["kept"] >= errors["count"]
        of = "" if all_kept else f"{errors['count']:,}; of the newest {errors['kept']:,} "
        rows.append(("Errors", of + some_of([f"{kind}: {number:,}" for kind, number in types], 10)))
    if cost := figures["cost"]:
        per_hour = f"{amount_text(cost['per_hour'])} {cost['unit']} a thread-hour"
        rows.append(("Cost", f"{amount_text(cost['amount'])} {cost['unit']} at {per_hour}"))
    if cluster["workers"] is not None:
        known = (count_text(cluster["workers"], "worker"), count_text(cluster["threads"], "thread"))
        rows.append(("Cluster", ", ".join([figures["cluster"], *known]).removeprefix(", ")))
    rows.append(("Scheduler", figures["scheduler"]))
    return [row for row in rows if row[1]]


def _footer(figures: Mapping[str, Any]) -> str:
    tasks = figures["tasks"]
    version = f"recorded with daskscope {figures['daskscope']}" if figures["daskscope"] else ""
    redacted = f"without {', '.join(figures['redacted'])}" if figures["redacted"] else ""
    parts = (f"{tasks['kept']:,} of {count_text(tasks['captured'], 'task')}", redacted, version)
    return " · ".join(shown(part) for part in parts if part)


def _table(
    title: str, head: Sequence[str], rows: Sequence[Iterable[str]], *, numbers: bool = False
) -> str:
    """Return a table of text, or of numbers behind names; nothing without rows.

    Long ones say what is left out.
    """
    if not rows:
        return ""
    names = "".join(f'<th scope="col">{shown(name)}</th>' for name in head)
    lines = [f"<thead><tr>{names}</tr></thead>"] if head else []
    for first, *others in rows[:MAX_ROWS]:
        cells = "".join(f"<td>{_alone(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{_alone(first)}</th>{cells}</tr>')
    rest = len(rows) - MAX_ROWS
    more = f"<p>{rest:,} more are in the recording.</p>" if rest > 0 else ""
    kind = ' class="numbers"' if numbers else ""
    return f"<h2>{title}</h2>\n<table{kind}>{''.join(lines)}</table>{more}"


def _preformatted(title: str, text: str) -> str:
    return f"<h2>{title}</h2>\n<pre><bdi>{shown(text)}</bdi></pre>" if text else ""


def _alone(text: object) -> str:
    """Return text that cannot turn round what stands beside it."""
    return f"<bdi>{shown(text)}</bdi>"


def _clamped(seconds: float) -> float:
    """Return a time that a calendar has."""
    return min(max(seconds, 0.0), 253e9)
