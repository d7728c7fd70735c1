"""A wait that may be cut short."""

from __future__ import annotations

import asyncio
import time

import pytest

from daskscope.collect.poll_pace import Alarm


@pytest.mark.asyncio
async def test_a_wait_lasts_as_long_as_it_was_told() -> None:
    begun = time.monotonic()
    assert not await Alarm().wait(0.05)
    assert time.monotonic() - begun >= 0.045


@pytest.mark.asyncio
async def test_a_ring_ends_the_wait_of_now_and_the_next_one_until_it_is_cleared() -> None:
    alarm = Alarm()
    asyncio.get_running_loop().call_later(0.01, alarm.ring)
    assert await asyncio.wait_for(alarm.wait(60), 5)
    assert await asyncio.wait_for(alarm.wait(60), 5), "it rang and nobody cleared it"
    alarm.clear()
    assert not await alarm.wait(0.001)


@pytest.mark.asyncio
async def test_a_cancelled_wait_leaves_nothing_behind() -> None:
    alarm = Alarm()
    task = asyncio.ensure_future(alarm.wait(60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    alarm.ring()
    assert await alarm.wait(60)
