"""Writes the golden messages: what the real hub says in a small, hostile scene.

    python tests/contract/generate.py

Python and TypeScript tests read the files beside this one. A message is a `.json` file
with `from`, `message`, `buffers` (names of `.bin` files) and, for binary messages, what
the buffers must decode to: `columns` of rows, and their `numbers` if they have holes;
`keys` of each block. Those of tables that are declared here have the declaration as `table`.

`files/` has a recording as `daskscope` saves it, and what a reader makes of it.
"""

from __future__ import annotations

import json
import math
import runpy
import sys
import zlib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"
sys.path[:0] = [str(HERE.parent / "py"), str(HERE.parents[1] / "py_src")]

import numpy as np  # noqa: E402
from recording_rows import (  # noqa: E402
    START,
    append_cluster,
    append_scheduler,
    gap,
    log_line,
    logged_event,
    task_error,
    worker_change,
)
from stream_pages import FakeLoop, PlainSession, unpacked  # noqa: E402

from daskscope import schema  # noqa: E402
from daskscope.derive.focus_totals import FocusTotals  # noqa: E402
from daskscope.errors import Notice  # noqa: E402
from daskscope.focus import Focus  # noqa: E402
from daskscope.loading import opened  # noqa: E402
from daskscope.recording import UNKNOWN_TASK, RecordingStore, pack_keys  # noqa: E402
from daskscope.recording.file_writer import FileWriter, write_file  # noqa: E402
from daskscope.recording.summary_blocks import coarse  # noqa: E402
from daskscope.schema import (  # noqa: E402
    COARSE,
    FILE_FORMAT,
    MEASURES,
    PROTOCOL,
    TASKS,
    Column,
    Dictionary,
    Log,
    Series,
    Table,
    columns_of,
    tables,
)
from daskscope.stream import Channel, Code, Hub  # noqa: E402
from daskscope.stream import hub as hub_module  # noqa: E402
from daskscope.stream.messages import Coarse  # noqa: E402
from daskscope.stream.sources import describe_task  # noqa: E402

LOGS = [name for name, table in tables().items() if isinstance(table, Log)]
SERIES = [name for name, table in tables().items() if isinstance(table, Series)]
HOSTILE = "<script>alert('\U0001f600')</script>\n\t\"quoted\" \\ \u2028 \0 end"
KEYS = ["inc-0", "('sum-ab12', 0, 1)", HOSTILE, repr(b"\xff\x00"), "x" * 10_000]
WORKER = "tcp://10.0.0.1:40001"
FOCUS = {
    "time": [START, START + 1.5],
    "prefixes": ["inc", HOSTILE],
    "workers": [],
    "spans": [],
    "cells": [],
}


NOTICE = Notice(
    "plugins-refused",
    "warn",
    "The scheduler refuses plugins; spans and deserialization are missing.",
    "Ask whoever runs it to allow register_scheduler_plugin.",
)


def recording() -> RecordingStore:
    """Five tasks: overlaps, an error, a span, skewed clocks, a name with markup."""
    made = RecordingStore()
    for prefix in ("inc", "sum", HOSTILE):
        made.names.intern("prefixes", prefix)
    for thread in ("140001", "140002"):
        made.names.intern("lanes", (WORKER, thread))
    made.names.intern("actions", "fancy-new-action")
    made.names.intern("spans", ("span-1", ("load", HOSTILE)))
    rows = {
        "start": [START, START + 0.5, START + 0.75, START + 1, START + 7200, START + 2, START + 3],
        "duration": [0.5, 0.25, 0.5, 0.125, -0.25, 0.5, 1.0],
        "lane": [0, 0, 1, 1, 0, 1, 0],
        "prefix": [0, 1, 1, 2, 0, 2, 2],
        "action": [0, 1, 0, 0, 3, 5, 0],
        "status": [0, 0, 0, 1, 0, 0, 0],
        "nbytes": [28.0, 1e6, 1e6, 0.0, 2.0**40, 8.0, 8.0],
        "span": [0, 1, 1, 0, 0, 1, 0],
        "task": [0, 1, 1, 2, 3, 4, 4],
        "computation": [2, 2, 2, 3, 3, 1, 1],
    }
    made.append_tasks(5, rows, pack_keys(0, KEYS).data)
    made.log("errors").append(
        [
            task_error(
                2, HOSTILE, 2, WORKER, START + 1.125, f"ValueError({HOSTILE})", "Traceback …"
            ),
            task_error(UNKNOWN_TASK, "dropped-1", 2, WORKER, START + 1.25, "KeyError(1)", ""),
        ]
    )
    made.name_workers({WORKER: "0"})
    made.log("workers").append([worker_change(START - 1, WORKER, "added", "2 threads")])
    restarted = ("scheduler-restarted", "The scheduler was restarted.")
    made.log("gaps").append([gap(START + 4, START + 5, *restarted)])
    return made


