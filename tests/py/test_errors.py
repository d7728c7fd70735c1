"""Tasks that erred: when, and with which words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from clusters import eventually, live, recorded

import daskscope
from daskscope import agent
from daskscope.collect.intake import last_line, whole_traceback

if TYPE_CHECKING:
    from clusters import SchedulerProcess
    from distributed import Client, LocalCluster


def fail_after(seconds: float, error: Exception) -> None:
    time.sleep(seconds)
    raise error


def errors_of(client: Client, *failing: Exception) -> Any:
    """Let a task fail with each exception; return the recording's errors and rows."""
    with daskscope.connect(client) as s:
        live(s)
        for number, error in enumerate(failing):
            future = client.submit(fail_after, 0.02, error, key=f"broken-{number}")
            with pytest.raises(type(error)):
                future.result()
        recorded(s, len(failing))
        eventually(lambda: len(s.recording.errors) == len(failing))
        return s.recording.errors.set_index("key"), s.recording.tasks.set_index("key")


def test_an_error_has_the_time_at_which_its_task_ended(client: Client) -> None:
    errors, rows = errors_of(client, ValueError("one"), ValueError("two"))
    stops = rows["start"] + rows["duration"]
    assert len(stops) == 2
    for key, stop in stops.items():
        assert errors.loc[key, "time"] == pytest.approx(stop, rel=0, abs=1e-6)


@pytest.mark.all
def test_without_an_agent_an_error_has_it_too(scheduler_process: SchedulerProcess) -> None:
    from distributed import Client

    scheduler_process.start(
        distributed__scheduler__blocked_handlers=["register_scheduler_plugin"],
    )
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        eventually(lambda: s.state == "partly")
        with pytest.raises(ZeroDivisionError):
            client.submit(lambda: 1 / 0, key="broken-1").result()
        recorded(s, 1)
        eventually(lambda: len(s.recording.errors) == 1)
        (row,), (error,) = s.recording.tasks.itertuples(), s.recording.errors.itertuples()
    assert error.time == pytest.approx(row.start + row.duration, rel=0, abs=1e-6)
    assert error.traceback.startswith("Traceback (most recent call last):\n")
    assert error.traceback.endswith("\nZeroDivisionError: division by zero")


def test_errors_that_the_agent_dropped_are_counted(client: Client, cluster: LocalCluster) -> None:
    from distributed import Client, wait

    with daskscope.connect(client) as first, Client(cluster, set_as_default=False) as other:
        plugin = cluster.scheduler.plugins[agent.name()] if live(first) else None
        plugin.errors.limit = 10
        plugin.memory_limit = 1  # of the tasks only those of the last chunk are kept
        wait([client.submit(lambda: 1 / 0, key=f"broken-{i}") for i in range(30)])
        recorded(first, 30)
        wait(client.submit(abs, -1, key="sound"))
        recorded(first, 31)
        with daskscope.connect(other) as late:
            eventually(lambda: late.counts.erred == 30)
            assert late.counts.captured == 31
            assert late.counts.kept < 30
            assert len(late.recording.errors) == 10
            assert late.recording._core.log("errors").dropped == 20
            assert set(late.recording.errors["task"]) <= {-1, *range(late.counts.kept)}


def test_a_traceback_is_what_python_would_have_printed(client: Client) -> None:
    errors, _ = errors_of(client, KeyError("wing"), FileNotFoundError(2, "No such file"))
    first, second = errors["traceback"]
    lines = first.split("\n")
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].startswith('  File "')
    assert "raise error" in first
    assert lines[-1] == "KeyError: 'wing'"
    assert second.split("\n")[-1] == "FileNotFoundError: [Errno 2] No such file"


@pytest.mark.parametrize(
    ("exception", "line"),
    [
        ("ValueError('a\\nb')", "ValueError: a\nb"),
        ("StopIteration()", "StopIteration"),
        ("Mine('a', 2)", "Mine: ('a', 2)"),
        ("Mine(code=3)", "Mine: code=3"),
        ("ExceptionGroup('m', [ValueError(1)])", "ExceptionGroup: 'm', [ValueError(1)]"),
        ("<Mine: no call>", "<Mine: no call>"),
        ("ValueError('cut off he…", "ValueError('cut off he…"),
        ("ValueError(" + "(" * 5_000 + ")", "ValueError: " + "(" * 5_000),
    ],
)
def test_the_last_line_names_type_and_message(exception: str, line: str) -> None:
    assert last_line(exception) == line


def test_a_task_that_ran_nowhere_has_no_traceback() -> None:
    assert whole_traceback("", "KilledWorker: 4 workers went away") == ""


def test_a_header_is_not_written_twice() -> None:
    text = whole_traceback('Traceback (most recent call last):\n  File "a"\n', "ValueError()")
    assert text == 'Traceback (most recent call last):\n  File "a"\nValueError'
