"""Writes the reports that report.spec.ts opens: `python make_reports.py DIRECTORY`.

`tests/py` must be on the path, for what is hostile.
"""

import sys
from pathlib import Path

import dask
from distributed import Client, LocalCluster, span
from hostile import hostile_recording

import daskscope
from daskscope.report.html import build

TASKS = 400


def work(number):
    """Compute a little, and fail now and then."""
    total = sum(range(20_000 + number))
    if number % 100 == 99:
        raise ValueError(f"no {number}")
    return total


def main(folder):
    """Write what a real cluster did, and a recording whose every text is hostile."""
    with (
        dask.config.set({"daskscope.library.enabled": False}),
        LocalCluster(
            n_workers=2, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
        daskscope.performance_report(
            folder / "run.html", title="A run for the browser", code="client.map(work, …)"
        ),
    ):
        with span("a span"):
            futures = client.map(work, range(TASKS), pure=False)
        client.gather(futures, errors="skip")
        client.log_event("mine", {"step": "all of it"})
    with (folder / "hostile.html").open("wb") as file:
        build(hostile_recording(), file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
