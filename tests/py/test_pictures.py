"""Pictures of panels: small, whatever is recorded, and of what is there."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from hostile import hostile_recording
from PIL import Image
from profile_rows import add_cycle, profiled
from recording_rows import (
    START,
    append,
    append_cluster,
    append_scheduler,
    gap,
    log_line,
    logged_event,
    make_rows,
    new_recording,
    task_error,
    worker_change,
)

import daskscope
from daskscope import picture
from daskscope.derive.summary import summary
from daskscope.derive.work import ClusterTotals
from daskscope.palette import ACTIVITY_COLOURS, FLAME_COLOURS, PREFIX_COLOURS
from daskscope.recording import Recording, pack_keys

KINDS = sorted(picture.KINDS)
GIB = 2.0**30


def source_of(core, *, state="live"):
    """What a panel shows, as a session has it."""
    totals = ClusterTotals(core)
    return SimpleNamespace(
        name="LocalCluster",
        state=state,
        workers=[{}] * 4,
        recording=Recording(core),
        summary=lambda: summary(core, live=totals),
    )


def opened(png):
    """The picture, with the pixels that are dark or coloured."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return image, np.asarray(image).min(axis=2) < 250


def busy_recording(tasks=100_000, lanes=64, prefixes=24):
    """Nothing repeats: such a picture is the largest."""
    random = np.random.default_rng(1)
    core = new_recording(lanes, [f"prefix-{number}" for number in range(prefixes)])
    rows = make_rows(tasks, lanes=lanes) | {
        "start": START + np.cumsum(random.exponential(0.0004, tasks)),
        "duration": random.exponential(0.02, tasks).astype("f4"),
        "lane": random.integers(0, lanes, tasks).astype("u2"),
        "prefix": random.integers(0, prefixes, tasks).astype("u2"),
        "status": (random.random(tasks) < 0.001).astype("u1"),
    }
    core.append_tasks(tasks, rows, pack_keys(0, ["key"] * tasks).data)
    random_text = "".join(chr(number) for number in random.integers(33, 0x2FF, 500))
    for number in range(60):
        now = START + number * 0.7
        used = (4 + number / 10 + random.random()) * GIB
        append_cluster(core, (now, 4, 64, 16 * GIB, used, used / 2, 0))
        append_scheduler(core, (now, 50 * random.random(), 2e8, 0.02))
        core.log("errors").append([task_error(number, random_text, 0, "w", now, random_text, "")])
        core.log("events").append([logged_event(now, "topic", random_text)])
        core.log("logs").append([log_line(now, "scheduler", "INFO", random_text)])
        core.log("workers").append([worker_change(now, "tcp://w:1", "paused")])
        core.log("gaps").append([gap(now, now + 1, text=random_text)])
        cell = {"cell": f"In [{number}]", "time": now, "stop": now + 1, "code": random_text}
        core.log("cells").append([cell])
    moments = START + np.arange(1000) * 0.1
    for label in ("one", "two", "three"):
        cluster = random.random(1000) * 8 * GIB
        rows = {"time": moments, "cluster": cluster, "label": [label] * 1000}
        core.series("samples").append(rows | {"measure": ["process"] * 1000}, now=moments[-1])
    append_memory(core, moments)
    append_metrics(core)
    append_profile(core, random)
    return core


def append_profile(core, random):
    """Stacks of up to 40 functions; no two graphs of them are alike."""
    files = [f"/env/site-packages/{name}/a.py" for name in ("dask", "pandas", "numpy", "other")]
    functions = [(f"function_{at}", files[at % 4], at, at, "") for at in range(200)]
    counts = {}
    for _ in range(2_000):
        steps = random.integers(0, 3, random.integers(2, 40)).tolist()
        counts[tuple(functions[4 * at + step] for at, step in enumerate(steps))] = 1
    add_cycle(core, START, counts)


def append_metrics(core, seconds=(6.0, 3.0, 1.0)):
    """Each prefix ran so long, half of it on a CPU."""
    for activity in "thread-cpu", "thread-noncpu":
        core.names.intern("activities", activity)
    rows = [(prefix, at, value / 2) for prefix, value in enumerate(seconds) for at in (0, 1)]
    prefix, activity, value = (np.array(cells) for cells in zip(*rows, strict=True))
    columns = {"time": START, "duration": 10.0, "context": 0, "span": 0, "unit": 0}
    core.series("metrics").append(
        {name: np.full(len(rows), cell) for name, cell in columns.items()}
        | {"prefix": prefix, "activity": activity, "value": value},
        now=START + 10,
    )


