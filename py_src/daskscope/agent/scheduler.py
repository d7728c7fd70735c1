"""The agent: a scheduler plugin that captures every finished task and answers readers.

Runs inside the scheduler, where daskscope is not installed: it is sent as source text
(see `daskscope.agent`), and uses only the standard library, distributed, and the syntax
of Python 3.9. It must not harm the scheduler: `transition` only appends to a few lists, memory
is bounded, any exception disables the agent and never reaches the scheduler (hence the blind
`except`s), and the agent removes itself when its last reader has gone.
"""

from __future__ import annotations

import traceback
import uuid
from bisect import bisect_right
from time import monotonic, thread_time, time
from typing import Any, Callable

from distributed.diagnostics.plugin import SchedulerPlugin

from daskscope.agent.cluster import (
    describe_load,
    describe_progress,
    describe_span,
    describe_workers,
    erred_counts,
    finished_tasks,
)
from daskscope.agent.events import EventLog, Log, published_event
from daskscope.agent.gather import ProfileGather
from daskscope.agent.graphs import TaskGraphs
from daskscope.agent.memory import MemorySamples
from daskscope.agent.metrics import METRICS_S, MetricSamples, Spans, TaskStates
from daskscope.agent.packing import (
    MAX_ACTIONS,
    MAX_ERROR_CHARS,
    MAX_NAME_CHARS,
    REPORTED,
    Interned,
    Lanes,
    Pending,
    alike,
    clean_text,
    describe_name,
    last_stop,
    pack,
    size_bytes,
    valid_rows,
)

CHUNK_LENGTH = 2_000 * REPORTED  # length of `pending.finished` at which tasks are packed
MAX_ERRORS = 1_000
MAX_CHANGES = 10_000
UNKNOWN_CLIENT_LEASE_S = 60.0
CLOSED_CLIENT_LEASE_S = 2.0  # time for the reader's last request
LEASE_CHECK_S = 30.0
LEAST_SAMPLE_S = 0.001
SAMPLE_SHARE = 0.05  # share of the scheduler's time that samples of memory may take
HELD_S = 0.1
MISSING: Any = []  # default that fails to pack, so that a missing argument is noticed


