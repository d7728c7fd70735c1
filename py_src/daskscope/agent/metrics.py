"""Samples Fine Performance Metrics, counts of tasks by state, and facts about spans.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import chain, compress, islice
from math import nan
from operator import attrgetter, is_, is_not, sub
from typing import Any

from distributed.scheduler import heartbeat_interval

from daskscope.agent.cluster import UNFINISHED_STATES, running_of
from daskscope.agent.memory import Rows
from daskscope.agent.packing import (
    MAX_NAME_CHARS,
    NO_PREFIX,
    OTHER_NAME,
    Interned,
    clamp,
    clean_text,
)

METRICS_S = 0.5
MAX_METRICS = 60_000
KEPT_METRICS = 1_000  # reserved for metrics without prefix, used once the rest is full
MAX_TOTALS = 10_000  # rows of totals by span for a new reader; the rest is sent without span
SPANNED = (("execute",), ("p2p",))
TINY = 1e-6
ROUNDING = 1e-12  # share of a sum that may be a rounding error
SWEEP_AGAIN_S = 10.0
MAX_SPANS = 10_000
MAX_CODE_CHARS = 20_000
MAX_ANSWERED_SPANS = 500
MAX_ANSWERED_CHARS = 1_000_000
START_OF, STOP_OF, NBYTES_OF = map(attrgetter, ("start", "stop", "nbytes_total"))


class Spans(Interned):
    """Interned spans; `touched` has those of tasks packed since it was last cleared."""

    def __init__(self, describe: Any) -> None:
        self.touched: set[Any] = set()
        self.erred: dict[Any, int] = {}  # number of erred tasks by span, since the scheduler began
        super().__init__(describe, first=[""])

    def add(self, item: Any) -> int:
        """Return the index of a span with a packed task."""
        self.touched.add(item)
        return super().add(item)

    def place(self, span_id: str) -> int:
        """Return the index of a span without marking it as touched."""
        return Interned.add(self, span_id)


def describe_metric(key: Any) -> list[str]:
    """Return context, prefix, activity and unit of a metric as texts."""
    if key is None:
        return [OTHER_NAME, "", "", ""]
    if not isinstance(key, tuple) or not key:
        return [_label(key), "", "", ""]
    context, *labels = key
    unit = _label(labels.pop()) if labels else ""
    prefix = ""
    if labels and context == "execute":
        prefix = _label(labels.pop(0))
    elif labels and context == "p2p":
        context = "p2p-" + _label(labels.pop(0))
    return [
        _label(context),
        prefix,
        clean_text(", ".join(map(_label, labels)), MAX_NAME_CHARS),
        unit,
    ]


def _label(value: Any) -> str:
    try:
        return clean_text(value, MAX_NAME_CHARS)
    except Exception:  # `str` of a user's class may fail
        return "(%s)" % type(value).__name__


def _number(value: Any) -> float:
    try:
        return float(value)
    except Exception:
        return nan


def _counts(value: float, total: Any) -> bool:
    """Return whether a part of a sum is more than a rounding error."""
    return not abs(value) <= max(TINY, ROUNDING * abs(_number(total)))


class Grown:
    """Computes how much the metrics in a dictionary have grown since the last call.

    Keys are only added to a dictionary of metrics, so their positions do not change.
    """

    def __init__(self, metrics: Any = None) -> None:
        self.places: list[int] = []  # index of the metric of each value
        self.values = [*metrics.values()] if metrics else []
        self.first = next(iter(metrics), None) if metrics else None  # its first key

    def look(self, metrics: Any, indices: Any) -> tuple[list[int], Any]:
        """Return which metrics have grown, and by how much."""
        before, self.values = self.values, [*metrics.values()]
        values, known = self.values, len(self.places)
        first, self.first = self.first, next(iter(metrics), None)
        if len(values) < len(before) or (before and first is not self.first):
            before, self.places, known = [], [], 0  # the dictionary was cleared
        before += [0] * (len(values) - len(before))
        grown = [*map(is_not, values, before)]
        if True not in grown:
            return [], ()
        if len(values) > known:
            self.places += indices([*islice(metrics, known, None)])
        new, old = [*compress(values, grown)], [*compress(before, grown)]
        try:
            increments = array("d", [*map(sub, new, old)])
        except Exception:  # huge integers, or values that are not numbers
            increments = array("d", [_number(a) - _number(b) for a, b in zip(new, old)])
        return [*compress(self.places, grown)], increments


class MetricSamples:
    """Rows of increments, by metric and span. Each row has the time of the previous reading."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.keys = Interned(describe_metric, MAX_METRICS)
        self.rows = Rows("ddIHd")  # time, since, metric, span, increment
        self.sampled = 0.0
        self.totals = Grown()
        self.span_totals: dict[str, Grown] = {}
        self.active: dict[str, float] = {}  # spans of recent tasks, and until when to read each
        self.rest: Any = defaultdict(float)  # by metric: increment not yet found in any span
        self.spanned: set[int] = set()  # metrics that spans have as well
        self.sweep_at = 0.0
        # By span: sequence number of its last change, in ascending order.
        self.changed: dict[str, int] = {}
        self.next_change = 0
        self.seen_spans = 0

    def clear(self) -> None:
        """Free all samples."""
        self.rows.drop(len(self.rows.columns[0]))
        self.totals, self.span_totals, self.changed = Grown(), {}, {}

    def start(self, scheduler: Any, now: float) -> None:
        """Begin to sample; earlier values are not increments."""
        self.sampled = now
        self.totals = Grown(scheduler.cumulative_worker_metrics)
        for span_id, span in spans_of(scheduler).items():
            self.span_totals[span_id] = Grown(span._cumulative_worker_metrics)
            erred = sum([group.states["erred"] for group in span.groups])
            if erred:
                self.spans.erred[span_id] = erred

    def index(self, key: Any) -> int:
        """Return the index of a metric; if there are too many, prefixes share one."""
        index = self.keys.index.get(key)
        if index is not None:
            return index
        full = len(self.keys.described) >= MAX_METRICS - KEPT_METRICS
        if full and isinstance(key, tuple) and key[:1] == ("execute",):
            key = ("execute", OTHER_NAME, *key[2:])
        index = self.keys.add(key)
        if isinstance(key, tuple) and key[:1] in SPANNED:
            self.spanned.add(index)
        return index

    def indices(self, keys: list[Any]) -> list[int]:
        """Return the indices of metrics."""
        index = self.keys.index
        try:
            return [index[key] for key in keys]
        except KeyError:
            return [*map(self.index, keys)]

    def sample(self, scheduler: Any, now: float, *, settle: bool = False) -> None:
        """Append increments; `settle`: also those that were not found in any span yet."""
        beat_s = heartbeat_interval(len(scheduler.workers))
        since, self.sampled = min(self.sampled, now - beat_s), now
        spans = spans_of(scheduler)
        touched = [one for one in self.spans.touched if one in spans]
        self.spans.touched.clear()
        active = self.active | dict.fromkeys(touched, now + 2 * beat_s)
        self.active = {one: until for one, until in active.items() if until > now and one in spans}
        self.note_changed(spans, touched)
        metrics = scheduler.cumulative_worker_metrics
        places, increments = self.totals.look(metrics, self.indices)
        sweeps = settle or not spans or now >= self.sweep_at
        if not places and not (self.rest and sweeps):
            return
        rest, spanned = self.rest, self.spanned
        for place, increment in zip(places, increments):
            rest[place] += increment
        other = [place for place in places if place not in spanned]
        self.append(now, since, other, 0, [rest.pop(place, 0.0) for place in other])
        for span_id in self.active:
            self.read_span(span_id, spans[span_id], now, since)
        # The span of a cancelled task, for example, is not among the active ones.
        missing = self.missing()
        if missing and sweeps:
            before = self.rows.next
            for span_id, span in spans.items():
                if span_id not in self.active:
                    self.read_span(span_id, span, now, since)
            if self.rows.next == before:
                self.sweep_at = now + SWEEP_AGAIN_S
            missing = self.missing()
            self.append(now, since, missing, 0, [rest[place] for place in missing])
        if sweeps or not missing:
            rest.clear()

    def missing(self) -> list[int]:
        """Return the metrics whose increments are not all found in spans."""
        found = {place: value for place, value in self.rest.items() if abs(value) > TINY}
        if found:
            sums = dict(zip(self.totals.places, self.totals.values))
            found = {place: value for place, value in found.items() if _counts(value, sums[place])}
        return [*found]

    def read_span(self, span_id: str, span: Any, now: float, since: float) -> None:
        """Append the increments of the metrics of a span."""
        totals = self.span_totals.get(span_id)
        if totals is None:
            totals = self.span_totals[span_id] = Grown()
        places, increments = totals.look(span._cumulative_worker_metrics, self.indices)
        rest = self.rest
        for place, increment in zip(places, increments):
            rest[place] -= increment
        if places:
            self.append(now, since, places, self.spans.place(span_id), increments)

    def append(
        self, now: float, since: float, places: list[int], span: int, increments: Any
    ) -> None:
        """Append rows of one span."""
        count = len(places)
        times = array("d", [now]) * count, array("d", [since]) * count
        spans = array("H", [span]) * count
        self.rows.extend_columns([*times, array("I", places), spans, increments])

    def all_totals(self, scheduler: Any) -> dict[str, Any]:
        """Return the totals by metric and span: the newest spans, and the rest without span.

        Call it after `sample(…, settle=True)`.
        """
        rest: dict[int, float] = {}
        for key, value in scheduler.cumulative_worker_metrics.items():
            place = self.index(key)
            rest[place] = rest.get(place, 0.0) + _number(value)
        found: list[tuple[int, int, float]] = []
        sums = dict(rest)
        for span_id, span in reversed([*spans_of(scheduler).items()]):
            metrics = span._cumulative_worker_metrics
            if len(found) + len(metrics) > MAX_TOTALS:
                break
            number = self.spans.place(span_id) if metrics else 0
            places = self.indices([*metrics])
            for place, value in zip(places, map(_number, metrics.values())):
                rest[place] = rest.get(place, 0.0) - value
                found.append((place, number, value))
        found += [
            (place, 0, value)
            for place, value in rest.items()
            if value and (place not in self.spanned or _counts(value, sums[place]))
        ]
        rows = Rows("IHd")
        rows.extend(found)
        return rows.since(0)

    # -- spans --------------------------------------------------------------

    def note_changed(self, spans: Any, touched: list[str]) -> None:
        """Give new numbers to spans that are new or had tasks."""
        changed = self.changed
        new = islice(spans, self.seen_spans, None) if len(spans) > self.seen_spans else ()
        for span_id in [*new, *touched]:
            changed.pop(span_id, None)
            changed[span_id] = self.next_change
            self.next_change += 1
        self.seen_spans = len(spans)
        while len(changed) > MAX_SPANS:
            del changed[next(iter(changed))]

    def ends(self, states: Rows) -> list[int]:
        """Return the cursors of a reader that has everything, including task states."""
        return [self.rows.next, states.next, len(self.keys.described), self.next_change]

    def spans_since(self, scheduler: Any, cursor: int) -> dict[str, Any]:
        """Return facts about spans that changed since `cursor`, as many as one answer may have."""
        news = []
        spans = spans_of(scheduler)
        for span_id, number in reversed(self.changed.items()):
            if number < cursor:
                break
            if span_id in spans:
                news.append((span_id, number))
        items: list[dict[str, Any]] = []
        chars = 0
        for span_id, number in reversed(news[-MAX_ANSWERED_SPANS:]):
            if chars > MAX_ANSWERED_CHARS:
                break
            facts = describe_span_times(spans[span_id], self.spans)
            chars += len(facts["code"])
            items.append(facts)
            cursor = number + 1
        return {"next": cursor, "items": items}


