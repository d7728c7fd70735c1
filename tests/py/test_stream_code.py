"""How a widget's code comes to a page that has no copy of its build."""

from __future__ import annotations

import pytest
from stream_pages import FakeLoop

from daskscope.schema import PROTOCOL
from daskscope.stream import Channel, Code, Hub
from daskscope.stream.hub import CODE_PAUSES_S

BUILD = "0123456789ab"


class Kernel:
    """A hub whose cells and time the test sets, and the times at which code was sent."""

    def __init__(self, cell: int | None) -> None:
        self.loop = FakeLoop()
        self.cell = cell
        self.hub = Hub(self.loop, clock=self.loop.clock, cell=lambda: self.cell)
        self.start_s = self.loop.now

    def widget(self) -> Channel:
        channel = Channel(self._take, Code(BUILD, lambda: b"packed"))
        self.sent: list[float] = []
        self.hub.open(channel)
        return channel

    def _take(self, message, buffers):
        if message["type"] == "code":
            assert list(buffers) == [b"packed"]
            self.sent.append(self.loop.now - self.start_s)

    def hello(self, channel, build=BUILD):
        fields = {"page": "page-1", "protocol": PROTOCOL, "version": "0.1.0", "build": build}
        self.hub.receive(channel, {"type": "hello", **fields})


def test_an_idle_kernel_sends_the_code_to_who_asks_and_to_nobody_else():
    kernel = Kernel(cell=0)
    widget = kernel.widget()
    kernel.loop.run(60)
    assert kernel.sent == []
    for _ in range(10):  # requests that waited for the end of a cell
        kernel.hub.receive(widget, {"type": "code"})
    assert kernel.sent == [60]
    kernel.loop.run(2)
    kernel.hub.receive(widget, {"type": "code"})
    assert kernel.sent == [60, 62]
    kernel.hub.close(widget)


@pytest.mark.parametrize("cell", [7, None], ids=["busy", "unknown"])
def test_a_kernel_that_may_hear_nothing_sends_the_code_unasked_a_few_times(cell):
    kernel = Kernel(cell)
    widget = kernel.widget()
    kernel.loop.run(60)
    assert kernel.sent == [sum(CODE_PAUSES_S[: i + 1]) for i in range(len(CODE_PAUSES_S))]
    assert kernel.sent[-1] < 20, "the loader waits no longer"
    kernel.hub.close(widget)


def test_nothing_is_sent_to_a_page_that_has_the_code():
    kernel = Kernel(cell=7)
    first = kernel.widget()
    kernel.hello(first)
    second = kernel.widget()
    kernel.loop.run(60)
    assert kernel.sent == []
    kernel.hub.close(first)
    kernel.hub.close(second)


def test_a_page_with_another_build_gets_the_code_until_it_runs_there():
    kernel = Kernel(cell=7)
    other = Channel(lambda *_: None)
    kernel.hub.open(other)
    kernel.hello(other, build="another")
    widget = kernel.widget()
    kernel.loop.run(2)
    assert kernel.sent == [0.5, 1.5]
    kernel.hello(widget)
    kernel.loop.run(60)
    assert kernel.sent == [0.5, 1.5]
    kernel.hub.close(widget)
    kernel.hub.close(other)


def test_nothing_is_sent_after_a_widget_was_closed():
    kernel = Kernel(cell=7)
    kernel.hub.close(kernel.widget())
    kernel.loop.run(60)
    assert kernel.sent == []
    assert kernel.loop.holders == set()
