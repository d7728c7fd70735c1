"""A copy of a recording without what must not leave the house: code, paths, hosts."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope import config
from daskscope.figures import figures_of
from daskscope.recording import RecordingCore, Totals, WorkerChange, pack_keys
from daskscope.recording.name_map import NameMap
from daskscope.report.hosts import Hosts, host_of
from daskscope.report.paths import without_paths, without_source
from daskscope.schema import KEY_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REDACTABLE: Final = ("code", "paths", "hosts")
SCHEDULER: Final = "scheduler"
"""Where a line of a log comes from, if not from a worker."""


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


def redacted(recording: RecordingCore, what: Iterable[str]) -> RecordingCore:
    """Return a copy without `what`; the recording itself stays as it is."""
    return _Redaction(recording, checked(what)).copy()


class _Redaction:
    def __init__(self, source: RecordingCore, what: tuple[str, ...]) -> None:
        limits = config.recording_limits()
        self._source = source
        self._what = what
        self._copy = RecordingCore(
            memory_limit=limits.memory_limit,
            disk_limit=limits.disk_limit,
            overflow=limits.overflow,
            directory=limits.directory,
        )
        self._copy.make_figures = figures_of
        self._names = NameMap(source.names, self._copy.names, self._clean)
        self._hosts = Hosts() if "hosts" in what else None
        if self._hosts is not None:
            self._learn(self._hosts)

    def copy(self) -> RecordingCore:
        """Copy table after table."""
        self._tasks()
        self._entries()
        self._totals()
        self._copy.names.take_merged(self._source.names)
        self._copy.about_facts = self._facts(self._source.about_facts)
        self._copy.close()
        return self._copy

    # -- text ---------------------------------------------------------------

    def _text(self, text: str) -> str:
        if "code" in self._what:
            text = without_source(text)
        return self._name(text)

    def _name(self, text: str) -> str:
        """Clean what holds no code: names, keys, addresses."""
        # Addresses first: what remains of them is no path.
        if self._hosts is not None:
            text = self._hosts.text(text)
        return without_paths(text) if "paths" in self._what else text

    def _worker(self, address: str) -> str:
        return self._hosts.learn_worker(address) if self._hosts is not None else address

    def _learn(self, hosts: Hosts) -> None:
        """Learn every address and host, before any text is looked at."""
        source, facts = self._source, self._source.about_facts
        names = source.worker_names
        # The one that a report names at its top is the first.
        hosts.learn_host(str(facts.get("host") or ""))
        hosts.learn_scheduler(str(facts.get("scheduler") or ""))
        given = {
            str(worker.get("address", "")): str(worker.get("name", ""))
            for worker in _workers(facts)
        }
        versions = facts.get("versions")
        answered = versions.get("workers") if isinstance(versions, dict) else None
        lanes = (worker for worker, _ in source.names.lanes)
        changes = [*source.present, *source.change_log.since(0)]
        for address in dict.fromkeys(
            (*given, *names, *lanes, *(one.worker for one in changes), *(answered or ()))
        ):
            hosts.learn_worker(address, names.get(address) or given.get(address, ""))
        for worker in _workers(facts):
            hosts.learn_host(host_of(str(worker.get("host", ""))))
        for text in _texts(source):
            hosts.learn_shares(text)

    # -- tables -------------------------------------------------------------

    def _clean(self, kind: str, name: Any) -> str | tuple[str, ...]:
        if kind == "lanes":
            return self._worker(name[0]), name[1]
        if isinstance(name, str):
            return self._name(name)
        return name[0], *(self._name(part) for part in name[1:])

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
                copy.append_tasks(block.tasks, self._names.columns(columns), bytes(keys.data))
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

    def _entries(self) -> None:
        source, copy, text, name = self._source, self._copy, self._text, self._name
        prefix = self._names.index
        for table, log in source.log_of.items():
            copy.log_of[table].count_dropped(log.dropped)
        copy.append_rowless(
            [
                replace(task, prefix=prefix("prefixes", task.prefix))
                for task in source.rowless_log.since(0)
            ]
        )
        copy.append_errors(
            [
                replace(
                    error,
                    key=name(error.key),
                    prefix=prefix("prefixes", error.prefix),
                    worker=self._worker(error.worker),
                    exception=text(error.exception),
                    traceback=text(error.traceback),
                )
                for error in source.error_log.since(0)
            ]
        )
        copy.name_workers(
            {
                self._worker(address): self._worker(address) if self._hosts is not None else given
                for address, given in source.worker_names.items()
            }
        )
        copy.take_present([self._change(change) for change in source.present])
        copy.append_changes([self._change(change) for change in source.change_log.since(0)])
        for gap in source.gap_log.since(0):
            copy.append_gap(gap.start, gap.stop, gap.reason, text(gap.text))
        copy.append_events(
            [
                replace(event, topic=name(event.topic), message=text(event.message))
                for event in source.event_log.since(0)
            ]
        )
        copy.append_lines(
            [
                replace(line, source=self._source_of(line.source), text=text(line.text))
                for line in source.line_log.since(0)
            ]
        )
        copy.append_cluster(source.cluster_log.since(0))
        copy.append_scheduler(source.scheduler_log.since(0))

    def _source_of(self, source: str) -> str:
        return source if source == SCHEDULER else self._worker(source)

    def _change(self, change: WorkerChange) -> WorkerChange:
        return replace(change, worker=self._worker(change.worker), detail=self._text(change.detail))

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
        if self._hosts is not None:
            # Its name is its address now, in every table.
            clean["workers"] = [
                worker | {"name": worker.get("address", "")} for worker in _workers(clean)
            ]
        if self._source.spill_error:  # the copy, of what is left, may be in no need of a disk
            clean["spill_error"] = self._text(self._source.spill_error)
        before = facts.get("redacted")
        was = before if isinstance(before, list) else []
        out = [what for what in REDACTABLE if what in self._what or what in was]
        return clean | {"redacted": out}

    def _versions(self, versions: Any) -> Any:
        """Clean only who said it: four numbers may be a version as well as an address."""
        if not isinstance(versions, dict) or not isinstance(versions.get("workers"), dict):
            return versions
        answered = {self._worker(one): said for one, said in versions["workers"].items()}
        return versions | {"workers": answered}

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._text(str(name)): self._cleaned(one) for name, one in value.items()}
        return [self._cleaned(one) for one in value] if isinstance(value, list | tuple) else value


def _texts(source: RecordingCore) -> Iterator[str]:
    """Give everything in which a path may stand."""
    names = source.names
    yield from _strings([names.prefixes, names.spans, source.about_facts, source.spill_error])
    for chunk in source.chunks():
        for block in chunk.keys:
            yield KEY_SEPARATOR.join(block.texts())
    for entries in (source.present, *(log.since(0) for log in source.log_of.values())):
        for entry in entries:
            yield from _strings([getattr(entry, field.name) for field in fields(entry)])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


def _workers(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    workers = facts.get("workers")
    if not isinstance(workers, list):
        return []
    return [worker for worker in workers if isinstance(worker, dict)]
