"""Settings: Dask configuration keys under `daskscope:`, with their types.

The defaults are in `daskscope.yaml`. A wrong value raises an error that names its key, and the
keys of all others that are wrong: nobody has to try again for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, cast

import dask  # before its parts: another thread may be importing it, and would wait for us
import dask.config
import yaml
from dask.utils import parse_bytes, parse_timedelta

from daskscope.errors import BadSettingError, WrongSetting
from daskscope.schema import MIN_RECORDING_BYTES

MIN_READER_TIMEOUT_S = 10.0
"""With less, one slow answer would be taken for a reader that has gone."""

MAX_UNIT_CHARACTERS = 20


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
    _spell_out_library()
    if _wrong_sections():  # first: Dask would put the defaults in the place of `recorder: false`
        check()
    _register_defaults()
    if "daskscope" not in dask.config.config:
        # They came within a `with dask.config.set(...)`, and its end took them along.
        dask.config.update(dask.config.config, _defaults(), priority="old")


def _spell_out_library() -> None:
    """Take a single value of `daskscope.library` for its path: what else would it be?"""
    ours = dask.config.config.get("daskscope")
    if isinstance(ours, dict) and isinstance(ours.get("library"), str | PathLike):
        ours["library"] = {"path": ours["library"]}


def _wrong_sections() -> list[WrongSetting]:
    """Return single values where a section belongs; an empty one (null) has the defaults."""
    ours = dask.config.config.get("daskscope")
    if not isinstance(ours, Mapping | None):
        return [WrongSetting("daskscope", ours, "a section with " + ", ".join(_sections()))]
    return [
        WrongSetting(
            f"daskscope.{name}",
            section,
            f"a section with {', '.join(defaults)}"
            + (", or a folder or a URL" if name == "library" else ""),
        )
        for name, defaults in _sections().items()
        if not isinstance(section := (ours or {}).get(name), Mapping | None)
    ]


class _UnusableError(Exception):
    """Of one setting; whoever reads it hears of all that are wrong."""

    def __init__(self, key: str, value: object, wanted: str) -> None:
        self.wrong = WrongSetting(key, value, wanted)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _UnusableError(key, value, "true or false")
    return value


def _size_bytes(key: str, value: Any, at_least: int = 0) -> int:
    """Take a number, or text as in `256 MiB`."""
    try:
        size = value if isinstance(value, int) else parse_bytes(value)
    except (ValueError, TypeError, AttributeError, OverflowError):
        size = -1
    if isinstance(value, bool) or size < at_least:
        least = f", at least {at_least / 1e6:g} MB" if at_least else ""
        raise _UnusableError(key, value, f"a size such as '256 MiB'{least}")
    return int(size)


def _seconds(key: str, value: Any, at_least: float = 0.0) -> float:
    """Take a number of seconds, or text as in `100ms`."""
    try:
        duration = float(parse_timedelta(value, default="s"))
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        duration = -1.0
    if isinstance(value, bool) or not at_least <= duration < float("inf"):
        least = f", at least {at_least:g} s" if at_least else ""
        raise _UnusableError(key, value, f"a duration such as '100ms'{least}")
    return duration


def _overflow(key: str, value: Any) -> Literal["spill", "drop"]:
    if value not in ("spill", "drop"):
        raise _UnusableError(key, value, "one of spill, drop")
    return cast("Literal['spill', 'drop']", value)


def _directory(key: str, value: Any) -> str | None:
    """Take where temporary files go: what is set here, else for all of Dask."""
    if value is None:
        key, value = "temporary-directory", dask.config.get("temporary-directory", None)
    if value is None:
        return None
    if not isinstance(value, str | PathLike) or not str(value):
        raise _UnusableError(key, value, "a directory, or null")
    return str(Path(value).expanduser())


def _price(key: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise _UnusableError(key, value, "a number, or null")
    return float(value)


def _unit(key: str, value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_UNIT_CHARACTERS:
        raise _UnusableError(key, value, f"text of at most {MAX_UNIT_CHARACTERS} characters")
    return value


def _place(key: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | PathLike) or not str(value):
        raise _UnusableError(key, value, "a folder or a URL, or null")
    return str(value)


def _http_or_null(key: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.startswith(("https://", "http://")):
        raise _UnusableError(key, value, "a URL such as 'https://hub.example.org', or null")
    return value


def _number_or_null(key: str, value: Any, *, whole: bool) -> float | None:
    if value is None:
        return None
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < float("inf"):
        wanted = "a whole number above 0" if whole else "a number above 0"
        raise _UnusableError(key, value, f"{wanted}, or null for no limit")
    return value


def _size_or_null(key: str, value: Any) -> int | None:
    return None if value is None else _size_bytes(key, value)


_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "recorder.enabled": _flag,
    "recorder.start-timeout": _seconds,
    "agent.memory-limit": _size_bytes,
    "agent.reader-timeout": partial(_seconds, at_least=MIN_READER_TIMEOUT_S),
    "collect.interval": _seconds,
    "collect.quiet-interval": _seconds,
    "collect.idle-interval": _seconds,
    "collect.unwatched-interval": _seconds,
    "collect.answer-limit": _size_bytes,
    "recording.memory-limit": partial(_size_bytes, at_least=MIN_RECORDING_BYTES),
    "recording.disk-limit": _size_bytes,
    "recording.directory": _directory,
    "recording.overflow": _overflow,
    "library.enabled": _flag,
    "library.path": _place,
    "library.keep-reports": partial(_number_or_null, whole=True),
    "library.keep-days": partial(_number_or_null, whole=False),
    "library.keep-size": _size_or_null,
    "hub.url": _http_or_null,
    "report.price-per-thread-hour": _price,
    "report.currency": _unit,
}
"""Every setting, and what makes of its raw value what is used."""


def read(key: str) -> Any:
    """Return the setting `daskscope.<key>`, of its type."""
    load_defaults()
    try:
        return _read(key)
    except _UnusableError as error:
        check()
        raise BadSettingError([error.wrong]) from None  # and changed since then


def _read(key: str) -> Any:
    full = f"daskscope.{key}"
    try:
        value = dask.config.get(full)
    except (KeyError, TypeError):  # one of our keys is missing, or its section is null
        value = dask.config.get(full, config=_defaults())
    return _READERS[key](full, value)


def check() -> None:
    """Read every setting, needed or not: one error names all that cannot be used."""
    _spell_out_library()
    wrong = _wrong_sections()
    sections = {one.key for one in wrong}
    for key in _READERS:
        if sections.isdisjoint(("daskscope", f"daskscope.{key.split('.')[0]}")):
            try:
                _read(key)
            except _UnusableError as error:
                wrong.append(error.wrong)
    if wrong:
        raise BadSettingError(wrong)


def recorder_enabled() -> bool:
    """Return whether every client of this process is to be recorded by itself."""
    return bool(read("recorder.enabled"))


def start_timeout_s() -> float:
    """Return how long a new client waits for the recorder."""
    return float(read("recorder.start-timeout"))


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
        active_s=read("collect.interval"),
        quiet_s=read("collect.quiet-interval"),
        idle_s=read("collect.idle-interval"),
        unwatched_s=read("collect.unwatched-interval"),
        answer_bytes=read("collect.answer-limit"),
        reader_timeout_s=read("agent.reader-timeout"),
        agent_memory_bytes=read("agent.memory-limit"),
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
        memory_limit=read("recording.memory-limit"),
        disk_limit=read("recording.disk-limit"),
        overflow=read("recording.overflow"),
        directory=read("recording.directory"),
    )


@dataclass(frozen=True)
class ReportPrice:
    """What a thread costs, for the reports; nothing if it is not known."""

    per_thread_hour: float | None
    currency: str


def report_price() -> ReportPrice:
    """Return the settings of costs in reports."""
    return ReportPrice(
        per_thread_hour=read("report.price-per-thread-hour"), currency=read("report.currency")
    )


@dataclass(frozen=True)
class LibrarySettings:
    """Where copies of reports are kept, and how many of them."""

    enabled: bool
    path: str | None
    """A folder or a URL; the platform's place for a user's data if there is none."""
    keep_reports: int | None
    keep_days: float | None
    keep_bytes: int | None


def library_settings() -> LibrarySettings:
    """Return the settings of the library."""
    return LibrarySettings(
        enabled=read("library.enabled"),
        path=read("library.path"),
        keep_reports=read("library.keep-reports"),
        keep_days=read("library.keep-days"),
        keep_bytes=read("library.keep-size"),
    )


def hub_url() -> str | None:
    """Return where the hub is, if one is configured. This version speaks to none yet."""
    url: str | None = read("hub.url")
    return url
