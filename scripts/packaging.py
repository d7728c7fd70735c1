"""Builds the JavaScript for a wheel or an sdist (called by hatch-jupyter-builder).

A build from a checkout starts from nothing, so that no stale bundle is packed. An
sdist carries the bundles: a wheel made from it needs neither Node nor npm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABEXTENSION = ROOT / "py_src" / "daskscope" / "labextension"
WIDGET = ROOT / "py_src" / "daskscope" / "static"
COMPILED = ROOT / "lib"


def build_bundles(target_name: str, version: str) -> None:
    """Build labextension and widget. Hatch's ``target_name`` is "wheel" or "sdist"."""
    del target_name
    if (ROOT / "PKG-INFO").exists():
        print("This is an sdist: its JavaScript is built already.")
        return
    if version == "editable" and (LABEXTENSION / "package.json").exists() and WIDGET.exists():
        print("Editable install: `make build` keeps the JavaScript up to date.")
        return
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError(
            "Building daskscope from a checkout needs Node >= 20 with npm, and found no npm. "
            "Install Node, or install a released wheel."
        )
    if not (ROOT / "node_modules").exists():
        environment = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
        subprocess.run([npm, "ci"], cwd=ROOT, env=environment, check=True)
    for built in (LABEXTENSION, WIDGET, COMPILED):
        shutil.rmtree(built, ignore_errors=True)
    subprocess.run([npm, "run", "build"], cwd=ROOT, check=True)
