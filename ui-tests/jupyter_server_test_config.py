"""The JupyterLab that the browser tests run in: no token, a port of its own."""

import os

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821 - Jupyter provides `c`

c.ServerApp.port = int(os.environ["DASKSCOPE_TEST_PORT"])  # noqa: F821
c.ServerApp.allow_root = os.geteuid() == 0  # noqa: F821
c.Application.log_level = "ERROR"  # noqa: F821
