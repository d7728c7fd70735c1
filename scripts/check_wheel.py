"""Builds sdist and wheel from a copy of the checkout, and proves what they promise.

The wheel is small, complete, without stale JavaScript, and installs where there is no Node.
The environment it was installed into is kept (.envs/wheel), for browser tests against it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_WHEEL_BYTES = 1_500_000
LABEXTENSION = "share/jupyter/labextensions/daskscope"
STALE = "stale-0123456789abcdef.js"


def copy_checkout(target: Path) -> None:
    """Copy what git knows or would add, and plant JavaScript of a build long ago."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    (target / "node_modules").symlink_to(ROOT / "node_modules")
    for folder in ("labextension/static", "static"):
        (target / "py_src/daskscope" / folder).mkdir(parents=True)
        (target / "py_src/daskscope" / folder / STALE).write_text("// of a build long ago\n")
    (target / "py_src/daskscope/labextension/package.json").write_text("{}")


def check_contents(wheel: Path) -> None:
    """Look into the wheel."""
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} bytes")
    assert size < MAX_WHEEL_BYTES, f"the wheel is over {MAX_WHEEL_BYTES:,} bytes"
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith(STALE)], "stale JavaScript was packed"
    remotes = [name for name in names if f"{LABEXTENSION}/static/remoteEntry." in name]
    assert len(remotes) == 1, f"expected one remoteEntry, found {remotes}"
    for wanted in (
        "daskscope/static/build.txt",
        "daskscope/static/loader.js",
        "daskscope/static/widget.js",
        "daskscope/static/report.css",
        "daskscope/static/report.js",
        "daskscope/static/report_loader.js",
        "daskscope/daskscope.yaml",
    ):
        assert wanted in names, f"{wanted} is missing"
    for shared in ("install.json", "package.json", "schemas/daskscope/plugin.json"):
        wanted = f"{LABEXTENSION}/{shared}"
        assert any(name.endswith(wanted) for name in names), f"{wanted} is missing"
    assert not [name for name in names if name.startswith("daskscope/labextension/")], (
        "the labextension was packed twice"
    )
    (licenses,) = (name for name in names if name.endswith("third-party-licenses.json"))
    packages = json.loads(zipfile.ZipFile(wheel).read(licenses))["packages"]
    assert packages, "no licence of a package in the labextension was packed"
    without = [one["name"] for one in packages if not one["extractedText"]]
    assert not without, f"the licences of {without} are missing"


def check_install(wheel: Path, directory: Path) -> None:
    """Install into a clean environment, with no Node on the path, and ask JupyterLab."""
    shutil.rmtree(directory, ignore_errors=True)
    venv.create(directory, with_pip=True)
    tools = directory / "bin"
    no_node = {**os.environ, "PATH": str(tools)}
    no_node.pop("PYTHONPATH", None)
    pip = [str(tools / "python"), "-m", "pip", "install", "--quiet", str(wheel), "jupyterlab"]
    subprocess.run(pip, env=no_node, check=True)
    listed = subprocess.run(
        [str(tools / "jupyter"), "labextension", "list"],
        env=no_node,
        check=True,
        capture_output=True,
        text=True,
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", listed.stdout + listed.stderr)
    line = next((line for line in plain.splitlines() if "daskscope" in line), "")
    print(line.strip())
    assert re.search(r"daskscope v\S+ enabled OK", line), plain
    subprocess.run(
        [str(tools / "python"), "-c", "import daskscope; daskscope.TaskStream"],
        env=no_node,
        check=True,
        cwd=directory,
    )


def check_panels(directory: Path) -> None:
    """Run the main stories of a user in the JupyterLab of that environment."""
    surroundings = {**os.environ, "PATH": f"{directory / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    surroundings.pop("PYTHONPATH", None)
    command = ["npm", "run", "--silent", "test:ui", "--", "busy", "inline"]
    command += ["--output", "ui-tests/test-results/wheel"]
    subprocess.run(command, cwd=ROOT, env=surroundings, check=True)


def main() -> None:
    """Build, look, install, open."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "checkout"
        copy.mkdir()
        copy_checkout(copy)
        # sdist first, then the wheel from the sdist: what a packager does.
        subprocess.run(
            [sys.executable, "-m", "build", "--outdir", f"{name}/dist"], cwd=copy, check=True
        )
        (wheel,) = (Path(name) / "dist").glob("*.whl")
        check_contents(wheel)
        check_install(wheel, ROOT / ".envs" / "wheel")
        check_panels(ROOT / ".envs" / "wheel")
    print("The wheel keeps its promises.")


if __name__ == "__main__":
    main()