def append_profile(made: RecordingStore) -> None:
    """Append a stack with a name that is markup, and its counts by worker and event loop."""
    frames = [("work", "/home/ada/work.py", 3, 5, "return f(x)"), (HOSTILE, "<string>", 1, 1, "")]
    outer, inner = [made.names.intern("frames", frame) for frame in frames]
    above = made.names.intern("stacks", (0, outer))
    seen = {
        "time": [START, START, START + 1, START + 1],
        "duration": [1.0, 1.0, 1.5, 0.5],
        "scope": [0, 0, 0, 2],
        "worker": [WORKER, WORKER, WORKER, ""],
        "prefix": [0, 0, 2, 1],
        "stack": [above, made.names.intern("stacks", (above, inner)), above, above],
        "count": [90, 9, 50, 1],
    }
    made.series("profile_counts").append(seen, now=START + 10)
    process = {"interval": 0.01, "cycle": 1.0, "administrative": "python-3.11"}
    made.log("profiled").append(
        [
            process | {"worker": "", "time": START, "until": START + 2},
            process | {"worker": WORKER, "time": START, "until": START + 2.5, "compute": "ok"},
        ]
    )


def save_recording(path: Path) -> RecordingStore:
    """Save the scene and more of it: a file in two parts, with all its tables."""
    made = recording()
    made.note_present({WORKER: 2}, START - 2)
    facts = {
        "title": HOSTILE,
        "code": f"print({HOSTILE!r})",
        "start": START,
        "user": "ada",
        "host": "laptop",
        "cluster": "LocalCluster",
        "scheduler": "tcp://10.0.0.1:8786",
        "daskscope": "0.1.0",
    }
    writer = FileWriter(path, facts)
    writer.append(made)
    made.skip_tasks(2)
    lane = made.names.intern("lanes", ("tcp://10.0.0.2:40001", "140003"))
    rows = {
        "start": [START + 4, math.nan, START + 5],
        "duration": [0.25, 1.0, 1e-6],
        "lane": [lane, lane, 1],
        "prefix": [0, 1, 1],
        "action": [0, 0, 4],
        "status": [0, 0, 0],
        "nbytes": [2.5, 8.0, 8.0],
        "span": [1, 0, 0],
        "task": [0, 1, 1],
        "computation": [4, 0, 0],
    }
    killed = {"prefix": [2], "status": [1]}
    keys = pack_keys(0, ["inc-7", "sum-8", HOSTILE + "-killed"]).data
    made.append_tasks(3, rows, keys, rowless=killed)
    killed_by = "KilledWorker: 4 workers went away while they ran this task"
    killed = task_error(9, HOSTILE + "-killed", 2, WORKER, START + 9, killed_by, "")
    made.log("errors").append([killed])
    made.log("events").append([logged_event(START + 3, "custom", json.dumps({"said": HOSTILE}))])
    made.log("logs").append([log_line(START + 3.5, WORKER, "WARNING", HOSTILE)])
    append_cluster(made, *[(START + i, 2, 4, 2**33, 10**9, 10**8, 0) for i in range(3)])
    append_scheduler(made, (START + 1, 12.5, 2e8, 0.02))
    append_memory(made)
    append_graphs(made)
    append_profile(made)
    about = {
        "stop": START + 10,
        "duration": 10.0,
        "workers": [
            {"address": WORKER, "name": 0, "threads": 2, "memory_limit": 2**32, "status": "running"}
        ],
        "missing": [NOTICE.to_json()],
        "versions": {"scheduler": {"dask": "2026.1.0"}},
        "exception": None,
    }
    writer.finish(made, facts | about)
    return made


def append_memory(made: RecordingStore) -> None:
    """Append memory of a worker and the cluster, results in memory, and a sample."""
    times = [START + 1, START + 1, START + 2]
    sizes = {name: [2.0**30, 2.0**30, 2.0**31] for name in MEASURES}
    memory = {"time": times, "worker": [WORKER, "", WORKER], "status": [1, 0, 2], **sizes}
    made.series("memory").append(memory, now=START + 10)
    held = {"time": times, "prefix": [0, 2, 0], "bytes": [8.0, 16.0, 0.0]}
    made.series("held").append(held, now=START + 10)
    sample = {"label": [HOSTILE], "measure": ["process"], "cluster": [2.0**30], "limit": [2.0**33]}
    made.series("samples").append({"time": [START + 1], **sample}, now=START + 10)


