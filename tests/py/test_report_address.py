"""What to open in a browser: an address that works wherever it is pasted."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from clusters import eventually, free_port

from daskscope.report.address import Addresses, Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "secret"


@pytest.fixture
def server(tmp_path, monkeypatch) -> Path:
    """What a Jupyter server leaves in the runtime directory: it started this process."""
    root = tmp_path / "home"
    (root / "work").mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    monkeypatch.setenv("JPY_SESSION_NAME", str(root / "work" / "story.ipynb"))
    monkeypatch.delenv("JUPYTERHUB_PUBLIC_URL", raising=False)
    (tmp_path / "runtime").mkdir()
    write_server(tmp_path, "jpserver-1.json", root, os.getpid(), "/user/ada/")
    return root


def write_server(tmp_path: Path, name: str, root: Path, pid: int, base: str) -> None:
    facts = {"base_url": base, "root_dir": str(root), "pid": pid, "token": TOKEN}
    (tmp_path / "runtime" / name).write_text(json.dumps(facts))


def url_of(path: Path) -> str:
    return Addresses().url_of(path)


def test_below_a_jupyter_server_the_url_is_a_page_of_its_own(server):
    path = server / "work" / "ré port #1.html"
    url = "/user/ada/lab?daskscope-report=work/r%C3%A9%20port%20%231.html"
    assert url_of(path) == url
    assert url_of(server / "run") == "/user/ada/files/run", "a page opens it by its ending"


def test_a_name_that_begins_as_a_drive_of_jupyterlab_does_is_opened_as_a_file(server):
    assert url_of(server / "run-12:30.html") == "/user/ada/files/run-12%3A30.html"
    url = "/user/ada/lab?daskscope-report="
    assert url_of(server / "work" / "run-12:30.html") == f"{url}work/run-12%3A30.html"
    assert url_of(server / "12:30.html") == f"{url}12%3A30.html"


def test_outside_of_the_servers_root_the_url_is_a_file(server, tmp_path):
    for path in (tmp_path / "run.html", server / ".hidden" / "run.html"):
        assert url_of(path) == path.as_uri()


def test_a_server_around_the_directory_counts_where_the_parent_is_not_known(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    write_server(tmp_path, "jpserver-2.json", server / "work", os.getpid(), "/inner/")
    write_server(tmp_path, "jpserver-3.json", server / "work", 2**22 + 1, "/dead/")
    (tmp_path / "runtime" / "jpserver-4.json").write_text("{")
    monkeypatch.chdir(server / "work")
    inner, outer = Served("/inner/", "run.html"), Served("/user/ada/", "run.html")
    below = Served("/user/ada/", "work/run.html")
    assert Addresses().served(server / "work" / "run.html") == inner
    assert Addresses().served(server / "run.html") == outer
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    assert Addresses().served(server / "work" / "run.html") == below


@pytest.mark.parametrize(
    ("public", "origin"),
    [
        ("https://hub.example.org/user/ada/", "https://hub.example.org"),
        ("http://10.0.0.3:8000/user/ada", "http://10.0.0.3:8000"),
        ("https://ada.hub.example.org/user/%61da/", "https://ada.hub.example.org"),
        ("https://me:secret@hub.example.org/user/ada/", "https://hub.example.org"),
        ("", ""),
        ("https://hub.example.org/", ""),
        ("https://hub.example.org/user/grace/", ""),
        ("//hub.example.org/user/ada/", ""),
        ("javascript://hub.example.org/user/ada/", ""),
        ("https:///user/ada/", ""),
        ("https://[hub/user/ada/", ""),
    ],
)
def test_on_a_jupyterhub_that_tells_its_public_address_the_url_is_a_whole_one(
    server, tmp_path, monkeypatch, public, origin
):
    monkeypatch.setenv("JUPYTERHUB_PUBLIC_URL", public)
    path = "/user/ada/lab?daskscope-report=run.html"
    assert url_of(server / "run.html") == origin + path
    assert url_of(server / "run") == f"{origin}/user/ada/files/run"
    assert url_of(tmp_path / "run.html") == (tmp_path / "run.html").as_uri()
    served = Addresses().served(server / "run.html")
    assert served is not None
    assert served.lab_url == path, "of links on a page of that server"


def test_outside_of_jupyter_the_url_is_a_file(server, monkeypatch):
    monkeypatch.delenv("JPY_PARENT_PID")
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert url_of(server / "run.html") == (server / "run.html").as_uri()


@pytest.mark.parametrize("base", ["/", "/user/files/"])
def test_the_addresses_are_the_servers_own_wherever_it_is(base):
    served = Served(base, "files/a+b&c.html")
    assert served.lab_url == f"{base}lab?daskscope-report=files/a%2Bb%26c.html"
    assert served.files_url == f"{base}files/files/a%2Bb%26c.html"


# -- a real server ------------------------------------------------------------


def listens(port: int) -> bool:
    """Return whether a server that has written its facts takes connections already."""
    with socket.socket() as s:
        return s.connect_ex(("localhost", port)) == 0


@pytest.fixture
def lab(server, tmp_path, monkeypatch) -> Iterator[str]:
    """A JupyterLab that shows the folder, and that started this process as it believes."""
    pytest.importorskip("jupyterlab")
    (tmp_path / "runtime" / "jpserver-1.json").unlink()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command.append(f"--port={free_port()}")
    options = {"root_dir": server, "base_url": "/user/files/"}
    command += [f"--ServerApp.{name}={value}" for name, value in options.items()]
    running = subprocess.Popen(
        [*command, f"--IdentityProvider.token={TOKEN}"],
        env=os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path / "config")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    monkeypatch.setenv("JPY_PARENT_PID", str(running.pid))
    facts = tmp_path / "runtime" / f"jpserver-{running.pid}.json"
    try:
        eventually(facts.exists, 60)
        found = json.loads(eventually(facts.read_text))
        eventually(lambda: listens(found["port"]), 60)
        yield found["url"]
    finally:
        running.terminate()
        running.wait(60)


@pytest.mark.all
def test_a_url_that_is_pasted_opens_where_a_server_gives_its_files_to_no_stranger(server, lab):
    (server / "run.html").write_text("a report")
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    browser.open(f"{lab}lab?token={TOKEN}")
    served = Addresses().served(server / "run.html")
    assert served is not None

    pasted = browser.open(urljoin(lab, url_of(server / "run.html")))
    assert b"jupyter-config-data" in pasted.read()
    with pytest.raises(HTTPError, match="403"):
        browser.open(urljoin(lab, served.files_url))
    followed = Request(urljoin(lab, served.files_url), headers={"Referer": f"{lab}lab"})
    assert browser.open(followed).read() == b"a report"
