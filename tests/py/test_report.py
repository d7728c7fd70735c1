"""Reports: written of real clusters, whatever happens in the block or to the disk."""

from __future__ import annotations

import asyncio
import io
import json
import os
import resource
import socket
import threading
import time
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pytest
from clusters import WITHOUT_DASHBOARD
from hostile import hostile_recording
from recording_rows import make_rows, new_recording
from test_files import full_recording

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.recording import pack_keys
from daskscope.report.address import url_of
from daskscope.report.extract import extract
from daskscope.report.html import build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

    from daskscope.recording import Recording


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reports go into a directory of the test, and not into the user's library."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    with dask.config.set({"daskscope.library.enabled": False}):
        yield


def fail(x: int) -> int:
    raise ValueError(f"no {x}")


def computed(client: Client, tasks: int = 20) -> None:
    client.gather(client.map(abs, range(tasks), pure=False))


def computed_and_raised(client: Client, error: BaseException) -> None:
    computed(client)
    raise error


def recording_in(path: str | Path) -> Recording:
    return daskscope.load(path)


# -- what is written ----------------------------------------------------------


def test_a_report_has_what_happened_in_its_block_and_nothing_else(client, capsys):
    computed(client, 7)
    with daskscope.performance_report("run.html", title="A run", code="computed()") as report:
        assert report.url is None
        # Longer than what Dask's correction of workers' clocks may be wrong by.
        client.gather(client.map(time.sleep, [0.1] * 20, pure=False))
    computed(client, 9)
    assert report.url == (Path.cwd() / "run.html").as_uri()
    assert capsys.readouterr().out == f"Performance Report Available at: {report.url}\n"
    assert len(report.recording.tasks) == 20
    figures, packed = extract("run.html")
    assert figures == json.loads(json.dumps(report.summary))
    assert figures["title"] == "A run"
    assert figures["code"] == "computed()"
    assert figures["tasks"] == {"captured": 20, "kept": 20, "erred": 0, "rows": 20}
    assert figures["busy"]["threads"] == 4
    assert 10 < figures["busy"]["percent"] < 100
    assert figures["memory"]["peak"] > 0
    assert figures["cluster_facts"]["workers"] == 2
    assert [one["name"] for one in figures["prefixes"]] == ["sleep"]
    assert {"dask", "distributed", "python"} <= {one["package"] for one in figures["versions"]}
    Path("run.daskscope").write_bytes(packed)
    for opened in (recording_in("run.daskscope"), recording_in("run.html")):
        assert opened.counts == report.recording.counts
        assert opened.tasks["key"].tolist() == report.recording.tasks["key"].tolist()
        assert opened.about["whole"]


def test_the_report_is_written_when_the_block_raises_and_names_the_exception(client, capsys):
    with pytest.raises(ZeroDivisionError), daskscope.performance_report("run.html") as report:
        computed_and_raised(client, ZeroDivisionError("no"))
    assert report.url is not None
    assert report.url in capsys.readouterr().out
    figures, _ = extract("run.html")
    assert figures["exception"]["type"] == "ZeroDivisionError"
    assert "raise error" in figures["exception"]["traceback"]
    assert figures["tasks"]["captured"] == 20
    assert "ZeroDivisionError ended the block" in Path("run.html").read_text()


def test_an_interrupted_block_has_a_report_of_what_there_is(client):
    with pytest.raises(KeyboardInterrupt), daskscope.performance_report("run.html"):
        computed_and_raised(client, KeyboardInterrupt())
    assert extract("run.html")[0]["exception"]["type"] == "KeyboardInterrupt"


def test_errors_of_tasks_are_in_the_report(client):
    with daskscope.performance_report("run.html"):
        client.gather(client.map(fail, range(3), pure=False), errors="skip")
    figures, _ = extract("run.html")
    assert figures["errors"] == {"count": 3, "types": [["ValueError", 3]]}
    assert figures["needs_a_look"][0]["title"] == "ValueError in fail"
    exceptions = recording_in("run.html").errors["exception"]
    assert sorted(exceptions) == [f"ValueError('no {i}')" for i in range(3)]


def test_an_asynchronous_client_has_reports_too(tmp_path):
    async def story() -> dict[str, Any]:
        from distributed import Client, LocalCluster

        options = WITHOUT_DASHBOARD | {"asynchronous": True, "processes": False, "n_workers": 1}
        async with (
            LocalCluster(**options) as cluster,
            Client(cluster, asynchronous=True) as client,
        ):
            async with daskscope.performance_report("run.html", client=client) as report:
                await client.gather(client.map(abs, range(12), pure=False))
            assert report.summary is not None
            with (
                pytest.raises(DaskscopeError, match="async with"),
                daskscope.performance_report(client=client),
            ):
                pass
            return report.summary

    assert asyncio.run(story())["tasks"]["captured"] == 12
    assert recording_in("run.html").counts.kept == 12