def append_graphs(made: RecordingStore) -> None:
    """Append metrics, states, a graph with its cell, and facts of a span."""
    activity = made.names.intern("activities", HOSTILE)
    times = [START + 1, START + 2]
    keys = {"context": [0, 1], "prefix": [1, 0], "activity": activity, "span": [1, 0], "unit": 0}
    values = {"duration": [1.0, 0.5], "value": [0.75, 0.25]}
    made.series("metrics").append({"time": times, **keys, **values}, now=START + 10)
    states = {"time": times, "worker": ["", WORKER], "prefix": [0, 1], "executing": [2, 1]}
    made.series("states").append(states, now=START + 10)
    graph = {"computation": 4, "time": START, "stop": START + 0.5, "graphs": 1, "tasks": 7}
    made.log("computations").append([graph | {"client": "Client-1", "cell": "In [7]"}])
    cell = {"cell": "In [7]", "time": START - 1, "stop": START + 9, "status": "ok", "id": "a1"}
    made.log("cells").append([cell | {"code": f"print({HOSTILE!r})"}])
    span = {"span": 1, "time": START, "start": START + 1, "stop": START + 5, "tasks": 3}
    made.log("span_times").append([span])


def generator_of_types() -> dict[str, Any]:
    """Return the names of the script; `scripts` on the path would hide the library `packaging`."""
    return runpy.run_path(str(HERE.parents[1] / "scripts" / "generate_schema.py"))


def described(path: Path, made: RecordingStore) -> dict[str, Any]:
    """Return what a reader makes of a saved recording; a NaN is `null`."""
    loaded = opened(path)
    chunks = loaded.chunks()
    picture = coarse(made.chunks())
    focus = Focus(time=(START + 0.25, START + 4.125), workers=(WORKER,))
    found = {
        "format": FILE_FORMAT,
        "about": loaded.about_facts,
        "names": {kind: loaded.names.columns(kind) for kind in loaded.names.tables},
        "tasks": {
            c.name: [v for chunk in chunks for v in chunk.columns[c.name].tolist()]
            for c in TASKS.columns
        },
        "keys": {task: loaded.key_of(task) for task in (0, 1, 2, 3, 4, 7, 8, 9)},
        "coarse": {
            c.name: (
                np.round(picture.stop - picture.start, 6)
                if c.name == "duration"
                else getattr(picture, c.name)
            ).tolist()
            for c in COARSE
        },
        "logs": {name: loaded.log(name).columns() for name in LOGS},
        "series": {name: rows_of(loaded.series(name).rows()) for name in SERIES},
        "totals": figures(loaded.totals),
        "focus": focus.to_json(),
        "totals_in_focus": figures(FocusTotals(loaded).advance(focus)),
        "details": [describe_task(loaded, {"task": task}) for task in (1, 2, 9)],
    }
    return json.loads(json.dumps(without_nan(found)))


def rows_of(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in columns.items()}


def figures(found: Any) -> dict[str, Any]:
    return {
        "prefixes": [[t.prefix, t.tasks, t.seconds, t.erred, t.computes] for t in found.prefixes],
        "actions": [[t.action, t.rows, t.seconds] for t in found.actions],
    }


def without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


MOODS = Dictionary("moods", "An entry is a mood.", (Column("mood", "utf8", "", holds=()),))
CHATTER = Log(
    "chatter",
    "A row is what somebody said last.",
    (
        Column("time", "float64", "when"),
        Column("who", "utf8", "who", holds=()),
        Column("mood", "uint16", "how", into="moods"),
    ),
    key="who",
)
PULSE = Series(
    "pulse",
    "A row is a count of beats.",
    (Column("time", "float64", "when"), Column("beats", "uint32", "how many", combine="last")),
)


DECLARED: dict[str, Table] = {table.name: table for table in (MOODS, CHATTER, PULSE)}


