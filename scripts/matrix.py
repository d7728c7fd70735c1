"""Runs all tests, also those too slow for every change, with several versions of what
daskscope meets (`make test-all`).

The unit tests of all entries run one after the other, beside their stories in a browser. An entry
that replaces packages gets an environment below .envs/: a copy of .venv, then the packages.
An entry that fails does not stop the others; the end lists each part with its result.
`make test-all ARGS="lab-4.2 marimo"` runs those two alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import environment
import python_tests

if TYPE_CHECKING:
    from collections.abc import Callable

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
    stories: tuple[str, ...] | None = None
    """Which browser tests run, too, by their files; with none named all of them."""
    retries: int = 1
    """How often a browser test is tried again: Playwright names it. More, where what it meets is
    known to fail by itself."""
    all: bool = False
    """Whether the slow Python tests and the TypeScript tests run, too."""
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

LAB_STORIES = (
    *KERNEL_STORIES,
    "clients",
    "follow",
    "notebook7",
    "open",
    "outputs",
    "perfreport",
    "reports",
    "saved_picture",
    "settings",
    "tabs",
    "widgets",
)
"""What another JupyterLab can break; the other stories are about figures, files and texts."""

ENTRIES = (
    Entry("pinned", all=True, stories=()),
    Entry("other-pythons", pytest=("tests/py/matrix",)),
    Entry("lowest", (*LOWEST, "ipykernel==6.29.5")),
    Entry("newest", upgrade=True, stories=LAB_STORIES),
    Entry("lab-4.2", ("jupyterlab==4.2.*", "notebook==7.2.*"), pytest=None, stories=LAB_STORIES),
    Entry("ipykernel-6", ("ipykernel==6.*",), pytest=KERNEL_TESTS, stories=KERNEL_STORIES),
    Entry(
        "ipykernel-7.3",
        ("ipykernel==7.3.*",),
        pytest=KERNEL_TESTS,
        stories=KERNEL_STORIES,
        retries=2,  # it may leave a request unread for good: ipython/ipykernel#1554, mended in 7.4
    ),
)


def prepare(entry: Entry) -> Path:
    """Make the environment of an entry; return its Python."""
    base = ROOT / ".venv"
    if not entry.packages and not entry.upgrade:
        return base / "bin" / "python"
    directory = ENVIRONMENTS / entry.name
    stamp = directory / ".daskscope-entry"
    wanted = f"{environment.fingerprint(LOCK)} {entry.packages} {ROOT}"
    python = directory / "bin" / "python"
    # What is newest is another thing tomorrow: that one is made anew each time.
    if entry.upgrade or not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(base, directory, symlinks=True)
        for program in (directory / "bin").iterdir():  # each names its Python in the first line
            if not program.is_symlink() and program.read_bytes().startswith(b"#!"):
                text = program.read_bytes()
                program.write_bytes(text.replace(bytes(base), bytes(directory)))
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        if entry.upgrade:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text())
            newest = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
            environment.run([*pip, "--upgrade", "--upgrade-strategy", "eager", *newest])
        if entry.packages:
            environment.run([*pip, *entry.packages])
        stamp.write_text(wanted)
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


@dataclass(frozen=True)
class Part:
    """Some tests of an entry, in one of two lanes: unit tests, and stories."""

    entry: Entry
    name: str
    run: Callable[[str, dict[str, str]], bool]
    """Takes the Python of the entry and the environment variables; returns whether all passed."""


def parts_of(entry: Entry, others: list[str]) -> tuple[list[Part], list[Part]]:
    """Return what an entry runs in each lane; `others` are interpreters for other-pythons."""
    settings = {"TEST_ALL": "1"} if entry.all else {}
    if entry.name == "other-pythons":
        # Only here: an old client with a new scheduler says nothing about Python.
        settings["DASKSCOPE_OTHER_PYTHONS"] = os.pathsep.join(others)

    def python_part(python: str, variables: dict[str, str]) -> bool:
        return python_tests.run(python, ("-q", *(entry.pytest or ())), variables | settings) == 0

    def beside(*command: str) -> Callable[[str, dict[str, str]], bool]:
        return lambda _python, variables: quietly(command, variables | {"TEST_ALL": "1"})

    first = [] if entry.pytest is None else [Part(entry, "pytest", python_part)]
    if entry.all:  # not beside its stories, which take longer than the Python tests
        first.append(Part(entry, "vitest", beside("npm", "run", "--silent", "test")))
    second = []
    if entry.stories is not None:
        output = f"ui-tests/test-results/{entry.name}"
        options = ("--output", output, f"--retries={entry.retries}")
        files = [f"/{name}.spec.ts" for name in dict.fromkeys(entry.stories)]
        story = ("npm", "run", "--silent", "test:ui", "--", *options, *files)
        second.append(Part(entry, "stories", beside(*story)))
    return first, second


def quietly(command: tuple[str, ...], variables: dict[str, str]) -> bool:
    """Run a command, and print its output when it has ended: the other lane prints, too."""
    with tempfile.TemporaryFile() as output:
        result = subprocess.run(
            command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT
        )
        output.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(output, sys.stdout.buffer)
        sys.stdout.flush()
    return result.returncode == 0


def run_lane(parts: list[Part], pythons: dict[str, Future[Path]]) -> list[tuple[bool, str]]:
    """Run parts one after the other; return whether each passed, and a line about it."""
    results = []
    for part in parts:
        title = f"{part.entry.name}: {part.name}"
        try:
            python = pythons[part.entry.name].result()
        except SystemExit:  # a step failed, and has said why: the other entries can do without
            results.append((False, f"{title}: its environment could not be made"))
            continue
        own = {
            **os.environ,
            "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
            "VIRTUAL_ENV": str(python.parent.parent),
        }
        print(f"\n== {title} {' '.join(part.entry.packages)}", flush=True)
        start = time.monotonic()
        passed = part.run(str(python), own)
        minutes = (time.monotonic() - start) / 60
        results.append((passed, f"{title}: {minutes:.1f} min"))
    return results


def main() -> int:
    """Run the entries that were named, or all; end with a line for each part."""
    words = sys.argv[1:]
    entries = [entry for entry in ENTRIES if not words or entry.name in words]
    found: list[str] = []
    skipped: list[str] = []
    if any(entry.name == "other-pythons" for entry in entries):
        found, skipped = other_pythons()
        entries = [entry for entry in entries if found or entry.name != "other-pythons"]
    both = [parts_of(entry, found) for entry in entries]
    with ThreadPoolExecutor(1) as preparing, ThreadPoolExecutor(1) as lane:
        pythons = {entry.name: preparing.submit(prepare, entry) for entry in entries}
        beside = lane.submit(run_lane, [part for _, parts in both for part in parts], pythons)
        results = run_lane([part for parts, _ in both for part in parts], pythons)
        results += beside.result()
    for script in ("check_wheel", "check_marimo"):
        if not words or script.removeprefix("check_") in words:
            print(f"\n== {script}", flush=True)
            code = subprocess.run([sys.executable, f"scripts/{script}.py"], cwd=ROOT).returncode
            results.append((code == 0, script))
    print()
    for name in skipped:
        print(f"NOT TESTED schedulers and workers of Python {name}")
    for passed, line in results:
        print(f"{'passed' if passed else 'FAILED'} {line}")
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
