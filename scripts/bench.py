"""Runs the benchmarks of tests/bench and keeps their figures in bench-results/.

A benchmark is a program that prints JSON lines; tests/bench/README.md says which fields.
`make bench ARGS="agent_cost"` runs those whose name contains the word.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "tests" / "bench"
RESULTS = ROOT / "bench-results"
PROGRAMS: dict[str, list[str]] = {
    "agent_cost": [sys.executable, "-u", "agent_cost.py"],
    "browser": ["node", "browser/task_stream.mjs"],
    "memory_plots": ["node", "browser/memory.mjs"],
    "profile_trees": ["node", "browser/profile.mjs"],
    "focus": ["node", "browser/focus.mjs"],
    "fine_metrics": ["node", "browser/fine_metrics.mjs"],
    "memory_samples": [sys.executable, "-u", "memory_samples.py"],
    "metrics": [sys.executable, "-u", "metrics.py"],
    "profile_data": [sys.executable, "-u", "profile_data.py"],
    "kernel_slowdown": [sys.executable, "-u", "kernel_slowdown.py"],
    "recording": [sys.executable, "-u", "recording.py"],
    "report": [sys.executable, "-u", "report/report.py"],
    "lab": ["npx", "--no-install", "playwright", "test", "--config", "lab/playwright.config.ts"],
}
"""Name → command, run in tests/bench."""


def machine() -> dict[str, Any]:
    """Describe where the figures were measured; one without the other is worth little."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    return {
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
    }


def run(command: list[str], header: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Run one benchmark; return its figures and whether it ended well."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "py_src")}
    figures = []
    with subprocess.Popen(
        command,
        cwd=BENCH,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if line.startswith("{"):
                figures.append(json.loads(line) | header)
    return figures, process.returncode == 0


def missed(figure: dict[str, Any]) -> bool:
    """Tell whether a figure is past its limit; `at_least` turns the limit around."""
    if figure.get("at_least") is not None:
        return bool(figure["value"] < figure["at_least"])
    return figure.get("limit") is not None and bool(figure["value"] > figure["limit"])


def main() -> int:
    """Run, keep, and say which limits were missed."""
    header = machine()
    RESULTS.mkdir(exist_ok=True)
    output = RESULTS / f"{header['time'].replace(':', '')}.jsonl"
    failed, late = [], []
    for name, command in PROGRAMS.items():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        print(f"== {name}", flush=True)
        figures, well = run(command, header)
        with output.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(figure) + "\n" for figure in figures)
        late += [figure for figure in figures if missed(figure)]
        if not well:
            failed.append(name)
    print(f"\nFigures are in {output.relative_to(ROOT)}")
    for figure in late:
        bound = figure.get("limit", figure.get("at_least"))
        print(f"past its limit: {figure['metric']}: {figure['value']} {figure['unit']} ({bound})")
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed or late else 0


if __name__ == "__main__":
    sys.exit(main())
