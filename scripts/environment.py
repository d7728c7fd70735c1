"""Sets up what `make` needs: a virtual environment, node_modules, a Chromium.

Runs on any Python 3.8+ with nothing installed, so that it can say what is missing.
Each step leaves a stamp (the hash of its lock file), so the second time is quick.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
STAMP = ".daskscope-lock"
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 20

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def fail(text: str) -> NoReturn:
    """Stop with a sentence instead of a traceback."""
    print("\nerror: " + text, file=sys.stderr)
    sys.exit(1)


def say(text: str) -> None:
    """Tell what is being done: some steps take a minute."""
    print("\ndaskscope: " + text, file=sys.stderr, flush=True)


def run(command: list[str], **more: object) -> None:
    """Run a command, and stop with its name when it fails."""
    print("+ " + " ".join(command), file=sys.stderr, flush=True)
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, **more).returncode:  # type: ignore[call-overload]
        fail("`{}` failed; its output above says why.".format(" ".join(command)))


def fingerprint(*parts: Path) -> str:
    """Return a hash of the contents of files."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes())
    return digest.hexdigest()


def python_environment(directory: Path, requirements: Path) -> None:
    """Make a virtual environment and install the pinned requirements into it."""
    stamp, wanted = directory / STAMP, fingerprint(requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if sys.version_info < OLDEST_PYTHON:
        fail(
            "daskscope needs Python >= {}.{}, and python3 is {}. Name another one: "
            "make PYTHON=python3.12 …".format(*OLDEST_PYTHON, sys.version.split()[0])
        )
    python = directory / "bin" / "python"
    if not python.exists():
        try:
            import ensurepip  # noqa: F401
        except ImportError:
            fail("This python3 cannot make environments. On Debian: apt install python3-venv")
        say(f"making a Python environment in {directory.name}")
        run([sys.executable, "-m", "venv", str(directory)])
    # JupyterLab runs CommonJS of its own, which must not take our "type": "module" for its own.
    (directory / "package.json").write_text('{"type": "commonjs"}\n')
    say(f"downloading and installing the Python packages of {requirements.name}, perhaps a minute")
    run([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements)])
    stamp.write_text(wanted)


def node_modules() -> None:
    """Install the locked npm packages."""
    stamp, wanted = ROOT / "node_modules" / STAMP, fingerprint(ROOT / "package-lock.json")
    if stamp.exists() and stamp.read_text() == wanted:
        return
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        fail("node and npm are needed to build the panels: install Node >= 20.")
    found = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    if int(found.lstrip("v").split(".")[0]) < OLDEST_NODE:
        fail(f"Node >= {OLDEST_NODE} is needed, and node is {found.strip()}.")
    say("downloading and installing the npm packages of package-lock.json, perhaps a minute")
    # Browser tests use a Chromium of the system; playwright's own download is not wanted.
    run([npm, "ci"], env={**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"})
    stamp.write_text(wanted)


def develop(directory: Path) -> None:
    """Make this checkout importable in the environment, and its labextension visible there."""
    stamp = directory / ".daskscope-develop"
    wanted = f"{fingerprint(ROOT / 'pyproject.toml')} {ROOT}"  # a checkout may be moved
    link = directory / "share" / "jupyter" / "labextensions" / "daskscope"
    if stamp.exists() and stamp.read_text() == wanted and link.is_symlink():
        return
    # pip would follow the link of last time and delete the built files in the checkout.
    if link.is_symlink():
        link.unlink()
    say(f"making this checkout importable in {directory.name}, and its labextension visible")
    pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    run([*pip, "--no-deps", "--no-build-isolation", "--editable", "."])
    shutil.rmtree(link, ignore_errors=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(ROOT / "py_src" / "daskscope" / "labextension")
    stamp.write_text(wanted)


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, if there is one."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named) or fail(f"CHROMIUM={named} is not a program.")
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def browser() -> None:
    """Print the path of a Chromium, after installing Debian's when that is allowed."""
    path = find_browser()
    apt = shutil.which("apt-get")
    if path is None and apt and os.geteuid() == 0:
        say("installing Debian's Chromium for the browser tests")
        quiet = {"stdout": subprocess.DEVNULL}
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run([apt, "update"], env=environment, **quiet)
        run([apt, "install", "--yes", "chromium"], env=environment, **quiet)
        path = find_browser()
    if path is None:
        fail(
            "The browser tests need Chromium or Chrome, and found none. Install one (Debian: "
            "sudo apt install chromium), or name it: make test CHROMIUM=/path/to/chrome"
        )
    print(path)


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("packages", help="virtual environment and node_modules, both as locked")
    steps.add_parser("develop", help="install this checkout, editable")
    steps.add_parser("browser", help="print the path of a Chromium")
    arguments = parser.parse_args()
    if arguments.step == "packages":
        with ThreadPoolExecutor() as pool:  # one downloads while the other unpacks
            python = pool.submit(python_environment, ROOT / ".venv", ROOT / "requirements.lock")
            node = pool.submit(node_modules)
        python.result()
        node.result()
    elif arguments.step == "develop":
        develop(ROOT / ".venv")
    else:
        browser()


if __name__ == "__main__":
    main()
