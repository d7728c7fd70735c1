"""Findings about a run, in words: errors, spilling, overheads, idle threads, lost tasks."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from daskscope.errors import Notice
from daskscope.format import (
    bytes_text,
    count_text,
    cut,
    moment_text,
    seconds_among,
    seconds_text,
    share_text,
    some_of,
)
from daskscope.recording import LogStore
from daskscope.recording.log_store import MAX_LOG_CHARACTERS
from daskscope.recording.names import MAX_LIST_CHARACTERS, name_of
from daskscope.schema import BESIDE_TASKS, ERRORS, OTHER_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import Counts, RecordingStore, SeriesStore
    from daskscope.recording.names import Names

MOST_OF_A_KIND: Final = 5
"""Further findings of the same kind are combined into one."""

MAX_TEXT_CHARACTERS: Final = 200

OVERHEAD_SHARE: Final = 0.1
MIN_OVERHEAD_S: Final = 0.5
"""Activities other than computing are reported from this share of execution and time on."""

LISTED_SHARE: Final = 0.01
MIN_MEASURED: Final = 0.9
"""If metrics cover less of the computing, they are incomplete, and so are shares of them."""

OVERHEADS: Final = {
    "disk-time": (
        "disk and serialization",
        ("disk-read", "disk-write", "serialize", "deserialize", "compress", "decompress"),
        "To spill less, give workers more memory or use smaller partitions.",
    ),
    "passing-tasks": (
        "passing tasks to threads",
        BESIDE_TASKS,
        "Event loops of workers were busy: spill less, or if tasks are short, give each more work.",
    ),
}
"""By code: a name, the activities of execution that it sums up, and what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; ``tab`` (empty for the Summary itself) and ``time`` are where to look."""

    code: str
    level: Literal["info", "warn", "error"]
    title: str
    text: str
    tab: str
    time: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the form that summaries contain."""
        known = self.time is not None and all(map(math.isfinite, self.time))
        return asdict(self) | {"time": list(self.time) if self.time and known else None}


def errors_by_type(recording: RecordingStore) -> dict[str, list[Any]]:
    """Return the kept errors by type of exception, the most frequent type first."""
    found: dict[str, list[Any]] = {}
    for error in recording.log("errors").since(0):
        found.setdefault(split_exception(error.exception)[0], []).append(error)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def of_exception(exception: Any) -> list[Finding]:
    """Return a finding for the exception that ended the block, if any."""
    if not isinstance(exception, dict):
        return []
    kind, text = str(exception.get("type", "")), str(exception.get("text", ""))
    return [Finding("exception", "error", f"{kind} ended the block", _cut(text), "")]


def of_no_tasks(recording: RecordingStore, counts: Counts) -> list[Finding]:
    """Return a finding if no task ran, which usually means that nothing was computed."""
    if counts.captured or counts.erred or recording.log("gaps").next:
        return []
    text = "Check that .compute() was called, and that it used the recorded client"
    return [Finding("nothing", "info", "No task finished or failed", text, "")]


def of_errors(
    recording: RecordingStore, types: Mapping[str, Sequence[Any]], erred: int
) -> list[Finding]:
    """Return one finding per type of exception; it says so if only some errors were kept."""
    prefixes = recording.names.prefixes
    kept = sum(len(errors) for errors in types.values())
    newest = f" of the newest {count_text(kept, 'error')}" if kept < erred else ""
    found = []
    for kind, errors in list(types.items())[:MOST_OF_A_KIND]:
        where = sorted({prefixes[error.prefix] for error in errors})
        workers = sorted({_worker(recording, error.worker) for error in errors if error.worker})
        texts = [split_exception(error.exception)[1] for error in errors]
        first = ": " if len(set(texts)) == 1 else "; the first: "
        what = f"{first}{_cut(texts[0])}" if texts[0] else ""
        places = f" on {some_of(workers, 3)}" if workers else ""
        times = [error.time for error in errors]
        found.append(
            Finding(
                "errors",
                "error",
                f"{kind} in {some_of(where, 2)}",
                f"{count_text(len(errors), 'task')}{newest}{places}{what}",
                "events",
                (min(times), max(times)),
            )
        )
    if len(types) > MOST_OF_A_KIND:
        rest = list(types)[MOST_OF_A_KIND:]
        title = count_text(len(rest), "further type") + f" of errors{newest and f',{newest}'}"
        found.append(Finding("errors", "error", title, some_of(rest), "events"))
    return found


