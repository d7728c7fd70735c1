"""Cells of a real kernel: each has a row, and each task belongs to the cell that sent it."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from clusters import eventually
from kernels import Kernel

CLUSTER = """
import asyncio, threading, time
from distributed import Client, LocalCluster
options = dict(processes=False, threads_per_worker=2, dashboard_address=None)
client = Client(n_workers=1, **options)
import daskscope
session = daskscope.connect(client)
"""

HELPERS = """
def cells_of(prefix=None, session=session):
    tasks = session.recording.tasks
    tasks = tasks if prefix is None else tasks[tasks["prefix"] == prefix]
    return dict(tasks.groupby("cell", observed=True)["task"].nunique())
"""


class Notebook(Kernel):
    """A kernel with questions about its cells."""

    def value(self, expression: str) -> Any:
        found = self.evaluate(expression)
        assert found["status"] == "ok", found
        return ast.literal_eval(found["data"]["text/plain"])

    def cell(self, code: str) -> str:
        """Run a cell; return its name."""
        return f"In [{self.run(code)['execution_count']}]"

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the table of cells, by their names."""
        columns = "['cell', 'status', 'id', 'code', 'time', 'stop']"
        # Its stop is NaN while a cell runs, which no literal says.
        found = self.value(
            f"session.recording.table('cells')[{columns}].fillna(-1.0).to_dict('records')"
        )
        return {row["cell"]: row for row in found}

    def ended(self, cell: str) -> dict[str, Any]:
        """Return the row of a cell once it says how the cell ended."""

        def row() -> dict[str, Any] | None:
            found = self.rows().get(cell)
            return found if found is not None and found["status"] != "running" else None

        return eventually(row)

    def tasks_by_cell(self, prefix: str, tasks: int, session: str = "session") -> dict[str, int]:
        """Return how many tasks of a prefix each cell has, once so many were recorded."""

        def counts() -> dict[str, int] | None:
            found = self.value(f"{{k: int(n) for k, n in cells_of({prefix!r}, {session}).items()}}")
            return found if sum(found.values()) >= tasks else None

        return eventually(counts)


@pytest.fixture(scope="module")
def notebook():
    notebook = Notebook()
    notebook.run(CLUSTER)
    notebook.run(HELPERS)
    yield notebook
    notebook.stop()


def test_the_cell_in_which_a_session_begins_has_a_row(notebook: Notebook) -> None:
    row = notebook.ended("In [1]")
    assert (row["status"], row["code"]) == ("ok", CLUSTER)
    assert 0 < row["stop"] - row["time"] < 60


def test_a_cell_has_its_text_its_id_and_its_end(notebook: Notebook) -> None:
    code = "waited = time.sleep(0.05)\n# <b>it</b> defines and never computes"
    message = notebook.client.session.msg("execute_request", {"code": code, "silent": False})
    message["metadata"] = {"cellId": "6e3c"}
    before = notebook.value("time.time()")
    notebook.client.shell_channel.send(message)
    cell = f"In [{notebook.reply(message['header']['msg_id'])['execution_count']}]"
    row = notebook.ended(cell)
    assert (row["status"], row["id"], row["code"]) == ("ok", "6e3c", code)
    assert before <= row["time"] <= row["stop"] - 0.05
    sent = f"(session.recording.table('computations')['cell'] == {cell!r}).sum().item()"
    assert notebook.value(sent) == 0


@pytest.mark.parametrize(
    ("code", "status"), [("1 / 0", "error"), ("1 +", "error"), ("await never()", "error")]
)
def test_a_cell_that_fails_says_so(notebook: Notebook, code: str, status: str) -> None:
    reply = notebook.reply(notebook.start(code))
    assert notebook.ended(f"In [{reply['execution_count']}]")["status"] == status


