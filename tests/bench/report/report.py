"""What a report costs and weighs, next to Dask's `performance_report` of the same tasks.

Tasks with realistic keys and transfers are put to the plugins of a real scheduler in a process
of its own, as the scheduler would: workers that really run a million tasks would take an hour.
Then each of both writes its report; a timer in the scheduler's loop says how long it was blocked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bokeh
from distributed import Client
from distributed import performance_report as dask_report

import daskscope

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
SCHEDULER = """
import asyncio, sys
from distributed import Scheduler

async def main():
    async with Scheduler(port=0, dashboard_address=":0") as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(main())
"""


@contextmanager
def scheduler() -> Iterator[Client]:
    """Start a scheduler that cannot import daskscope; stop it afterwards."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            with Client(process.stdout.readline().strip()) as client:
                client.run_on_scheduler(watch_loop)
                yield client
        finally:
            process.terminate()


def watch_loop(dask_scheduler: Any) -> None:
    """Note in the scheduler how long its loop was blocked, and how long of that it computed."""
    import asyncio
    from time import perf_counter, thread_time

    dask_scheduler.bench_blocked_s = 0.0, 0.0

    async def watch() -> None:
        while True:
            before, computed = perf_counter(), thread_time()
            await asyncio.sleep(0.001)
            found = perf_counter() - before - 0.001, thread_time() - computed
            dask_scheduler.bench_blocked_s = (*map(max, dask_scheduler.bench_blocked_s, found),)

    dask_scheduler.bench_watch = asyncio.ensure_future(watch())


def blocked_s(dask_scheduler: Any) -> tuple[float, float]:
    """Return how long the loop was blocked, and computed, at most; then begin anew.

    Other programs of the machine block it, too, but do not make it compute.
    """
    found: tuple[float, float] = dask_scheduler.bench_blocked_s
    dask_scheduler.bench_blocked_s = 0.0, 0.0
    return found


