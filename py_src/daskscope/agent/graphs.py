"""Records which graph each task came from.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from itertools import repeat
from operator import itemgetter
from time import time
from typing import Any

from daskscope.agent.events import Log
from daskscope.agent.packing import clean_text

UNKNOWN_GRAPH = 0  # the graph came before this agent
RECOMPUTED = 1
MAX_GRAPHS = 10_000
LEAST_SWEPT = 1_000


class TaskGraphs:
    """Numbers the graphs, and records the graph of each task.

    A graph of Dask's collections contains whole groups of tuple keys, so its number is kept by
    group. Other keys are kept until their tasks are packed; a task that is packed again was
    recomputed.
    """

    def __init__(self) -> None:
        self.log = Log(MAX_GRAPHS)
        self.latest = RECOMPUTED
        self.whole: dict[Any, int] = {}  # by group, if all its tasks came from one graph
        self.rest: dict[Any, int] = {}  # by group, for its tasks that are not in `of_key`
        self.of_key: dict[Any, int] = {}
        self.sweep_at = LEAST_SWEPT

    def begin(self, scheduler: Any) -> None:
        """Assign the tasks that already exist to the unknown graph."""
        self.rest = dict.fromkeys(scheduler.task_groups.values(), UNKNOWN_GRAPH)

    def take(self, scheduler: Any, client: str, keys: Any, tasks: Any, stimulus: Any) -> None:
        """Number a graph, and note which of its tasks are new: those in state "released"."""
        self.latest += 1
        types = {*map(type, tasks)}
        if tuple not in types:
            new = self.note_keys(scheduler.tasks, tasks)
        elif len(types) == 1:
            new = self.note_tuples(scheduler, tasks)
        else:
            new = self.note_keys(scheduler.tasks, [key for key in tasks if type(key) is not tuple])
            tuples = [key for key in tasks if type(key) is tuple]
            new += self.note_tuples(scheduler, tuples)
        self.log.append(
            {
                "number": self.latest,
                "time": time(),
                "client": clean_text(client),
                "tasks": new,
                "key": clean_text(next(iter(keys), "")),
                "stimulus": clean_text(stimulus or ""),
            }
        )

    def note_keys(self, states: Any, keys: Any) -> int:
        """Note new tasks by key; return how many there are."""
        new = [key for key in keys if states[key].state == "released"]
        self.of_key.update(dict.fromkeys(new, self.latest))
        return len(new)

    def note_tuples(self, scheduler: Any, keys: Any) -> int:
        """Note new groups as a whole and other new tasks by key; return how many tasks are new."""
        new, known = 0, set()
        for name in {*map(itemgetter(0), keys)}:
            group = scheduler.task_groups[name]  # Dask names a group after the first element
            released = group.states["released"]
            if released and (group in self.whole or group in self.rest):
                known.add(name)
                if group in self.whole:
                    self.rest[group] = self.whole.pop(group)
            elif released:
                self.whole[group] = self.latest
                new += released
        if known:
            new += self.note_keys(scheduler.tasks, [key for key in keys if key[0] in known])
        return new

    def numbers(self, keys: Any, groups: Any) -> list[int]:
        """Return the graph numbers of finished tasks; `groups` are the groups of the tasks.

        `groups` and the result may have a single item that applies to all tasks.
        """
        whole, rest = self.whole, self.rest
        of_group = {group: whole.get(group) or rest.get(group, RECOMPUTED) for group in {*groups}}
        found = [of_group[group] for group in groups]
        if not whole.keys() >= of_group.keys():
            of_groups = repeat(found[0]) if len(found) == 1 else found
            found = [*map(self.of_key.pop, keys, of_groups)]
        return found

    @property
    def crowded(self) -> bool:
        """Whether there are so many entries that some may belong to tasks that never finish."""
        return len(self.of_key) + len(self.whole) + len(self.rest) > self.sweep_at

    def sweep(self, scheduler: Any) -> None:
        """Forget tasks and groups that the scheduler has forgotten; no task may be pending."""
        if scheduler.tasks and not self.crowded:
            return
        tasks, living = scheduler.tasks, {*scheduler.task_groups.values()}
        self.of_key = {key: number for key, number in self.of_key.items() if key in tasks}
        self.whole = {group: number for group, number in self.whole.items() if group in living}
        self.rest = {group: number for group, number in self.rest.items() if group in living}
        kept = len(self.of_key) + len(self.whole) + len(self.rest)
        self.sweep_at = max(LEAST_SWEPT, 2 * kept)
