"""Shows a task stream in marimo, in a real browser: the panel needs no Jupyter."""

from __future__ import annotations

import os
import subprocess
import sys

import environment

DIRECTORY = environment.ROOT / ".envs" / "marimo"
CONFIG = "tests/hosts/marimo/playwright.config.ts"


def main() -> int:
    """Make the environment, run the browser test."""
    environment.python_environment(DIRECTORY, environment.ROOT / "requirements.lock")
    tools = DIRECTORY / "bin"
    if not (tools / "marimo").exists():
        environment.run([str(tools / "python"), "-m", "pip", "install", "--quiet", "marimo"])
    environment.develop(DIRECTORY)
    surroundings = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    command = ["npx", "--no-install", "playwright", "test", "--config", CONFIG]
    return subprocess.run(command, cwd=environment.ROOT, env=surroundings).returncode


if __name__ == "__main__":
    sys.exit(main())
