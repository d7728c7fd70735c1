"""Reads the profile from Dask's own routes, if the scheduler refuses plugins.

These routes have no prefixes of past cycles, and no data of workers that left.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Final

import dask.config
import msgpack
from dask.utils import parse_timedelta

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from daskscope.collect.link import Link

MAX_QUESTIONS: Final = 20
"""Bound for each reading. The scheduler forwards each request to one worker."""

EVERY_S: Final = 5.0
OFF_S: Final = 10.0
"""A worker without any cycle for this time counts as having its profiler switched off."""

FOR_EVER: Final = 1e300


class ProfileRoutes:
    """Reads the profiles of workers, without prefixes."""

    def __init__(self) -> None:
        self.answer_bytes = 0
        """Approximate size of the last answers, which distributed does not report."""
        self._workers: dict[str, _Worker] = {}

    async def read(self, link: Link, known: dict[str, Any]) -> AsyncIterator[tuple[str, bytes]]:
        """Yield new cycles of each worker, in the form of the agent's answers."""
        sampled = [one for one in self._workers.values() if one.states[0] != "off"]
        since = min([one.until for one in sampled], default=0.0)
        question = {"op": "profile_metadata", "start": since, "stop": FOR_EVER}
        answers = await link.ask("broadcast", msg=question, on_error="ignore") or {}
        self.answer_bytes = _size(answers)
        self._workers = {one: self._workers.get(one, _Worker()) for one in answers}
        # Workers that are furthest behind are first.
        behind = sorted(self._workers, key=lambda one: self._workers[one].until)
        questions = 0
        for address in behind:
            worker, counts = self._workers[address], answers[address]["counts"]
            new = [(float(end), count) for end, count in counts if end > worker.until]
            del new[-1:]  # reading the last cycle would include the current one
            if not new:
                if not counts and worker.take_off():
                    yield address, worker.packed.answer(known.get(address), worker)
                continue
            tree = None
            if any(count for _, count in new):
                if questions == MAX_QUESTIONS:
                    continue
                questions += 1
                # distributed also includes the cycle after the last one.
                question = {
                    "op": "profile",
                    "start": new[0][0],
                    "stop": math.nextafter(new[-1][0], 0.0),
                }
                found = await link.ask("broadcast", msg=question, workers=[address])
                self.answer_bytes += _size(found)
                tree = found[address]
            worker.take(new[0][0], new[-1][0], tree)
            yield address, worker.packed.answer(known.get(address), worker)

    @property
    def workers(self) -> list[str]:
        """The workers that answered the last request."""
        return [*self._workers]


class _Worker:
    """The cycles of a worker, in the form that `ProfileCycles` expects of a process."""

    def __init__(self) -> None:
        read = dask.config.get
        self.interval_s = parse_timedelta(read("distributed.worker.profile.interval"), "ms")
        self.cycle_s = parse_timedelta(read("distributed.worker.profile.cycle"), "ms")
        self.states = ["refused", "refused"]
        self.seen_s = time.monotonic()
        self.ahead_s = 0.0
        self.until = 0.0
        # Imported here, because distributed is not needed in a kernel without client.
        from daskscope.agent.profile import ProfileCycles

        self.packed = ProfileCycles()
        self._cycles: list[tuple[float, dict[str, Any]]] = []

    def take(self, first: float, until: float, tree: Any) -> None:
        """Add the tree of the cycles that ended between two moments."""
        self.states[0] = "refused"
        self._cycles = self._cycles[-1:] or [(first - self.cycle_s, {})]
        self._cycles.append((until, {"": tree} if tree else {}))
        self.until = until

    def take_off(self) -> bool:
        """Note that there are no cycles; return whether the profiler now counts as switched off."""
        late = not self.until and time.monotonic() - self.seen_s > OFF_S
        news = late and self.states[0] != "off"
        if news:
            self.states[0] = "off"
        return news

    def cycles(self, scope: int) -> list[Any]:
        return [] if scope else self._cycles


def _size(answers: Any) -> int:
    return len(msgpack.packb(answers, default=str))
