"""Settings: shipped defaults, types, and errors that name the key."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import dask
import pytest
import yaml

from daskscope import config
from daskscope.errors import BadSettingError


def test_the_defaults_are_part_of_dasks_configuration() -> None:
    config.load_defaults()
    assert dask.config.get("daskscope.agent.memory-limit") == "256 MiB"
    pace = config.pace()
    assert pace.agent_memory_bytes == 256 * 2**20
    assert pace.active_s == 0.1
    assert pace.reader_timeout_s == 600
    limits = config.recording_limits()
    assert limits.memory_limit == 512 * 2**20
    assert limits.overflow == "spill"


def test_defaults_that_went_with_a_setting_come_back() -> None:
    before = dask.config.config.pop("daskscope", None)
    config.load_defaults()
    assert dask.config.get("daskscope.agent.memory-limit") == "256 MiB"
    if before is not None:
        dask.config.config["daskscope"] = before


def test_a_users_value_wins() -> None:
    with dask.config.set({"daskscope.agent.memory-limit": 1000, "daskscope.collect.interval": 0.5}):
        assert config.pace().agent_memory_bytes == 1000
        assert config.pace().active_s == 0.5


@pytest.mark.parametrize(
    ("ours", "named"),
    [(5, "daskscope"), ({"recorder": False}, "daskscope.recorder"), ({"recording": "spill"}, None)],
)
def test_the_defaults_do_not_overwrite_a_value_where_a_section_belongs(
    monkeypatch: pytest.MonkeyPatch, ours: Any, named: str | None
) -> None:
    monkeypatch.setitem(dask.config.config, "daskscope", ours)
    config._register_defaults.cache_clear()  # as before the first import
    with pytest.raises(BadSettingError, match=f"has {named or 'daskscope.recording'} = "):
        config.read("recorder.enabled")
    assert dask.config.config["daskscope"] == ours


@pytest.mark.parametrize("ours", [None, {"recorder": None}])
def test_an_empty_section_has_the_defaults(monkeypatch: pytest.MonkeyPatch, ours: Any) -> None:
    config.load_defaults()
    monkeypatch.setitem(dask.config.config, "daskscope", ours)
    assert config.read("recorder.enabled")
    config.check()


@pytest.mark.parametrize("place", ["/shared/reports", "s3://bucket/reports", Path("reports")])
def test_a_library_that_is_only_a_place_is_its_path(place: str | Path) -> None:
    with dask.config.set({"daskscope.library": place}):
        config.check()
        settings = config.library_settings()
        assert (settings.path, settings.enabled) == (str(place), True)
    with dask.config.set({"daskscope.library": 7}), pytest.raises(BadSettingError) as caught:
        config.library_settings()
    assert "daskscope.library = 7" in caught.value.text
    assert "or a folder or a URL" in caught.value.text


def test_a_library_that_is_only_a_place_can_be_set_by_the_environment(tmp_path: Path) -> None:
    code = (
        "import daskscope; from daskscope import config\n"
        "assert daskscope.list_performance_reports() == []\n"
        "print(config.library_settings().path, config.read('recorder.enabled'))"
    )
    env = {k: v for k, v in os.environ.items() if k != "DASK_DASKSCOPE__LIBRARY__PATH"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env | {"DASK_DASKSCOPE__LIBRARY": str(tmp_path / "library")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(tmp_path / "library"), "True"]


def test_temporary_files_go_where_dask_puts_its_own_unless_told_otherwise(tmp_path: Path) -> None:
    with dask.config.set({"temporary-directory": None}):
        assert config.recording_limits().directory is None
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        assert config.recording_limits().directory == str(tmp_path)
        with dask.config.set({"daskscope.recording.directory": "~/recordings"}):
            assert config.recording_limits().directory == str(Path.home() / "recordings")
    with dask.config.set({"temporary-directory": 7}), pytest.raises(BadSettingError) as caught:
        config.recording_limits()
    assert "has temporary-directory = 7" in str(caught.value)


def test_the_defaults_survive_a_setting_that_was_there_for_a_while() -> None:
    config._register_defaults.cache_clear()
    before = dict(dask.config.config)
    dask.config.config.pop("daskscope", None)
    with dask.config.set({"daskscope.recorder.enabled": False}):
        assert not config.read("recorder.enabled")
    assert config.read("recorder.enabled")
    assert config.pace().active_s == 0.1
    dask.config.config.update(before)


def test_a_size_that_is_too_small_is_told_the_least_in_units() -> None:
    wanted = r"a size such as '256 MiB', at least 4 MB"
    with (
        dask.config.set({"daskscope.recording.memory-limit": "1 kB"}),
        pytest.raises(BadSettingError, match=wanted),
    ):
        config.check()


def test_whoever_meets_a_wrong_setting_hears_of_all_that_are_wrong() -> None:
    wrong = {
        "recorder.start-timeout": "soon",
        "agent.memory-limit": "much",
        "recording.overflow": "explode",
        "recording.directory": 7,
    }
    set_wrong = {f"daskscope.{key}": value for key, value in wrong.items()}
    start_timeout = partial(config.read, "recorder.start-timeout")
    for read in (config.check, config.pace, config.recording_limits, start_timeout):
        with dask.config.set(set_wrong), pytest.raises(BadSettingError) as caught:
            read()
        for key, value in wrong.items():
            assert f"daskscope.{key} = {value!r}" in caught.value.text
            assert f"'daskscope.{key}': …" in caught.value.next
    assert config.read("recorder.enabled")  # and nothing of it stays


def test_wrong_sections_and_wrong_values_of_others_are_named_together() -> None:
    wrong = {
        "daskscope.recorder": False,
        "daskscope.agent": 5,
        "daskscope.collect.interval": "soon",
    }
    with dask.config.set(wrong), pytest.raises(BadSettingError) as caught:
        config.read("recorder.enabled")
    for key, value in wrong.items():
        assert f"{key} = {value!r}" in str(caught.value)
    assert str(caught.value).count("but it must be") == len(wrong)


def test_every_setting_that_is_shipped_is_checked() -> None:
    shipped = yaml.safe_load(Path(config.__file__).with_name("daskscope.yaml").read_text())
    keys = {f"{name}.{key}" for name, keys in shipped["daskscope"].items() for key in keys}
    assert set(config._READERS) == keys


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recorder.enabled", "perhaps"),
        ("agent.memory-limit", "much"),
        ("agent.memory-limit", -1),
        ("agent.memory-limit", True),
        ("agent.memory-limit", math.inf),
        ("agent.reader-timeout", 0),
        ("agent.reader-timeout", "1e999s"),
        ("recorder.start-timeout", "soon"),
        ("collect.interval", "soon"),
        ("collect.interval", -1),
        ("collect.interval", None),
        ("recording.overflow", "explode"),
        ("recording.memory-limit", "1 kB"),
        ("recording.directory", 7),
        ("library.enabled", "yes"),
        ("library.path", 7),
        ("library.path", ""),
        ("library.keep-reports", 0),
        ("library.keep-reports", 2.5),
        ("library.keep-reports", True),
        ("library.keep-days", -1),
        ("library.keep-days", math.inf),
        ("library.keep-days", "a week"),
        ("library.keep-size", "much"),
        ("hub.url", 7),
        ("hub.url", "hub.example.org"),
        ("recorder", False),
        ("recording", "spill"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_key(key: str, value: Any) -> None:
    with dask.config.set({f"daskscope.{key}": value}), pytest.raises(BadSettingError) as caught:
        config.check()
    assert f"daskscope.{key}" in str(caught.value)
    assert caught.value.code == "bad-setting"
    assert isinstance(caught.value, ValueError)
