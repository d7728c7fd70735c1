"""Reports of real clusters: what is in them, whatever happens in the block."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
import threading
import time
import warnings
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import WITHOUT_DASHBOARD
from report_blocks import computed, computed_and_raised, extract, recording_in, somewhere_else  # noqa: F401

import daskscope
from daskscope.derive.summary import summary
from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from distributed import Client


def fail(x: int) -> int:
    raise ValueError(f"no {x}")


def test_a_report_has_what_happened_in_its_block_and_nothing_else(client, capsys):
    computed(client, 7)
    with daskscope.performance_report("run.html", title="A run", code="computed()") as report:
        assert report.url is None
        # Longer than what Dask's correction of workers' clocks may be wrong by.
        client.gather(client.map(time.sleep, [0.1] * 20, pure=False))
    computed(client, 9)
    assert report.url == (Path.cwd() / "run.html").as_uri()
    assert capsys.readouterr().out == f"Performance Report Available at: {report.url}\n"
    assert report.recording.tasks["task"].nunique() == 20
    figures, packed = extract("run.html")
    assert figures == json.loads(json.dumps(report.summary))
    assert figures["title"] == "A run"
    assert figures["code"] == "computed()"
    rows = len(report.recording.tasks)  # under load, deserializing has rows of its own
    assert figures["tasks"] == {"captured": 20, "kept": 20, "erred": 0, "rows": rows}
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


def test_one_task_is_one_wherever_it_is_counted(client):
    session = daskscope.connect(client)
    with daskscope.performance_report("run.html") as report:
        client.submit(abs, 1).result()
    assert repr(report).startswith(f"<daskscope report {report.url}: 1 task, ")
    assert repr(report.recording).startswith("<Recording: 1 of 1 task, 1 row, ")
    assert " 1 of 1 task, 2 workers, 4 threads>" in repr(session)
    panel = daskscope.TaskStream()
    assert repr(panel).endswith("1 of 1 task>")
    panel.close()
    session.close()


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


def test_a_report_is_written_also_if_nothing_can_be_asked(client, monkeypatch):
    def fails(*_: object) -> None:
        raise RuntimeError("the loop is gone")

    monkeypatch.setattr("daskscope.block.block.versions_and_logs_of", fails)
    with daskscope.performance_report("run.html"):
        computed(client)
    figures, _ = extract("run.html")
    assert figures["tasks"]["captured"] == 20
    assert "RuntimeError: the loop is gone" in figures["missing"][-1]["text"]


def test_errors_of_tasks_are_in_the_report(client):
    with daskscope.performance_report("run.html"):
        client.gather(client.map(fail, range(3), pure=False), errors="skip")
    figures, _ = extract("run.html")
    assert figures["errors"] == {"count": 3, "kept": 3, "types": [["ValueError", 3]]}
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


def test_the_figures_of_a_report_are_made_once(client, monkeypatch):
    made = []

    def counted(*given: Any, **options: Any) -> dict[str, Any]:
        made.append(given)
        return summary(*given, **options)

    monkeypatch.setattr("daskscope.file_summary.summary", counted)
    with daskscope.performance_report("run.html"):
        computed(client)
    assert len(made) == 1
    with daskscope.performance_report("run.html", redact=["code"]):
        computed(client)
    assert len(made) == 3  # of what was recorded, and of what the report tells


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


@pytest.mark.all
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


@pytest.mark.all
def test_a_cluster_that_is_gone_before_the_end_leaves_a_report(scheduler_process):
    from distributed import Client

    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        with daskscope.performance_report("run.html", client=client) as report:
            computed(client, 30)
            assert daskscope.connect(client).recording.tasks["task"].nunique() == 30
            scheduler_process.kill_scheduler()
        assert report.summary is not None
        assert report.summary["tasks"]["kept"] == 30
        assert report.summary["missing"]


def test_no_thread_is_left_behind(client):
    before = set(threading.enumerate())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with daskscope.performance_report("run.html"):
            computed(client)
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert left <= {"daskscope"}


# -- what must not leave the house --------------------------------------------


def whole_text(path: Path) -> str:
    """Everything that a report says, unpacked: its figures, and each member of its recording."""
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
