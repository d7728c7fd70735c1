"""Runs all tests, also those too slow for every change, in several versions of what
daskscope meets (`make test-all`).

Each entry gets an environment below .envs/: the pinned one, with some packages replaced.
`make test-all ARGS="lab-4.2 marimo"` runs those two alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import environment
import python_tests

ROOT = environment.ROOT
ENVIRONMENTS = ROOT / ".envs"
PYTHONS = ENVIRONMENTS / "pythons"
LOCK = ROOT / "requirements.lock"
MINOR = sys.version_info.minor
OTHER_PYTHONS = (f"3.{MINOR - 1}", f"3.{MINOR + 1}")
"""One older and one newer than the one that runs this."""


@dataclass(frozen=True)
class Entry:
    """One environment and what is run in it."""

    name: str
    packages: tuple[str, ...] = ()
    pytest: tuple[str, ...] | None = ()
    """Arguments of pytest; None when Python tests say nothing new here."""
    browser: tuple[str, ...] | None = None
    """Which browser tests run, too, by their files; with none named all, not only those of every
    change."""
    retries: int = 1
    """So often a browser test is tried again: Playwright names it. More, where what it meets is
    known to fail by itself."""
    vitest: bool = False
    """Whether the TypeScript tests run, too."""
    upgrade: bool = False
    """Whether everything is taken as new as it comes, instead of pinned."""


LOWEST = (
    "dask==2025.1.0",
    "distributed==2025.1.0",
    "anywidget==0.9.13",
    "bokeh==3.1.0",
    "ipywidgets==8.0.0",
    "traitlets==5.13.0",
    "numpy==1.26.0",
    "pandas==2.1.0",
    "pillow==10.1.0",
    "pyarrow==15.0.0",
)
"""The lower bounds of pyproject.toml, together."""

KERNEL_TESTS = ("-k", "kernel or cell or magic or subshell")
KERNEL_STORIES = ("busy", "inline", "kernels", "one_copy", "panels", "perfreport", "restart")
"""What another ipykernel can break."""

ENTRIES = (
    Entry("pinned", vitest=True, browser=()),
    Entry("other-pythons", pytest=("tests/py/matrix",)),
    Entry("lowest", (*LOWEST, "ipykernel==6.29.5")),
    Entry("newest", upgrade=True, browser=()),
    Entry(
        "lab-4.2",
        ("jupyterlab==4.2.*", "notebook==7.2.*"),
        pytest=None,
        browser=(),
    ),
    Entry("ipykernel-6", ("ipykernel==6.*",), pytest=KERNEL_TESTS, browser=KERNEL_STORIES),
    Entry(
        "ipykernel-7.3",
        ("ipykernel==7.3.*",),
        pytest=KERNEL_TESTS,
        browser=KERNEL_STORIES,
        retries=2,  # it may leave a request unread for good: ipython/ipykernel#1554, mended in 7.4
    ),
)


def prepare(entry: Entry) -> Path:
    """Make the environment of an entry; return its Python."""
    directory = ENVIRONMENTS / entry.name
    stamp = directory / ".daskscope-entry"
    wanted = f"{environment.fingerprint(LOCK)} {entry.packages} {entry.upgrade}"
    python = directory / "bin" / "python"
    # What is newest is another thing tomorrow: that one is made anew each time.
    if entry.upgrade or not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(directory, ignore_errors=True)
        environment.python_environment(directory, LOCK)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        if entry.upgrade:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text())
            newest = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
            environment.run([*pip, "--upgrade", "--upgrade-strategy", "eager", *newest])
        if entry.packages:
            environment.run([*pip, *entry.packages])
        stamp.write_text(wanted)
    environment.develop(directory)
    return python


def other_pythons() -> tuple[list[str], list[str]]:
    """Make environments with distributed alone for schedulers and workers of other Pythons.

    Return their interpreters, and in words the versions that could not be had.
    """
    found, missing = [], []
    for version in OTHER_PYTHONS:
        interpreter = find_interpreter(version)
        if interpreter is None:
            fetch_interpreter(version)
            interpreter = find_interpreter(version)
        if interpreter is None:
            missing.append(f"{version}, which is not here and could not be fetched")
            continue
        try:
            found.append(str(with_distributed(version, interpreter)))
        except SystemExit:  # a step failed, and has said why: the other versions can do without
            missing.append(f"{version}, into which the pinned distributed could not be installed")
    return found, missing


def with_distributed(version: str, interpreter: str) -> Path:
    """Make an environment with the pinned distributed alone; return its Python."""
    directory = ENVIRONMENTS / f"python-{version}"
    python = directory / "bin" / "python"
    if not python.exists():
        environment.run([interpreter, "-m", "venv", str(directory)])
    pinned = [
        line.split(";")[0].strip()
        for line in LOCK.read_text().splitlines()
        if line.startswith(("dask==", "distributed=="))
    ]
    environment.run([str(python), "-m", "pip", "install", "--quiet", *pinned])
    return python


def find_interpreter(version: str) -> str | None:
    """Return a Python of this minor version that really starts (a pyenv shim may not)."""
    managed = sorted(PYTHONS.glob(f"cpython-{version}.*/bin/python{version}"))
    named = shutil.which(f"python{version}")
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in filter(None, [named, *map(str, pyenv), *map(str, managed)]):
        if subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
            return candidate
    return None


def fetch_interpreter(version: str) -> None:
    """Let uv fetch a Python into .envs/, where this machine may download one."""
    python = ENVIRONMENTS / "uv" / "bin" / "python"
    settings = {**os.environ, "UV_PYTHON_INSTALL_DIR": str(PYTHONS)}
    commands = [[str(python), "-m", "uv", "python", "install", "--no-bin", version]]
    if not python.exists():
        commands[:0] = [
            [sys.executable, "-m", "venv", str(python.parent.parent)],
            [str(python), "-m", "pip", "install", "--quiet", "uv"],
        ]
    for command in commands:
        if subprocess.run(command, cwd=ROOT, env=settings).returncode:
            return  # its output says why; whoever asked says what follows


def run(entry: Entry, variables: dict[str, str]) -> list[str]:
    """Run the tests of an entry; return the names of what failed."""
    try:
        python = prepare(entry)
    except SystemExit:  # a step failed, and has said why: the other entries can do without
        return [f"{entry.name}: set-up"]
    surroundings = {
        **os.environ,
        **variables,
        "TEST_ALL": "1",
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(python.parent.parent),
    }
    failed = []
    if entry.pytest is not None and python_tests.run(
        str(python), ("-q", *entry.pytest), surroundings
    ):
        failed.append("pytest")
    commands = {}
    if entry.vitest:
        commands["vitest"] = ["npm", "run", "--silent", "test"]
    if entry.browser is not None:
        output = f"ui-tests/test-results/{entry.name}"
        named = [f"{name}.spec.ts" for name in entry.browser]
        options = ("--output", output, f"--retries={entry.retries}")
        story = ["npm", "run", "--silent", "test:ui", "--", *options, *named]
        commands["browser tests"] = story
    failed += [
        name
        for name, command in commands.items()
        if subprocess.run(command, cwd=ROOT, env=surroundings).returncode
    ]
    return [f"{entry.name}: {name}" for name in failed]


def main() -> int:
    """Run the entries that were named, or all; end with a summary."""
    words = sys.argv[1:]
    failed: list[str] = []
    skipped: list[str] = []
    ran: list[str] = []
    for entry in ENTRIES:
        if words and entry.name not in words:
            continue
        print(f"\n== {entry.name} {' '.join(entry.packages)}", flush=True)
        variables = {}
        if entry.name == "other-pythons":
            # Only here: an old client with a new scheduler says nothing about Python.
            found, missing = other_pythons()
            variables["DASKSCOPE_OTHER_PYTHONS"] = os.pathsep.join(found)
            skipped += [
                f"{entry.name}: schedulers and workers of Python {version}" for version in missing
            ]
            if not found:
                continue
        failed += run(entry, variables)
        ran.append(entry.name)
    for script in ("check_wheel", "check_marimo"):
        if words and script.removeprefix("check_") not in words:
            continue
        print(f"\n== {script}", flush=True)
        if subprocess.run([sys.executable, f"scripts/{script}.py"], cwd=ROOT).returncode:
            failed.append(script)
        ran.append(script)
    print(f"\nRan: {', '.join(ran) or 'nothing'}")
    for name in skipped:
        print(f"NOT TESTED {name}")
    print("\n".join(f"FAILED {name}" for name in failed) or "All that ran passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
