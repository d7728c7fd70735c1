"""The hook on the graphs that clients send: what it sees, and that nothing of it is left."""

from __future__ import annotations

import multiprocessing
import sys
import time
from types import SimpleNamespace
from typing import Any

import dask
import pytest
from clusters import cluster_of_one_worker, eventually, live
from distributed import Client, LocalCluster

import daskscope
from daskscope.collect import sent as sent_graphs
from daskscope.collect.sent import FRAMES, MAX_PENDING, MAX_PENDING_S, NFRAMES, SEND, SentGraphs


def a_client(identity: str = "one", address: str = "tcp://s:1", cls: Any = None) -> Any:
    """Return what the hook needs of a client, which keeps what it sends."""

    class Plain:
        def __init__(self) -> None:
            self.id, self.address, self.messages = identity, address, []
            self.client = self

        def _send_to_scheduler(self, message: Any) -> str:
            self.messages.append(message)
            return "sent"

    return (cls or Plain)()


def graph(*keys: Any, code: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"op": "update-graph", "keys": set(keys), "code": SimpleNamespace(data=code)}


@pytest.fixture
def hooked():
    """A client that is watched by a session, and the graphs that it sent."""
    client = a_client()
    sent = SentGraphs(client, lambda: "In [1]")
    sent.open()
    yield client, sent
    sent.close()


def test_a_message_is_passed_on_as_it_is(hooked) -> None:
    client, _ = hooked
    message = graph("inc-1")
    before = dict(message)
    assert client._send_to_scheduler(message) == "sent"
    assert client.messages[0] is message
    assert message == before


def test_a_graph_is_found_by_any_of_its_keys_once(hooked) -> None:
    client, sent = hooked
    client._send_to_scheduler(graph("inc-1", "inc-2"))
    client._send_to_scheduler(graph(("sum", 0, "a"), ("sum", 1, 2.5)))
    assert sent.take("one", "('sum', 1, 2.5)").keys == {("sum", 0, "a"), ("sum", 1, 2.5)}
    assert sent.take("another", "inc-2") is None
    assert sent.take("one", "inc-3") is None
    assert sent.take("one", "inc-2").cell == "In [1]"
    assert sent.take("one", "inc-2") is None


@pytest.mark.parametrize("key", [7, (1, frozenset({2})), "a\0b", "x" * 200_000, ("(", ")"), b"k"])
def test_unusual_keys_are_found_by_their_text(hooked, key: Any) -> None:
    from daskscope.agent.packing import clean_text

    client, sent = hooked
    client._send_to_scheduler(graph("other", ("other", 1)))
    client._send_to_scheduler(graph(key))
    assert sent.take("one", clean_text(key)).keys == {key}


def test_the_same_keys_are_found_in_the_order_in_which_they_were_sent(hooked) -> None:
    client, sent = hooked
    for cell in ("In [3]", "In [4]"):
        sent._hook._cell = lambda cell=cell: cell
        client._send_to_scheduler(graph("inc-1"))
    assert [sent.take("one", "inc-1").cell for _ in range(2)] == ["In [3]", "In [4]"]


def test_the_code_is_that_of_all_frames(hooked) -> None:
    client, sent = hooked
    frames = (SimpleNamespace(code="def f(): g()"), SimpleNamespace(code="f()"))
    client._send_to_scheduler(graph("inc-1", code=frames))
    assert sent.take("one", "inc-1").code == "def f(): g()\n\nf()"


@pytest.mark.parametrize("message", [None, {}, {"op": "update-graph"}, {"op": "close-client"}, 7])
def test_what_is_no_graph_is_passed_on(hooked, message: Any) -> None:
    client, sent = hooked
    assert client._send_to_scheduler(message) == "sent"
    assert client.messages == [message]
    assert not sent.came


def test_an_error_of_ours_does_not_reach_the_client(hooked) -> None:
    client, sent = hooked
    sent._hook._cell = lambda: 1 / 0
    assert client._send_to_scheduler(graph("inc-1")) == "sent"


