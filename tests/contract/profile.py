"""Writes profile.json: whose code functions are, and which differences of profiles are no chance.

    python tests/contract/profile.py

Both languages find the same in it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
FILE = HERE / "profile.json"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "py_src"))

import numpy as np  # noqa: E402

from daskscope.derive.modules import module_of  # noqa: E402
from daskscope.derive.profile_difference import difference  # noqa: E402
from daskscope.derive.profile_tree import Frame, ProfileTree, Samples  # noqa: E402
from daskscope.schema import IN_ONE_OF  # noqa: E402

FILES = (
    "/home/ada/sums.py",
    "/tmp/ipykernel_12/3801.py",
    "<string>",
    "<ipython-input-3-0123>",
    "/home/ada/dask/sums.py",
    "/home/ada/日本語/é <b>.py",
    "/opt/lib/python3.12/site-packages/pandas/core/frame.py",
    "C:\\Python312\\Lib\\site-packages\\numpy\\linalg\\_linalg.py",
    "/usr/lib/python3/dist-packages/pyarrow/table.pxi",
    "/v/site-packages/distributed/worker.py",
    "/v/site-packages/dask_expr/_expr.py",
    "/v/site-packages/tornado/ioloop.py",
    "/src/dask/dask/core.py",
    "/src/distributed/distributed/worker.py",
    "/v/site-packages/six.py",
    "/v/site-packages/constructor/x.py",
    "/usr/lib/python3.12/threading.py",
    "/usr/lib/python3.13t/threading.py",
    "/usr/lib/pypy3.10/socket.py",
    "C:\\Python312\\Lib\\threading.py",
    "<frozen importlib._bootstrap>",
    "pandas/_libs/lib.pyx",
    "numpy/random/mtrand.pyx",
    "<__array_function__ internals>",
    "sums.py",
    "",
)

NAMES = ("", "run", "load", "work", "spin", "rest")
STACKS = [(), ("run",), ("run", "load"), ("run", "work"), ("run", "work", "spin")]
STACKS += [("run", "work", "spin", "work"), ("run", "load", "spin"), ("rest",)]


def rows(seed: int, workers: int, cycles: int, slower: float) -> dict[str, list[Any]]:
    """A run of tasks of some cycles; below work → spin it takes longer."""
    random = Random(seed)
    found: dict[str, list[Any]] = {
        name: [] for name in ("time", "duration", "worker", "stack", "count")
    }
    for worker in range(workers):
        stack = 1
        for cycle in range(cycles):
            if random.random() < 0.4:
                stack = random.randrange(1, len(STACKS))
            time = 1_000 + cycle + worker / 4 + (20 if cycle > cycles / 2 else 0)
            for number, count in ((stack, random.randint(20, 80)), (4, random.randint(10, 20))):
                found["time"].append(time)
                found["duration"].append(random.choice([1, 1, 0.875]))
                found["worker"].append(f"tcp://10.0.0.{(worker * 7) % 10}:0")
                found["stack"].append(number)
                found["count"].append(round(count * (slower if number == 4 else 1)))
    return found


def tree(of: dict[str, list[Any]]) -> ProfileTree:
    """A profile of all stacks, with the samples of some rows."""
    workers = sorted(set(of["worker"]), reverse=True)  # their order means nothing
    return ProfileTree(
        [Frame(name) for name in NAMES],
        np.array([STACKS.index(stack[:-1]) for stack in STACKS]),
        np.array([NAMES.index(("", *stack)[-1]) for stack in STACKS]),
        Samples(
            np.array(of["time"], float),
            np.array(of["duration"], float),
            np.array([workers.index(worker) for worker in of["worker"]]),
            np.zeros(len(of["time"]), int),
            np.array(of["stack"]),
            np.array(of["count"], float),
            tuple(workers),
        ),
    )


def case(name: str, workers: int, cycles: int, slower: float) -> dict[str, Any]:
    """Return what goes in and what comes out."""
    before, after = rows(1, workers, cycles, 1.0), rows(2, workers, cycles, slower)
    found = difference(tree(after), tree(before))
    return {
        "name": name,
        "before": before,
        "after": after,
        "nodes": _figures(found.nodes),
        "functions": _figures(found.totals),
    }


def _figures(change: Any) -> dict[str, list[Any]]:
    signs = np.sign(change.grown) * change.beyond_chance
    return {
        "before": np.round(change.before, 6).tolist(),
        "after": np.round(change.after, 6).tolist(),
        "sign": signs.astype(int).tolist(),
        "bound": np.round(change.bound, 6).tolist(),
    }


def cases() -> dict[str, Any]:
    """Return all that is in the file."""
    return {
        "modules": {file: module_of("f", file) for file in FILES},
        "one_of": module_of(f"{IN_ONE_OF}a, b", FILES[6]),
        "parent": [STACKS.index(stack[:-1]) for stack in STACKS],
        "frame": [NAMES.index(("", *stack)[-1]) for stack in STACKS],
        "comparisons": [
            case("several workers", 5, 20, 2.5),
            case("one worker", 1, 20, 5.0),
            case("few cycles", 3, 5, 3.0),
            case("the same", 3, 12, 1.0),
        ],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(cases(), separators=(",", ":")) + "\n", encoding="utf-8")