class Agent(SchedulerPlugin):
    """Captures finished tasks of one scheduler for any number of readers."""

    idempotent = True

    def __init__(
        self,
        name: str,
        memory_limit: int,
        actions: list[str],
        statuses: list[str],
        worker_agent: bytes,
    ) -> None:
        self.name = name
        self.id = uuid.uuid4().hex
        self.memory_limit = memory_limit
        self.scheduler: Any = None
        self.failure: str | None = None
        self.lease_check: Any = None
        self.sampler: Any = None  # the timer of the next sample of memory
        self.sample_s = 0.0
        self.transition = _ignore
        # By reader's id: the client's id, monotonic time of the last poll, and in seconds the lease
        # and the interval of memory samples.
        self.readers: dict[str, list[Any]] = {}
        self.pending = Pending()
        self.chunks: list[dict[str, Any]] = []
        self.chunk_firsts: list[int] = []
        self.memory = 0
        self.next = 0  # number of the first task that is still pending
        self.incomplete = 0
        self.before = 0  # tasks that had finished when capturing began
        # By prefix: tasks that erred before, and tasks that raised since. The rest could not run.
        self.raised: dict[str, int] = {}
        self.errors = Log(MAX_ERRORS)
        self.changes = Log(MAX_CHANGES)
        self.events = EventLog()
        self.prefixes = Interned(describe_name)
        self.lanes = Lanes()
        self.actions = Interned(describe_name, MAX_ACTIONS, actions)
        self.spans = Spans(lambda span_id: describe_span(self.scheduler, span_id))
        self.graphs = TaskGraphs()
        self.memory_samples = MemorySamples(self.prefixes, statuses)
        self.held_at = 0.0
        self.metric_samples = MetricSamples(self.spans)
        self.task_states = TaskStates(self.prefixes, self.memory_samples.addresses)
        self.metrics_at = 0.0  # monotonic
        self.metrics_failure: str | None = None
        self.profiles = ProfileGather(name, worker_agent)

    # -- lifetime -----------------------------------------------------------

    async def start(self, scheduler: Any) -> None:
        """Start capturing and answering."""
        self.scheduler = scheduler
        self.transition = self.make_transition()
        self.before = finished_tasks(scheduler)
        self.raised = erred_counts(scheduler)
        self.graphs.begin(scheduler)
        self.memory_samples.walk(scheduler)
        try:
            self.metric_samples.start(scheduler, time())
        except Exception:  # another version of distributed
            self.fail_metrics()
        self.profiles.start(scheduler)
        scheduler.handlers[self.name + "_profile"] = self.profile
        scheduler.handlers[self.name + "_poll"] = self.poll
        scheduler.handlers[self.name + "_release"] = self.release
        self.readers["(installer)"] = ["", monotonic(), UNKNOWN_CLIENT_LEASE_S, None]
        self.check_leases()

    async def close(self) -> None:
        """Leave when the scheduler closes."""
        self.leave()

    def leave(self) -> None:
        """Remove every trace of this agent from the scheduler."""
        if self.lease_check is not None:
            self.lease_check.cancel()
            self.lease_check = None
        self.profiles.leave()
        for kind in ("_poll", "_release", "_profile"):
            handler = self.scheduler.handlers.get(self.name + kind)
            if getattr(handler, "__self__", None) is self:
                del self.scheduler.handlers[self.name + kind]
        if self.scheduler.plugins.get(self.name) is self:
            del self.scheduler.plugins[self.name]
        self.forget()

    def forget(self) -> None:
        """Stop capturing and free all captured data."""
        self.transition = _ignore
        self.stop_sampling()
        self.memory_samples.clear()
        self.graphs = TaskGraphs()
        self.metric_samples.clear()
        self.pending.clear()
        self.chunks.clear()
        self.chunk_firsts.clear()
        self.memory = 0

    def fail(self) -> None:
        """Stop capturing after an exception, and keep its text for the readers."""
        if self.failure is None:
            self.failure = traceback.format_exc()[-MAX_ERROR_CHARS:]
        self.forget()

    def fail_metrics(self) -> None:
        """Stop reading metrics after an exception, and keep its text for the readers."""
        self.metrics_failure = traceback.format_exc()[-MAX_ERROR_CHARS:]
        self.metric_samples.clear()

    def check_leases(self) -> None:
        """Remove readers that stopped polling; leave when none is left."""
        now = monotonic()
        for reader, (_, polled, lease_s, _) in list(self.readers.items()):
            if now - polled > lease_s:
                del self.readers[reader]
        if self.readers:
            self.check_leases_in(LEASE_CHECK_S)
        else:
            self.leave()

    def check_leases_in(self, seconds: float) -> None:
        """Schedule the next check of leases, in place of an earlier one."""
        if self.lease_check is not None:
            self.lease_check.cancel()
        self.lease_check = self.scheduler.loop.asyncio_loop.call_later(seconds, self.check_leases)

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Shorten the leases of a closed client's readers: they may poll once more."""
        try:
            for reader, lease in self.readers.items():
                if lease[0] == client:
                    self.readers[reader] = [client, monotonic(), CLOSED_CLIENT_LEASE_S, lease[3]]
                    self.check_leases_in(CLOSED_CLIENT_LEASE_S + 0.1)
        except Exception:
            self.fail()

    def release(self, reader: str = "") -> bool:
        """Remove a reader that will not poll again."""
        self.readers.pop(reader, None)
        if not self.readers:
            self.leave()
        return True

    # -- capture ------------------------------------------------------------

    def make_transition(self) -> Callable[..., None]:
        """Return the hook for transitions: a closure, because that is the cheapest call."""
        pending = self.pending.finished
        extend_finished = pending.extend
        extend_rows = self.pending.rows.extend
        append_left_group = self.memory_samples.left_groups.append
        append_left_size = self.memory_samples.left_sizes.append
        tasks = self.scheduler.tasks

        # Every argument that Dask passes has a positional parameter: CPython is slower with
        # `**rest` and with defaults of keyword-only parameters.
        def transition(
            key: Any,
            start: str,
            finish: str,
            stimulus_id: Any = None,
            worker: Any = MISSING,
            metadata: Any = None,
            nbytes: Any = MISSING,
            type: Any = None,  # noqa: A002 (what Dask calls it)
            typename: Any = None,
            thread: Any = MISSING,
            startstops: Any = None,
            status: Any = None,
            **rest: Any,
        ) -> None:
            if start == "processing":
                try:
                    if finish == "memory":
                        extend_rows(startstops)
                        extend_finished(
                            (len(startstops), nbytes, worker, thread, tasks[key].group, key)
                        )
                    elif finish == "erred":
                        self.capture_error(key, tasks[key], startstops, worker, thread, rest)
                except Exception:
                    self.capture_rest(key, startstops, nbytes, worker, thread)
                if len(pending) >= CHUNK_LENGTH:
                    self.pack_pending()
            elif start == "memory":
                try:
                    task = tasks[key]
                    if task.run_spec is not None:  # scattered data was never counted as held
                        append_left_group(task.group)
                        append_left_size(task.nbytes)
                except Exception:
                    self.fail()

        return transition

    def capture_rest(self, key: Any, *finished: Any) -> None:
        """Keep a task whose transition lacks values or has invalid ones."""
        try:
            self.pending.cut()
            self.incomplete += 1
            rows, *rest = [None if value is MISSING else value for value in finished]
            self.pending.report(valid_rows(rows), *rest, self.scheduler.tasks[key].group, key)
        except Exception:
            self.fail()

    def capture_error(
        self, key: Any, task: Any, rows: Any, worker: Any, thread: Any, finished: dict[str, Any]
    ) -> None:
        """Keep a task that erred; it may have no startstops, worker or thread."""
        worker, thread = [None if value is MISSING else value for value in (worker, thread)]
        exception = finished.get("exception_text")
        if exception is None:
            exception = "KilledWorker: %d workers went away while they ran this task" % (
                task.suspicious,
            )
        # Exception objects may be huge, so only their text is kept.
        rows = rows or ()
        when = last_stop(rows)
        prefix = task.prefix.name
        self.raised[prefix] = self.raised.get(prefix, 0) + 1
        self.pending.report(rows, 0, worker, thread, task.group, key)
        self.pending.erred.append(len(self.pending) - 1)
        span_id = task.group.span_id or ""
        self.spans.erred[span_id] = self.spans.erred.get(span_id, 0) + 1
        self.errors.append(
            {
                "task": self.next + len(self.pending) - 1,
                "key": clean_text(key),
                "prefix": clean_text(prefix, MAX_NAME_CHARS),
                "worker": clean_text(worker or ""),
                "time": time() if when is None else when,
                "exception": clean_text(exception, MAX_ERROR_CHARS),
                "traceback": clean_text(finished.get("traceback_text") or "", MAX_ERROR_CHARS),
            }
        )

    def pack_pending(self) -> None:
        """Pack the pending tasks into a chunk."""
        if not self.pending.finished:
            return
        names = (self.prefixes, self.lanes, self.actions, self.spans)
        try:
            self.memory_samples.settle(self.pending)
            finished = self.pending.finished
            groups = alike(finished[4::REPORTED])
            graphs = self.graphs.numbers(finished[5::REPORTED], groups)
            try:
                chunk = pack(self.next, self.pending, groups, graphs, *names)
            except Exception:
                self.incomplete += self.pending.mend()
                chunk = pack(self.next, self.pending, groups, graphs, *names)
        except Exception:
            self.fail()
            return
        self.next += chunk["tasks"]
        self.pending.clear()
        self.memory_samples.settled = 0
        self.chunks.append(chunk)
        self.chunk_firsts.append(chunk["first"])
        self.memory += size_bytes(chunk)
        if self.memory > self.memory_limit:
            self.drop_oldest()

    def drop_oldest(self) -> None:
        """Drop the oldest chunks until the agent is within its memory limit."""
        count = 0
        while self.memory > self.memory_limit and count < len(self.chunks) - 1:
            chunk = self.chunks[count]
            self.memory -= size_bytes(chunk)
            count += 1
        del self.chunks[:count]
        del self.chunk_firsts[:count]

    # -- graphs -------------------------------------------------------------

    def update_graph(
        self,
        scheduler: Any,
        *,
        client: str,
        keys: Any,
        tasks: Any,
        stimulus_id: Any = None,
        **_: Any,
    ) -> None:
        """Record a graph before its tasks have transitions."""
        if self.failure is not None:
            return
        try:
            if self.graphs.crowded:
                self.pack_pending()
                self.graphs.sweep(scheduler)
            self.graphs.take(scheduler, client, keys, tasks, stimulus_id)
        except Exception:
            self.fail()

    # -- workers ------------------------------------------------------------

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Log that a worker joined."""
        try:
            state = scheduler.workers[worker]
            detail = "%d thread%s" % (state.nthreads, "" if state.nthreads == 1 else "s")
            # The worker may leave before the next snapshot, so its name is sent here.
            self.change(worker, "added", detail, name=clean_text(state.name, MAX_NAME_CHARS))
        except Exception:
            self.fail()

    def remove_worker(self, scheduler: Any, worker: str, **kwargs: Any) -> None:
        """Log that a worker left; the scheduler gives no readable reason."""
        self.change(worker, "removed", "")

    def restart(self, scheduler: Any) -> None:
        """Log that the user restarted the cluster, which resets the counts of its prefixes."""
        self.raised.clear()
        self.change("", "restarted", "all tasks were forgotten")

    def log_event(self, topic: str, msg: Any) -> None:
        """Keep an event and log a worker's new status; Dask calls this once for each topic."""
        try:
            self.events.append(published_event(self.scheduler, topic, msg), topic)
        except Exception:
            self.fail()
        if type(msg) is dict and msg.get("action") == "worker-status-change":
            self.change(topic, str(msg.get("status")), "was %s" % (msg.get("prev-status"),))

    def change(self, worker: Any, what: str, detail: Any, **more: Any) -> None:
        """Append to the log of changes of workers."""
        try:
            self.changes.append(
                {
                    "time": time(),
                    "worker": clean_text(worker, MAX_NAME_CHARS),
                    "what": what,
                    "detail": clean_text(detail, MAX_NAME_CHARS),
                    **more,
                }
            )
        except Exception:
            self.fail()

    # -- memory -------------------------------------------------------------

    def sample_every(self, seconds: float, at_once: bool) -> None:
        """Sample memory now if a reader asks for it, or wants a shorter interval than before."""
        if at_once or self.sampler is None or max(seconds, LEAST_SAMPLE_S) < self.sample_s:
            self.stop_sampling()
            self.sample()

    def stop_sampling(self) -> None:
        """Stop the timer."""
        if self.sampler is not None:
            self.sampler.cancel()
            self.sampler = None

    def sample(self) -> None:
        """Sample memory, and set the timer to the shortest interval that a reader wants."""
        wanted = [reader[3] for reader in self.readers.values() if reader[3]]
        timer, self.sampler = self.sampler, None
        if not wanted:
            return
        loop = self.scheduler.loop.asyncio_loop
        begun, begun_s = loop.time(), thread_time()
        try:
            self.memory_samples.sample(self.scheduler.workers, time())
            if begun - self.held_at >= HELD_S:
                self.held_at = begun
                self.memory_samples.sample_held(self.pending, time())
        except Exception:
            self.fail()
            return
        self.sample_s = max(min(wanted), LEAST_SAMPLE_S)
        due = (timer.when() if timer else begun) + self.sample_s
        spared_s = (thread_time() - begun_s) * (1 / SAMPLE_SHARE - 1)
        self.sampler = loop.call_at(max(due, loop.time() + spared_s), self.sample)

    # -- readers ------------------------------------------------------------

    async def profile(
        self,
        reader: str = "",
        known: Any = None,
        after: str = "",
        left: int | None = None,
        limit_bytes: int = 2_000_000,
        last: bool = False,
    ) -> Any:
        """Answer one reader with new profile data of workers and scheduler."""
        if self.failure is not None or self.scheduler.plugins.get(self.name) is not self:
            return None
        return await self.profiles.answer(reader, known or {}, after, left, limit_bytes, last)

    def poll(
        self,
        reader: str = "",
        client: str = "",
        cursor: int = 0,
        limit_bytes: int = 4_000_000,
        timeout_s: float = 600.0,
        **want: Any,
    ) -> dict[str, Any] | None:
        """Answer one reader with everything that is new to it, and how long that took."""
        if self.scheduler.plugins.get(self.name) is not self:
            # Someone unregistered this plugin, so it gets no tasks: answer like a missing agent.
            self.leave()
            return None
        begun = thread_time()
        connected = client in self.scheduler.clients
        if connected or reader not in self.readers:  # a closed client's short lease stays
            lease_s = timeout_s if connected else UNKNOWN_CLIENT_LEASE_S
            self.readers[reader] = [client, monotonic(), lease_s, want.get("memory_s")]
        self.readers.pop("(installer)", None)
        if self.failure is None:
            try:
                answer: dict[str, Any] = self.answer(cursor, limit_bytes, want)
            except Exception:
                self.fail()
            if self.failure is None:
                answer["seconds"] = thread_time() - begun
                return answer
        return {"agent": self.id, "time": time(), "error": self.failure}

    def answer(self, cursor: int, limit_bytes: int, want: dict[str, Any]) -> dict[str, Any]:
        """Return what is new since the cursors of a reader."""
        self.pack_pending()
        self.graphs.sweep(self.scheduler)
        chunks: list[dict[str, Any]] = []
        size, whole = 0, True
        # A chunk is sent whole, even if the cursor points into it.
        for chunk in self.chunks[max(bisect_right(self.chunk_firsts, cursor) - 1, 0) :]:
            if chunk["first"] + chunk["tasks"] <= cursor:
                continue
            size += size_bytes(chunk)
            if chunks and size > limit_bytes:
                whole = False
                break
            chunks.append(chunk)
        memory = None
        if want.get("memory_s"):
            memory = self.answer_memory(want)
        else:
            self.memory_samples.settle(self.pending)
        # The reader spreads increments over tasks, so it must have all finished tasks first.
        metrics = self.answer_metrics(want) if want.get("metrics_wanted") and whole else None
        names = want.get("names") or {}
        lists = {
            "prefixes": self.prefixes,
            "lanes": self.lanes,
            "actions": self.actions,
            "spans": self.spans,
        }
        answer = {
            "agent": self.id,
            "time": time(),
            "first": self.chunk_firsts[0] if self.chunks else self.next,
            "next": self.next,
            "incomplete": self.incomplete,
            "before": self.before,
            "chunks": chunks,
            "names": {
                kind: interned.described[names.get(kind, 0) :] for kind, interned in lists.items()
            },
            "merged": {kind: len(interned.merged) for kind, interned in lists.items()},
            "errors": self.errors.since(want.get("errors") or 0),
            "changes": self.changes.since(want.get("changes") or 0),
            "events": self.events.since(want.get("events") or 0),
            "graphs": self.graphs.log.since(want.get("graphs") or 0),
            "memory": memory,
            "metrics": metrics,
        }
        if want.get("workers"):
            answer["workers"] = describe_workers(self.scheduler)
            answer["scheduler"] = describe_load(self.scheduler, want.get("load"))
            answer["progress"] = describe_progress(self.scheduler, self.raised)
            answer["copies"] = self.memory_samples.copies(self.scheduler)
        return answer

    def answer_memory(self, want: dict[str, Any]) -> dict[str, Any] | None:
        """Return the samples of memory since a reader's cursors; at first a row of every key."""
        self.sample_every(want["memory_s"], bool(want.get("memory_now")))
        cursors = want.get("memory")
        samples, now = self.memory_samples, time()
        if cursors is None:
            samples.sample(self.scheduler.workers, now)  # so that other readers get who left
            cursors = samples.repeat()
            samples.sample(self.scheduler.workers, now)
        samples.sample_held(self.pending, now)
        return samples.since(cursors)

    def answer_metrics(self, want: dict[str, Any]) -> dict[str, Any] | None:
        """Return new metrics, or the error that stopped them; tasks are not affected."""
        try:
            if self.metrics_failure is None:
                return self.new_metrics(want)
        except Exception:
            self.fail_metrics()
        return {"error": self.metrics_failure}

    def new_metrics(self, want: dict[str, Any]) -> dict[str, Any] | None:
        """Return new metrics, task states and spans; at first the totals.

        Return None if there was no sample since the reader's last poll.
        """
        metrics, states, cursors = self.metric_samples, self.task_states, want.get("metrics")
        begun = monotonic()
        # A request for workers comes from the end of a block, which needs the latest metrics.
        if cursors is None or want.get("workers") or begun >= self.metrics_at:
            begun_s, now = thread_time(), time()
            metrics.sample(self.scheduler, now, settle=cursors is None)
            if cursors is None:
                states.repeat()
            first_state = states.rows.next
            states.sample(self.scheduler, now)
            spared_s = (thread_time() - begun_s) * (1 / SAMPLE_SHARE - 1)
            self.metrics_at = begun + max(METRICS_S, spared_s)
        elif [*cursors] == metrics.ends(states.rows):
            return None
        totals = metrics.all_totals(self.scheduler) if cursors is None else None
        row, state, key, span = cursors or (metrics.rows.next, first_state, 0, 0)
        rows = states.rows.since(state)
        places = {*states.rows.columns[2][rows["first"] - states.rows.first :]}
        return {
            "scheduler": self.scheduler.id,
            "totals": totals,
            "metrics": metrics.rows.since(row),
            "states": rows,
            "workers": [[place, states.addresses.described[place]] for place in places],
            "spans": metrics.spans_since(self.scheduler, span),
            "keys": metrics.keys.described[key:],
        }


def _ignore(key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
    """Do nothing: the hook for transitions while the agent does not capture."""