@pytest.mark.parametrize("code", ["while True: time.sleep(0.01)", "await asyncio.sleep(3)"])
def test_a_cell_that_is_interrupted_says_so(notebook: Notebook, code: str) -> None:
    request = notebook.start(f"future = client.submit(int, '{len(code)}')\nsoon = 1\n{code}")
    numbers: list[int] = notebook.wait(
        lambda: [
            m["content"]["execution_count"]
            for m in notebook.messages
            if m["msg_type"] == "execute_input" and m["parent_header"].get("msg_id") == request
        ]
    )
    notebook.manager.interrupt_kernel()
    notebook.wait(lambda: notebook.finished(request))
    assert notebook.ended(f"In [{numbers[0]}]")["status"] == "interrupted"


def test_what_is_asked_silently_or_keeps_no_history_has_no_row(notebook: Notebook) -> None:
    known = set(notebook.rows())
    notebook.reply(notebook.start("hidden = 1", store_history=False))
    notebook.evaluate("client.submit(hash, 'silent').result()")
    cell = notebook.cell("seen = 1")
    notebook.ended(cell)
    assert set(notebook.rows()) - known == {cell}
    counts = notebook.value(
        "session.recording.tasks.query('prefix == \"hash\"')['cell'].isna().tolist()"
    )
    assert counts
    assert all(counts)


def test_cells_that_a_cell_runs_are_part_of_it(notebook: Notebook) -> None:
    known = set(notebook.rows())
    cell = notebook.cell(
        "shell = get_ipython()\n"
        "shell.run_cell('inner = 1', store_history=False)\n"
        "nested = client.submit(abs, -3).result()"
    )
    assert notebook.ended(cell)["status"] == "ok"
    assert set(notebook.rows()) - known == {cell}
    assert notebook.tasks_by_cell("abs", 1) == {cell: 1}


def test_each_of_ten_cells_back_to_back_has_its_tasks(notebook: Notebook) -> None:
    notebook.run("def work(i, cell):\n    return i")
    requests = [
        notebook.start(f"work_{n} = client.map(work, range({n + 1}), cell={n})") for n in range(10)
    ]
    cells = [f"In [{notebook.reply(request)['execution_count']}]" for request in requests]
    assert notebook.tasks_by_cell("work", 55) == {cell: n + 1 for n, cell in enumerate(cells)}
    spans = notebook.value(
        "session.recording.tasks.query('prefix == \"work\"')['computation'].nunique()"
    )
    assert spans == 10


def test_collections_belong_to_their_cells(notebook: Notebook) -> None:
    build = "import dask.bag\nbag = dask.bag.range({0}, npartitions={0}).map(str)"
    first = notebook.cell(build.format(4) + "\nkept = bag.persist()")
    second = notebook.cell("total = kept.count().compute()")
    found = eventually(
        lambda: notebook.value(
            "{k: int(v) for k, v in cells_of().items() if k in " + repr((first, second)) + "}"
        )
    )
    assert set(found) == {first, second}


def test_a_thread_submits_for_the_cell_that_started_it(notebook: Notebook) -> None:
    cell = notebook.cell(
        "go = threading.Event()\n"
        "def later():\n"
        "    go.wait()\n"
        "    client.submit(round, 1.5).result()\n"
        "thread = threading.Thread(target=later)\n"
        "thread.start()"
    )
    notebook.cell("pass")
    notebook.cell("go.set()\nthread.join()")
    assert notebook.tasks_by_cell("round", 1) == {cell: 1}


def test_an_asyncio_task_submits_for_the_cell_that_made_it(notebook: Notebook) -> None:
    cell = notebook.cell(
        "begin = asyncio.Event()\n"
        "async def later():\n"
        "    await begin.wait()\n"
        "    first = client.submit(chr, 65)\n"
        "    await asyncio.to_thread(lambda: client.gather([first, client.submit(chr, 66)]))\n"
        "task = asyncio.create_task(later())"
    )
    notebook.cell("begin.set()\nawait task")
    assert notebook.tasks_by_cell("chr", 2) == {cell: 2}