def test_the_recording_may_lie_beside_the_report(client):
    with daskscope.performance_report("run.html", recording=True) as report:
        computed(client)
    assert sorted(os.listdir()) == ["run.daskscope", "run.html"]  # noqa: PTH208
    assert recording_in("run.daskscope").counts == report.recording.counts


def test_a_price_makes_a_cost(client):
    with (
        dask.config.set(
            {"daskscope.report.price-per-thread-hour": 3600, "daskscope.report.currency": "€"}
        ),
        daskscope.performance_report("run.html") as report,
    ):
        computed(client)
    assert report.summary is not None
    cost, busy = report.summary["cost"], report.summary["busy"]
    assert cost["amount"] == pytest.approx(busy["thread_seconds"])
    assert cost["unit"] == "€"


def test_the_scheduler_does_nothing_while_a_report_is_built(scheduler_process):
    from distributed import Client

    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        with daskscope.performance_report("run.html", client=client) as report:
            computed(client, 200)
        scheduler_process.pause()
        report.save("again.html")
        assert extract("again.html")[0] == extract("run.html")[0]
        scheduler_process.stop()


def test_a_cluster_that_is_gone_before_the_end_leaves_a_report(scheduler_process):
    from distributed import Client

    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        with daskscope.performance_report("run.html", client=client) as report:
            computed(client, 30)
            assert len(daskscope.connect(client).recording.tasks) == 30
            scheduler_process.kill_scheduler()
        assert report.summary is not None
        assert report.summary["tasks"]["kept"] == 30
        assert report.summary["missing"]


# -- before the block ---------------------------------------------------------


def refused(match: str, *arguments: Any, **options: Any) -> DaskscopeError:
    """The error of a report that cannot be; the block must not run."""
    ran = []
    with pytest.raises(DaskscopeError, match=match) as caught:  # noqa: SIM117
        with daskscope.performance_report(*arguments, **options):
            ran.append(True)
    assert not ran
    return caught.value


def test_without_a_client_the_block_does_not_run():
    assert refused("There is no current Dask client", "run.html").code == "no-client"
    assert not os.listdir()  # noqa: PTH208


def test_an_account_needs_a_hub(client):
    error = refused("daskscope.hub.url", account="team")
    assert error.code == "no-hub"


@pytest.mark.parametrize(
    ("filename", "match"),
    [
        ("missing/run.html", r"There is no directory .*missing"),
        (".", "it is a directory"),
        ("", "it is a directory"),
        ("x" * 300 + ".html", "File name too long"),
        ("a\0b.html", "null"),
        ("/dev/null", "no ordinary file"),
        ("/proc/run.html", "Nothing can be written"),
        ("nowhere://bucket/run.html", "Protocol not known"),
        ("memory://", "it names no file"),
    ],
)
def test_a_place_where_nothing_can_be_written_is_refused_before_the_block(client, filename, match):
    assert refused(match, filename).code == "bad-path"


def test_a_name_that_fits_only_the_report_is_refused_with_a_recording(client):
    name = "x" * 248 + ".html"
    assert refused("File name too long", name, recording=True).code == "bad-path"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_refused_before_the_block(client, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert refused("Permission denied", tmp_path / "closed" / "run.html").code == "bad-path"


@pytest.mark.parametrize(
    ("setting", "value"), [("price-per-thread-hour", "cheap"), ("price-per-thread-hour", -1)]
)
def test_a_setting_that_cannot_be_used_is_named_before_the_block(client, setting, value):
    with dask.config.set({f"daskscope.report.{setting}": value}):
        error = refused(f"daskscope.report.{setting} = .* must be a number, or null")
    assert error.code == "bad-setting"


def test_arguments_of_a_wrong_kind_are_refused(client):
    with pytest.raises(TypeError, match="filename must be text or a path, got int"):
        daskscope.performance_report(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="redact: any of 'code', 'paths', 'hosts', not 'names'"):
        daskscope.performance_report(redact=["code", "names"])


# -- where it is written ------------------------------------------------------


def test_a_file_that_is_there_is_replaced(client, tmp_path):
    path = tmp_path / "run.html"
    path.write_text("what was there")
    (tmp_path / "link.html").symlink_to(path)
    with daskscope.performance_report(tmp_path / "sub" / ".." / "link.html"):
        computed(client)
    assert (tmp_path / "link.html").is_symlink()
    assert extract(path)[0]["tasks"]["captured"] == 20
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.html", "run.html"]


def test_the_directory_is_that_of_the_beginning(client, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    with daskscope.performance_report("run.html"):
        monkeypatch.chdir(tmp_path / "other")
    assert (tmp_path / "run.html").exists()


def test_a_full_disk_leaves_nothing_behind_and_the_recording_in_memory(client, tmp_path):
    path = tmp_path / "run.html"
    path.write_text("what was there")
    _, hard = soft = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with (
            pytest.raises(DaskscopeError, match=r"could not be written to .*run.html") as caught,
            daskscope.performance_report("run.html", recording=True) as report,
        ):
            fill_disk(client, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
    assert caught.value.code == "not-written"
    assert "report.save" in caught.value.next
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]
    assert report.recording.counts.kept == 20
    assert report.url is None
    assert report.save("elsewhere.html") == (tmp_path / "elsewhere.html").as_uri()
    assert recording_in("elsewhere.html").counts.kept == 20


def fill_disk(client: Client, hard: int) -> None:
    """From now on no file of this process takes more than this."""
    computed(client)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, hard))