async def feed(dask_scheduler: Any, tasks: int, keys: str) -> None:
    """Put finished tasks to every plugin that follows transitions, a few at a time."""
    import asyncio
    import random
    from time import time as now

    dice = random.Random(1)
    names = ["read-parquet", "rename", "shuffle-transfer", "shuffle-p2p", "groupby-chunk"]
    tokens = [f"{name}-{dice.getrandbits(128):032x}" for name in names]
    workers = [f"tcp://10.0.0.{i}:3{i:04d}" for i in range(16)]
    free = [now()] * 64
    plugins = [
        plugin
        for name, plugin in dask_scheduler.plugins.items()
        if name.startswith("daskscope_") or type(plugin).__name__ == "TaskStreamPlugin"
    ]
    for number in range(tasks):
        lane = dice.randrange(64)
        if keys == "map":
            key = f"inc-{dice.getrandbits(128):032x}"
        else:
            key = f"('{tokens[number * 5 // tasks]}', {number % 1000}, {number // 1000})"
        begun, rows = free[lane], []
        if keys != "map" and number % 2:
            stop = begun + dice.expovariate(1 / 0.002)
            rows.append({"action": "transfer", "start": begun, "stop": stop})
            begun = stop
        free[lane] = begun + dice.expovariate(1 / 0.02)
        rows.append({"action": "compute", "start": begun, "stop": free[lane]})
        dask_scheduler.new_task(key, None, "released")
        for plugin in plugins:
            plugin.transition(
                key,
                "processing",
                "memory",
                worker=workers[lane // 4],
                thread=140_000_000_000_000 + lane * 8_392_704,
                nbytes=28 if keys == "map" else dice.choice([8_000_000, 7_200_128, 128]),
                status="OK",
                startstops=rows,
                type=b"\x80\x05\x95\x14\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x94.",
                typename="int",
                metadata={},
                stimulus_id="bench",
            )
        del dask_scheduler.tasks[key]
        if number % 20 == 0:
            await asyncio.sleep(0)


def write(which: str, client: Client, tasks: int, keys: str, path: Path) -> dict[str, float]:
    """Record tasks, write the report, and measure it."""
    if which == "dask":
        block: Any = dask_report(filename=str(path))
    else:
        block = daskscope.performance_report(str(path), client=client)
    with redirect_stdout(sys.stderr):
        made = block.__enter__()
        client.run_on_scheduler(blocked_s)
        client.run_on_scheduler(feed, tasks=tasks, keys=keys)
        recorded = client.run_on_scheduler(blocked_s)
        begun = time.perf_counter()
        block.__exit__(None, None, None)
    figures = {"seconds": time.perf_counter() - begun, "bytes": path.stat().st_size}
    written = client.run_on_scheduler(blocked_s)
    figures["recorded_s"], figures["recorded_computed_s"] = recorded
    figures["written_s"], figures["written_computed_s"] = written
    if which == "daskscope":
        counts = made.recording.counts
        assert counts.kept == counts.captured == tasks, counts
    return figures


def first_picture(path: Path, which: str, *, mouse: bool) -> dict[str, float]:
    """Open a report in a browser; return milliseconds until its first picture."""
    command = ["node", str(HERE / "first_picture.mjs"), str(path), which]
    out = subprocess.check_output([*command, *(["--mouse"] if mouse else [])], text=True)
    figures: dict[str, float] = json.loads(out)
    return figures


def offline(path: Path) -> None:
    """Give Dask's report the scripts that it would fetch, from the disk."""
    static = (Path(bokeh.__file__).parent / "server" / "static" / "js").as_uri()
    html = path.read_text(encoding="utf-8")
    for name in ("bokeh", "bokeh-gl", "bokeh-widgets", "bokeh-tables", "bokeh-mathjax"):
        for version in (bokeh.__version__,):
            cdn = f"https://cdn.bokeh.org/bokeh/release/{name}-{version}.min.js"
            html = html.replace(cdn, f"{static}/{name}.min.js")
    path.write_text(html, encoding="utf-8")


def report(metric: str, value: float, unit: str, **more: Any) -> None:
    figure = {"bench": "report", "metric": metric, "value": round(value, 3), "unit": unit}
    print(json.dumps(figure | more), flush=True)


def compare(folder: Path) -> None:
    """100,000 tasks, both."""
    tasks, figures = 100_000, {}
    for which in ("dask", "daskscope"):
        path = folder / f"{which}.html"
        with scheduler() as client:
            figures[which] = write(which, client, tasks, "collection", path)
        if which == "dask":
            offline(path)
        figures[which] |= first_picture(path, which, mouse=False)
    ours, peer = figures["daskscope"], figures["dask"]
    about = {"tasks": tasks, "keys": "collection"}
    report(
        "a report of 100,000 tasks",
        ours["bytes"] / 1e6,
        "MB",
        limit=1.8,
        peer=round(peer["bytes"] / 1e6, 1),
        **about,
    )
    report(
        "first picture of a report of 100,000 tasks, to Dask's",
        ours["picture_ms"] / peer["picture_ms"],
        "ratio",
        limit=0.5,
        ms=ours["picture_ms"],
        peer_ms=peer["picture_ms"],
        **about,
    )
    report(
        "a report written, per 100,000 tasks",
        ours["seconds"],
        "s",
        limit=2,
        peer=round(peer["seconds"], 2),
        **about,
    )
    for when, key in (("is written", "written"), ("is recorded", "recorded")):
        report(
            f"scheduler's loop blocked at most while a report {when}",
            ours[f"{key}_s"] * 1000,
            "ms",
            limit=20,
            peer=round(peer[f"{key}_s"] * 1000, 1),
            computed=round(ours[f"{key}_computed_s"] * 1000, 1),
            peer_computed=round(peer[f"{key}_computed_s"] * 1000, 1),
            **about,
        )


def large(folder: Path, keys: str, limit_mb: float) -> None:
    """A million tasks, ours alone: Dask keeps a tenth of them."""
    tasks, path = 1_000_000, folder / f"{keys}.html"
    with scheduler() as client:
        figures = write("daskscope", client, tasks, keys, path)
    figures |= first_picture(path, "daskscope", mouse=True)
    about = {"tasks": tasks, "keys": keys}
    size = figures["bytes"] / 1e6
    report(f"a report of 1,000,000 tasks, {keys} keys", size, "MB", limit=limit_mb, **about)
    report(
        f"a report written, per 100,000 tasks of a million, {keys} keys",
        figures["seconds"] / 10,
        "s",
        limit=2,
        **about,
    )
    report(
        f"first picture of 1,000,000 tasks, {keys} keys",
        figures["picture_ms"] / 1000,
        "s",
        limit=2,
        whole_s=round(figures["whole_ms"] / 1000, 2),
        **about,
    )
    report(
        f"frame while panning and zooming, p95, {keys} keys",
        figures["frame_p95_ms"],
        "ms",
        limit=16.7,
        as_measured=figures["frame_p95_measured_ms"],
        **about,
    )
    report(
        f"frame while panning and zooming, of those with work to do, p95, {keys} keys",
        figures["active_p95_ms"],
        "ms",
        limit=16.7,
        frames=figures["active_frames"],
        **about,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", choices=["collection", "map"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["DASK_DASKSCOPE__LIBRARY__ENABLED"] = "false"
        folder = Path(name)
        if not options.large:
            compare(folder)
        for keys, limit_mb in (("collection", 25.0), ("map", 36.4)):
            if options.large in (None, keys):
                large(folder, keys, limit_mb)


if __name__ == "__main__":
    main()