def test_an_asynchronous_client_is_followed_as_well(notebook: Notebook) -> None:
    notebook.run(
        "options_2 = dict(asynchronous=True, set_as_default=False)\n"
        "awaited = await Client(client.scheduler.address, **options_2)\n"
        "second = await daskscope.connect(awaited)"
    )
    cells = [notebook.cell(f"letter = await awaited.submit(ord, '{c}')") for c in "ab"]
    assert notebook.tasks_by_cell("ord", 2, "second") == dict.fromkeys(cells, 1)
    # The other session of this scheduler has them, too.
    assert notebook.tasks_by_cell("ord", 2) == dict.fromkeys(cells, 1)
    clients = "session.recording.table('computations').query('cell in @cells')['client'].unique()"
    assert notebook.value(f"(cells := {cells!r}) and len({clients})") == 1
    notebook.run("second.close()\nawait awaited.close()")


def test_two_clusters_have_each_their_graphs(notebook: Notebook) -> None:
    notebook.run(
        "other = Client(n_workers=1, set_as_default=False, **options)\n"
        "aside = daskscope.connect(other)"
    )
    cell = notebook.cell("both = [c.submit(len, 'same').result() for c in (client, other)]")
    assert notebook.tasks_by_cell("len", 1) == {cell: 1}
    assert notebook.tasks_by_cell("len", 1, "aside") == {cell: 1}
    sent = "aside.recording.table('computations')['cell'].tolist()"
    assert notebook.value(sent) == [cell]
    notebook.run("other.close()")


def test_a_block_has_the_graph_and_the_cell_of_its_tasks(notebook: Notebook) -> None:
    first = notebook.cell(
        "import distributed\n"
        "gate = distributed.Event('gate')\n"
        "slow = client.submit(lambda: distributed.Event('gate').wait())\n"
        "before = client.submit(divmod, 7, 2).result()"
    )
    second = notebook.cell(
        "with daskscope.record() as rec:\n    gate.set()\n    done = slow.result()"
    )
    assert notebook.value("rec.tasks['cell'].tolist()") == [first]
    assert notebook.value("rec.table('computations')[['cell', 'tasks']].values.tolist()") == [
        [first, 1]
    ]
    assert notebook.value("sorted(rec.table('cells')['cell'])") == [first, second]


def test_a_focus_on_a_cell_has_its_tasks(notebook: Notebook) -> None:
    cell = notebook.cell("two = client.gather(client.map(bin, range(2)))")
    notebook.cell("three = client.gather(client.map(bin, range(10, 13)))")
    assert sum(notebook.tasks_by_cell("bin", 5).values()) == 5
    notebook.run(
        "from daskscope.derive.focus_totals import FocusTotals\n"
        f"focus = daskscope.Focus(cells=[{cell!r}])\n"
        "found = FocusTotals(session._recording).advance(focus)"
    )
    assert notebook.value("[p.tasks for p in found.prefixes if p.tasks]") == [2]


def test_many_graphs_of_a_cell_share_a_row(notebook: Notebook) -> None:
    cell = notebook.cell(
        "many = [client.submit(complex, i) for i in range(1_050)]\nn = len(client.gather(many))"
    )
    assert notebook.tasks_by_cell("complex", 1_050) == {cell: 1_050}
    notebook.run(
        "graphs = session.recording.table('computations')\n"
        f"graphs = graphs[graphs['cell'] == {cell!r}]"
    )
    graphs = notebook.value("graphs['graphs'].value_counts().to_dict()")
    assert graphs == {1: 1_000, 50: 1}
    assert notebook.value("graphs['tasks'].sum().item()") == 1_050


def test_nothing_is_left_when_the_last_session_ends(notebook: Notebook) -> None:
    notebook.run("session.close()")
    assert notebook.value("'_send_to_scheduler' in vars(client)") is False
    callbacks = "get_ipython().events.callbacks"
    names = "('pre_run_cell', 'post_run_cell')"
    eventually(lambda: notebook.value(f"sum([{callbacks}[name] for name in {names}], [])") == [])
    notebook.run("session = daskscope.connect(client)")
    cell = notebook.cell("again = client.submit(oct, 9).result()")
    assert notebook.tasks_by_cell("oct", 1) == {cell: 1}