def test_a_report_that_cannot_be_written_does_not_hide_the_blocks_exception(client, tmp_path):
    (tmp_path / "sub").mkdir()
    with (
        pytest.warns(UserWarning, match="could not be written"),
        pytest.raises(ZeroDivisionError),
        daskscope.performance_report("sub/run.html"),
    ):
        remove_and_raise(tmp_path / "sub")


def remove_and_raise(folder: Path) -> None:
    folder.rmdir()
    raise ZeroDivisionError


def test_a_report_goes_to_a_url_that_fsspec_can_write(client):
    fsspec = pytest.importorskip("fsspec")
    with daskscope.performance_report("memory://reports/run.html", recording=True) as report:
        computed(client)
    assert report.url == "memory://reports/run.html"
    assert recording_in("memory://reports/run.html").counts.kept == 20
    assert recording_in("memory://reports/run.daskscope").counts.kept == 20
    fsspec.filesystem("memory").rm("/reports", recursive=True)


def test_a_storage_that_refuses_leaves_the_recording_in_memory(client):
    pytest.importorskip("fsspec")
    with (
        pytest.raises(DaskscopeError, match="could not be written to local:///proc/") as caught,
        daskscope.performance_report("local:///proc/nowhere/run.html") as report,
    ):
        computed(client)
    assert caught.value.code == "not-written"
    assert report.recording.counts.kept == 20


def test_a_file_url_is_a_path(client, tmp_path):
    with daskscope.performance_report((tmp_path / "a b.html").as_uri()) as report:
        computed(client)
    assert report.url == (tmp_path / "a b.html").as_uri()
    assert (tmp_path / "a b.html").exists()


# -- what to open -------------------------------------------------------------


@pytest.fixture
def server(tmp_path, monkeypatch) -> Path:
    """What a Jupyter server leaves in the runtime directory: it started this process."""
    root = tmp_path / "home"
    (root / "work").mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    monkeypatch.setenv("JPY_SESSION_NAME", str(root / "work" / "story.ipynb"))
    (tmp_path / "runtime").mkdir()
    write_server(tmp_path, "jpserver-1.json", root, os.getpid(), "/user/ada/")
    return root


def write_server(tmp_path: Path, name: str, root: Path, pid: int, base: str) -> None:
    facts = {"base_url": base, "root_dir": str(root), "pid": pid, "token": "secret"}
    (tmp_path / "runtime" / name).write_text(json.dumps(facts))


def test_below_a_jupyter_server_the_url_is_a_path_of_its_own(server):
    path = server / "work" / "ré port #1.html"
    assert url_of(path) == "/user/ada/files/work/r%C3%A9%20port%20%231.html"


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
    assert url_of(server / "work" / "run.html") == "/inner/files/run.html"
    assert url_of(server / "run.html") == "/user/ada/files/run.html"
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    assert url_of(server / "work" / "run.html") == "/user/ada/files/work/run.html"


def test_outside_of_jupyter_the_url_is_a_file(server, monkeypatch):
    monkeypatch.delenv("JPY_PARENT_PID")
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert url_of(server / "run.html") == (server / "run.html").as_uri()


# -- what must not leave the house --------------------------------------------