def declared_messages(path: Path | None = None) -> dict[str, tuple[dict[str, Any], list[bytes]]]:
    """Return rows of tables that only this file declares, as the hub sends them.

    With a path, save them there, too.
    """
    added = {"MOODS": MOODS, "CHATTER": CHATTER, "PULSE": PULSE}
    for name, table in added.items():
        setattr(schema, name, table)
    try:
        made = RecordingStore()
        for mood in ("calm", HOSTILE):
            made.names.intern("moods", mood)
        said = [(1, "ada", 0), (2, "bob", 1), (3, "ada", 1)]
        made.log("chatter").append(dict(zip(CHATTER.names, row, strict=True)) for row in said)
        made.series("pulse").append({"time": [1.0, 2.0], "beats": [60, 80]}, now=2.0)
        if path is not None:
            write_file(made, path)
        loop = FakeLoop()
        hub = Hub(loop, clock=loop.clock)
        heard: dict[str, tuple[dict[str, Any], list[bytes]]] = {}

        def hear(message: dict[str, Any], buffers: Any) -> None:
            if message["type"] == "rows" and message["ring"] == 0:
                heard[f"declared_{message['table']}"] = message, [bytes(b) for b in buffers]

        channel = Channel(hear)
        session = PlainSession(made)
        hub.set_sessions(lambda: [session])
        hub.open(channel)
        page = {"page": "page-1"}
        hub.receive(channel, {"type": "hello", **page, "protocol": PROTOCOL, "version": "0.1.0"})
        watch = {"type": "watch", **page, "session": session.id, "visible": True, "have": []}
        hub.receive(channel, watch | {"tables": ["chatter", "pulse"]})
        loop.run(1)
        hub.close(channel)
        return heard
    finally:
        for name in added:
            delattr(schema, name)


def kernel_messages() -> dict[str, tuple[dict[str, Any], list[bytes]]]:
    """Run the scene and return one message of each type, by the name of its file."""
    loop = FakeLoop()
    hub = Hub(loop, clock=loop.clock, subshells=lambda: True)
    hub.id = "kernel-1"
    hub_module.installed_version = lambda: "0.1.0"
    made = recording()
    made.log("events").append([logged_event(START + 3, "mine", json.dumps({"said": HOSTILE}))])
    made.log("events").count_dropped(3)
    made.log("events").append([logged_event(START + 4, "mine", "[]")])
    append_cluster(made, *[(START + i, 2, 4, 2**33, 10**9, 10**8, 0) for i in range(3)])
    append_scheduler(made, (START + 1, 12.5, 2e8, 0.02))
    session = PlainSession(made)
    session.figures = {"title": HOSTILE, "tasks": {"captured": 6}}
    session.notices = (NOTICE,)
    session.now, session.behind_s = START + 10.25, 0.125
    session.workers = (
        {
            "address": WORKER,
            "name": 0,
            "host": "10.0.0.1",
            "threads": 2,
            "memory_limit": 2**32,
            "process": 123_456_789,
            "managed": 10**6,
            "spilled": 0,
            "status": "running",
            "running": 2,
        },
    )
    heard: list[tuple[dict[str, Any], list[bytes]]] = []
    channel = Channel(
        lambda message, buffers: heard.append((message, [bytes(b) for b in buffers])),
        Code("0123456789ab", lambda: zlib.compress(b"export default () => {}")),
    )

    def say(kind: str, /, **fields: Any) -> None:
        hub.receive(channel, {"type": kind, "page": "page-1", **fields})

    def ask(question: str, what: str, **args: Any) -> None:
        say("ask", session=session.id, id=question, what=what, args=args)

    hub.set_sessions(lambda: [session])
    hub.open(channel)
    hub.receive(channel, {"type": "code"})
    say("hello", protocol=PROTOCOL + 1, version="99.0.0")
    say("hello", protocol=PROTOCOL, version="0.1.0", build="0123456789ab")
    wanted = ["events", "errors", "gaps", "summary", "system", "tasks", "workers"]
    say("watch", session=session.id, visible=True, tables=wanted, have=[], setting=2)
    session.recording.append_tasks(
        1, {n: c[:1] for n, c in first_row(session).items()}, pack_keys(0, ["inc-5"]).data
    )
    session.changed()
    ask("q1", "task", task=2)
    ask("q2", "task", task=99)
    session.focus = session.focus.from_json(FOCUS)
    loop.run(2)
    hub.set_sessions(list)
    say("ack", session=session.id, seq=99, missing=[])
    hub.close(channel)

    def last(kind: str, /, **wanted: Any) -> tuple[dict[str, Any], list[bytes]]:
        found = [
            (message, buffers)
            for message, buffers in heard
            if message["type"] == kind and all(message.get(k) == v for k, v in wanted.items())
        ]
        return found[-1]

    address = {"page": "page-1", "session": session.id, "seq": 9}
    coarse = Coarse().build(session.recording, address)
    return {
        "welcome": last("welcome"),
        "sessions": next(h for h in heard if h[0]["type"] == "sessions" and h[0]["sessions"]),
        "status": last("status", state="live"),
        "batch_live": last("batch", kind="live"),
        "batch_detail": last("batch", kind="detail"),
        "batch_coarse": (coarse.message, [bytes(buffer) for buffer in coarse.buffers]),
        "keys": last("keys"),
        "rows_dictionary": last("rows", table="prefixes"),
        "rows_log": last("rows", table="errors"),
        "rows_numbered": last("rows", table="events"),
        "rows_series": last("rows", table="system", ring=0),
        "summary": last("summary"),
        "totals": last("totals"),
        "answer": last("answer", id="q1"),
        "answer_error": last("answer", id="q2"),
        "focus": last("focus"),
        "error": last("error"),
        "bye": last("bye"),
        "code": last("code"),
    }


