"""Runs pytest in several processes; the few tests that failed are tried once more, alone.

A test that fails beside others on a busy machine and passes alone is named at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_AGAIN = 3


def run(python: str, arguments: tuple[str, ...], variables: dict[str, str] | None = None) -> int:
    """Run the Python tests; return 0 if all passed, some of them at the second try."""
    with tempfile.TemporaryDirectory() as cache:
        command = [python, "-m", "pytest", "-o", f"cache_dir={cache}"]
        processes = ("-n", "3", "--dist", "worksteal")
        surroundings = {**os.environ, **(variables or {})}
        code = subprocess.run([*command, *processes, *arguments], cwd=ROOT, env=surroundings)
        try:
            failed = [*json.loads((Path(cache) / "v/cache/lastfailed").read_text())]
        except (OSError, ValueError):
            failed = []
        if code.returncode != 1 or not 0 < len(failed) <= MAX_AGAIN:
            return code.returncode
        print(f"\n{len(failed)} failed, and once more alone:", flush=True)
        again = [*command, *arguments, "-n", "0", "--last-failed"]
        returncode = subprocess.run(again, cwd=ROOT, env=surroundings).returncode
        if returncode == 0:
            print("\n".join(f"FAILED ONCE {test}, and passed alone" for test in failed))
        return returncode


if __name__ == "__main__":
    sys.exit(run(sys.executable, tuple(sys.argv[1:])))
