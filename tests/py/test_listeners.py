"""Listeners: who may listen, and what is said of those that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import daskscope
from daskscope.focus import on_focus
from daskscope.listeners import Listeners

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client


@pytest.mark.parametrize("subscribe", [daskscope.Session.on_change, on_focus])
def test_what_cannot_be_called_is_refused_by_its_name(
    client: Client, subscribe: Callable[[daskscope.Session, Any], object]
) -> None:
    with daskscope.connect(client) as s, pytest.raises(TypeError, match=r"^callback .* got 'x'$"):
        subscribe(s, "x")


def test_of_each_that_fails_the_first_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    listeners = Listeners[[int]]("numbers")
    heard: list[int] = []
    stop = listeners.add(lambda number: 1 // number)
    listeners.add(heard.append)
    for number in (1, 0, 0):
        listeners.notify(number)
    assert heard == [1, 0, 0]
    assert len(caplog.records) == 1
    listeners.add(lambda _: [][0])
    listeners.notify(0)
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [
        ZeroDivisionError,
        IndexError,
    ]
    stop()
    listeners.notify(0)
    assert len(caplog.records) == 2