def append_memory(core, moments, used=8 * GIB):
    """The cluster uses so much from the middle on, and half of it before."""
    share = np.where(np.arange(len(moments)) < len(moments) // 2, 0.5, 1.0)
    parts = {"managed": 0.5, "unmanaged_old": 0.3, "unmanaged_recent": 0.2, "process": 1.0}
    columns = {name: part * share * used for name, part in parts.items()}
    about = {"time": moments, "worker": [""] * len(moments), "limit": 2 * used}
    core.series("memory").append(columns | about, now=moments[-1])


@pytest.fixture(scope="module")
def busy():
    return source_of(busy_recording())


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_of_100_000_tasks_is_small(busy, kind):
    png = picture.draw(kind, busy, "")
    image, ink = opened(png)
    assert len(png) <= picture.MAX_BYTES
    assert image.size == (1200, 400)
    assert ink[100:].mean() > 0.01  # below the title, too


@pytest.mark.parametrize("kind", [*KINDS, "of-a-user"])
def test_a_picture_of_nothing_says_so(kind):
    for source in None, source_of(new_recording()), source_of(hostile_recording()):
        image, ink = opened(picture.draw(kind, source, "no Dask client in this kernel yet"))
        assert image.size == (1200, 400)
        assert ink[:100].any()


def test_lanes_have_the_colours_of_their_prefixes():
    core = new_recording(lanes=2)
    append(core, 200, lanes=2)
    image, _ = opened(picture.draw("task-stream", source_of(core), ""))
    for slot in core.names.colours["prefixes"]:
        wanted = np.array([int(PREFIX_COLOURS[slot][at : at + 2], 16) for at in (1, 3, 5)])
        near = np.abs(np.asarray(image).astype(int) - wanted).max(axis=2) < 12
        assert near[110:310].mean() > 0.1


def test_memory_of_the_cluster_is_as_high_as_it_was_measured():
    core = new_recording()
    append_memory(core, START + np.arange(100.0))
    _, ink = opened(picture.draw("memory", source_of(core), ""))
    assert ink[104:310, 400].sum() == pytest.approx(206 / 4, abs=6)  # a quarter of the limit
    assert ink[104:310, 1000].sum() == pytest.approx(206 / 2, abs=6)


def test_bars_of_functions_are_as_long_as_they_ran():
    core = new_recording(prefixes=["read", "sum", "rename"])
    append_metrics(core)
    image, _ = opened(picture.draw("fine-metrics", source_of(core), ""))
    pixels = np.asarray(image).astype(int)
    wanted = np.array([int(ACTIVITY_COLOURS["thread-cpu"][at : at + 2], 16) for at in (1, 3, 5)])
    near = np.abs(pixels - wanted).max(axis=2) < 12
    widths = [near[115 + 36 * row].sum() for row in range(3)]
    assert widths == pytest.approx([280, 140, 47], abs=4)


def test_functions_are_as_wide_as_they_were_seen():
    image, _ = opened(picture.draw("profile", source_of(profiled()), ""))
    pixels = np.asarray(image).astype(int)
    wanted = np.array([int(FLAME_COLOURS["yours"][at : at + 2], 16) for at in (1, 3, 5)])
    near = np.abs(pixels - wanted).max(axis=2) < 12
    widths = [near[106 + 34 * row].sum() for row in range(3)]
    assert widths == pytest.approx([1152, 1152 * 0.9, 1152 * 0.1], abs=6)


def test_the_peak_and_the_top_edge_are_the_most_of_wider_steps(monkeypatch):
    core, legends = new_recording(), []
    monkeypatch.setattr(picture.Sheet, "legend", lambda _, entries: legends.append(entries))
    count = 100
    parts = {name: np.full(count, 2 * GIB) for name in ("managed", "unmanaged_old")}
    rows = {"time": START + np.arange(count) * 10, "worker": [""] * count, "limit": 16 * GIB}
    ends = {"process": 4 * GIB, "process_least": GIB, "process_most": np.full(count, 12 * GIB)}
    core.series("memory").restore(10, rows | parts | ends)
    _, ink = opened(picture.draw("memory", source_of(core), ""))
    assert ("peak 12.0 GiB", "#ffffff") in legends[0]
    assert ink[104:310, 700].sum() == pytest.approx(206 * 12 / 16, abs=6)


def test_a_spike_between_two_columns_of_pixels_is_drawn():
    core = new_recording()
    moments = START + np.arange(50_000) * 0.1
    rows = {"label": ["run"] * 50_000, "measure": ["process"] * 50_000}
    flat = np.full(50_000, GIB)
    for values in flat, np.where(np.arange(50_000) == 30_123, 10 * GIB, GIB):
        core.series("samples").append(rows | {"time": moments, "cluster": values}, now=moments[-1])
    _, ink = opened(picture.draw("memory-plot", source_of(core), ""))
    # The axis begins with 0, and the spike reaches the top of it.
    assert ink[112:250, 200:1150].any(axis=1).all()


def test_what_a_picture_shows_is_news_when_there_is_more():
    core = new_recording()
    source = source_of(core)
    before = picture.positions("system", source)
    append_cluster(core, (START, 1, 1, 1, 1, 1, 0))
    assert picture.positions("system", source) == before  # as each second brings
    append(core, 1)
    assert picture.positions("system", source) != before
    assert picture.positions("logs", source) == picture.positions("logs", source)


def test_a_panel_has_a_picture_in_any_process(client):
    stream = daskscope.TaskStream(client)
    client.gather(client.map(lambda i: i + 1, range(50)))
    image, ink = opened(stream.picture())
    assert image.size == (1200, 400)
    assert ink[110:310].any()
    stream.close()
    assert stream.picture().startswith(b"\x89PNG")
    daskscope.connect(client).close()


def test_daskscope_is_imported_without_pillow():
    import subprocess
    import sys

    code = "import daskscope, sys; print('PIL' in sys.modules, 'daskscope.picture' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
