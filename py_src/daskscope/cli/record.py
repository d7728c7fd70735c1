"""`daskscope record`: records a running cluster to a file."""

from __future__ import annotations

import logging
import signal
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daskscope.block import Block
from daskscope.cli.console import Line, say, warn
from daskscope.errors import DaskscopeError
from daskscope.files.target import LocalTarget
from daskscope.format import bytes_text, count_text, moment_text, one_line
from daskscope.session_list import connect
from daskscope.urls import reason

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from distributed import Client

    from daskscope.recording import Recording
    from daskscope.session import Session

CONNECT_S: Final = 10
LOOK_EVERY_S: Final = 0.25
INTERRUPTED: Final = 130


def record(given: argparse.Namespace) -> int:
    """Record until the time is over, an interrupt, or the end of the cluster."""
    output = given.output or time.strftime("run-%Y%m%d-%H%M%S.daskscope")
    LocalTarget(output)  # reports a wrong path before anything is recorded
    path = Path(output)
    with _signals_and_logs(debug=given.debug), _client(given.scheduler) as client:
        block: Block[Recording] = Block(client, path, title=given.title)
        block.__enter__()
        session = connect(client)
        passed = None
        try:
            passed = _wait(session, path, given.seconds)
        finally:
            place = _finish(block, path)
        _print_result(block.recording, place)
    if passed is None:
        return INTERRUPTED
    if given.seconds is None:
        warn(f"The scheduler stopped after {moment_text(passed)}.")
    elif passed < given.seconds:
        raise DaskscopeError(
            "scheduler-gone",
            f"The scheduler stopped after {moment_text(passed)} of {moment_text(given.seconds)}.",
            "The recording up to then was written.",
        )
    return 0


@contextmanager
def _signals_and_logs(*, debug: bool) -> Iterator[None]:
    """Handle SIGTERM, which containers send, like Ctrl-C; show Dask's log only with `--debug`."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    logging.disable(logging.NOTSET if debug else logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        signal.signal(signal.SIGTERM, before)


def _client(address: str) -> Client:
    from distributed import Client

    # Created before it connects, to close it after a failure: Python would wait for it at exit.
    client = Client.__new__(Client)
    try:
        Client.__init__(
            client, address, timeout=CONNECT_S, set_as_default=False, name="daskscope-record"
        )
    except (OSError, ValueError, TypeError) as error:
        client.close()
        raise DaskscopeError(
            "no-scheduler",
            f"No scheduler could be reached at {address}: {reason(error)}.",
            "Check the address, and whether this machine can connect to it.",
        ) from error
    return client


def _wait(session: Session, path: Path, seconds: float | None) -> float | None:
    """Wait for the end; return the seconds that passed, or None after an interrupt.

    Fewer seconds than requested mean that the scheduler is gone.
    """
    line = Line()
    began = time.monotonic()
    until = "until Ctrl-C" if seconds is None else f"for {moment_text(seconds)}, or until Ctrl-C"
    warn(f"Recording {one_line(session.name)} into {one_line(path)} {until}")
    try:
        while True:
            passed = time.monotonic() - began
            left = LOOK_EVERY_S if seconds is None else seconds - passed
            if session.closed or left <= 0:
                return passed
            line.show(_status(session, passed, seconds))
            time.sleep(min(LOOK_EVERY_S, left))
    except KeyboardInterrupt:
        return None
    finally:
        line.erase()


def _status(session: Session, passed: float, seconds: float | None) -> str:
    of = f" of {moment_text(seconds)}" if seconds is not None else ""
    counts = session.counts
    parts = [
        f"{moment_text(passed)}{of}",
        count_text(counts.captured, "task"),
        count_text(len(session.workers), "worker"),
    ]
    if counts.erred:
        parts.append(count_text(counts.erred, "error"))
    parts += [notice.text for notice in session.notices if notice.level != "info"]
    return " · ".join(parts)


def _finish(block: Block[Recording], path: Path) -> Path:
    """Finish the file; return its path, which is another one if it could not be written."""
    line = Line()
    line.show("Waiting for the workers' last measurements and logs …")
    try:
        block.__exit__(None, None, None)
    except DaskscopeError as error:
        if error.code != "not-saved":
            raise
        try:
            elsewhere = Path(tempfile.mkdtemp(prefix="daskscope-")) / path.name
            block.recording.save(elsewhere)
        except (DaskscopeError, OSError):
            raise DaskscopeError(
                error.code, error.text, "It could not be written to a temporary directory either."
            ) from error
        warn(error.text)
        return elsewhere
    finally:
        line.erase()
    return path


def _print_result(recording: Recording, path: Path) -> None:
    counts = recording.counts
    tasks = f"{counts.kept:,} of {count_text(counts.captured, 'task')}"
    say(f"{one_line(path)}: {tasks}, {bytes_text(path.stat().st_size)}")
    for notice in recording.about["missing"]:
        if notice["level"] != "info":
            warn(one_line(f"{notice['text']} {notice['next']}"))
