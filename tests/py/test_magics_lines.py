"""`%perfreport` on a line: of a statement, and of the cell that has just run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from magic_cells import CLUSTER, Cells

import daskscope

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """A kernel with daskscope and a client."""
    cells = Cells(tmp_path_factory.mktemp("lines"), "%load_ext daskscope", CLUSTER)
    yield cells
    cells.stop()


# -- of a statement -----------------------------------------------------------


def test_a_statement_has_its_value_and_its_report(cells: Cells) -> None:
    ran = cells.ok("%perfreport --filename line.html --title 'A line' len(tasks(3))")
    assert ran.results == ["3"]
    assert cells.value("_") == 3
    assert len(ran.urls) == len(ran.cards) == 1
    summary = cells.summary("line.html")
    assert summary["tasks"]["captured"] == 3
    assert summary["title"] == "A line"
    assert summary["code"] == "len(tasks(3))"


def test_options_take_values_of_a_function_and_refuse_names_that_have_none(cells: Cells) -> None:
    cells.ok("def f(n):\n    %perfreport --filename of-{n}.html tasks(1)\nf(2)")
    assert cells.summary("of-2.html")["tasks"]["captured"] == 1
    ran = cells.run("%perfreport --filename of-{missing}.html print('{missing}')")
    (shown,) = ran.errors
    assert "'missing'" in shown
    assert not ran.printed()


@pytest.mark.parametrize(
    ("line", "results"),
    [
        ("%perfreport len(tasks(2));", []),
        ("%perfreport got = {'{x}': tasks(2)}", []),
        ("%perfreport x = tasks(2); len(x)", ["2"]),
        ("y = %perfreport len(tasks(2))\ny", ["2"]),
        ("def f(z):\n    y = %perfreport len(tasks(z))\n    return y\nf(2)", ["2"]),
        ("for z in [2]:\n    %perfreport t = tasks(z)\nz", ["2"]),
    ],
)
def test_a_statement_does_what_it_does_in_a_cell(
    cells: Cells, line: str, results: list[str]
) -> None:
    ran = cells.ok(line)
    assert ran.results == results
    assert cells.summary()["tasks"]["captured"] == 2


def test_only_the_statement_is_in_the_report(cells: Cells) -> None:
    cells.ok("t = tasks(4)\n%perfreport t = tasks(3)\nt = tasks(5)")
    assert cells.summary()["tasks"]["captured"] == 3


def test_a_statement_that_fails_is_shown_once_and_has_its_report(cells: Cells) -> None:
    ran = cells.run("%perfreport tasks(2) and 1 / 0\nafter = 1")
    assert ran.reply["ename"] == "ZeroDivisionError"
    (shown,) = ran.errors
    assert shown.count("ZeroDivisionError: division by zero") == 1
    assert "magics" not in shown
    assert len(ran.urls) == len(ran.cards) == 1
    assert cells.summary()["exception"]["type"] == "ZeroDivisionError"
    assert "after" not in cells.value("[*globals()]")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("%perfreport", "no-statement"),
        ("%perfreport --open", "no-statement"),
        ("%perfreport --tilte x 1 + 1", "bad-option"),
    ],
)
def test_a_line_that_says_nothing_is_an_error(cells: Cells, line: str, code: str) -> None:
    assert cells.run(line).reply["ename"] == "DaskscopeError"
    assert cells.error_code() == code
    assert not cells.has()


def test_a_statement_that_is_only_a_comment_has_a_report(cells: Cells) -> None:
    ran = cells.run("%perfreport --filename comment.html # nothing")
    assert ran.errors == []
    assert cells.has("comment.html")


def test_a_statement_that_is_no_python_is_a_syntax_error_and_has_no_report(cells: Cells) -> None:
    for statement in ("1 +", "await tasks(3)"):
        assert cells.run(f"%perfreport {statement}").reply["ename"] == "SyntaxError"
        assert not cells.has()


# -- of the cell that has just run --------------------------------------------


def test_the_last_cell_can_have_its_report_afterwards(cells: Cells) -> None:
    cells.ok("t = tasks(5)")
    # Workers' clocks are right by some milliseconds: no task is as near as that to the ends.
    code = "import time\ntime.sleep(0.1)\nt = tasks(10)\ntime.sleep(0.1)"
    last = cells.ok(code).reply["execution_count"]
    ran = cells.ok("%perfreport --last --title 'Afterwards'")
    assert ran.urls == [(cells.folder / "dask-report.html").as_uri()]
    assert "10 tasks" in ran.cards[0]["text/plain"]
    summary = cells.summary()
    assert summary["tasks"]["captured"] == summary["tasks"]["kept"] == 10
    assert summary["title"] == "Afterwards"
    assert summary["code"] == code
    assert summary["source"].endswith(f"In [{last}]")
    assert 0.2 < summary["duration"] < 5
    assert {row["package"] for row in summary["versions"]} >= {"dask", "distributed"}


def test_it_can_be_asked_for_again_and_in_other_words(cells: Cells) -> None:
    cells.ok("t = tasks(6)")
    cells.run("%perfreport --last --redact all")
    cells.ok("%perfreport --last one.html")
    cells.ok("%perfreport --filename two.html --last --redact code")
    one, two = cells.summary("one.html"), cells.summary("two.html")
    assert one["tasks"] == two["tasks"]
    assert one["tasks"]["captured"] == 6
    assert (one["code"], two["code"]) == ("t = tasks(6)", "")


def test_cells_that_follow_at_once_are_told_apart(cells: Cells) -> None:
    one = cells.start("t = tasks(20)")
    two = cells.start("t = tasks(30)")
    last = cells.start("%perfreport --last")
    for request in (one, two, last):
        assert cells.of(request).reply["status"] == "ok"
    assert cells.summary()["tasks"]["captured"] == 30


def test_a_cell_that_failed_is_a_last_cell(cells: Cells) -> None:
    cells.run("t = tasks(3)\nclient.submit(lambda: 1 / 0).result()")
    cells.ok("%perfreport --last")
    recording = daskscope.load(cells.folder / "dask-report.html")
    failed = recording.tasks.merge(recording.errors[["task", "exception"]], on="task")
    assert failed["status"].tolist() == ["error"]
    assert recording.tasks["task"].tolist() == [0, 1, 2, 3]
    summary = cells.summary()
    assert summary["exception"]["type"] == "ZeroDivisionError"
    assert (summary["tasks"]["captured"], summary["errors"]["count"]) == (4, 1)


@pytest.mark.parametrize("code", ["x = (", "%%perfreport\nx = (", "return 1"])
def test_a_cell_that_never_ran_is_no_last_cell(cells: Cells, code: str) -> None:
    last = cells.ok("t = tasks(9)").reply["execution_count"]
    assert cells.run(code).reply["ename"] == "SyntaxError"
    cells.ok("%perfreport --last")
    summary = cells.summary()
    assert summary["tasks"]["captured"] == 9
    assert summary["source"].endswith(f"In [{last}]")


@pytest.mark.parametrize("magic", ["", "%%perfreport\n"])
def test_a_cell_whose_exception_cannot_be_told_ends_as_any_other(cells: Cells, magic: str) -> None:
    cells.ok("class Mute(Exception):\n    def __str__(self): return 1 / 0")
    assert cells.run(f"{magic}tasks(3)\nraise Mute()").reply["status"] == "error"
    cells.ok("%%perfreport\ntasks(4)")
    assert cells.summary()["tasks"]["captured"] == 4


def test_a_cell_with_a_report_can_have_another(cells: Cells) -> None:
    cells.ok("%%perfreport first.html\nt = tasks(8)")
    cells.ok("%perfreport --last second.html")
    counts = [cells.summary(f"{name}.html")["tasks"] for name in ("first", "second")]
    assert counts[0] == counts[1]


def test_a_cell_that_opened_and_closed_its_client_has_a_report(cells: Cells) -> None:
    cells.ok(
        "with Client(client.cluster.scheduler_address, set_as_default=False) as other:\n"
        "    assert other.submit(lambda: 42).result() == 42"
    )
    cells.ok("%perfreport --last")
    assert cells.summary()["tasks"]["captured"] == 1


def test_a_last_cell_without_tasks_is_named(cells: Cells) -> None:
    count = cells.ok("6 * 7").reply["execution_count"]
    ran = cells.run("%perfreport --last")
    assert cells.error_code() == "no-tasks"
    assert f"In [{count}]" in ran.errors[0]
    assert not cells.has()
