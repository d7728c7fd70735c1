"""Settings: Dask configuration keys under `daskscope:`, with their types.

The defaults are in `daskscope.yaml`. A wrong value raises an error that names its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

import dask.config
import yaml
from dask.utils import parse_bytes, parse_timedelta

from daskscope.errors import BadSettingError
from daskscope.schema import MIN_RECORDING_BYTES

MIN_READER_TIMEOUT_S = 10.0
"""With less, one slow answer would be taken for a reader that has gone."""


@cache
def _defaults() -> dict[str, Any]:
    text = (Path(__file__).parent / "daskscope.yaml").read_text(encoding="utf-8")
    defaults: dict[str, Any] = yaml.safe_load(text)
    return defaults


def _sections() -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = _defaults()["daskscope"]
    return sections


@cache
def _register_defaults() -> None:
    dask.config.update_defaults(_defaults())


def load_defaults() -> None:
    """Make the shipped defaults part of Dask's configuration, again if they were lost."""
    _check_sections()  # first: Dask would put the defaults in the place of `recorder: false`
    _register_defaults()
    if "daskscope" not in dask.config.config:
        # They came within a `with dask.config.set(...)`, and its end took them along.
        dask.config.update(dask.config.config, _defaults(), priority="old")


def _check_sections() -> None:
    """Refuse a single value where a section belongs; an empty one (null) has the defaults."""
    ours = dask.config.config.get("daskscope")
    if not isinstance(ours, Mapping | None):
        raise BadSettingError("daskscope", ours, "a section with " + ", ".join(_sections()))
    for name, defaults in _sections().items():
        section = (ours or {}).get(name)
        if not isinstance(section, Mapping | None):
            wanted = "a section with " + ", ".join(defaults)
            raise BadSettingError(f"daskscope.{name}", section, wanted)


def get(key: str) -> Any:
    """Return the raw value of `daskscope.<key>`."""
    load_defaults()
    try:
        return dask.config.get(f"daskscope.{key}")
    except (KeyError, TypeError):  # one of our keys is missing, or its section is null
        dask.config.update(dask.config.config, _defaults(), priority="old")
        return dask.config.get(f"daskscope.{key}")


def flag(key: str) -> bool:
    """Return a setting that is true or false."""
    value = get(key)
    if not isinstance(value, bool):
        raise BadSettingError(f"daskscope.{key}", value, "true or false")
    return value


def size_bytes(key: str, at_least: int = 0) -> int:
    """Return a size in bytes, from a number or from text as in `256 MiB`."""
    value = get(key)
    try:
        size = value if isinstance(value, int) else parse_bytes(value)
    except (ValueError, TypeError, AttributeError, OverflowError):
        size = -1
    if isinstance(value, bool) or size < at_least:
        least = f", at least {at_least / 1e6:g} MB" if at_least else ""
        wanted = f"a size such as '256 MiB'{least}"
        raise BadSettingError(f"daskscope.{key}", value, wanted)
    return int(size)


def seconds(key: str, at_least: float = 0.0) -> float:
    """Return a duration in seconds, from a number or from text as in `100ms`."""
    value = get(key)
    try:
        duration = float(parse_timedelta(value, default="s"))
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        duration = -1.0
    if isinstance(value, bool) or not at_least <= duration < float("inf"):
        wanted = "a duration such as '100ms'" + (f", at least {at_least:g} s" if at_least else "")
        raise BadSettingError(f"daskscope.{key}", value, wanted)
    return duration


def choice(key: str, options: tuple[str, ...]) -> str:
    """Return a setting that is one of `options`."""
    value = get(key)
    if value not in options:
        raise BadSettingError(f"daskscope.{key}", value, "one of " + ", ".join(options))
    return str(value)


def directory(key: str) -> str | None:
    """Return where temporary files go: what is set here, else for all of Dask."""
    value = get(key)
    if value is None:
        value = dask.config.get("temporary-directory", None)
        key = "temporary-directory"
    else:
        key = f"daskscope.{key}"
    if value is None:
        return None
    if not isinstance(value, str | PathLike) or not str(value):
        raise BadSettingError(key, value, "a directory, or null")
    return str(Path(value).expanduser())


@dataclass(frozen=True)
class Pace:
    """How often the agent is asked, and how much it may answer."""

    active_s: float
    quiet_s: float
    idle_s: float
    unwatched_s: float
    answer_bytes: int
    reader_timeout_s: float
    agent_memory_bytes: int


def pace() -> Pace:
    """Return the settings of collecting."""
    return Pace(
        active_s=seconds("collect.interval"),
        quiet_s=seconds("collect.quiet-interval"),
        idle_s=seconds("collect.idle-interval"),
        unwatched_s=seconds("collect.unwatched-interval"),
        answer_bytes=size_bytes("collect.answer-limit"),
        reader_timeout_s=seconds("agent.reader-timeout", MIN_READER_TIMEOUT_S),
        agent_memory_bytes=size_bytes("agent.memory-limit"),
    )


@dataclass(frozen=True)
class RecordingLimits:
    """Bounds of one recording in the kernel."""

    memory_limit: int
    disk_limit: int
    overflow: Literal["spill", "drop"]
    directory: str | None
    """For temporary files; the system's if there is none."""


def recording_limits() -> RecordingLimits:
    """Return the settings of recordings."""
    return RecordingLimits(
        memory_limit=size_bytes("recording.memory-limit", MIN_RECORDING_BYTES),
        disk_limit=size_bytes("recording.disk-limit"),
        overflow=cast("Literal['spill', 'drop']", choice("recording.overflow", ("spill", "drop"))),
        directory=directory("recording.directory"),
    )


def check() -> None:
    """Read every setting: one that cannot be used is an error, also where it is not needed yet."""
    flag("recorder.enabled")
    seconds("recorder.start-timeout")
    pace()
    recording_limits()
