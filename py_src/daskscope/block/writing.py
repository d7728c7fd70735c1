"""Writes the recording of a block to a file while it grows."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError, Notice
from daskscope.file_summary import figures_of
from daskscope.recording.block_recording import BlockRecording, positions_of
from daskscope.recording.file_writer import FileWriter
from daskscope.recording.recording_store import SUMMARY

if TYPE_CHECKING:
    from pathlib import Path

    from daskscope.files.target import LocalTarget
    from daskscope.recording import Counts, RecordingStore

logger = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 2.0
WRITE_TASKS: Final = 5_000
WRITE_AFTER_S: Final = 30.0
"""Tasks are written at this number or age, so that a file has few members."""


class Writing:
    """Writes one file in a thread of its own until `halt`."""

    def __init__(
        self,
        copier: BlockRecording,
        source: RecordingStore,
        place: LocalTarget,
        facts: dict[str, Any],
    ) -> None:
        self._copier = copier
        self._source = source
        self._name = place.name
        try:
            self._writer = FileWriter(place.path, facts)
        except OSError as error:
            raise DaskscopeError(
                "not-writable",
                f"{place.name} cannot be written: {error.strerror or error}.",
                "The block did not run. Choose another place, or create the directory.",
            ) from error
        self._whole: Path | None = None
        self._figures: dict[str, Any] = {}
        self._failure: DaskscopeError | None = None
        self._written, self._written_s = 0, time.monotonic()
        self._over = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="daskscope-record", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            with self._turn:
                if self._over.is_set():
                    return
                until = positions_of(self._source)
            self._copier.advance(until)
            if self._failure is None and self._is_due():
                try:
                    self._writer.append(self._copier.recording)
                except OSError as error:
                    failure = self._fail(error)
                    logger.warning("%s Recording continues in memory.", failure.text)
                self._written, self._written_s = self._copier.recording.next_task, time.monotonic()

    def _is_due(self) -> bool:
        new_tasks = self._copier.recording.next_task - self._written
        old = time.monotonic() - self._written_s >= WRITE_AFTER_S
        return new_tasks >= WRITE_TASKS or (new_tasks > 0 and old)

    def _fail(self, error: OSError) -> DaskscopeError:
        """Keep the written part, which may be all that is left of a long run."""
        kept = self._writer.keep()
        written = f" What had been written is in {kept}, a truncated file." if kept else ""
        failure = self._failure = DaskscopeError(
            "not-saved",
            f"The recording could not be written to {self._name}: "
            f"{error.strerror or error}.{written}",
            'rec.save("elsewhere.daskscope") writes what is in memory.',
        )
        failure.__cause__ = error
        return failure

    def halt(self) -> None:
        """Stop the thread; it may still write the rows that it has."""
        with self._turn:
            self._over.set()

    def wait(self) -> None:
        """Wait for the end of the thread; `finish` writes later rows."""
        self._thread.join()

    def abandon(self) -> None:
        """Stop, and remove the file."""
        self.halt()
        self.wait()
        self._writer.abandon()

    def put_into_library(self) -> None:
        """Copy the finished file to the library, which warns if it cannot."""
        from daskscope import library

        if self._whole is not None:
            library.keep(self._whole, self._figures, kind="recording")

    def close(self) -> None:
        """Stop; an unfinished file stays as a truncated one."""
        self.halt()
        self.wait()
        self._writer.keep()

    def finish(self, *, quiet: bool) -> None:
        """Write the rest; on failure raise, or only warn if the block raised."""
        if self._failure is None:
            try:
                self._finish()
            except OSError as error:
                self._fail(error)
        if self._failure is None:
            return
        if not quiet:
            raise self._failure
        warnings.warn(str(self._failure), stacklevel=5)

    def _finish(self) -> None:
        recording = self._copier.recording
        self._writer.append(recording)
        about, written = recording.about_facts, self._writer.counts(recording.counts)
        figures = about[SUMMARY]
        if written.kept > recording.counts.kept:
            only = _only_in_file(recording.counts, written, self._name)
            figures = figures_of(recording, written)
            figures["missing"].append(only)
            # Not among the facts in the file, which has all tasks.
            about, recording.about_facts = (
                about | {SUMMARY: figures},
                about | {"missing": [*about["missing"], only]},
            )
        self._whole = self._writer.finish(recording, about)
        self._figures = figures


def _only_in_file(kept: Counts, written: Counts, name: str) -> dict[str, str]:
    """Return the notice about figures that cover only the tasks in memory."""
    return Notice(
        "only-in-file",
        "warn",
        f"Busy times, times by prefix and action, and the overview cover only the newest "
        f"{kept.kept:,} of {written.kept:,} tasks: older tasks were dropped from memory.",
        f"{name} has all tasks; counts and totals cover all of them.",
    ).to_json()
