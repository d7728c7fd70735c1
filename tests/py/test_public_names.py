"""What `help()` and completion offer of the objects that users hold."""

from __future__ import annotations

import pydoc
import re
from typing import TYPE_CHECKING, Any

import traitlets
from recording_rows import gap

import daskscope
from daskscope.recording import Recording, RecordingStore

if TYPE_CHECKING:
    from pathlib import Path

    from distributed import Client

OF_A_RECORDING = [
    "about",
    "counts",
    "disk_bytes",
    "errors",
    "events",
    "fine_metrics",
    "gaps",
    "logs",
    "memory_bytes",
    "origin",
    "profile",
    "save",
    "sql",
    "system",
    "table",
    "tasks",
    "to_parquet",
    "worker_names",
    "workers",
]

OF_A_SESSION = [
    "address",
    "agent_error",
    "behind_s",
    "caught_up",
    "client",
    "client_id",
    "close",
    "closed",
    "counts",
    "fine_metrics",
    "focus",
    "id",
    "name",
    "notices",
    "now",
    "on_change",
    "profile",
    "recording",
    "state",
    "summary",
    "workers",
]


def offered(thing: object) -> list[str]:
    """Return what completion shows, and be sure that `help()` describes it."""
    names = [name for name in dir(thing) if not name.startswith("_")]
    page = pydoc.plain(pydoc.render_doc(thing))
    assert [name for name in names if name not in page] == []
    return names


def test_a_session_offers_what_tells_of_it_and_how_to_end_it(client: Client) -> None:
    with daskscope.connect(client) as session:
        of_traits = set(dir(traitlets.HasTraits))
        assert [name for name in offered(session) if name not in of_traits] == OF_A_SESSION


def test_a_recording_offers_what_reads_it_and_nothing_that_writes_it(
    client: Client, tmp_path: Path
) -> None:
    held: list[Any] = []
    with daskscope.connect(client) as session, daskscope.record() as block:
        held += [session.recording, block]
    held.append(daskscope.load(block.save(tmp_path / "run.daskscope")))
    for recording in held:
        assert type(recording) is Recording
        assert offered(recording) == OF_A_RECORDING


def test_a_report_gives_a_recording_that_is_read_only(client: Client, tmp_path: Path) -> None:
    with daskscope.performance_report(str(tmp_path / "report.html")) as report:
        client.submit(int, 1).result()
    assert type(report.recording) is Recording


def test_examples_are_what_a_user_can_write() -> None:
    for thing in (
        daskscope.load,
        daskscope.tag,
        *(vars(Recording)[name] for name in OF_A_RECORDING),
    ):
        assert "RecordingStore" not in (thing.__doc__ or "")


def test_help_on_the_recorder_tells_what_users_call_and_nothing_else() -> None:
    page = pydoc.plain(pydoc.render_doc(daskscope.recorder))
    names = re.findall(r"^    (\w+)(?:\(| = )", page, re.MULTILINE)
    assert [name for name in names if not name.startswith("__")] == ["disable", "enable", "enabled"]


def test_a_recording_shows_what_came_after_it_was_taken_in_hand() -> None:
    core = RecordingStore()
    recording = Recording(core)
    core.log("gaps").append([gap(1.0, 2.0, "lost", "text")])
    assert recording.gaps["reason"].tolist() == ["lost"]
