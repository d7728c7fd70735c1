"""What a report shows before its script has run: the summary, laid out as the page shows it.

The script replaces it, and without scripts it stays. Header, tabs, figures, status line and footer
look as they do on the page (`js_src/homes/report`, `js_src/panel/panel.tsx`,
`js_src/panels/summary`), so that they do not move when the script runs. `shown` escapes every text
that comes from users.
"""

from __future__ import annotations

import re
import time
from html import escape
from typing import TYPE_CHECKING, Any, Final

from daskscope.derive.summary import FILE_CUT
from daskscope.format import (
    amount_text,
    bytes_text,
    count_text,
    cut,
    seconds_among,
    seconds_text,
    share_text,
    some_of,
    visible,
)
from daskscope.schema import MAX_TEXT_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MAX_ROWS: Final = 100
MOST_NAMES: Final = 2
_NUMBERS: Final = " ds-numbers"
_WITH_UNIT: Final = re.compile(r"((?:< )?[\d,.−]+) (\D+)")
_NO_SCRIPT: Final = (
    '<noscript><div class="ds-report-note"><span>Scripts are off, so this page shows only its '
    "summary. With scripts it shows every task; it makes no network requests. "
    '<code class="ds-code">daskscope extract</code> saves the recording in it.'
    "</span></div></noscript>"
)


def shown(value: object) -> str:
    r"""Return text as HTML that shows it, and does nothing else.

    >>> shown('<b onclick="x">\0')
    '&lt;b onclick=&quot;x&quot;&gt;�'
    """
    text = cut(str(value).replace("\r\n", "\n"), MAX_TEXT_CHARACTERS)
    return escape(visible(text, layout="\n\t"), quote=True)


def body(figures: Mapping[str, Any]) -> str:
    """Return the summary as HTML."""
    start = figures["start"]
    when = [f"{_day(start)}, {_clock(start)} UTC"] if start else []
    where = [f"on {_alone(figures['host'])}"] if figures["host"] else []
    return f"""<div class="ds-root ds-report">
<header class="ds-report-head">
<h1>{_alone(figures["title"])}</h1>
<span class="ds-quiet ds-report-when">{", ".join(when + where)}</span>
<div class="ds-report-tools"></div>
</header>
{_NO_SCRIPT}
<div class="ds-tabs" aria-hidden="true">
<span class="ds-tab" aria-selected="true">{_tab(figures)}</span>
</div>
<div class="ds-tabpanel"><div class="ds-report-panel"><div class="ds-root">
<div class="ds-toolbar"><span class="ds-quiet">Whole run</span></div>
{_banner(figures)}
{"" if figures.get("panels") else _summary(figures)}
</div></div></div>
{_footer(figures)}
</div>"""


def _tab(figures: Mapping[str, Any]) -> str:
    """Return the name of the first tab."""
    return shown(next(iter(figures.get("panels", ())), "summary").capitalize())


def _summary(figures: Mapping[str, Any]) -> str:
    return f"""<div class="ds-panel-body ds-summary">
<header class="ds-summary-head">
<dl class="ds-figures">{"".join(_figures(figures))}</dl>
</header>
<div class="ds-main-side ds-late">
<div class="ds-main">{_main(figures)}</div>
<aside class="ds-side">{_side(figures)}</aside>
</div>
</div>
{_status(figures)}"""


def _main(figures: Mapping[str, Any]) -> str:
    by_prefix = [
        (one["name"], f"{one['tasks']:,}", seconds, f"{one['erred']:,}")
        for one, seconds in _timed(figures["prefixes"])
    ]
    by_action = [
        (one["name"], f"{one['rows']:,}", seconds) for one, seconds in _timed(figures["actions"])
    ]
    return (
        _preformatted("Exception", (figures["exception"] or {}).get("traceback", ""))
        + _table("Time by prefix", ("Prefix", "Tasks", "Computing", "Erred"), by_prefix, _NUMBERS)
        + _table("Time by action", ("Action", "Rows", "Time"), by_action, _NUMBERS)
        + _preformatted("Code", figures["code"])
    )