def test_what_the_scheduler_never_reports_is_forgotten(hooked, monkeypatch) -> None:
    client, sent = hooked
    for number in range(MAX_PENDING + 5):
        client._send_to_scheduler(graph(f"inc-{number}"))
    assert sent.take("one", "inc-4") is None
    assert sent.take("one", "inc-5") is not None
    later = time.time() + MAX_PENDING_S + 1
    monkeypatch.setattr(sent_graphs.time, "time", lambda: later)
    assert sent.take("one", "inc-6") is None
    assert not sent._pending


def test_graphs_of_another_scheduler_are_not_kept(hooked) -> None:
    _, sent = hooked
    elsewhere, beside = a_client("far", "tcp://other:1"), a_client("near")
    more = [SentGraphs(one, lambda: "In [2]") for one in (elsewhere, beside)]
    for one in more:
        one.open()
    elsewhere._send_to_scheduler(graph("inc-1"))
    beside._send_to_scheduler(graph("inc-1"))
    assert sent.take("far", "inc-1") is None
    assert sent.take("near", "inc-1").cell == "In [2]"  # though that client has its own session
    assert more[1].take("near", "inc-1").cell == "In [2]"
    for one in more:
        one.close()


def test_two_sessions_of_a_client_share_a_hook_that_the_last_one_gives_back(hooked) -> None:
    client, sent = hooked
    second = SentGraphs(client, lambda: "In [2]")
    second.open()
    hook = vars(client)[SEND]
    sent.close()
    sent.close()
    assert vars(client)[SEND] is hook
    client._send_to_scheduler(graph("inc-1"))
    assert second.take("one", "inc-1") is not None
    assert not sent.came
    second.close()
    assert SEND not in vars(client)


def test_what_another_has_put_over_the_hook_stays_and_works(hooked) -> None:
    client, sent = hooked
    hook = vars(client)[SEND]
    client._send_to_scheduler = theirs = lambda message: hook(message)
    sent.close()
    assert vars(client)[SEND] is theirs
    assert client._send_to_scheduler(graph("inc-1")) == "sent"
    assert not sent.came
    assert len(client.messages) == 1


def test_what_another_has_put_there_before_comes_back() -> None:
    client = a_client()
    client._send_to_scheduler = theirs = lambda _: "theirs"
    sent = SentGraphs(client, lambda: "")
    sent.open()
    assert client._send_to_scheduler(graph("inc-1")) == "theirs"
    assert sent.take("one", "inc-1") is not None
    sent.close()
    assert vars(client)[SEND] is theirs


def test_the_setting_for_code_is_given_back_with_the_last_session(cluster: LocalCluster) -> None:
    assert dask.config.get(NFRAMES) == 0
    with Client(cluster, set_as_default=False) as a, Client(cluster, set_as_default=False) as b:
        with daskscope.connect(a), daskscope.connect(b):
            assert dask.config.get(NFRAMES) == FRAMES
            daskscope.connect(a).close()
            assert dask.config.get(NFRAMES) == FRAMES
        assert dask.config.get(NFRAMES) == 0
        assert SEND not in vars(a) | vars(b)


def test_a_setting_of_the_user_stays(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client, dask.config.set({NFRAMES: 5}):
        with daskscope.connect(client):
            assert dask.config.get(NFRAMES) == 5
        assert dask.config.get(NFRAMES) == 5


def test_a_client_that_is_closed_first_leaves_nothing(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    session = live(daskscope.connect(client))
    client.submit(pow, 1, 2).result()
    client.close()
    eventually(lambda: session.state == "stopped")
    assert SEND not in vars(client)
    assert dask.config.get(NFRAMES) == 0


def test_a_client_that_is_let_go_is_freed() -> None:
    import gc
    import weakref

    with cluster_of_one_worker() as cluster:
        client = Client(cluster, set_as_default=False)
        session = live(daskscope.connect(client))
        gone = weakref.ref(vars(client)[SEND])
        client.close()
        del client
        eventually(lambda: session.state == "stopped")
        gc.collect()
        assert gone() is None


def _sent_in_child(pipe: Any) -> None:
    pipe.send((len(sent_graphs._open), sent_graphs._lock.acquire(timeout=5)))


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_forked_child_has_no_hooks(hooked) -> None:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    with sent_graphs._lock:  # as another thread may hold it just then
        child = context.Process(target=_sent_in_child, args=(there,))
        child.start()
    assert here.poll(20)
    assert here.recv() == (0, True)
    child.join()
    assert len(sent_graphs._open) == 1
