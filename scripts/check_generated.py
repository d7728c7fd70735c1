"""Checks that generated files are what their sources say now; with --write, writes them.

A generator is a script that prints its file.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATED = {
    "js_src/schema.ts": "scripts/generate_schema.py",
    "docs/guide/tables.md": "scripts/generate_tables_page.py",
}


def generate(command: str) -> str:
    """Run a generator of this checkout, whatever daskscope is installed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "py_src")}
    return subprocess.run(
        [sys.executable, ROOT / command],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def main() -> int:
    """Compare, or write."""
    stale = []
    for name, command in GENERATED.items():
        path, wanted = ROOT / name, generate(command)
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        if "--write" in sys.argv:
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {name}")
        else:
            stale.append(name)
    for name in stale:
        print(f"{name} is stale: run `make schema` and commit the result.")
    if not stale:
        print("Generated files: up to date.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
