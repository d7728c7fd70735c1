"""The JupyterLab that the browser tests run in: no token, a port of its own."""

import atexit
import json
import os
import shutil
import sysconfig
import venv
from pathlib import Path
from tempfile import mkdtemp

import ipykernel
from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821 - Jupyter provides `c`

c.ServerApp.port = int(os.environ["DASKSCOPE_TEST_PORT"])  # noqa: F821
c.ServerApp.allow_root = os.geteuid() == 0  # noqa: F821
c.Application.log_level = "ERROR"  # noqa: F821
if os.name == "posix":
    # A port may be taken between its choice and the start of the kernel.
    c.KernelManager.transport = "ipc"  # noqa: F821


# Reports of tests must not come into the library of whoever runs them.
os.environ["DASK_DASKSCOPE__LIBRARY__PATH"] = mkdtemp(prefix="galata-library-")
atexit.register(shutil.rmtree, os.environ["DASK_DASKSCOPE__LIBRARY__PATH"], ignore_errors=True)


def kernels_without_daskscope() -> str:
    """Make a kernel "bare" whose environment has all packages of this one but ours.

    A path that a .pth file adds has no .pth files of its own read: an editable install
    is not seen through it.
    """
    directory = Path(mkdtemp(prefix="galata-kernels-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    venv.create(directory / "env", with_pip=False, symlinks=True)
    (packages,) = (directory / "env" / "lib").glob("python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    kernel = {
        "argv": [
            str(directory / "env" / "bin" / "python"),
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
        ],
        "display_name": "bare",
        "language": "python",
        "env": {"PYTHONPATH": ""},
    }
    place = directory / "kernels" / "bare"
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(json.dumps(kernel))
    # JupyterLab 4.2 raises for a kernel without an icon.
    icon = Path(ipykernel.__file__).parent / "resources" / "logo-64x64.png"
    shutil.copy(icon, place)
    return str(directory)


if os.environ.get("TEST_ALL"):
    places = [kernels_without_daskscope(), *os.environ.get("JUPYTER_PATH", "").split(os.pathsep)]
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, places))
