"""`%%perfreport` in real kernels: the report is there, and the cell does what it always did."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from magic_cells import CLUSTER, Cells

import daskscope

if TYPE_CHECKING:
    from collections.abc import Iterator


BLOCKS = "__import__('daskscope').connect()._blocks"
"""How many blocks of code keep asking the scheduler."""


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """A kernel with daskscope and a client."""
    cells = Cells(tmp_path_factory.mktemp("cells"), "%load_ext daskscope", CLUSTER)
    yield cells
    cells.stop()


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """A kernel that knows daskscope, without a client."""
    cells = Cells(tmp_path_factory.mktemp("fresh"), "%load_ext daskscope")
    yield cells
    cells.stop()


def test_the_report_has_the_tasks_of_the_cell_and_no_others(cells: Cells) -> None:
    cells.ok("t = tasks(5)")
    cell = "%%perfreport here.html --title 'Seven tasks'\nsome = tasks(7)\n"
    ran = cells.ok(cell)
    assert ran.urls == [(cells.folder / "here.html").as_uri()]
    summary = cells.summary("here.html")
    assert summary["tasks"]["captured"] == summary["tasks"]["kept"] == 7
    assert summary["title"] == "Seven tasks"
    assert summary["code"] == "some = tasks(7)\n"
    assert summary["source"].endswith(f"In [{ran.reply['execution_count']}]")
    assert summary["exception"] is None
    (card,) = ran.cards
    assert "Seven tasks" in card["text/html"]
    assert "7 tasks" in card["text/plain"]


def test_the_last_expression_is_shown_and_kept_as_without_it(cells: Cells) -> None:
    ran = cells.ok("%%perfreport\n\nx = 6\nx * 7")
    assert ran.results == ["42"]
    assert cells.value("_") == 42
    assert cells.value(f"Out[{ran.reply['execution_count']}]") == 42
    assert cells.value("get_ipython().history_manager.input_hist_raw[-1]").startswith("%%perfr")
    assert cells.has()


@pytest.mark.parametrize(
    ("cell", "results", "printed"),
    [
        ("6 * 7;", [], ""),
        ("import asyncio\nawait asyncio.sleep(0)\nawait asyncio.sleep(0, 42)", ["42"], ""),
        ("%%time\nx = 6\nx * 7", ["42"], "Wall time"),
        ("\n\n%%time\nx = 6\nx * 7", ["42"], "Wall time"),
        ("%time x = 42\nx", ["42"], "Wall time"),
        ("from __future__ import annotations\n42", ["42"], ""),
        ("    x = 42\n    x", ["42"], ""),
        ("%%capture got\nprint('caught')\n42", [], ""),
        ("!echo from-the-shell\nx = 42", [], "from-the-shell"),
        ("print('said')", [], "said"),
    ],
)
def test_below_it_stands_what_stands_in_any_cell(
    cells: Cells, cell: str, results: list[str], printed: str
) -> None:
    ran = cells.ok(f"%%perfreport each.html\n{cell}")
    assert ran.results == results
    assert printed in ran.printed()
    assert len(ran.urls) == len(ran.cards) == 1
    assert cells.summary("each.html")["tasks"]["captured"] == 0


def test_it_may_stand_below_other_magics(cells: Cells) -> None:
    ran = cells.ok("%%time\n%%perfreport below.html\nt = tasks(3)\n42")
    assert ran.results == ["42"]
    assert cells.summary("below.html")["tasks"]["captured"] == 3
    ran = cells.ok("%%capture got\n%%perfreport below.html\nt = tasks(4)\nprint('caught')")
    assert ran.printed() == ""
    assert "caught" in cells.value("got.stdout")
    assert cells.summary("below.html")["tasks"]["captured"] == 4


def test_an_exception_is_shown_once_at_its_line_and_named_in_the_report(cells: Cells) -> None:
    ran = cells.run("%%perfreport erred.html\nt = tasks(2)\n1 / 0\nafter = 1")
    assert (ran.reply["status"], ran.reply["ename"]) == ("error", "ZeroDivisionError")
    (shown,) = ran.errors
    assert shown.count("ZeroDivisionError: division by zero") == 1
    assert "----> 3 1 / 0" in shown
    assert "daskscope" not in shown
    assert "after" not in cells.value("[*globals()]")
    assert len(ran.urls) == 1
    summary = cells.summary("erred.html")
    assert summary["exception"]["type"] == "ZeroDivisionError"
    assert summary["tasks"]["captured"] == 2


def test_tasks_that_fail_are_in_the_report(cells: Cells) -> None:
    ran = cells.run("%%perfreport failed.html\nclient.submit(lambda: 1 / 0).result()")
    assert ran.reply["ename"] == "ZeroDivisionError"
    assert cells.summary("failed.html")["errors"]["count"] == 1


@pytest.mark.all
@pytest.mark.parametrize(
    ("wait", "raised"),
    [("time.sleep(60)", "KeyboardInterrupt"), ("await asyncio.sleep(0.01)", "CancelledError")],
)
def test_an_interrupted_cell_has_a_report_of_what_there_is(
    cells: Cells, wait: str, raised: str
) -> None:
    cell = "%%perfreport cut.html\nimport asyncio, time\nt = tasks(3)\nprint('now' + 'waits')\n"
    cell += f"while True: {wait}"
    request = cells.start(cell)
    cells.kernel.wait(lambda: "nowwaits" in str(cells.kernel.messages[-3:]))
    cells.kernel.manager.interrupt_kernel()
    ran = cells.of(request)
    assert ran.reply["status"] == "error"
    assert raised in ran.errors[0]
    summary = cells.summary("cut.html")
    assert summary["exception"]["type"] == raised
    assert summary["tasks"]["captured"] == 3
    assert cells.ok("%%perfreport next.html\n6 * 7").results == ["42"]


def test_an_interrupted_end_leaves_a_report_of_what_there_is(cells: Cells) -> None:
    request = cells.start("%%perfreport end.html\nt = tasks(3)\nprint('now' + 'ends')")
    cells.kernel.wait(lambda: "nowends" in str(cells.kernel.messages[-3:]))
    cells.kernel.manager.interrupt_kernel()
    ran = cells.of(request)
    assert len(ran.errors) == 1
    assert cells.error_code() == "interrupted"
    assert len(ran.urls) == len(ran.cards) == 1
    summary = cells.summary("end.html")
    assert summary["tasks"]["captured"] == 3
    assert "interrupted" in summary["missing"][-1]["text"]
    cells.kernel.wait(lambda: cells.value(BLOCKS) == 0)
    cells.ok("%perfreport --last end.html")
    assert cells.summary("end.html")["tasks"]["captured"] == 3


def test_an_interrupted_end_of_a_block_leaves_its_report_too(cells: Cells) -> None:
    cells.ok("import daskscope")
    request = cells.start(
        "with daskscope.performance_report('end.html') as report:\n"
        "    t = tasks(3)\n    print('now' + 'ends')"
    )
    cells.kernel.wait(lambda: "nowends" in str(cells.kernel.messages[-3:]))
    cells.kernel.manager.interrupt_kernel()
    ran = cells.of(request)
    assert ran.reply["ename"] == "KeyboardInterrupt"
    assert len(ran.urls) == 1
    summary = cells.summary("end.html")
    assert summary["tasks"]["captured"] == 3
    assert summary["exception"] is None
    assert cells.value(BLOCKS) == 0


@pytest.mark.parametrize("code", ["x = = 1", "return 1", "%%time\nx = = 1"])
def test_a_cell_that_does_not_compile_has_its_own_error(cells: Cells, code: str) -> None:
    report = f"never-{uuid4().hex}.html"  # the folder is shared, and the order of cases is free
    ran = cells.run(f"%%perfreport {report}\n{code}")
    assert ran.reply["ename"] == "SyntaxError"
    assert len(ran.errors) == 1
    if "%%time" not in code:  # that one began to run
        assert not ran.urls
        assert not cells.has(report)
    assert not cells.ok("1").urls, "a report that began goes on"
    cells.kernel.wait(lambda: cells.value(BLOCKS) == 0)


def refuses_without_a_client(cells: Cells) -> None:
    for code in ("%%perfreport\nran = True", "%perfreport print(1)"):
        ran = cells.run(code)
        assert (ran.reply["status"], ran.reply["ename"]) == ("error", "DaskscopeError")
        assert "".join(ran.errors) == (
            "DaskscopeError: There is no current Dask client.\n"
            "Run Client() first, or pass a client: client=…"
        )
        assert not ran.printed()
    assert "ran" not in cells.value("[*globals()]")
    assert not cells.has()


def test_without_a_client_the_cell_does_not_run(fresh: Cells) -> None:
    refuses_without_a_client(fresh)
    fresh.ok("from distributed import Client")
    fresh.ok("client = Client(processes=False, dashboard_address=None)")
    fresh.ok("client.close()")
    refuses_without_a_client(fresh)  # and does not speak of what was recorded
    assert fresh.ok("ran = True\nran").results == ["True"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--tilte x", "--title"),
        ("a.html b.html", "b.html"),
        ('"half', "half"),
        ("--redact cods", "'cods'"),
        ("nowhere/a.html", "nowhere"),
        ("run-{missing}.html", "'missing'"),
        ("$missing.html", "'missing'"),
        ("run-{tasks.missing}.html", "AttributeError"),
        ("run-{.html", "{{ or }}"),
        ("--account physics", "account="),
        ("--last", "%perfreport --last"),
    ],
)
def test_what_cannot_be_is_said_before_the_cell_runs(cells: Cells, options: str, said: str) -> None:
    ran = cells.run(f"%%perfreport {options}\nran = True")
    assert ran.reply["ename"] == "DaskscopeError"
    (shown,) = ran.errors
    assert said in shown
    assert "Traceback" not in shown
    assert "ran" not in cells.value("[*globals()]")


def test_a_report_that_cannot_be_written_is_an_error_of_the_cell(cells: Cells) -> None:
    cells.ok("os.mkdir('gone')")
    cell = "%%perfreport gone/a.html\nt = tasks(2)\nos.rmdir('gone')\n"
    ran = cells.run(cell)
    assert ran.reply["ename"] == "DaskscopeError"
    (shown,) = ran.errors
    assert "could not be written" in shown
    assert "%perfreport --last elsewhere.html" in shown
    cells.ok("%perfreport --last elsewhere.html")
    assert cells.summary("elsewhere.html")["tasks"]["captured"] == 2
    cells.ok("os.mkdir('gone')")
    ran = cells.run(cell + "1 / 0")
    assert ran.reply["ename"] == "ZeroDivisionError"
    assert len(ran.errors) == 1
    assert "could not be written" in ran.printed("stderr")


def test_options_take_values_of_variables(cells: Cells) -> None:
    cells.ok("number = 3")
    cells.ok("%%perfreport run-{number}.html --title $number\n42")
    assert cells.summary("run-3.html")["title"] == "3"
    cells.ok("%%perfreport run-{{number}}.html --title $$number\n42")
    assert cells.summary("run-{number}.html")["title"] == "$number"


def test_a_report_may_be_private_lie_beside_its_recording_and_not_tell_everything(
    cells: Cells,
) -> None:
    cells.ok("import daskscope")
    ran = cells.ok(
        "%%perfreport kept.html --private --recording --redact code,hosts --title 'Of mine'\n"
        "secret = tasks(3)"
    )
    assert len(ran.urls) == 1
    loaded = daskscope.load(cells.folder / "kept.daskscope")
    assert loaded.counts.kept == 3
    assert loaded.about["redacted"] == ["code", "hosts"]
    assert set(loaded.tasks["worker"]) == {"worker-0"}
    summary = cells.summary("kept.html")
    assert (summary["code"], summary["redacted"]) == ("", ["code", "hosts"])
    assert "secret" not in (cells.folder / "kept.daskscope").read_bytes().decode("latin-1")
    listed = "[(one['title'], one['private']) for one in daskscope.list_performance_reports()]"
    assert ("Of mine", True) in cells.value(listed)
    assert ("Of mine", False) not in cells.value(listed)


def test_the_code_of_a_block_is_that_of_its_cell_as_it_was_written(cells: Cells) -> None:
    code = (
        "%time x = 1\nimport daskscope\n"
        "with daskscope.performance_report('raw.html'):\n    t = tasks(1)"
    )
    cells.ok(code)
    assert cells.summary("raw.html")["code"] == code


def test_a_block_in_a_notebook_has_the_card_of_its_report_once_also_if_it_raises(
    cells: Cells,
) -> None:
    cells.ok("import daskscope")
    block = "with daskscope.performance_report('block.html', title='A block'):\n    t = tasks(3)\n"
    for code in (block, block + "    1 / 0"):
        ran = cells.run(code)
        assert len(ran.errors) == ("1 / 0" in code)
        assert len(ran.urls) == len(ran.cards) == 1
        assert ran.cards[0]["text/plain"].startswith("A block\n")
        assert 'class="daskscope-report-card"' in ran.cards[0]["text/html"]
    awaited = (
        "async with Client(client.scheduler.address, asynchronous=True) as second:\n"
        "    async with daskscope.performance_report('block.html', client=second):\n"
        "        await second.submit(abs, 1)\n"
    )
    assert len(cells.ok(awaited).cards) == 1
    both = cells.ok("%%perfreport\n" + block)
    assert len(both.cards) == len(both.urls) == 2  # of the block, and of the cell around it


def test_help_teaches_and_runs_nothing(cells: Cells) -> None:
    for code in ("%%perfreport --help\nran = True", "%perfreport --help"):
        ran = cells.ok(code)
        assert "--redact WHAT" in ran.printed()
        assert not ran.urls
    assert "ran" not in cells.value("[*globals()]")
    for code in ("%%perfreport?", "%perfreport?"):
        (page,) = cells.ok(code).reply["payload"]
        assert "--redact WHAT" in page["data"]["text/plain"]
    assert "cell body is empty" in cells.run("%%perfreport a.html").printed("stderr")


@pytest.mark.all
def test_asking_about_a_cell_begins_nothing(cells: Cells) -> None:
    asked = [("%%perfreport", "incomplete"), ("%%perfreport\nx = 1", "incomplete")]
    for code, status in [*asked, ("%%perfreport\nx = 1\n\n", "complete")]:
        reply = cells.kernel.request("is_complete_request", {"code": code})
        assert reply["status"] == status
    code = "%%perfreport\nimpor"
    reply = cells.kernel.request("complete_request", {"code": code, "cursor_pos": len(code)})
    assert "import" in reply["matches"]
    cells.kernel.request("inspect_request", {"code": code, "cursor_pos": 5, "detail_level": 0})
    assert not cells.ok("42").urls


@pytest.mark.all
def test_two_cells_that_wait_have_a_report_each(cells: Cells) -> None:
    one = cells.start("%%perfreport one.html\nimport time\ntime.sleep(0.3)\nt = tasks(1)")
    two = cells.start("%%perfreport two.html\nt = tasks(2)")
    after = cells.start("t = tasks(4)")
    assert [len(cells.of(cell).urls) for cell in (one, two, after)] == [1, 1, 0]
    captured = [cells.summary(f"{name}.html")["tasks"]["captured"] for name in ("one", "two")]
    assert captured == [1, 2]


@pytest.mark.all
def test_a_cell_inside_of_a_cell_has_its_own_report(cells: Cells) -> None:
    inner = "%%perfreport inner.html\\nt = tasks(2)\\n42"
    ran = cells.ok(
        "%%perfreport outer.html\nt = tasks(1)\n"
        f"get_ipython().run_cell('{inner}')\nget_ipython().run_cell('')\nt = tasks(4);"
    )
    assert len(ran.urls) == 2
    assert cells.summary("inner.html")["tasks"]["captured"] == 2
    assert cells.summary("outer.html")["tasks"]["captured"] == 7


@pytest.mark.all
def test_two_lines_make_two_reports(cells: Cells) -> None:
    ran = cells.ok("%%perfreport a.html\n%%perfreport b.html --title B\nt = tasks(2)\n42")
    assert ran.results == ["42"]
    assert len(ran.urls) == 2
    assert [cells.summary(f"{n}.html")["tasks"]["captured"] for n in "ab"] == [2, 2]


def test_a_silent_cell_has_a_report_without_a_card(cells: Cells) -> None:
    ran = cells.run("%%perfreport silent.html\nt = tasks(2)", silent=True, store_history=False)
    assert not ran.cards
    assert cells.summary("silent.html")["tasks"]["captured"] == 2
    ran = cells.ok(
        "get_ipython().run_cell('%%perfreport silent.html\\nt = tasks(3)', silent=True)\n"
        "t = tasks(1);"
    )
    assert not ran.cards
    assert cells.summary("silent.html")["tasks"]["captured"] == 3


@pytest.mark.all
def test_a_notebook_that_was_exported_as_a_script_runs(cells: Cells) -> None:
    ran = cells.ok("get_ipython().run_cell_magic('perfreport', 's.html', 't = tasks(2)\\n42\\n')")
    assert ran.results == ["42"]
    assert cells.summary("s.html")["tasks"]["captured"] == 2
    ran = cells.run("get_ipython().run_cell_magic('perfreport', 's.html', '1 / 0\\n')\nafter = 1")
    assert ran.reply["ename"] == "ZeroDivisionError"
    assert cells.summary("s.html")["exception"]["type"] == "ZeroDivisionError"
    assert "after" not in cells.value("[*globals()]")


def test_the_end_does_not_take_long(cells: Cells) -> None:
    begin = time.monotonic()
    cells.ok("%%perfreport\n42")
    assert time.monotonic() - begin < 5


def test_the_last_cell_is_reported_on_from_a_thread_too(cells: Cells) -> None:
    cells.ok("t = tasks(3)")
    cells.ok(
        "import threading\nmagic = get_ipython().run_line_magic\n"
        "thread = threading.Thread(target=magic, args=('perfreport', '--last a.html'))\n"
        "thread.start(); thread.join()"
    )
    assert cells.summary("a.html")["tasks"]["captured"] == 3


def test_a_variable_with_the_name_of_ipythons_inputs_does_no_harm(cells: Cells) -> None:
    cells.ok("kept, In = In, 5")
    cells.ok("%%perfreport a.html\nt = tasks(3)")
    cells.ok("In = kept")
    assert cells.summary("a.html")["tasks"]["captured"] == 3
