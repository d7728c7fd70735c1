"""Settings: Dask configuration keys under `daskscope:`, with their types.

The defaults are in `daskscope.yaml`. A wrong value raises an error that names the keys
of all wrong values, so that all can be corrected at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import dask  # before its parts: another thread may be importing it, and would wait for us
import dask.config
import yaml
from dask.utils import parse_bytes, parse_timedelta

from daskscope.errors import BadSettingError, WrongSettingError
from daskscope.schema import MIN_RECORDING_BYTES

MIN_READER_TIMEOUT_S = 10.0
"""With less, a slow answer would look like a reader that is gone."""

MIN_PROFILE_BYTES = 10_000
"""Per second. With less, even the profile of one worker would not arrive."""

MAX_UNIT_CHARACTERS = 20

T = TypeVar("T", "Pace", "RecordingLimits", "LibrarySettings")


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
    if _wrong_sections():  # first: Dask would replace `recorder: false` by the defaults
        check()
    _register_defaults()
    if "daskscope" not in dask.config.config:
        # They were added inside of `with dask.config.set(...)`, whose end removed them.
        dask.config.update(dask.config.config, _defaults(), priority="old")


def _spell_out_library() -> None:
    """Use a single value of `daskscope.library` as its path."""
    ours = dask.config.config.get("daskscope")
    if isinstance(ours, dict) and isinstance(ours.get("library"), str | PathLike):
        ours["library"] = {"path": ours["library"]}


def _wrong_sections() -> list[WrongSettingError]:
    """Return the sections that are not mappings; an empty section (null) has the defaults."""
    ours = dask.config.config.get("daskscope")
    if not isinstance(ours, Mapping | None):
        return [WrongSettingError("daskscope", ours, "a section with " + ", ".join(_sections()))]
    return [
        WrongSettingError(
            f"daskscope.{name}",
            section,
            f"a section with {', '.join(defaults)}"
            + (", or a folder or a URL" if name == "library" else ""),
        )
        for name, defaults in _sections().items()
        if not isinstance(section := (ours or {}).get(name), Mapping | None)
    ]


def _size_bytes(key: str, value: Any, at_least: int = 0) -> int:
    """Read a number, or text such as `256 MiB`."""
    try:
        size = value if isinstance(value, int) else parse_bytes(value)
    except (ValueError, TypeError, AttributeError, OverflowError):
        size = -1
    if isinstance(value, bool) or size < at_least:
        least = f", at least {at_least / 1e6:g} MB" if at_least else ""
        raise WrongSettingError(key, value, f"a size such as '256 MiB'{least}")
    return int(size)


def _seconds(key: str, value: Any, at_least: float = 0.0) -> float:
    """Read a number of seconds, or text such as `100ms`."""
    try:
        duration = float(parse_timedelta(value, default="s"))
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        duration = -1.0
    if isinstance(value, bool) or not at_least <= duration < float("inf"):
        least = f", at least {at_least:g} s" if at_least else ""
        raise WrongSettingError(key, value, f"a duration such as '100ms'{least}")
    return duration


def _path(key: str, value: Any, wanted: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | PathLike) or not str(value):
        raise WrongSettingError(key, value, wanted)
    return str(value)


def _directory(key: str, value: Any) -> str | None:
    """Return the directory of temporary files: this setting, else that of Dask."""
    if value is None:
        key, value = "temporary-directory", dask.config.get("temporary-directory", None)
    path = _path(key, value, "a directory, or null")
    return path and str(Path(path).expanduser())


def _checked(wanted: str, is_good: Callable[[Any], Any]) -> Callable[[str, Any], Any]:
    """Return a reader that accepts a value unchanged, or raises an error with `wanted`."""

    def reader(key: str, value: Any) -> Any:
        if not is_good(value):
            raise WrongSettingError(key, value, wanted)
        return value

    return reader


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_FLAG: Final = _checked("true or false", lambda v: isinstance(v, bool))
_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "recorder.enabled": _FLAG,
    "recorder.start-timeout": _seconds,
    "agent.memory-limit": _size_bytes,
    "agent.reader-timeout": partial(_seconds, at_least=MIN_READER_TIMEOUT_S),
    "collect.interval": _seconds,
    "collect.quiet-interval": _seconds,
    "collect.idle-interval": _seconds,
    "collect.unwatched-interval": _seconds,
    "collect.answer-limit": _size_bytes,
    "profile.bandwidth": partial(_size_bytes, at_least=MIN_PROFILE_BYTES),
    "recording.memory-limit": partial(_size_bytes, at_least=MIN_RECORDING_BYTES),
    "recording.disk-limit": _size_bytes,
    "recording.directory": _directory,
    "recording.overflow": _checked("one of spill, drop", lambda v: v in ("spill", "drop")),
    "library.enabled": _FLAG,
    "library.path": partial(_path, wanted="a folder or a URL, or null"),
    "library.keep-reports": _checked(
        "a whole number above 0, or null for no limit",
        lambda v: v is None or (_is_number(v) and isinstance(v, int) and v > 0),
    ),
    "library.keep-days": _checked(
        "a number above 0, or null for no limit",
        lambda v: v is None or (_is_number(v) and 0 < v < float("inf")),
    ),
    "library.keep-size": lambda key, v: None if v is None else _size_bytes(key, v),
    "hub.url": _checked(
        "a URL such as 'https://hub.example.org', or null",
        lambda v: v is None or (isinstance(v, str) and v.startswith(("https://", "http://"))),
    ),
    "report.price-per-thread-hour": _checked(
        "a number, or null", lambda v: v is None or (_is_number(v) and 0 <= v < 1e9)
    ),
    "report.currency": _checked(
        f"text of at most {MAX_UNIT_CHARACTERS} characters",
        lambda v: isinstance(v, str) and 0 < len(v) <= MAX_UNIT_CHARACTERS,
    ),
}
"""Every setting, and the function that checks and converts its value."""


def read(key: str) -> Any:
    """Return the setting `daskscope.<key>`, of its type."""
    load_defaults()
    try:
        return _read(key)
    except WrongSettingError as error:
        check()
        raise BadSettingError([error]) from None  # it changed meanwhile


def _read(key: str) -> Any:
    full = f"daskscope.{key}"
    try:
        value = dask.config.get(full)
    except (KeyError, TypeError):  # one of our keys is missing, or its section is null
        value = dask.config.get(full, config=_defaults())
    return _READERS[key](full, value)


def check() -> None:
    """Read every setting; one error names all wrong values."""
    _spell_out_library()
    wrong = _wrong_sections()
    sections = {one.key for one in wrong}
    for key in _READERS:
        if sections.isdisjoint(("daskscope", f"daskscope.{key.split('.')[0]}")):
            try:
                _read(key)
            except WrongSettingError as error:
                wrong.append(error)
    if wrong:
        raise BadSettingError(wrong)


def _setting(key: str) -> Any:
    """Return a field that has the value of a setting."""
    return field(metadata={"key": key})


def _settings(kind: type[T]) -> T:
    return kind(**{one.name: read(one.metadata["key"]) for one in fields(kind)})


@dataclass(frozen=True)
class Pace:
    """How often the agent is asked, and how much it may answer."""

    active_s: float = _setting("collect.interval")
    quiet_s: float = _setting("collect.quiet-interval")
    idle_s: float = _setting("collect.idle-interval")
    unwatched_s: float = _setting("collect.unwatched-interval")
    answer_bytes: int = _setting("collect.answer-limit")
    reader_timeout_s: float = _setting("agent.reader-timeout")
    agent_memory_bytes: int = _setting("agent.memory-limit")
    profile_bytes_per_s: int = _setting("profile.bandwidth")


def pace() -> Pace:
    """Return the settings of collecting."""
    return _settings(Pace)


@dataclass(frozen=True)
class RecordingLimits:
    """Bounds of one recording in the kernel."""

    memory_limit: int = _setting("recording.memory-limit")
    disk_limit: int = _setting("recording.disk-limit")
    overflow: Literal["spill", "drop"] = _setting("recording.overflow")
    directory: str | None = _setting("recording.directory")
    """For temporary files; the system's if there is none."""


def recording_limits() -> RecordingLimits:
    """Return the settings of recordings."""
    return _settings(RecordingLimits)


@dataclass(frozen=True)
class LibrarySettings:
    """Where copies of reports are kept, and how many of them."""

    enabled: bool = _setting("library.enabled")
    path: str | None = _setting("library.path")
    """A folder or a URL; the platform's place for a user's data if there is none."""
    keep_reports: int | None = _setting("library.keep-reports")
    keep_days: float | None = _setting("library.keep-days")
    keep_bytes: int | None = _setting("library.keep-size")


def library_settings() -> LibrarySettings:
    """Return the settings of the library."""
    return _settings(LibrarySettings)
