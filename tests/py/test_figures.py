"""Bokeh figures: valid models that show what a recording has, as pages do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from bokeh.core.validation import check_integrity
from bokeh.document import Document
from bokeh.embed import file_html, json_item
from bokeh.layouts import column
from bokeh.models import GlyphRenderer, HoverTool, PlainText, Title
from bokeh.resources import INLINE
from clusters import eventually
from profile_rows import POOL, add_cycle, add_processes, profiled
from recording_rows import START, append, append_metrics, make_rows, new_recording

import daskscope
from daskscope import figures
from daskscope.palette import (
    ACTION_COLOURS,
    ACTIVITY_COLOURS,
    MEMORY_COLOURS,
    PREFIX_COLOURS,
    action_colour,
    activity_colour,
    activity_kind,
)
from daskscope.recording import Recording, RecordingStore, pack_keys

if TYPE_CHECKING:
    from bokeh.plotting import figure
    from distributed import Client

PALETTE = Path(__file__).resolve().parents[2] / "js_src" / "base" / "palette.ts"
KINDS = Path(__file__).parents[1] / "contract" / "words" / "activity_kinds.json"
GIB = 2**30
MEASURES = ("process", "managed", "unmanaged_old", "unmanaged_recent", "spilled", "limit")
GONE = (float("nan"),) * len(MEASURES)
NO_LIMIT = float("nan")


def validated(fig: figure) -> None:
    """Put a figure into a page, with every check of Bokeh."""
    issues = check_integrity(fig.references())
    assert not issues.error
    allowed = [] if fig.renderers else ["MISSING_RENDERERS"]
    assert [issue.name for issue in issues.warning] == allowed
    document = Document()
    document.add_root(fig)
    assert json_item(fig)["root_id"] == fig.id


def entries(fig: figure) -> list[str]:
    return [item.label.value for item in fig.legend[0].items] if fig.legend else []


def notes(fig: figure) -> list[str]:
    return [one.text for one in fig.above if isinstance(one, Title)]


def drawn(fig: figure, name: str) -> GlyphRenderer:
    (item,) = (item for item in fig.legend[0].items if item.label.value == name)
    (renderer,) = item.renderers
    return renderer


def data_of(fig: figure, name: str) -> dict[str, Any]:
    return drawn(fig, name).data_source.data


def rectangles(fig: figure) -> int:
    return sum(len(one.data_source.data["left"]) for one in fig.renderers)


def sample(recording: RecordingStore, *rows: tuple[float, str, tuple[float, ...]]) -> None:
    """Append samples: seconds since START, worker, and GiB in order of `MEASURES`."""
    times, workers, values = zip(*rows, strict=True)
    measured = np.array(values).T * GIB
    columns = {
        "time": np.array(times) + START,
        "worker": list(workers),
        **dict(zip(MEASURES, measured, strict=True)),
    }
    recording.series("memory").append(columns, now=START + max(times))


def whole(process: float, spilled: float = 0, limit: float = 16) -> tuple[float, ...]:
    return process, process / 2, process / 4, process / 4, spilled, limit


def test_a_task_stream_has_every_row_in_its_lane_and_colour():
    recording = new_recording()
    recording.name_workers({"tcp://10.0.0.1:0": "worker-10", "tcp://10.0.0.1:1": "worker-9"})
    append(recording, 100, rows_each=2)
    fig = figures.task_stream(Recording(recording))
    validated(fig)
    assert rectangles(fig) == 200
    assert notes(fig) == []
    assert entries(fig) == ["inc", "sum", "transfer"]
    slots = recording.names.colours["prefixes"]
    inc = data_of(fig, "inc")
    assert set(inc["colour"]) == {PREFIX_COLOURS[slots[0]]}
    assert drawn(fig, "transfer").glyph.fill_color == ACTION_COLOURS["transfer"]
    assert (inc["left"][0], inc["key"][0], inc["result"][0]) == (0, "key-0", "28 B")
    assert inc["duration"][0] == "4.0 ms"
    assert fig.xaxis[0].axis_label == "time from the recording's start, in s"
    names = fig.yaxis[0].major_label_overrides
    assert [names[at].text for at in sorted(names)] == ["worker-9", "worker-10"]
    by_worker = dict(zip(inc["worker"], inc["top"], strict=True))
    assert by_worker["worker-9"] < by_worker["worker-10"]
    strips = data_of(fig, "transfer")
    height = strips["bottom"] - strips["top"]
    assert (height < (inc["bottom"] - inc["top"]).min() / 2).all()


def test_prefixes_are_listed_by_weight_and_those_after_the_twelfth_together():
    prefixes = [f"p{number}" for number in range(15)]
    recording = new_recording(prefixes=prefixes)
    rows = make_rows(15) | {"prefix": np.arange(15), "duration": np.arange(15) + 1.0}
    recording.append_tasks(15, rows, pack_keys(0, prefixes).data)
    fig = figures.task_stream(recording)
    assert entries(fig) == [*reversed(prefixes[3:]), "3 more"]
    assert set(data_of(fig, "3 more")["name"]) == {"p0", "p1", "p2"}
    assert len(set(data_of(fig, "3 more")["colour"])) == 3


def test_erred_tasks_disk_and_unknown_actions_have_the_colours_of_their_actions():
    recording = new_recording()
    recording.names.intern("actions", "new-action")
    rows = make_rows(5) | {"action": np.array([0, 0, 2, 3, 5]), "status": np.array([0, 1, 1, 0, 0])}
    recording.append_tasks(5, rows, pack_keys(0, list("abcde")).data)
    fig = figures.task_stream(recording)
    assert entries(fig) == ["inc", "erred", "disk", "deserialize"]
    assert [list(data_of(fig, name)["key"]) for name in entries(fig)] == [
        ["a"],
        ["b"],
        ["c", "d"],
        ["e"],
    ]
    for name in entries(fig)[1:]:
        assert drawn(fig, name).glyph.fill_color == ACTION_COLOURS[name]


def test_above_50_000_rectangles_they_are_joined_and_a_note_says_so():
    recording = new_recording()
    append(recording, 60_000, rows_each=2)
    fig = figures.task_stream(recording)
    validated(fig)
    count = rectangles(fig)
    assert 10_000 < count <= figures.MAX_RECTANGLES
    assert notes(fig) == [f"60,000 tasks drawn as {count:,} stretches"]
    assert entries(fig) == ["inc", "sum", "transfer"], "what was waited for stays visible"
    assert sum(one.data_source.data["rows"].sum() for one in fig.renderers) == 120_000
    part = figures.task_stream(recording, {"time": [START, START + 1]})
    assert notes(part) == []
    assert 0 < rectangles(part) <= 1_000


def test_50_000_rectangles_are_drawn_one_by_one():
    recording = new_recording()
    append(recording, 25_000, rows_each=2)
    fig = figures.task_stream(recording)
    assert (rectangles(fig), notes(fig)) == (50_000, [])


def test_the_focus_narrows_a_task_stream():
    recording = new_recording()
    append(recording, 100)
    focus = daskscope.Focus(
        time=(START, START + 0.1), prefixes=("sum",), workers=("tcp://10.0.0.1:1",)
    )
    fig = figures.task_stream(recording, focus)
    assert (fig.x_range.start, fig.x_range.end) == pytest.approx((0, 0.1))
    assert entries(fig) == ["sum"]
    assert set(data_of(fig, "sum")["worker"]) == {"10.0.0.1:1"}
    assert 0 < rectangles(fig) <= 11
    validated(figures.task_stream(recording, daskscope.Focus(time=(START, START))))
    with pytest.raises(TypeError, match="focus has no field 'prefix'"):
        figures.task_stream(recording, {"prefix": ["sum"]})


def test_a_task_stream_says_what_was_dropped_and_that_there_is_nothing():
    recording = new_recording()
    fig = figures.task_stream(recording)
    validated(fig)
    assert notes(fig) == ["No tasks to show"]
    append(recording, 10)
    recording.drop_from_agent(1_200)
    fig = figures.task_stream(recording)
    assert notes(fig) == ["10 of 1,210 tasks were kept"]


def test_rows_without_a_start_are_left_out():
    recording = new_recording()
    rows = make_rows(3)
    rows["start"][1] = np.nan
    recording.append_tasks(3, rows, pack_keys(0, list("abc")).data)
    fig = figures.task_stream(recording)
    assert sorted(key for one in fig.renderers for key in one.data_source.data["key"]) == ["a", "c"]


@pytest.mark.parametrize("name", ["<b>x", "$$x$$", "@key{safe}", "'\"&"])
def test_names_are_text_and_never_markup(name):
    recording = new_recording(prefixes=(name,))
    recording.name_workers({"tcp://10.0.0.1:0": name})
    rows = make_rows(4) | {"prefix": np.zeros(4)}
    recording.append_tasks(4, rows, pack_keys(0, [name] * 4).data)
    sample(recording, (0, "", whole(1)))
    frame = pd.DataFrame({name: [1.0]}, index=pd.DatetimeIndex(["2026-01-01"]))
    shown = [
        figures.task_stream(recording),
        figures.memory(recording, {"prefixes": [name]}),
        figures.memory_samples(frame, aligned=False, measure="process"),
    ]
    assert name in entries(shown[0])
    assert name in set(data_of(shown[0], name)["key"])
    assert all(
        isinstance(one, PlainText) for one in shown[0].yaxis[0].major_label_overrides.values()
    )
    for fig in shown:
        for tool in fig.select({"type": HoverTool}):
            # Bokeh escapes the fields of a list, unless a format says {safe}; text would be HTML.
            assert isinstance(tool.tooltips, list)
            assert not any("safe" in value for _, value in tool.tooltips)
            assert name not in str(tool.tooltips)
        assert name not in [fig.title.text, *notes(fig), fig.xaxis[0].axis_label]


def test_memory_is_stacked_below_the_limit_and_spilled_is_below_zero():
    recording = new_recording()
    sample(recording, (0, "", whole(4)), (1, "", whole(8, 2)), (2, "w", whole(100)))
    fig = figures.memory(recording)
    validated(fig)
    assert notes(fig) == []
    stacked = ["managed", "unmanaged, old", "unmanaged, recent"]
    assert entries(fig) == [*stacked, "spilled", "process", "limit"]
    data = data_of(fig, "managed")
    assert data["time"].tolist() == [0, 1]
    assert data["managed"].tolist() == [2, 4]
    assert data["process"].tolist() == [4, 8]
    assert data["below"].tolist() == [0, -2]
    assert data["limit"].tolist() == [16, 16]
    assert [drawn(fig, name).glyph.fill_color for name in stacked] == [*MEMORY_COLOURS.values()]
    assert drawn(fig, "spilled").glyph.hatch_color == ACTION_COLOURS["disk"]
    assert fig.yaxis[0].axis_label == "GiB, below zero on disk"


def test_workers_in_focus_are_summed_and_stay_until_they_leave():
    recording = new_recording()
    sample(
        recording,
        (0, "a", whole(1, limit=4)),
        (1, "b", whole(2, limit=4)),
        (2, "a", whole(3, 1, limit=4)),
        (3, "b", GONE),
        (4, "c", whole(50)),
        (5, "", whole(53)),
    )
    data = data_of(figures.memory(recording, {"workers": ["a", "b", "never"]}), "managed")
    assert data["time"].tolist() == [0, 1, 2, 3, 5], "a row holds until the next one"
    assert data["process"].tolist() == [1, 3, 5, 3, 3]
    assert data["limit"].tolist() == [4, 8, 8, 4, 4]
    assert data["below"].tolist() == [0, 0, -1, -1, -1]
    fig = figures.memory(recording, {"workers": ["a", "b"], "time": [START + 1, START + 2]})
    assert data_of(fig, "managed")["process"].tolist() == [3, 5], "what came before counts"


def test_a_worker_that_left_is_gone_in_wider_steps_too_and_their_peaks_stay():
    recording = new_recording()
    step = {"time": [START, START + 60], "worker": ["a", "b"]}
    for name in MEASURES:
        ends = {f"{name}_most": [9 * GIB, 2 * GIB], f"{name}_least": [0.0, 0.0]}
        step |= {name: [np.nan, GIB], **ends}
    recording.series("memory").restore(10, step)
    data = data_of(figures.memory(recording, {"workers": ["a", "b"]}), "managed")
    assert data["process"].tolist() == [9, 2]


def test_after_a_wider_step_a_worker_has_its_last_value_until_it_changes():
    recording = new_recording()
    step = {"time": [START, START, START + 60], "worker": ["a", "", ""]}
    step |= {"process": np.full(3, GIB), "process_most": np.array([9, 9, 1]) * GIB}
    recording.series("memory").restore(10, step)
    data = data_of(figures.memory(recording, {"workers": ["a"]}), "managed")
    assert data["process"].tolist() == [9, 1]


def test_a_cluster_without_a_limit_has_no_line_of_it():
    recording = new_recording()
    sample(recording, (0, "", whole(4, limit=NO_LIMIT)))
    fig = figures.memory(recording)
    validated(fig)
    assert "limit" not in entries(fig)


def test_unmanaged_memory_stays_whole_where_the_scheduler_refuses_the_agent():
    recording = new_recording()
    row = {"worker": [""], "process": [4 * GIB], "managed": [GIB], "unmanaged": [3 * GIB]}
    recording.series("memory").append({"time": [START], **row}, now=START)
    fig = figures.memory(recording)
    validated(fig)
    data = data_of(fig, "managed")
    parts = [data[name].tolist() for name in MEMORY_COLOURS]
    assert parts == [[1], [0], [3]]
    (note,) = notes(fig)
    assert "unmanaged" in note


def test_prefixes_in_focus_show_what_they_hold():
    recording = new_recording()
    sample(recording, (0, "", whole(4)), (7, "", whole(4)))
    held = {"time": [START + 1, START + 2], "prefix": [1, 0], "bytes": [GIB, 5 * GIB]}
    recording.series("held").append(held, now=START + 2)
    fig = figures.memory(recording, {"prefixes": ["sum", "unknown"]})
    validated(fig)
    assert entries(fig)[-1] == "sum"
    assert (
        drawn(fig, "sum").glyph.line_color == PREFIX_COLOURS[recording.names.colours["prefixes"][1]]
    )
    assert data_of(fig, "sum")["x"].tolist() == [1, 7], "until now"
    assert data_of(fig, "sum")["y"].tolist() == [1, 1]
    (note,) = notes(fig)
    assert "by prefix" in note


def test_what_a_prefix_held_at_most_in_a_wider_step_is_a_spike():
    recording = new_recording()
    sample(recording, (0, "", whole(4)), (30, "", whole(4)))
    held = {"time": [START + 5, START + 15], "prefix": [0, 0], "bytes": [GIB, 0.0]}
    ends = {"bytes_least": [GIB, 0.0], "bytes_most": [GIB, 7.0 * GIB]}
    recording.series("held").restore(10, held | ends)
    data = data_of(figures.memory(recording, {"prefixes": ["inc"]}), "inc")
    assert data["x"].tolist() == [0, 10, 10, 30]
    assert data["y"].tolist() == [1, 7, 0, 0]


@pytest.mark.parametrize(
    ("time", "x", "y"),
    [
        ((2, 6), [2, 3, 5], [1, 2, 2]),
        ((2, 2.5), [2], [1]),
        ((0, 0.5), None, None),
        ((8, 12), [8, 10], [3, 3]),
    ],
)
def test_what_prefixes_hold_is_drawn_within_the_focus(time, x, y):
    recording = new_recording()
    sample(recording, *((moment, "", whole(4)) for moment in (0, 5, 10)))
    held = {"time": START + np.array([1.0, 3, 7]), "prefix": [0] * 3}
    recording.series("held").append(held | {"bytes": GIB * np.array([1, 2, 3])}, now=START + 7)
    focus = {"prefixes": ["inc"], "time": [START + moment for moment in time]}
    fig = figures.memory(recording, focus)
    validated(fig)
    assert ("inc" in entries(fig)) == (x is not None)
    if x is not None:
        data = data_of(fig, "inc")
        assert (data["x"].tolist(), data["y"].tolist()) == (x, y)


def test_zero_is_the_first_sample_also_when_it_is_no_longer_there_as_measured():
    recording = RecordingStore()
    sample(recording, *((moment, "", whole(4)) for moment in range(100)))
    ring = recording.series("memory").rings[0]
    ring.drop(1)
    assert figures._zero(recording) == START + 1


def test_long_memory_keeps_its_peaks_and_a_note_says_how_it_is_drawn():
    recording = new_recording()
    count = figures.MAX_SAMPLES * 2 + 7
    process = np.ones(count)
    process[12_345], spilled = 9.0, np.zeros(count)
    spilled[23_456] = 3.0
    sample(
        recording,
        *(
            (i * 0.5, "", whole(one, disk))
            for i, (one, disk) in enumerate(zip(process, spilled, strict=True))
        ),
    )
    fig = figures.memory(recording)
    data = data_of(fig, "managed")
    assert len(data["time"]) == figures.MAX_SAMPLES
    assert (data["process"].max(), data["below"].min()) == (9, -3)
    assert data["time"][data["process"].argmax()] == 12_345 / 2
    assert (np.diff(data["time"]) > 0).all()
    assert notes(fig) == ["40,007 samples drawn as 20,000, each the largest of its neighbours"]


def test_memory_without_samples_says_so():
    fig = figures.memory(RecordingStore())
    validated(fig)
    assert notes(fig) == ["No samples to show"]


@pytest.mark.parametrize("aligned", [True, False])
def test_samples_have_a_line_for_each_label(aligned):
    index = pd.date_range("2026-01-01", periods=3, freq="s")
    index = index - index[0] if aligned else index
    frame = pd.DataFrame({"one": [GIB, 2.0 * GIB, None], "two": [None, GIB, GIB]}, index=index)
    fig = figures.memory_samples(frame, aligned=aligned, measure="managed")
    validated(fig)
    assert entries(fig) == ["one", "two"]
    assert list(data_of(fig, "one")["gib"]) == [1, 2]
    if aligned:
        assert list(data_of(fig, "two")["time"]) == [1, 2]
    assert fig.yaxis[0].axis_label == "managed, GiB"
    assert drawn(fig, "one").glyph.line_color == PREFIX_COLOURS[7]
    validated(figures.memory_samples(pd.DataFrame(), aligned=aligned, measure="process"))


def test_a_session_its_recording_and_a_loaded_file_give_the_same_figures(client: Client, tmp_path):
    with daskscope.connect(client) as session:
        futures = client.map(lambda i: i + 1, range(20), key="counted")
        client.gather(futures)
        eventually(lambda: session.recording.table("memory")["worker"].nunique() == 3)
    recording = session.recording
    loaded = daskscope.load(recording.save(tmp_path / "run.daskscope"))
    keys, colours, process, workers = [], [], [], []
    for source in (session, recording, loaded):
        tasks = figures.task_stream(source)
        validated(tasks)
        keys.append(sorted(data_of(tasks, "counted")["key"]))
        colours.append(set(data_of(tasks, "counted")["colour"]))
        memory = figures.memory(source)
        validated(memory)
        process.append(data_of(memory, "process")["process"].tolist())
        some = figures.memory(source, {"workers": [next(iter(recording.worker_names))]})
        workers.append(data_of(some, "process")["process"].tolist())
    assert len(keys[0]) == 20
    assert keys == [keys[0]] * 3
    assert colours == [colours[0]] * 3
    assert process == [process[0]] * 3
    assert workers == [workers[0]] * 3
    assert 0 < max(workers[0]) < max(process[0])


def test_figures_go_into_pages_and_layouts():
    recording = new_recording()
    append(recording, 10)
    sample(recording, (0, "", whole(4)))
    both = [figures.task_stream(recording), figures.memory(recording)]
    both[1].x_range = both[0].x_range
    page = file_html(column(*both), INLINE, "A run")
    assert "</script>" in page


def test_something_else_is_refused():
    with pytest.raises(TypeError, match="expected a daskscope recording or session, got str"):
        figures.task_stream("run.daskscope")  # type: ignore[arg-type]


def test_colours_are_those_of_the_page():
    text = PALETTE.read_text()
    light = text.split("light: [")[1].split("]")[0]
    assert tuple(re.findall(r"#[0-9a-f]{6}", light)) == PREFIX_COLOURS

    def of_page(name: str) -> dict[str, str]:
        block = text.split(f"const {name} = {{")[1].split("} as const")[0]
        return dict(re.findall(r'"?([\w-]+)"?: \{ light: "(#[0-9a-f]{6})"', block))

    assert of_page("ACTION_COLOURS") == ACTION_COLOURS
    assert of_page("MEMORY_COLOURS") == MEMORY_COLOURS
    assert of_page("ACTIVITY_COLOURS") == ACTIVITY_COLOURS
    assert {
        name: action_colour(name) for name in ("compute", "transfer", "disk-read", "other")
    } == {
        "compute": None,
        "transfer": "transfer",
        "disk-read": "disk",
        "other": "deserialize",
    }


def test_activities_have_the_kinds_that_they_have_in_the_page():
    cases = json.loads(KINDS.read_text())
    assert [[activity, activity_kind(activity)] for activity, _ in cases] == cases
    for activity, kind in cases:
        wanted = PREFIX_COLOURS[5] if kind is None else ACTIVITY_COLOURS[kind]
        assert activity_colour(activity, 5) == wanted


def test_activities_of_ones_own_have_the_colours_of_their_names():
    recording = new_recording(prefixes=())
    append_metrics(recording, ("sum", "thread-cpu", 6.0), ("sum", "gpu", 3.0), ("sum", "tpu", 1.0))
    fig = figures.fine_metrics(Recording(recording))
    bars = [one.glyph.fill_color for one in fig.renderers]
    slots = recording.names.colours["activities"]
    names = recording.names.labels("activities")
    own = [PREFIX_COLOURS[slots[names.index(name)]] for name in ("gpu", "tpu")]
    assert bars == [ACTIVITY_COLOURS["thread-cpu"], *own]
    assert len({*bars}) == 3


def test_metrics_are_bars_by_function_stacked_by_activity():
    recording = new_recording(prefixes=())
    rows = [("load", "disk-read", 3.0), ("load", "thread-cpu", 1.0), ("sum", "thread-cpu", 6.0)]
    append_metrics(recording, *rows)
    fig = figures.fine_metrics(Recording(recording))
    validated(fig)
    assert entries(fig) == ["thread-cpu", "disk-read"]
    cpu, disk = data_of(fig, "thread-cpu"), data_of(fig, "disk-read")
    assert [*cpu["function"]] == ["sum", "load"]
    assert [*cpu["right"]] == [6, 1]
    assert [*zip(disk["left"], disk["right"], strict=True)] == [(6, 6), (1, 4)]
    part = figures.fine_metrics(
        Recording(recording), {"prefixes": ["load"], "time": (0, START + 0.5)}
    )
    assert [*data_of(part, "disk-read")["right"]] == [1.5]


def test_of_a_cell_the_figure_has_its_share():
    recording = new_recording(prefixes=())
    append_metrics(recording, ("sum", "thread-cpu", 6.0), ("load", "thread-cpu", 1.0))
    columns = make_rows(2) | {
        "start": np.full(2, START),
        "duration": np.array([1.0, 0.5], "f4"),
        "prefix": np.full(2, recording.names.intern("prefixes", "sum"), "u2"),
        "computation": np.array([2, 3], "u2"),
    }
    columns["span"] = np.full(2, recording.series("metrics").rows()["span"][0], "u2")
    recording.append_tasks(2, columns, pack_keys(0, ["sum-1", "sum-2"]).data)
    for number in 2, 3:
        row = {"computation": number, "time": START, "cell": f"In [{number}]"}
        recording.log("computations").append([row])
    fig = figures.fine_metrics(Recording(recording), {"cells": ["In [2]", "In [3]"]})
    validated(fig)
    cpu = data_of(fig, "thread-cpu")
    assert [*cpu["function"]] == ["sum"]
    assert cpu["right"] == pytest.approx([1.5])
    none = figures.fine_metrics(Recording(recording), {"cells": ["In [4]"]})
    assert notes(none)[0].startswith("No metrics to show")


def test_of_many_functions_and_activities_the_largest_are_shown_and_the_rest_is_counted():
    recording = new_recording(prefixes=())
    append_metrics(recording, *[(f"f-{at}", f"<b>{at % 20}", 1.0 + at) for at in range(100)])
    fig = figures.fine_metrics(Recording(recording))
    validated(fig)
    assert entries(fig)[-1] == "8 more"
    assert notes(fig) == ["70 more functions took 41 m 25 s"]
    assert all(isinstance(one, PlainText) for one in fig.yaxis[0].major_label_overrides.values())


def test_without_metrics_the_figure_says_so():
    fig = figures.fine_metrics(Recording(new_recording()), {"workers": ["tcp://10.0.0.1:0"]})
    validated(fig)
    assert notes(fig)[0].startswith("No metrics to show")
    assert "not measured by worker" in notes(fig)[1]


def test_a_profile_is_a_flame_graph_by_whose_code_it_is():
    recording = profiled()
    fig = figures.profile(Recording(recording))
    validated(fig)
    assert entries(fig) == ["your code"]
    data = data_of(fig, "your code")
    drawn = [*zip(data["function"], data["left"], data["right"], data["top"], strict=True)]
    assert sorted(drawn, key=lambda one: one[3]) == [
        ("run", 0, 2, 0),
        ("load", 0, pytest.approx(0.6), 1),
        ("work", pytest.approx(0.6), pytest.approx(1.8), 1),
        ("work", 0, pytest.approx(0.2), 2),
    ]
    assert [*data["total"]][:1] == ["2.00 s"]
    part = figures.profile(
        Recording(recording), {"prefixes": ["sum"], "time": (START, START + 5), "cells": ["In [1]"]}
    )
    assert max(data_of(part, "your code")["right"]) == pytest.approx(0.3)
    (note,) = notes(part)
    assert "spans and cells" in note
    tree = Recording(recording).profile(worker="worker-1")
    assert max(data_of(figures.profile(tree), "your code")["right"]) == pytest.approx(1)


def test_of_a_large_profile_the_widest_functions_are_drawn_and_the_rest_is_counted():
    recording = new_recording()
    add_processes(recording)
    many = {
        (POOL, (f"<b>{at}", "/env/site-packages/numpy/a.py", at, at, "")): 1 + at % 7
        for at in range(figures.MAX_FRAMES + 99)
    }
    add_cycle(recording, START, many)
    fig = figures.profile(Recording(recording))
    validated(fig)
    assert notes(fig) == ["100 functions of at most 10 ms each not drawn"]
    assert len(data_of(fig, "numpy")["left"]) == figures.MAX_FRAMES - 1
    assert entries(fig) == ["your code", "numpy"]


def test_without_samples_the_figure_of_a_profile_says_so():
    recording = Recording(new_recording())
    for wanted in (None, {"prefixes": ["gone"]}, {"workers": ["tcp://gone:1"]}):
        fig = figures.profile(recording, wanted)
        validated(fig)
        assert notes(fig) == ["No samples to show"]
    fig = figures.profile(recording, {"prefixes": ["inc"]}, scope="scheduler")
    assert len(notes(fig)) == 2
