"""The whole way with a real cluster: scheduler, agent, session, hub, pages."""

from __future__ import annotations

import random
import zlib

import pytest
from clusters import eventually
from stream_pages import PageStub

import daskscope
from daskscope import kernel
from daskscope.stream import Channel


@pytest.fixture
def page(client):
    """A page on a channel that loses every tenth numbered message."""
    session = daskscope.connect(client)
    hub = kernel.the_hub()
    dice = random.Random(1)
    page = PageStub(hub, None)
    page.lose = lambda message: "seq" in message and dice.random() < 0.1
    page.channel = Channel(page.take)
    hub.open(page.channel)
    page.hello()
    page.watch(session.id)
    yield page
    hub.close(page.channel)
    session.close()


def fail(i):
    raise ValueError(f"<b>{i}</b>")


def test_a_page_on_a_bad_line_ends_up_with_the_whole_recording(client, page):
    session = daskscope.connect(client)
    texts = client.map(lambda i: str(i) * 1_000, range(600))
    joined = client.map(lambda a, b: len(a + b), texts[::2], texts[1::2])
    client.gather(joined)
    failed = client.map(fail, range(3), retries=0)
    eventually(lambda: all(future.status == "error" for future in failed))
    # The agent may still hold tasks of an earlier client: they count as well.
    wanted = {future.key for future in [*texts, *joined, *failed]}
    eventually(lambda: wanted <= set(session.recording.tasks["key"]))

    def complete():
        page.ack(session.id)
        with page.lock:
            return len(page.covered) == session.counts.kept and not page.missing

    eventually(complete, seconds=30)
    frame = session.recording.tasks
    assert sum(table.num_rows for table in page.rows) == len(frame)
    starts = sorted(start for table in page.rows for start in table["start"].to_pylist())
    assert starts == sorted(frame["start"])
    assert set(frame["action"]) >= {"compute", "transfer"}

    def all_keys():
        page.ack(session.id)
        with page.lock:
            return len(page.keys) == session.counts.kept

    eventually(all_keys, seconds=30)
    texts = {
        key
        for block in set(page.keys.values())
        for key in zlib.decompress(block).decode().split("\0")
    }
    assert texts == set(frame["key"])
    errors = eventually(lambda: [e for m in page.of("events") for e in m["errors"]])
    assert all("<b>" in error["exception"] for error in errors)


def test_focus_set_in_python_reaches_the_page_with_its_figures(client, page):
    session = daskscope.connect(client)
    client.gather(client.map(lambda i: i, range(100), key="first"))
    client.gather(client.map(lambda i: i, range(50), key="second"))
    eventually(lambda: session.recording.counts.kept == 150)
    tasks = session.recording.tasks
    worker = tasks["worker"].iloc[0]
    session.focus = daskscope.Focus(workers=[worker])
    wanted = tasks[tasks["worker"] == worker].groupby("prefix")["key"].nunique()

    def figures():
        page.ack(session.id)
        totals = [m for m in page.of("totals") if m["focus"]["workers"] == [worker]]
        return totals and sorted(row[1] for row in totals[-1]["prefixes"])

    eventually(lambda: figures() == sorted(wanted))
    session.focus = daskscope.Focus()