def of_spilling(peak: float, workers: list[str], times: Sequence[float]) -> list[Finding]:
    """Return a finding with the workers that spilled, if any did."""
    if not workers and not peak:
        return []
    who = workers[0] if len(workers) == 1 else count_text(len(workers), "worker")
    most = f" up to {bytes_text(peak)}" if peak else ""
    return [
        Finding(
            "spilling",
            "warn",
            f"{who if workers else 'Workers'} spilled{most}",
            f"{some_of(workers)}: memory was short, so results were written to disk"
            if workers
            else "Memory was short, so results were written to disk",
            "system",
            (min(times), max(times)) if times else None,
        )
    ]


def of_overheads(execution: Mapping[str, float], computed: float) -> list[Finding]:
    """Return what took much of the execution besides computing, unless metrics are incomplete."""
    whole, found, rest = sum(execution.values()), [], dict(execution)
    for code, (name, activities, advice) in OVERHEADS.items():
        own = sorted(((rest.pop(one, 0.0), one) for one in activities), reverse=True)
        seconds = sum(value for value, _ in own)
        if seconds < max(OVERHEAD_SHARE * whole, MIN_OVERHEAD_S):
            continue
        parts = [
            f"{one.replace('-', ' ')} {seconds_among(value, whole)}"
            for value, one in own
            if value >= LISTED_SHARE * whole
        ]
        title = f"{share_text(seconds / whole)} of execution was {name}"
        text = f"{', '.join(parts).capitalize()}, of {seconds_among(whole, whole)}. {advice}"
        found.append(Finding(code, "info", title, text, "fine-metrics"))
    return found if sum(rest.values()) >= MIN_MEASURED * computed else []


def of_versions(recording: RecordingStore, versions: Sequence[PackageVersions]) -> list[Finding]:
    """Return findings about packages whose versions differ."""
    differ = [one for one in versions if one.differs]
    found = [
        Finding("versions", "warn", f"{one.package} differs", _where(recording, one), "")
        for one in differ[:MOST_OF_A_KIND]
    ]
    rest = [one.package for one in differ[MOST_OF_A_KIND:]]
    if rest:
        title = count_text(len(rest), "further package differs", "further packages differ")
        found.append(Finding("versions", "warn", title, some_of(rest), ""))
    return found


def _where(recording: RecordingStore, one: PackageVersions) -> str:
    """Return which processes have which version; the most common one is "elsewhere"."""
    holders: dict[str, list[str]] = {}
    if one.client:
        holders.setdefault(one.client, []).append("the client")
    if one.scheduler:
        holders.setdefault(one.scheduler, []).append("the scheduler")
    for address, version in one.by_worker.items():
        holders.setdefault(version, []).append(_worker(recording, address))
    fewest_first = sorted(holders.items(), key=lambda item: len(item[1]))
    *few, (usual, _) = fewest_first
    return ", ".join([*(f"{text} on {some_of(who, 3)}" for text, who in few), f"{usual} elsewhere"])


def of_idle(
    recording: RecordingStore, idle: Sequence[tuple[float, float]], start: float
) -> list[Finding]:
    """Return the times in which no thread computed, longest first; times with gaps are left out."""
    gaps = recording.log("gaps").since(0)
    known = [
        (begin, stop)
        for begin, stop in idle
        if not any(gap.start < stop and begin < gap.stop for gap in gaps)
    ]
    longest = sorted(known, key=lambda time: time[0] - time[1])

    def since(time: float) -> str:
        return moment_text(time - start)

    found = [
        Finding(
            "idle",
            "info",
            f"{seconds_text(stop - begin)} with idle threads",
            f"No thread computed from {since(begin)} to {since(stop)}",
            "task-stream",
            (begin, stop),
        )
        for begin, stop in longest[:MOST_OF_A_KIND]
    ]
    rest = longest[MOST_OF_A_KIND:]
    if rest:
        together = seconds_text(sum(stop - begin for begin, stop in rest))
        title = f"{together} in {count_text(len(rest), 'further idle time')}"
        found.append(Finding("idle", "info", title, "No thread computed", "task-stream"))
    return found