def first_row(session: PlainSession) -> dict[str, Any]:
    return {name: c.copy() for name, c in session.recording.chunks()[0].columns.items()}


def page_messages() -> dict[str, dict[str, Any]]:
    """One message of each type that a page says."""
    address = {"page": "page-1", "session": "session-1"}
    return {
        "hello": {
            "type": "hello",
            "page": "page-1",
            "protocol": PROTOCOL,
            "version": "0.1.0",
            "build": "0123456789ab",
        },
        "watch": {
            "type": "watch",
            **address,
            "visible": True,
            "tables": ["errors", "tasks"],
            "have": [[0, 10], [20, 30]],
            "restart": True,
            "setting": 3,
        },
        "unwatch": {"type": "unwatch", **address},
        "ack": {"type": "ack", **address, "seq": 12, "missing": [3, 5]},
        "ask": {"type": "ask", **address, "id": "page-1-7", "what": "task", "args": {"task": 2}},
        "ask_kernel": {
            "type": "ask",
            "page": "page-1",
            "session": None,
            "id": "page-1-8",
            "what": "report",
            "args": {"filename": HOSTILE, "at": 0},
        },
        "focus": {"type": "focus", **address, "focus": FOCUS, "setting": 4},
        "bye": {"type": "bye", "page": "page-1"},
        "code": {"type": "code"},
    }


def decoded(message: dict[str, Any], buffers: list[bytes]) -> dict[str, Any]:
    """Return what the buffers of a message say."""
    if message["type"] in ("batch", "rows"):
        declared: tuple[Column, ...] = TASKS.columns
        if message["type"] == "rows":
            table = (tables() | DECLARED)[message["table"]]
            ring = message["ring"]
            measured = isinstance(table, Series) and ring == 0
            declared = table.columns if measured else columns_of(table)
        elif message["kind"] == "coarse":
            declared = COARSE
        numbered = message.get("numbered", False)
        columns = unpacked(declared, message["rows"], b"".join(buffers), numbered=numbered)
        found = {name: column.tolist() for name, column in columns.items()}
        numbers = found.pop("", None)
        found |= message.get("texts", {})
        return without_nan({"columns": found} | ({"numbers": numbers} if numbers else {}))
    if message["type"] == "keys":
        return {"keys": [zlib.decompress(buffer).decode().split("\0") for buffer in buffers]}
    if message["type"] == "code" and buffers:
        return {"script": zlib.decompress(buffers[0]).decode()}
    return {}


def golden() -> dict[str, tuple[dict[str, Any], list[bytes]]]:
    """Return what each `.json` file holds, and its buffers."""
    files: dict[str, tuple[dict[str, Any], list[bytes]]] = {}
    for name, (message, buffers) in (kernel_messages() | declared_messages()).items():
        names = [f"kernel_{name}.{i}.bin" for i in range(len(buffers))]
        entry = {"from": "kernel", "message": message, "buffers": names}
        table = DECLARED.get(message.get("table", ""))
        if table is not None:
            entry["table"] = generator_of_types()["described"](table)
        files[f"kernel_{name}"] = (entry | decoded(message, buffers), buffers)
    for name, message in page_messages().items():
        files[f"page_{name}"] = ({"from": "page", "message": message, "buffers": []}, [])
    return files


def main() -> None:
    FILES.mkdir(exist_ok=True)
    for old in [*HERE.glob("*_*.json"), *HERE.glob("*_*.bin")]:
        old.unlink()
    for name, (entry, buffers) in golden().items():
        text = json.dumps(entry, indent=2, ensure_ascii=True) + "\n"
        (HERE / f"{name}.json").write_text(text, encoding="utf-8")
        for file, data in zip(entry["buffers"], buffers, strict=True):
            (HERE / file).write_bytes(data)
    declared_messages(FILES / "declared.daskscope")
    path = FILES / "small.daskscope"
    text = json.dumps(described(path, save_recording(path)), indent=2, ensure_ascii=True)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    print(f"wrote {len(golden())} messages and a recording")


if __name__ == "__main__":
    main()
