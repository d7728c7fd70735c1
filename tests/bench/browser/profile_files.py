"""Writes the same samples as a report with a profile, and as a file for speedscope.

python profile_files.py FOLDER NODES
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from daskscope.recording import Recording, RecordingStore

WORKER = "tcp://10.0.0.1:40000"
ABOVE, FRAMES, DEEPEST = 9, 3_000, 80
START = 1_790_000_000.0


def filled(nodes: int) -> RecordingStore:
    """Return a recording with so many stacks: walks through functions that call a few others."""
    dice = random.Random(3)
    recording = RecordingStore()
    names = recording.names
    frames = [
        names.intern("frames", (f"function_{n}", f"/home/ada/m{n % 40}.py", n, n + 1, "x()"))
        for n in range(FRAMES)
    ]
    callees = [
        [dice.randrange(ABOVE, FRAMES) for _ in range(1 + dice.randrange(6))] for _ in range(FRAMES)
    ]
    counts: dict[int, int] = {}
    while names.count("stacks") < nodes:
        stack, function = 0, ABOVE + int(dice.random() ** 3 * 40)
        for above in range(ABOVE):
            stack = names.intern("stacks", (stack, frames[above]))
        for _ in range(min(DEEPEST, 2 + int(dice.expovariate(1 / 24)))):
            stack = names.intern("stacks", (stack, frames[function]))
            called = callees[function]
            function = called[int(dice.random() ** 2 * len(called))]
        counts[stack] = counts.get(stack, 0) + 1 + int(dice.random() ** 4 * 50)
    rows = len(counts)
    cells: dict[str, Any] = {"time": START, "duration": 1.0, "scope": 0, "worker": WORKER}
    columns = {name: [cell] * rows for name, cell in cells.items()}
    columns |= {"prefix": [names.intern("prefixes", "work")] * rows}
    columns |= {"stack": [*counts], "count": [*counts.values()]}
    recording.series("profile_counts").append(columns, now=START + 1)
    row = {"worker": WORKER, "time": START, "until": START + 1, "interval": 0.01, "cycle": 1.0}
    recording.log("profiled").append([row | {"compute": "ok", "administrative": "ok", "lost": 0}])
    return recording


def main() -> None:
    """Write both files."""
    folder = Path(sys.argv[1])
    tree = Recording(filled(int(sys.argv[2]))).profile()
    tree.save(folder / "profile.html")
    tree.to_speedscope(folder / "profile.json")


if __name__ == "__main__":
    main()