def of_lost_data(recording: RecordingStore, counts: Counts) -> list[Finding]:
    """Return findings about dropped tasks, gaps, and clocks that disagree."""
    found = []
    dropped = counts.dropped
    if dropped:
        who = [
            f"{count_text(number, 'task')} {why}"
            for number, why in (
                (counts.dropped_agent, "by the limit daskscope.agent.memory-limit"),
                (counts.dropped_recording, _why_dropped(recording)),
            )
            if number
        ]
        title = f"{dropped:,} of {count_text(counts.captured, 'task')} were dropped"
        found.append(Finding("dropped", "warn", title, _cut(", ".join(who)), "task-stream"))
    gaps = recording.log("gaps").since(0)
    for gap in gaps[:MOST_OF_A_KIND]:
        title = f"Tasks may have run unseen for {seconds_text(gap.stop - gap.start)}"
        time = (gap.start, gap.stop)
        found.append(Finding("gap", "warn", title, _cut(gap.text), "events", time))
    if len(gaps) > MOST_OF_A_KIND:
        title = count_text(len(gaps) - MOST_OF_A_KIND, "further gap")
        found.append(Finding("gap", "warn", title, "Tasks may have run unseen", "events"))
    if recording.skewed_rows:
        rows = count_text(recording.skewed_rows, "row ends", "rows end")
        text = f"{rows} before it began: its task is counted, its time is not"
        found.append(Finding("clocks", "warn", "Clocks of workers disagree", text, "task-stream"))
    return found


def _why_dropped(recording: RecordingStore) -> str:
    error = recording.spill_error or recording.about_facts.get("spill_error")
    if not isinstance(error, str) or not error:
        return "by the limits daskscope.recording.memory-limit and disk-limit"
    return f"because temporary files could not be written (daskscope.recording.directory): {error}"


def _worker(recording: RecordingStore, address: str) -> str:
    return name_of(address, recording.worker_names)


def _cut(text: str) -> str:
    """Return the beginning of a text on a single line."""
    return cut(" ".join(text[: 4 * MAX_TEXT_CHARACTERS].split()), MAX_TEXT_CHARACTERS)


MISSING: Final = "missing"
FIRST: Final = ("python", "dask", "distributed")


@dataclass(frozen=True, slots=True)
class PackageVersions:
    """Versions of one package; empty for a process that did not answer."""

    package: str
    client: str
    scheduler: str
    by_worker: Mapping[str, str]
    differs: bool

    @property
    def workers(self) -> list[str]:
        """The distinct versions on workers."""
        return sorted(set(self.by_worker.values()))

    def to_json(self) -> dict[str, Any]:
        """Return the form that summaries contain."""
        figures = asdict(self) | {"workers": self.workers}
        del figures["by_worker"]
        return figures


def package_versions(facts: Any) -> list[PackageVersions]:
    """Return the packages of a recording's ``about["versions"]``: Python and Dask, then by name.

    Versions are compared as Dask does: the scheduler's count only for packages that it uses.

    >>> found = package_versions({
    ...     "client": {"packages": {"python": "3.13.7.final.0", "pandas": "2.3.3"}},
    ...     "scheduler": {"packages": {"python": "3.13.7.final.0", "pandas": None}},
    ...     "workers": {"tcp://w:1": {"packages": {"python": "3.13.7.final.0", "pandas": "2.3.1"}}},
    ... })
    >>> [(one.package, one.client, one.scheduler, one.workers, one.differs) for one in found]
    [('python', '3.13.7', '3.13.7', ['3.13.7'], False), \
('pandas', '2.3.3', 'missing', ['2.3.1'], True)]
    """
    facts = facts if isinstance(facts, dict) else {}
    client, scheduler = _packages(facts.get("client")), _packages(facts.get("scheduler"))
    answers = facts.get("workers")
    workers = {
        str(address): packages
        for address, answer in (answers if isinstance(answers, dict) else {}).items()
        if (packages := _packages(answer))
    }
    every = [client, scheduler, *workers.values()]
    names = {name for packages in every for name, text in packages.items() if text is not None}
    return [
        _package(name, client, scheduler, workers)
        for name in sorted(names, key=lambda name: (_place(name), name))
    ]