def _timed(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield rows with their seconds, as a column of these shows them."""
    longest = max((one["seconds"] for one in rows), default=0.0)
    return ((one, seconds_among(one["seconds"], longest)) for one in rows)


def _side(figures: Mapping[str, Any]) -> str:
    cluster = figures["cluster_facts"]
    size = [
        count_text(cluster[of], of.removesuffix("s"))
        for of in ("workers", "threads")
        if cluster[of] is not None
    ]
    every = figures["progress"]["all"]
    left = (
        (every["running"], "running"),
        (every["waiting"], "waiting"),
        (every["erred"] - every["raised"], "unable to run since others erred"),
        (figures["answer"]["cancelled"], "cancelled"),
    )
    facts = (
        ("Not finished", ", ".join(f"{count:,} {what}" for count, what in left if count)),
        ("Cluster", figures["cluster"]),
        ("Scheduler", figures["scheduler"]),
        ("Size", ", ".join(size)),
    )
    looks = [(one["title"], one["text"]) for one in figures["needs_a_look"]]
    versions = [
        (
            *(one[of] for of in ("package", "client", "scheduler")),
            some_of(one["workers"]),
            "differs" if one["differs"] else "",
        )
        for one in figures["versions"]
    ]
    missing = [(one["text"], one["next"]) for one in figures["missing"]]
    return (
        _table("Needs a look", (), looks)
        + _table("What is missing", (), missing)
        + _table("Versions", ("Package", "Client", "Scheduler", "Workers", ""), versions)
        + _table("Cluster", (), [fact for fact in facts if fact[1]])
    )


def _figures(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures of the page, in its words."""
    start, tasks = figures["start"], figures["tasks"]
    duration = seconds_text(figures["duration"])
    yield _figure("Duration", duration, _times(start, start + figures["duration"]))
    erred = f"{tasks['erred']:,}" if tasks["erred"] else "none"
    below = f"{_kept(figures)}, {erred} erred"
    if not tasks["captured"] and not _is_cut(figures):
        below = "none finished or failed"
    yield _figure("Tasks", f"{tasks['captured']:,}", below)
    if busy := figures["busy"]:
        share = share_text(busy["percent"] / 100)
        yield _figure("Threads busy", share, f"of {busy['threads']:,} × {duration}")
    if memory := figures["memory"]:
        limit = f"of {bytes_text(memory['limit'])}" if memory["limit"] else ""
        yield _figure("Peak memory", bytes_text(memory["peak"]), limit)
    if (moved := figures["transfers"])["rows"]:
        count = count_text(moved["rows"], "transfer")
        yield _figure("Transfers", seconds_text(moved["seconds"]), count)
    if spilled := figures["spilled"]:
        workers = some_of(spilled["workers"], MOST_NAMES)
        yield _figure("Spilled", bytes_text(spilled["peak"]), workers)
    errors = figures["errors"]
    kinds = some_of([kind for kind, _ in errors["types"]], MOST_NAMES)
    if kinds and errors["kept"] < errors["count"]:
        kinds = f"newest {errors['kept']:,}: {kinds}"
    level = " ds-error" if errors["count"] else ""
    yield _figure("Errors", f"{errors['count']:,}", kinds, level)
    if cost := figures["cost"]:
        per_hour = f"{amount_text(cost['per_hour'])} {cost['unit']} a thread-hour"
        yield _figure("Cost", f"{amount_text(cost['amount'])} {cost['unit']}", per_hour)


def _figure(name: str, text: str, below: str, level: str = "") -> str:
    found = _WITH_UNIT.fullmatch(text)
    value, unit = found.groups() if found else (text, "")
    behind = f'<span class="ds-figure-unit">{shown(unit)}</span>' if unit else ""
    return (
        f'<div class="ds-figure"><dt>{name}</dt>'
        f'<dd class="ds-figure-value{level}">{shown(value)}{behind}</dd>'
        f'<dd class="ds-figure-below">{_alone(below)}</dd></div>'
    )


def _banner(figures: Mapping[str, Any]) -> str:
    """Return the gravest notice of what is missing."""
    order = ("error", "warn")
    found = [one for one in figures["missing"] if one["level"] in order]
    one = min(found, key=lambda one: order.index(one["level"]), default=None)
    if one is None:
        return ""
    return f"""<div class="ds-banner ds-banner-{one["level"]}"><div class="ds-banner-text">
<div class="ds-banner-title">{_alone(one["text"])}</div>
<div class="ds-banner-next">{_alone(one["next"])}</div>
</div></div>"""


def _status(figures: Mapping[str, Any]) -> str:
    """Return how many of the tasks are in the report."""
    tasks, cut = figures["tasks"], _is_cut(figures)
    dropped = tasks["captured"] - tasks["kept"]
    whole = "incomplete" if cut else "nothing dropped"
    of = "" if cut else f"of {tasks['captured']:,} "
    facts = (
        f"<b>{tasks['kept']:,}</b> {of}tasks",
        f'<span class="ds-error">{tasks["erred"]:,} erred</span>' if tasks["erred"] else "",
        f"{dropped:,} older ones dropped" if dropped else whole,
    )
    dot = '<span class="ds-status-dot">·</span>'
    spans = dot.join(f'<span class="ds-fact">{fact}</span>' for fact in facts if fact)
    return f'<div class="ds-status">{spans}</div>'


def _footer(figures: Mapping[str, Any]) -> str:
    facts = (
        f"recorded with daskscope {shown(figures['daskscope'])}" if figures["daskscope"] else "",
        f"redacted: {_alone(some_of(figures['redacted']))}" if figures["redacted"] else "",
        "works offline: makes no network requests",
    )
    spans = "".join(f"<span>{fact}</span>" for fact in facts if fact)
    return f"""<footer class="ds-report-foot">
<p class="ds-foot-facts">{spans}</p>
</footer>"""


def _kept(figures: Mapping[str, Any]) -> str:
    tasks = figures["tasks"]
    if _is_cut(figures):
        return "incomplete"
    return f"{tasks['kept']:,} kept" if tasks["kept"] < tasks["captured"] else "all kept"


def _is_cut(figures: Mapping[str, Any]) -> bool:
    return any(one["code"] == FILE_CUT.code for one in figures["missing"])


def _table(title: str, head: Sequence[str], rows: Sequence[Iterable[str]], kind: str = "") -> str:
    """Return a table that says how many rows it leaves out; nothing without rows."""
    if not rows:
        return ""
    names = "".join(f'<th scope="col">{shown(name)}</th>' for name in head)
    lines = [f"<thead><tr>{names}</tr></thead>"] if head else []
    for first, *others in rows[:MAX_ROWS]:
        cells = "".join(f"<td>{_alone(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{_alone(first)}</th>{cells}</tr>')
    rest = len(rows) - MAX_ROWS
    more = f'<p class="ds-quiet">{rest:,} more are in the recording.</p>' if rest > 0 else ""
    return _part(title, f'<table class="ds-table{kind}">{"".join(lines)}</table>{more}')


def _preformatted(title: str, text: str) -> str:
    return _part(title, f'<pre class="ds-code-block">{_alone(text)}</pre>') if text else ""


def _part(title: str, content: str) -> str:
    head = f'<header class="ds-part-head"><h3>{title}</h3></header>'
    return f'<section class="ds-part">{head}{content}</section>\n'


def _alone(text: object) -> str:
    """Return text whose direction does not affect its neighbours."""
    return f"<bdi>{shown(text)}</bdi>"


def _times(start: float, stop: float) -> str:
    times = [_clock(start), _clock(stop)]
    if _day(start) != _day(stop):
        times[1] = f"{_day(stop)}, {times[1]}"
    return f"at {times[0]}" if times[0] == times[1] else " to ".join(times)


def _day(seconds: float) -> str:
    day = _calendar(seconds)
    return f"{day.tm_mday} {time.strftime('%b %Y', day)}"


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", _calendar(seconds))


def _calendar(seconds: float) -> time.struct_time:
    """Return a time in UTC; one that no calendar has becomes the nearest that it has."""
    return time.gmtime(min(max(seconds, 0.0), 253e9))
