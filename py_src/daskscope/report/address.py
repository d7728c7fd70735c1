"""What to open in a browser to see a report: a page of the Jupyter server, else a file."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_INFO_BYTES: Final = 100_000

OPENED_IN_LAB: Final = (".html", ".htm", ".daskscope")
"""Names of files that our page of JupyterLab opens (lab_address.ts)."""

_LIKE_A_DRIVE: Final = re.compile(r"[a-z][\w+.-]*:", re.ASCII | re.IGNORECASE)
"""How a path begins that JupyterLab takes for one of another of its drives."""


@dataclass(frozen=True, slots=True)
class Served:
    """A file as a Jupyter server shows it: where the server is, and the path below its root.

    Both addresses are paths of the server, as in ``/user/ada/lab?…``: a browser may run on
    another machine, and only a JupyterHub knows the address of the server there.
    """

    base_url: str
    path: str
    origin: str = ""
    """That address without its path, as in ``https://hub.example.org``, if it is known."""

    @property
    def url(self) -> str:
        """What can be opened from anywhere, if there is such a page."""
        return self.origin + (self.lab_url or self.files_url)

    @property
    def lab_url(self) -> str | None:
        """The page that opens it in JupyterLab (lab_address.ts); none for what that refuses."""
        if not self.path.lower().endswith(OPENED_IN_LAB) or _LIKE_A_DRIVE.match(self.path):
            return None
        return f"{self._base}lab?daskscope-report={self._quoted}"

    @property
    def files_url(self) -> str:
        """The file itself. The server gives it only to who comes from one of its pages."""
        return f"{self._base}files/{self._quoted}"

    @property
    def _quoted(self) -> str:
        return quote(self.path, errors="replace")

    @property
    def _base(self) -> str:
        return f"{self.base_url.rstrip('/')}/"


class Addresses:
    """Where files can be opened. What servers say of themselves is read once."""

    def __init__(self) -> None:
        self._servers = _servers()

    def served(self, path: Path) -> Served | None:
        """Return how a server shows a file, if one does."""
        for server in self._servers:
            inside = _below(path, server["root_dir"])
            if inside is not None:
                return Served(server["base_url"], inside, _origin(server["base_url"]))
        return None

    def url_of(self, path: Path) -> str:
        """Return where a browser opens it: outside of what a server shows, as a file."""
        served = self.served(path)
        return path.as_uri() if served is None else served.url


def _origin(base_url: str) -> str:
    """Return where browsers know our server, if a JupyterHub started it that knows.

    By its setting ``public_url``, or by its subdomains; it passes each server its own address.
    """
    try:
        public = urlsplit(os.environ.get("JUPYTERHUB_PUBLIC_URL", ""))
    except ValueError:
        return ""
    host = public.netloc.rpartition("@")[2]
    ours = unquote(public.path).rstrip("/") == unquote(base_url).rstrip("/")
    known = ours and host and public.scheme in ("http", "https")
    return f"{public.scheme}://{host}" if known else ""


def _below(path: Path, root: str) -> str | None:
    """Return a path in terms of a server's root; nothing where the server does not show it."""
    try:
        inside = path.relative_to(os.path.realpath(Path(root).expanduser()))
    except (ValueError, RuntimeError):
        return None
    hidden = any(part.startswith(".") for part in inside.parts)
    return None if hidden else inside.as_posix()


def _servers() -> list[dict[str, Any]]:
    """Return the Jupyter server that started this kernel; if unknown, those around."""
    parent = os.environ.get("JPY_PARENT_PID")
    of_a_session = "JPY_SESSION_NAME" in os.environ  # which only Jupyter servers set
    if parent is None and not of_a_session:
        return []
    servers = list(_running())
    ours = [server for server in servers if str(server.get("pid")) == parent]
    if ours or not of_a_session:
        return ours
    here = Path(os.path.realpath(Path.cwd()))
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    around = [
        server
        for server in servers
        if _below(here, server["root_dir"]) is not None and prefix in (None, server["base_url"])
    ]
    return sorted(around, key=lambda server: -len(server["root_dir"]))


def _running() -> Iterator[dict[str, Any]]:
    """Read what servers say of themselves (`jupyter_server.serverapp.list_running_servers`).

    The files are read here, since the environment of a kernel may lack jupyter_server.
    """
    try:
        from jupyter_core.paths import jupyter_runtime_dir

        found = sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json"))
    except (ImportError, OSError):
        return
    for path in found:
        try:
            text = path.read_bytes()[:MAX_INFO_BYTES]
            server = json.loads(text)
        except (OSError, ValueError):
            continue
        if (
            isinstance(server, dict)
            and isinstance(server.get("root_dir"), str)
            and isinstance(server.get("base_url"), str)
            and _is_alive(server.get("pid"))
        ):
            yield server


def _is_alive(pid: Any) -> bool:
    """Return whether a server runs; its file stays when it is killed."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if os.name == "nt":  # asking with a signal would end it there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
