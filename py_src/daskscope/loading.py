"""Opens recordings and reports, from a disk or any place that fsspec supports."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, BinaryIO, cast

from daskscope.atomic_files import text_of
from daskscope.file_summary import new_recording
from daskscope.files.reading import open_to_read
from daskscope.files.temporary import in_temporary_file, temporary_file
from daskscope.recording import Recording, RecordingStore
from daskscope.recording.file_reader import read_file
from daskscope.report import extract
from daskscope.urls import without_secrets

if TYPE_CHECKING:
    from os import PathLike


def load(path: str | PathLike[str]) -> Recording:
    """Open a recording: a ``.daskscope`` file or a report, on disk or at a URL such as ``s3://…``.

    A truncated file, from a killed program or an incomplete copy, opens as far as it is
    complete: a warning and ``recording.about["whole"]`` say so. URLs need the package for
    their protocol, such as s3fs.

    >>> rec = daskscope.load("run.daskscope")
    >>> rec.about["title"], rec.about["whole"]
    ('A run', True)
    """
    core = opened(path)
    if not core.about_facts["whole"]:
        warnings.warn(
            f"{without_secrets(text_of(path))} is truncated: its program was stopped, or it was "
            "not copied completely. Everything before that is opened; tables and figures of the "
            "whole run may be missing.",
            stacklevel=2,
        )
    return Recording(core)


def opened(path: str | PathLike[str]) -> RecordingStore:
    """Open a recording for our own code."""
    recording = new_recording()
    with open_to_read(path) as (file, name):
        if extract.is_report(file):
            with temporary_file() as taken:
                with in_temporary_file():
                    extract.take(file, taken, name)
                read_file(cast("BinaryIO", taken), recording, name)
        else:
            read_file(cast("BinaryIO", file), recording, name)
    return recording
