"""What tests of reports share: a directory of their own, and blocks of real clusters."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import dask
import pytest

import daskscope
from daskscope.report.extract import extract_to

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from distributed import Client

    from daskscope.recording import Recording


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reports go into a directory of the test, and not into the user's library."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    with dask.config.set({"daskscope.library.enabled": False}):
        yield


def computed(client: Client, tasks: int = 20) -> None:
    client.gather(client.map(abs, range(tasks), pure=False))


def computed_and_raised(client: Client, error: BaseException) -> None:
    computed(client)
    raise error


def extract(path: str | Path) -> tuple[dict[str, Any], bytes]:
    """Return the summary of a report, and its recording as the bytes of a file."""
    out = io.BytesIO()
    return extract_to(path, out), out.getvalue()


def recording_in(path: str | Path) -> Recording:
    return daskscope.load(path)
