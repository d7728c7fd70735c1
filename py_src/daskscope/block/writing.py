"""Writes a part of a recording into a file while it grows."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError
from daskscope.recording.file_writer import FileWriter
from daskscope.recording.part import Part, mark

if TYPE_CHECKING:
    from pathlib import Path

    from daskscope.recording import RecordingCore

WRITE_EVERY_S: Final = 2.0


class Writing:
    """One file that is being written, in a thread of its own, until `halt`."""

    def __init__(
        self, part: Part, source: RecordingCore, path: Path, facts: dict[str, Any]
    ) -> None:
        self._part = part
        self._source = source
        try:
            self._writer = FileWriter(path, facts)
        except OSError as error:
            raise DaskscopeError(
                "not-writable",
                f"Nothing can be written to {path}: {error.strerror or error}.",
                "Nothing ran. Choose another place, or make the directory.",
            ) from error
        self._whole: Path | None = None
        self._failure: OSError | None = None
        self._over = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="daskscope-record", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(WRITE_EVERY_S):
            with self._turn:
                if self._over.is_set():
                    return
                until = mark(self._source)
            self._part.advance(until)
            if self._failure is None:
                try:
                    self._writer.append(self._part.recording)
                except OSError as error:
                    self._failure = error
                    self._writer.abandon()

    def halt(self) -> None:
        """Let the thread take nothing more, and end; it may still write what it has."""
        with self._turn:
            self._over.set()

    def wait(self) -> None:
        """Wait for the end of the thread; what came since is written by `finish`."""
        self._thread.join()

    def abandon(self) -> None:
        """Stop, and leave nothing behind."""
        self.halt()
        self.wait()
        self._writer.abandon()

    def put_into_library(self) -> None:
        """Put a copy of what is whole into the library, which warns where it cannot."""
        from daskscope import library

        if self._whole is not None:
            facts = self._part.recording.about_facts["summary"]
            library.keep(self._whole, facts, kind="recording")

    def close(self) -> None:
        """Stop; a file that was not finished stays as one that was cut off."""
        self.halt()
        self.wait()
        self._writer.keep()

    def finish(self, *, quiet: bool) -> None:
        """Write the rest; raise if that fails, unless another exception is on its way."""
        recording = self._part.recording
        failure = self._failure
        if failure is None:
            try:
                self._whole = self._writer.finish(recording, recording.about_facts)
            except OSError as error:
                failure = error
                self._writer.abandon()
        if failure is not None and not quiet:
            raise not_saved(str(self._writer.path), failure) from failure


def not_saved(path: str, failure: OSError) -> DaskscopeError:
    """Return what to tell whoever wanted a file."""
    return DaskscopeError(
        "not-saved",
        f"The recording could not be written to {path}: {failure.strerror or failure}.",
        'It is still in memory: rec.save("elsewhere.daskscope").',
    )