def _package(
    name: str,
    client: Mapping[str, str | None],
    scheduler: Mapping[str, str | None],
    workers: Mapping[str, Mapping[str, str | None]],
) -> PackageVersions:
    from distributed.versions import scheduler_relevant_packages

    at_client, at_scheduler = _text(client, name), _text(scheduler, name)
    by_worker = {address: _text(packages, name) for address, packages in workers.items()}
    compared = {at_client, *by_worker.values()}
    if name in scheduler_relevant_packages:
        compared.add(at_scheduler)
    differs = len(compared - {""}) > 1
    return PackageVersions(name, at_client, at_scheduler, by_worker, differs)


def _packages(answer: Any) -> dict[str, str | None]:
    packages = answer.get("packages") if isinstance(answer, dict) else None
    if not isinstance(packages, dict):
        return {}
    return {str(name): None if text is None else str(text) for name, text in packages.items()}


def _text(packages: Mapping[str, str | None], name: str) -> str:
    if not packages:
        return ""
    return (packages.get(name) or MISSING).removesuffix(".final.0")


def _place(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)


_NAME: Final = r"([^\W\d][\w.]{0,100})"
_ONE_TEXT: Final = re.compile(_NAME + r"""\((['"])((?:\\.|(?!\2)[^\\])*)\2,?\)""", re.DOTALL)
_CALL: Final = re.compile(_NAME + r"\((.*)\)", re.DOTALL)
_LINE: Final = re.compile(_NAME + r":\s+(.*)", re.DOTALL)
_BARE: Final = re.compile(r"[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Group)", re.ASCII)


def split_exception(exception: str) -> tuple[str, str]:
    """Split an exception into type and message, like `js_src/panel/traceback.tsx`.

    >>> split_exception("ValueError('no')"), split_exception("KilledWorker: 3 workers went away")
    (('ValueError', 'no'), ('KilledWorker', '3 workers went away'))
    """
    text = exception.strip()
    if one := _ONE_TEXT.fullmatch(text):
        return one[1], one[3]
    if other := _CALL.fullmatch(text) or _LINE.fullmatch(text):
        return other[1], other[2]
    return (text, "") if _BARE.fullmatch(text) else ("Error", text)


def missing_notices(recording: RecordingStore, counts: Counts) -> list[Notice]:
    """Return notices about dropped rows and merged names of a recording."""
    notices = _of_errors(len(recording.log(ERRORS.name).since(0)), counts.erred)
    for name, store in recording.tables.items():
        if store.dropped and name != ERRORS.name:
            was = "was" if store.dropped == 1 else "were"
            rows = count_text(store.dropped, store.table.noun, store.table.nouns)
            text = f"{rows} {was} dropped: a recording keeps the newest, at most {_bound(store)}."
            notices.append(Notice(f"{name}-dropped", "warn", text))
    return [*notices, *merged_notices(recording.names)]


def _bound(store: LogStore | SeriesStore) -> str:
    if not isinstance(store, LogStore):
        return bytes_text(sum(store.table.ring_bytes))
    table = store.table
    group = f"{table.group_rows:,} of a {table.group}, " if table.group else ""
    return f"{group}{table.rows:,} in total, or {MAX_LOG_CHARACTERS:,} characters"


def _of_errors(kept: int, erred: int) -> list[Notice]:
    if kept >= erred:
        return []
    tasks = count_text(erred, "task")
    if kept:
        text = (
            f"Only the newest {kept:,} of {count_text(erred, 'exception')} are kept. The breakdown "
            "by type covers only those; counts of erred tasks cover all."
        )
    else:
        text = f"The exceptions of {tasks} that erred were not kept."
    return [Notice("errors-dropped", "warn", text)]


def merged_notices(names: Names) -> list[Notice]:
    """Return a notice for each list of names in which some are merged."""
    notices = []
    for kind, table in names.tables.items():
        merged = names.merged(kind)
        if not merged.names:
            continue
        least = "" if merged.exact else "At least "
        are = f"{table.noun} is" if merged.names == 1 else f"{table.nouns} are"
        where = " in the session" if merged.session else ""
        text = (
            f"{least}{merged.names:,} {are} merged into {OTHER_NAME}{where}: at most "
            f"{table.limit - 1:,} distinct names are kept, and {MAX_LIST_CHARACTERS:,} characters."
        )
        notices.append(Notice(f"{kind}-merged", "warn", text))
    return notices
