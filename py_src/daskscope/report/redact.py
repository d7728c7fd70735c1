"""A copy of a recording without what must not leave the house: code, paths, hosts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.derive.progress import unfinished_counts
from daskscope.derive.work import workers_of
from daskscope.file_summary import new_recording
from daskscope.recording import LogStore, RecordingStore, SeriesStore, Totals, pack_keys
from daskscope.recording.names import NameMap
from daskscope.recording.recording_store import rows_by_step
from daskscope.report.hosts import Hosts, host_of
from daskscope.report.paths import without_paths, without_source
from daskscope.schema import KEY_SEPARATOR, PREFIXES, TASKS, Column, Private, columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

REDACTABLE: Final = ("code", "paths", "hosts")
EVERYTHING: Final[tuple[Private, ...]] = ("code", "hosts", "paths")
"""The order of cleaning: of an address what remains is no path."""

NAMES: Final[tuple[Private, ...]] = ("hosts", "paths")
"""What keys and other names may hold."""

ADDRESS: Final[tuple[Private, ...]] = ("hosts",)
"""What a column holds that has addresses of workers, or what they are called."""


def checked(redact: Iterable[str]) -> tuple[str, ...]:
    """Return what is to be left out, in the order of REDACTABLE.

    >>> checked(["hosts", "code"]), checked("paths")
    (('code', 'hosts'), ('paths',))
    """
    wanted = {redact} if isinstance(redact, str) else set(redact)
    unknown = sorted(map(repr, wanted - set(REDACTABLE)))
    if unknown:
        known = ", ".join(map(repr, REDACTABLE))
        raise ValueError(f"redact: any of {known}, not {', '.join(unknown)}")
    return tuple(what for what in REDACTABLE if what in wanted)


def redacted(recording: RecordingStore, what: Iterable[str]) -> RecordingStore:
    """Return a copy without `what`; the recording itself stays as it is."""
    return _Redaction(recording, checked(what)).copy()


class _Redaction:
    def __init__(self, source: RecordingStore, what: tuple[str, ...]) -> None:
        self._source = source
        self._what = (*what, *(("source",) if "code" in what else ()))
        self._copy = new_recording()
        self._names = NameMap(source.names, self._copy.names, self._cell)
        self._hosts = Hosts()
        self._cleaners: dict[Private, Callable[[str], str]] = {
            "source": lambda _: "",
            "code": without_source,
            "hosts": self._hosts.clean,
            "paths": without_paths,
        }
        if "hosts" in what:
            self._learn(self._hosts)

    def copy(self) -> RecordingStore:
        """Copy table after table."""
        source, copy = self._source, self._copy
        self._names.take_all()
        self._tasks()
        names = {self._worker(one): self._name(name) for one, name in source.worker_names.items()}
        copy.name_workers(names)
        for store in source.tables.values():
            if isinstance(store, LogStore):
                self._log(store)
            else:
                self._series(store)
        self._totals()
        copy.take_logged(source.counts.erred, source.counts.changes)
        copy.names.take_merged(source.names)
        copy.about_facts = self._facts(source.about_facts)
        copy.close()
        return copy

    # -- text ---------------------------------------------------------------

    def _clean(self, text: str, holds: Sequence[Private]) -> str:
        for what in ("source", *EVERYTHING):
            if what in holds and what in self._what:
                text = self._cleaners[what](text)
        return text

    def _text(self, text: str) -> str:
        return self._clean(text, EVERYTHING)

    def _name(self, text: str) -> str:
        """Clean what holds no code: names, keys, addresses."""
        return self._clean(text, NAMES)

    def _cell(self, column: Column, cell: Any) -> Any:
        """Clean a cell of a table; a text whose column declares nothing is dropped."""
        if column.type not in ("utf8", "texts") or not self._what:
            return cell
        if column.holds is None:
            return "" if column.type == "utf8" else ()
        holds = column.holds
        if column.type == "texts":
            return tuple(self._clean(part, holds) for part in cell)
        return self._clean(cell, holds)

    def _worker(self, address: str) -> str:
        return self._clean(address, ADDRESS)

    def _learn(self, hosts: Hosts) -> None:
        """Learn every address and host, before any text is looked at."""
        source, facts = self._source, self._source.about_facts
        names = source.worker_names
        # The one that a report names at its top is the first.
        hosts.learn_host(str(facts.get("host") or ""))
        hosts.learn_scheduler(str(facts.get("scheduler") or ""))
        given = {
            str(worker.get("address", "")): str(worker.get("name", ""))
            for worker in workers_of(facts)
        }
        versions = facts.get("versions")
        answered = versions.get("workers") if isinstance(versions, dict) else None
        logged = [
            text
            for column, text in _texts_of_tables(source)
            if column.holds == ADDRESS and "://" in text
        ]
        for address in dict.fromkeys((*given, *names, *logged, *(answered or ()))):
            hosts.learn_worker(address, names.get(address) or given.get(address, ""))
        for worker in workers_of(facts):
            hosts.learn_host(host_of(str(worker.get("host", ""))))
        for text in _texts(source):
            hosts.learn_shares(text)

    # -- tables -------------------------------------------------------------

    def _tasks(self) -> None:
        copy = self._copy
        for chunk in self._source.chunks():
            copy.skip_tasks(chunk.first - copy.next_task)
            for block in chunk.keys:
                rows = chunk.rows_of(block.first, block.stop)
                columns = {name: column[rows] for name, column in chunk.columns.items()}
                columns["task"] = columns["task"] - np.uint32(block.first)
                # One text: a pattern looks once for what most keys do not have.
                text = self._name(KEY_SEPARATOR.join(block.texts()))
                keys = pack_keys(0, text.split(KEY_SEPARATOR))
                columns = self._names.columns(TASKS.columns, columns)
                copy.append_tasks(block.tasks, columns, bytes(keys.data))
        copy.skip_tasks(self._source.next_task - copy.next_task)
        copy.drop_from_agent(self._source.counts.dropped_agent)

    def _totals(self) -> None:
        """Hand over what was counted, also of tasks that were dropped."""
        index, totals = self._names.index, self._source.totals
        self._copy.raise_totals(
            Totals(
                tuple(
                    replace(one, prefix=index("prefixes", one.prefix)) for one in totals.prefixes
                ),
                tuple(replace(one, action=index("actions", one.action)) for one in totals.actions),
            )
        )

    def _log(self, source: LogStore) -> None:
        declared = source.table.columns
        log = self._copy.log(source.table.name)
        log.count_dropped(source.dropped)
        log.append(
            self._names.row(declared, row)._replace(
                **{
                    c.name: self._cell(c, cell)
                    for c, cell in zip(declared, row, strict=True)
                    if c.type in ("utf8", "texts")
                }
            )
            for row in source.since(0)
        )

    def _series(self, source: SeriesStore) -> None:
        def clean(rows: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
            columns: dict[str, Any] = self._names.columns(columns_of(source.table), rows)
            for column in source.table.columns:
                if column.type == "utf8":
                    cells = [self._cell(column, cell) for cell in columns[column.name]]
                    columns[column.name] = cells
            return columns

        copy = self._copy.series(source.table.name)
        for step, rows in rows_by_step(source):
            copy.restore(step, clean(rows))
        copy.set_before(clean(source.before))
        copy.count_dropped(source.dropped)

    # -- what is known of the whole -----------------------------------------

    def _facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        clean = {
            name: self._cleaned(value)
            for name, value in facts.items()
            if name not in ("versions", "summary")  # the figures are made anew
        }
        if "versions" in facts:
            clean["versions"] = self._versions(facts["versions"])
        if "code" in self._what:
            clean["code"] = ""
        if "hosts" in self._what:
            # Its name is its address now, in every table.
            clean["workers"] = [
                worker | {"name": worker.get("address", "")} for worker in workers_of(clean)
            ]
        if self._source.spill_error:  # the copy, of what is left, may be in no need of a disk
            clean["spill_error"] = self._text(self._source.spill_error)
        if "unfinished" in facts:
            clean["unfinished"] = self._unfinished(facts["unfinished"])
        before = facts.get("redacted")
        was = before if isinstance(before, list) else []
        out = [what for what in REDACTABLE if what in self._what or what in was]
        return clean | {"redacted": out}

    def _unfinished(self, stored: Any) -> Any:
        """Name prefixes as their dictionary does, and add up those that have one name now."""
        if not isinstance(stored, dict):
            return None
        found: dict[str, list[int]] = {}
        for name, counts in unfinished_counts(stored.get("prefixes")).items():
            clean = self._cell(PREFIXES.columns[0], name)
            known = found.get(clean, [0, 0, 0])
            found[clean] = [*map(sum, zip(known, counts, strict=True))]
        return stored | {"prefixes": found}

    def _versions(self, versions: Any) -> Any:
        """Clean only the names of workers: four numbers may be a version as well as an address."""
        if not isinstance(versions, dict) or not isinstance(versions.get("workers"), dict):
            return versions
        answered = {self._worker(one): answer for one, answer in versions["workers"].items()}
        return versions | {"workers": answered}

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._text(str(name)): self._cleaned(one) for name, one in value.items()}
        return [self._cleaned(one) for one in value] if isinstance(value, list | tuple) else value


def _texts(source: RecordingStore) -> Iterator[str]:
    """Yield every text that may contain a path."""
    yield from _strings([source.about_facts, source.spill_error])
    for chunk in source.chunks():
        for block in chunk.keys:
            yield KEY_SEPARATOR.join(block.texts())
    for _, text in _texts_of_tables(source):
        yield text


def _texts_of_tables(source: RecordingStore) -> Iterator[tuple[Column, str]]:
    """Give each text of all tables but tasks, and of which column it is."""
    names = source.names
    for kind, table in names.tables.items():
        yield from _texts_of(table.columns, names.columns(kind))
    for store in source.tables.values():
        columns = store.columns() if isinstance(store, LogStore) else store.rows()
        yield from _texts_of(store.table.columns, columns)


def _texts_of(
    declared: Sequence[Column], columns: Mapping[str, Iterable[Any]]
) -> Iterator[tuple[Column, str]]:
    for column in declared:
        if column.type in ("utf8", "texts"):
            for text in _strings(list(dict.fromkeys(columns[column.name]))):
                yield column, text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
