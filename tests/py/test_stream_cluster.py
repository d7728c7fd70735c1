"""The whole way with a real cluster: scheduler, agent, session, hub, pages."""

from __future__ import annotations

import random
import zlib
from collections import Counter

import pytest
from clusters import eventually
from stream_pages import PageStub

import daskscope
from daskscope import kernel, session_list
from daskscope.collect.link import Link
from daskscope.stream import Channel


@pytest.fixture
def page(client):
    """A page on a channel that loses every tenth numbered message."""
    shown = daskscope.connect(client)
    hub = kernel.the_hub()
    dice = random.Random(1)
    page = PageStub(hub, None)
    page.lose = lambda message: "seq" in message and dice.random() < 0.1
    page.channel = Channel(page.take)
    hub.open(page.channel)
    page.hello()
    page.watch(shown.id)
    yield page
    hub.close(page.channel)
    shown.close()


def fail(i):
    raise ValueError(f"<b>{i}</b>")


def test_a_page_on_a_bad_line_ends_up_with_the_whole_recording(client, page):
    shown = daskscope.connect(client)
    texts = client.map(lambda i: str(i) * 1_000, range(600))
    joined = client.map(lambda a, b: len(a + b), texts[::2], texts[1::2])
    client.gather(joined)
    failed = client.map(fail, range(3), retries=0)
    eventually(lambda: all(future.status == "error" for future in failed))
    # The agent may still hold tasks of an earlier client: they count as well.
    wanted = {future.key for future in [*texts, *joined, *failed]}
    eventually(lambda: wanted <= set(shown.recording.tasks["key"]))

    def complete():
        page.ack(shown.id)
        with page.lock:
            return len(page.covered) == shown.counts.kept and not page.missing

    eventually(complete)
    frame = shown.recording.tasks
    assert sum(table.num_rows for table in page.rows) == len(frame)
    starts = sorted(start for table in page.rows for start in table["start"].to_pylist())
    assert starts == sorted(frame["start"])
    assert set(frame["action"]) >= {"compute", "transfer"}

    def all_keys():
        page.ack(shown.id)
        with page.lock:
            return len(page.keys) == shown.counts.kept

    eventually(all_keys)
    texts = {
        key
        for block in set(page.keys.values())
        for key in zlib.decompress(block).decode().split("\0")
    }
    assert texts == set(frame["key"])
    errors = eventually(lambda: page.table("errors"))
    assert all("<b>" in error["exception"] for error in errors)
    assert all("ValueError" in error["traceback"] for error in errors)


def test_a_page_with_the_tables_of_all_panels_asks_the_scheduler_nothing_more(
    client, page, monkeypatch
):
    shown = daskscope.connect(client)
    questions = Counter()
    ask = Link.ask

    def counted(link, operation, **arguments):
        questions[operation, *sorted(arguments)] += 1
        return ask(link, operation, **arguments)

    monkeypatch.setattr(Link, "ask", counted)

    def asked_with(tables):
        page.watch(shown.id, tables=tables)
        eventually(lambda: page.ack(shown.id) or {name for name, _ in page.tables} >= {*tables[1:]})
        questions.clear()
        polls = shown._collector.polls
        eventually(lambda: page.ack(shown.id) or shown._collector.polls >= polls + 10)
        # Lines of logs come by Dask's own routes; profiles are read once a minute.
        others = "logs", "broadcast", "_profile"
        return {question for question in questions if not question[0].endswith(others)}

    one = asked_with(["tasks"])
    five = asked_with(["tasks", "errors", "events", "gaps", "logs", "system", "workers"])
    assert five == one
    assert len(one) == 1, "to poll is all"


def test_focus_set_in_python_reaches_the_page_with_its_figures(client, page):
    shown = daskscope.connect(client)
    client.gather(client.map(lambda i: i, range(100), key="first"))
    client.gather(client.map(lambda i: i, range(50), key="second"))
    eventually(lambda: shown.recording.counts.kept == 150)
    tasks = shown.recording.tasks
    worker = tasks["worker"].iloc[0]
    shown.focus = daskscope.Focus(workers=[worker])
    wanted = tasks[tasks["worker"] == worker].groupby("prefix", observed=True)["key"].nunique()

    def figures():
        page.ack(shown.id)
        totals = [m for m in page.of("totals") if m["focus"]["workers"] == [worker]]
        return totals and sorted(row[1] for row in totals[-1]["prefixes"])

    eventually(lambda: figures() == sorted(wanted))
    shown.focus = daskscope.Focus()


def test_a_closed_session_is_told_as_stopped_and_a_forgotten_one_says_bye(client, page):
    first = daskscope.connect(client)
    client.gather(client.map(lambda i: i, range(40), key="first"))
    eventually(lambda: first.counts.captured == 40)
    first.close()

    def told():
        page.ack(first.id)
        return page.of("status")[-1]

    eventually(lambda: told()["state"] == "stopped")
    assert [notice["code"] for notice in told()["notices"]] == ["session-closed"]
    assert told()["counts"]["kept"] == 40
    eventually(lambda: [s["state"] for s in page.of("sessions")[-1]["sessions"]] == ["stopped"])
    for _ in range(session_list.KEPT_STOPPED):
        assert page.of("bye") == []
        daskscope.connect(client).close()
    (bye,) = eventually(lambda: told() and page.of("bye"))
    assert bye["session"] == first.id
    assert page.of("error") == []
    # Another page asks for it still.
    page.watch(first.id)
    eventually(lambda: len(page.of("bye")) == 2)
    assert page.of("error") == []
