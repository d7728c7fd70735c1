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
    "events.py",
    "cluster.py",
    "memory.py",
    "metrics.py",
    "graphs.py",
    "scheduler.py",
)

_BOOTSTRAP = (
    "[exec(compile(source, '<daskscope agent>', 'exec'), space), space['Agent'](**options)][1]"
)


@cache
def source() -> str:
    """Return the agent's text: its files in order, without their imports of each other."""
    here = Path(__file__).parent
    lines = ["from __future__ import annotations"]
    inside_import = False
    for name in _FILES:
        for line in (here / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("from daskscope"):
                inside_import = line.endswith("(")
            elif inside_import:
                inside_import = line != ")"
            elif not line.startswith("from __future__"):
                lines.append(line)
    return "\n".join(lines) + "\n"


@cache
def name() -> str:
    """Return the versioned name of plugin and handlers: agents of two versions coexist."""
    return "daskscope_" + hashlib.sha256(source().encode()).hexdigest()[:12]


class _Sent:
    """Pickles as a call that builds the agent where it is unpickled."""

    def __init__(self, memory_limit: int) -> None:
        self.options = {
            "name": name(),
            "memory_limit": memory_limit,
            "actions": list(ACTIONS),
            "statuses": list(WORKER_STATUSES),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        space = {"__name__": name()}
        return (eval, (_BOOTSTRAP, {"source": source(), "space": space, "options": self.options}))


def pickled(*, memory_limit: int) -> bytes:
    """Return the plugin as the scheduler's `register_scheduler_plugin` wants it."""
    # Protocol 4: the oldest Python that a scheduler may run knows it.
    return pickle.dumps(_Sent(memory_limit), protocol=4)
