"""Keys that nobody expects, through a real scheduler (what packs them: test_agent_packing.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import cluster_of_one_worker, eventually, recorded
from distributed import Client, LocalCluster

import daskscope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def cluster_that_refuses(**options: Any) -> LocalCluster:
    """Return a cluster in this process that takes no agent."""
    with dask.config.set({"distributed.scheduler.blocked-handlers": ["register_scheduler_plugin"]}):
        return cluster_of_one_worker(**options)


@pytest.fixture(scope="module")
def refusing() -> Iterator[Client]:
    """A client of a scheduler that refuses the agent."""
    with (
        cluster_that_refuses(protocol="tcp") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("route", ["client", "refusing"], ids=["agent", "built-in"])
@pytest.mark.parametrize(
    "key",
    [
        "k" * 10_000,
        "<script>alert('x')</script>-1",
        "emoji-😀🏳️‍🌈",
        "line-1\nline-2\r\n\t",
        ("tuple-key", 1, ("nested", 2)),
        17,
    ],
    ids=["long", "script", "emoji", "newlines", "tuple", "number"],
)
def test_a_strange_key_is_recorded_as_it_is(
    request: pytest.FixtureRequest, route: str, key: Any
) -> None:
    with daskscope.connect(request.getfixturevalue(route)) as s:
        eventually(lambda: s.state == ("live" if route == "client" else "partly"))
        s.client.submit(int, 1, key=key).result()
        eventually(lambda: str(key) in set(s.recording.tasks["key"]))


@pytest.mark.parametrize("route", ["client", "refusing"], ids=["agent", "built-in"])
@pytest.mark.parametrize("key", [b"bytes-1", ("tuple-key", b"bytes")], ids=["bytes", "in a tuple"])
def test_a_key_of_bytes_is_recorded_where_dask_takes_one(
    request: pytest.FixtureRequest, route: str, key: Any
) -> None:
    """An older Dask does; a newer one refuses it, and what follows is recorded all the same."""
    with daskscope.connect(request.getfixturevalue(route)) as s:
        eventually(lambda: s.state == ("live" if route == "client" else "partly"))
        expected = {"after-bytes"}
        try:
            s.client.submit(int, 1, key=key).result()
            expected.add(str(key))
        except TypeError as error:
            assert "key type" in str(error)  # noqa: PT017 - either is right
        s.client.submit(int, 1, key="after-bytes").result()
        eventually(lambda: expected <= set(s.recording.tasks["key"]))
        assert s.agent_error is None


@pytest.mark.parametrize("start", [cluster_of_one_worker, cluster_that_refuses])
def test_a_key_that_cannot_be_encoded_is_recorded_nearly_as_it_is(
    start: Callable[[], LocalCluster],
) -> None:
    """Dask itself takes such a key within one process, and loses a connection by it else."""
    with (
        start() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state in ("live", "partly"))
        client.submit(int, "x", key="lone\ud800").exception()
        recorded(s, 1)
        eventually(lambda: len(s.recording.errors))
        assert list(s.recording.tasks["key"]) == ["lone\ufffd"]
        assert list(s.recording.tasks["prefix"]) == ["lone\ufffd"]
        assert list(s.recording.errors["key"]) == ["lone\ufffd"]
