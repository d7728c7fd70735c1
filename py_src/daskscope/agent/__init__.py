"""The only code of daskscope that runs on the cluster, and how it gets there.

The agent travels as source text: pickled code objects crash a scheduler of another
Python version. What is pickled is one call of `eval` with the text as its argument, so
that a scheduler needs nothing but the standard library and distributed to unpickle it.
"""

from __future__ import annotations

import hashlib
import pickle
from functools import cache
from pathlib import Path
from typing import Any

from daskscope.schema import ACTIONS, WORKER_STATUSES

_FILES = (
    "packing.py",
    "profile.py",
    "gather.py",
    "events.py",
    "cluster.py",
    "memory.py",
    "metrics.py",
    "graphs.py",
    "scheduler.py",
)
_WORKER_FILES = ("packing.py", "profile.py", "worker.py")

_BOOTSTRAP = (
    "[exec(compile(source, '<daskscope agent>', 'exec'), space), space[made](**options)][1]"
)


@cache
def _text(files: tuple[str, ...]) -> str:
    """Join files in order, without their imports of each other."""
    here = Path(__file__).parent
    lines = ["from __future__ import annotations"]
    inside_import = False
    for name in files:
        for line in (here / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("from daskscope"):
                inside_import = line.endswith("(")
            elif inside_import:
                inside_import = line != ")"
            elif not line.startswith("from __future__"):
                lines.append(line)
    return "\n".join(lines) + "\n"


def source() -> str:
    """Return the source text of the agent's scheduler plugin."""
    return _text(_FILES)


def worker_source() -> str:
    """Return the source text of the agent's worker plugin."""
    return _text(_WORKER_FILES)


@cache
def name() -> str:
    """Return the versioned name of plugins and handlers: agents of two versions coexist."""
    text = source() + worker_source()
    return "daskscope_" + hashlib.sha256(text.encode()).hexdigest()[:12]


class _Sent:
    """An object that pickles as a call; unpickling builds a plugin from source text."""

    def __init__(self, source: str, made: str, **options: Any) -> None:
        self.source, self.made, self.options = source, made, options

    def __reduce__(self) -> tuple[Any, ...]:
        values = {
            "source": self.source,
            "space": {"__name__": name()},
            "made": self.made,
            "options": {"name": name(), **self.options},
        }
        return (eval, (_BOOTSTRAP, values))

    def pickled(self) -> bytes:
        # Protocol 4 is supported by the oldest Python that a scheduler or worker may run.
        return pickle.dumps(self, protocol=4)


@cache
def for_workers() -> bytes:
    """Return the plugin in the form that `register_worker_plugin` expects."""
    return _Sent(worker_source(), "WorkerAgent").pickled()


def pickled(*, memory_limit: int) -> bytes:
    """Return the plugin in the form that the scheduler's `register_scheduler_plugin` expects."""
    return _Sent(
        source(),
        "Agent",
        memory_limit=memory_limit,
        actions=list(ACTIONS),
        statuses=list(WORKER_STATUSES),
        worker_agent=for_workers(),
    ).pickled()