def whole_text(path: Path) -> str:
    """Everything that a report says, unpacked: its figures, and each member of its recording."""
    import zipfile

    figures, packed = extract(path)
    html = path.read_text().partition('<main id="daskscope-report">')[2]
    static = html.partition("</main>")[0]
    parts = [json.dumps(figures, ensure_ascii=False), static]
    with zipfile.ZipFile(io.BytesIO(packed)) as members:
        parts += [members.read(name).decode("utf-8", "replace") for name in members.namelist()]
    return "\n".join(parts)


APOLLO = "/data/projects/apollo/input.csv"


def very_private_step(x: int) -> int:
    raise ValueError(f"cannot read {APOLLO} from tcp://10.9.8.7:1234")


def private_block(client: Client) -> None:
    """Tell names everywhere: in an event, in keys, in what a task raises."""
    workers = list(client.scheduler_info()["workers"])
    message = {"path": APOLLO, "from": workers[0], "host": socket.gethostname()}
    client.log_event("mine", message)
    client.gather(client.map(abs, range(5), pure=False))
    client.submit(very_private_step, 1, key=f"step-{workers[0]}-{APOLLO}").result()


def test_what_is_redacted_is_nowhere_in_the_report(tmp_path):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        pytest.raises(ValueError, match="apollo"),
        daskscope.performance_report(
            "run.html",
            redact=["code", "paths", "hosts"],
            title=f"of {APOLLO}",
            code="secret = very_private_step(1)",
            recording=True,
            client=client,
        ) as report,
    ):
        private_block(client)
    text = whole_text(tmp_path / "run.html")
    addresses = [one.partition("://")[2] for one in report.recording.workers["worker"] if one]
    assert len(addresses) == 2
    for secret in ("apollo", "/data/", "10.9.8.7", "127.0.0.1", *addresses, "raise ValueError"):
        assert secret not in text, secret
    assert "secret = " not in text
    assert str(Path(__file__).parent) not in text
    host = socket.gethostname()
    assert host not in text.replace("localhost", "")
    assert "input.csv" in text
    opened = recording_in("run.html")
    assert set(opened.tasks["worker"]) <= {"worker-0", "worker-1"}
    assert opened.errors["worker"][0] in {"worker-0", "worker-1"}
    assert opened.about["redacted"] == ["code", "paths", "hosts"]
    assert report.summary is not None
    assert report.summary["redacted"] == ["code", "paths", "hosts"]
    assert report.summary["code"] == ""
    assert opened.tasks.groupby("task").size().tolist() == (
        report.recording.tasks.groupby("task").size().tolist()
    )
    assert recording_in("run.daskscope").about["redacted"] == ["code", "paths", "hosts"]
    kept = report.recording.errors["exception"][0]
    assert "apollo" in kept


# -- the file itself ----------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page, and the text outside of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def built(recording: Recording) -> bytes:
    out = io.BytesIO()
    build(recording, out)
    return out.getvalue()


def test_no_text_of_users_is_markup():
    page = Elements()
    page.feed(built(hostile_recording()).decode())
    assert page.names.count("script") == 3
    assert "img" not in page.names
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "alert(1)" in page.text


def test_what_it_says_can_be_read_without_scripts():
    page = Elements()
    page.feed(built(full_recording()).decode())
    assert "Scripts are off" in page.text
    assert "320, of which" not in page.text
    assert "325, of which" in page.text
    assert "ValueError in sum" in page.text


def test_nothing_but_its_own_scripts_and_styles_may_run():
    import base64
    import hashlib
    import re

    html = built(full_recording()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    for directive in ("base-uri 'none'", "form-action 'none'", "img-src data: blob:"):
        assert directive in policy[1]
    for element in ("script", "style"):
        (text,) = re.findall(rf"<{element}>(.*?)</{element}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", html.partition("<script>")[0])


def test_a_large_recording_is_written_and_taken_out_in_pieces(tmp_path):
    recording = new_large()
    out = _Largest()
    build(recording, out)  # type: ignore[arg-type]
    assert out.total > 2_000_000
    assert out.largest < 1_200_000


def new_large() -> Recording:
    recording = new_recording()
    noise = np.random.default_rng(7)
    for _ in range(30):
        keys = [noise.bytes(32).hex() for _ in range(2_000)]
        recording.append_tasks(2_000, make_rows(2_000), pack_keys(0, keys).data)
    return recording


class _Largest:
    """A file that only counts."""

    def __init__(self) -> None:
        self.total = self.largest = 0

    def write(self, part: bytes) -> int:
        self.total += len(part)
        self.largest = max(self.largest, len(part))
        return len(part)


def test_no_thread_is_left_behind(client):
    before = set(threading.enumerate())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with daskscope.performance_report("run.html"):
            computed(client)
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert left <= {"daskscope"}