def spans_of(scheduler: Any) -> Any:
    """Return the spans of a scheduler by id."""
    extension = scheduler.extensions.get("spans")
    return {} if extension is None else extension.spans


def describe_span_times(span: Any, spans: Spans) -> dict[str, Any]:
    """Return facts about a span, without its inner spans."""
    groups, parent = span.groups, span.parent
    code = "\n\n".join([frame.code for frames in span._code for frame in frames])
    return {
        "span": spans.place(span.id),
        "parent": 0 if parent is None else spans.place(parent.id),
        "time": span.enqueued,
        "start": min(filter(None, map(START_OF, groups)), default=nan),
        "stop": max(filter(None, map(STOP_OF, groups)), default=nan),
        "tasks": sum(map(len, groups)),
        "erred": spans.erred.get(span.id, 0),
        "nbytes": clamp(sum(map(NBYTES_OF, groups))),
        "code": clean_text(code, MAX_CODE_CHARS),
    }


class TaskStates:
    """Rows with the number of tasks in each state: by prefix, by worker, and in total."""

    def __init__(self, prefixes: Interned, addresses: Interned) -> None:
        self.prefixes = prefixes
        self.addresses = addresses
        # Time, prefix, worker, the states of UNFINISHED_STATES, executing, fetching, in memory,
        # mean and earliest start of those executing.
        self.rows = Rows("dHHIIIIIIIdd")
        self.latest: dict[int, Any] = {}  # by prefix: its last `_seen`; the total is at NO_PREFIX
        # By address: metrics; numbers of tasks processing and in memory; prefix and start of those
        # executing; number being fetched; `_seen` of its last row.
        self.workers: dict[str, Any] = {}
        self.beats: list[Any] = []
        self.transitions = -1

    def sample(self, scheduler: Any, now: float) -> None:
        """Append a row of each prefix and worker that has changed, and of the total."""
        # Each heartbeat replaces the dictionary, so identity shows whether one arrived.
        beats = [worker.metrics for worker in scheduler.workers.values()]
        is_same = len(beats) == len(self.beats) and all(map(is_, beats, self.beats))
        if is_same and self.transitions == scheduler.transition_counter:
            return
        self.transitions, self.beats = scheduler.transition_counter, beats
        rows = self.changed_workers(scheduler)
        starts: dict[str, list[float]] = defaultdict(list)
        for _, _, executing, _, _ in self.workers.values():
            for name, start in executing:
                starts[name].append(start)
        found: dict[int, Any] = {}
        counted = [[0] * len(UNFINISHED_STATES)]
        for prefix in scheduler.task_prefixes.values():
            if not prefix.groups:  # the scheduler forgot all its tasks
                continue
            states = prefix.states
            counts = [states.get(state, 0) for state in UNFINISHED_STATES]
            memory = states.get("memory", 0)
            if memory or any(counts):
                own = starts.get(prefix.name, ())
                counted.append(counts)
                row = (*counts, len(own), 0, memory, *_mean_and_first(own))
                found[self.prefixes.add(prefix.name)] = row
        everything = [*chain.from_iterable(starts.values())]
        memory = sum([row[6] for row in found.values()])
        fetching = sum([known[3] for known in self.workers.values()])
        totals = [*map(sum, zip(*counted)), len(everything), fetching, memory]
        found[NO_PREFIX] = (*totals, *_mean_and_first(everything))
        latest, self.latest = self.latest, {}
        for place, row in found.items():
            self.latest[place] = seen = _seen(row)
            if latest.get(place) != seen:
                rows.append((place, 0, *row))
        rows += [(place, 0, *GONE) for place in latest if place not in found]
        self.rows.extend([(now, *row) for row in rows])

    def changed_workers(self, scheduler: Any) -> list[Any]:
        """Return rows of workers that have changed, and a last row of each that left."""
        rows: list[Any] = []
        known, self.workers = self.workers, {}
        for address, worker in scheduler.workers.items():
            last = known.get(address)
            counts = len(worker.processing), len(worker.has_what)
            if last is None or last[0] is not worker.metrics or last[1] != counts:
                executing = [(task.prefix.name, start) for task, start in running_of(worker)]
                starts = [start for _, start in executing]
                of_data = worker.metrics.get("task_counts") or {}
                fetching = of_data.get("fetch", 0) + of_data.get("flight", 0)
                own = counts[0], len(starts), fetching, counts[1]
                row = (0, 0, 0, *own, *_mean_and_first(starts))
                seen = _seen(row)
                if last is None or last[4] != seen:
                    rows.append((NO_PREFIX, self.addresses.add(address), *row))
                last = worker.metrics, counts, executing, fetching, seen
            self.workers[address] = last
        gone = [address for address in known if address not in self.workers]
        return rows + [(NO_PREFIX, self.addresses.add(address), *GONE) for address in gone]

    def repeat(self) -> None:
        """Make the next sample contain every row."""
        self.latest = dict.fromkeys(self.latest)
        self.workers = dict.fromkeys(self.workers)
        self.transitions = -1


GONE = (*[0] * (len(UNFINISHED_STATES) + 3), nan, nan)


def _seen(row: Any) -> Any:
    """Return a value that is equal for unchanged rows; starts are rounded to half a second."""
    return row[:7], [round(2 * start) for start in row[7:]] if row[4] else None


def _mean_and_first(starts: Any) -> tuple[float, float]:
    return (sum(starts) / len(starts), min(starts)) if starts else (nan, nan)
