"""`%%perfreport` and `%perfreport` in one IPython shell.

A report that a cell asks for begins with the call that stands in the place of the cell's
first line, and ends with the cell. IPython's events would tell when that is, but not of
silent cells, and a callback of theirs is not awaited: a client that lives in the kernel's
own loop could not move. So IPython's way to run a cell has a second way around it.
"""

from __future__ import annotations

import ast
import asyncio
import logging
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

from daskscope.errors import DaskscopeError
from daskscope.magics.begun import (
    Begun,
    client_is_awaited,
    failed,
    in_short,
    report_block,
    show,
)
from daskscope.magics.first_line import AWAITED_LINE, NAME, FirstLine, without_first_line
from daskscope.magics.options import HELP, Options, expanded, parse_cell, parse_line
from daskscope.magics.past import PastCell, awaited_recording_of, positions, recording_of
from daskscope.words import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from daskscope.block.report_block import Report, ReportBlock

T = TypeVar("T")
logger = logging.getLogger(__name__)

STATEMENT: Final = "<perfreport>"
"""What tracebacks call the statement of a line."""

LONGEST_STATEMENT: Final = 200


@dataclass(slots=True, eq=False)
class _Running:
    """A cell that runs, with the reports that began in it."""

    code: str
    line_is_awaited: bool
    """Whether it is one line that can wait for a client."""
    begun: list[Begun] = field(default_factory=list)
    remembered: bool = True
    """Whether `--last` may mean it."""


class _Stack(threading.local):
    """The cells that run in a thread, outermost first: a subshell runs its own."""

    def __init__(self) -> None:
        self.cells: list[_Running] = []


class PerfReport:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._stack = _Stack()
        self._past: PastCell | None = None
        self._first_line = FirstLine(client_is_awaited)
        self._run_cell_async: Any = None

    # -- coming and going ---------------------------------------------------

    def load(self) -> None:
        """Make the magics known."""
        shell = self._shell
        shell.register_magic_function(self._line, "line", NAME)
        shell.register_magic_function(self._cell, "cell", NAME)
        shell.input_transformers_cleanup.append(self._first_line)
        self._run_cell_async = shell.run_cell_async = self._around(shell.run_cell_async)

    def unload(self) -> None:
        """Take everything back."""
        shell = self._shell
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop(NAME, None)
        if self._first_line in shell.input_transformers_cleanup:
            shell.input_transformers_cleanup.remove(self._first_line)
        if vars(shell).get("run_cell_async") is self._run_cell_async:
            del shell.run_cell_async

    # -- a cell -------------------------------------------------------------

    def _around(self, run_cell_async: Any) -> Any:
        """Return IPython's way to run a cell, with the end of the cell's reports."""

        @wraps(run_cell_async)
        async def run_cell_and_reports(raw_cell: str, *args: Any, **kwargs: Any) -> Any:
            transformed = kwargs.get("transformed_cell") or ""
            cell = _Running(raw_cell, line_is_awaited=AWAITED_LINE in transformed)
            cells = self._stack.cells
            cells.append(cell)
            start = time.time()
            try:
                known = _quietly(positions)
                result = await run_cell_async(raw_cell, *args, **kwargs)
            except BaseException:  # not the cell's, which IPython keeps: it was broken off itself
                for begun in cell.begun:
                    begun.abandon()
                raise
            finally:
                cells.remove(cell)
            error, ran = result.error_in_exec, result.error_before_exec is None
            if cell.remembered and ran and raw_cell.strip() and not result.info.silent:
                stop = time.time()
                if self._past is not None:
                    self._past.forget()
                self._past = _quietly(lambda: PastCell.of(result, start, stop, known or {}))
            for begun in reversed(cell.begun):
                if ran:
                    self._tell(begun, await begun.finish(error), result)
                else:  # what follows the first line is no Python
                    begun.abandon()
            return result

        return run_cell_and_reports

    def _cell(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None] | None:
        if cell is not None:  # not through our transformer: a notebook exported as a script
            _raise_shown(self._shell.run_cell(f"%%{NAME} {line}\n{cell}"))
            return None
        __tracebackhide__ = True
        running, forgotten = self._stack.cells[-1], self._forget()
        with in_short():
            options = parse_cell(expanded(line, self._shell.user_ns))
            awaited = client_is_awaited()
            if options.help:
                sys.stdout.write(HELP)
                return _nothing() if awaited else None  # our first line awaits what comes back
            block = report_block(options, without_first_line(running.code))
            begun = Begun(options, block)
            if not awaited:
                begun.begin()
                running.begun.append(begun)
        _remember(forgotten)
        return self._begin_awaited(running, begun) if awaited else None

    async def _begin_awaited(self, running: _Running, begun: Begun) -> None:
        __tracebackhide__ = True
        with in_short():
            await begun.begin_awaited()
        running.begun.append(begun)

    def _forget(self) -> list[_Running]:
        """Let `--last` not mean what runs now, should it ask in vain; return what was changed."""
        forgotten = [cell for cell in self._stack.cells if cell.remembered]
        for cell in forgotten:
            cell.remembered = False
        return forgotten

    def _tell(self, begun: Begun, failure: Exception | None, result: Any) -> None:
        """Show the card, and what went wrong; the cell then failed, too, if it had not."""
        if not result.info.silent:
            begun.show()
        if failure is None:
            return
        failure = failed(failure, begun.report, self._shell.user_ns)
        if result.success:
            result.error_in_exec = failure
            self._shell.showtraceback((type(failure), failure, failure.__traceback__))
        else:  # its own error stays the last word
            sys.stderr.write(f"{failure}\n")

    # -- a line -------------------------------------------------------------

    def _line(self, line: str, local_ns: dict[str, Any] | None = None) -> Any:
        __tracebackhide__ = True
        forgotten = self._forget()
        with in_short():
            seen = {**self._shell.user_ns, **(local_ns or {})}
            options, statement = parse_line(line, lambda text: expanded(text, seen))
            if options.help:
                sys.stdout.write(HELP)
                return _nothing() if self._line_is_awaited else None
            if options.last:
                return self._look_back(options)
            _check_statement(statement)
            block = report_block(options, statement)
        _remember(forgotten)
        with in_short():
            first, last = self._compiled(statement)
        names = self._shell.user_ns
        begun = Begun(options, block)
        with in_short():
            begun.begin()
        try:
            exec(first, names, local_ns)  # noqa: S102 - the statement that the user wrote
            value = eval(last, names, local_ns) if last is not None else None  # noqa: S307
        except BaseException as error:
            failure = begun.finish_now(error)
            if failure is not None:
                sys.stderr.write(f"{failed(failure, begun.report, names)}\n")
            begun.show()
            raise
        failure = begun.finish_now(None)
        begun.show()
        if failure is not None:
            raise failed(failure, begun.report, names)
        return value

    def _compiled(self, statement: str) -> tuple[Any, Any]:
        """Return code of a statement, and of the expression at its end, whose value is shown."""
        __tracebackhide__ = True
        shell = self._shell
        last = None
        try:
            tree = shell.transform_ast(shell.compile.ast_parse(shell.transform_cell(statement)))
            if tree.body and isinstance(tree.body[-1], ast.Expr):
                expression = ast.Expression(tree.body.pop().value)
                last = shell.compile(expression, STATEMENT, "eval")
            return shell.compile(tree, STATEMENT, "exec"), last
        except SyntaxError as error:  # of which IPython shows every frame, and so ours
            raise _no_python(statement, error.msg) from None

    @property
    def _line_is_awaited(self) -> bool:
        cells = self._stack.cells  # none in a thread, or in what IPython calls after a cell
        return bool(cells) and cells[-1].line_is_awaited

    def _look_back(self, options: Options) -> Coroutine[Any, Any, None] | None:
        if self._past is None:
            raise DaskscopeError(
                "no-cell",
                "No cell has run since daskscope was loaded.",
                "Run the cell again, with %%perfreport as its first line.",
            )
        block = report_block(options, self._past.code)  # all is checked that can be wrong
        if self._line_is_awaited:
            return _report_awaited(self._past, block, options)
        report = block.of_past(recording_of(self._past, options.title))
        report.save()
        _show_past(report, options)
        return None


async def _report_awaited(past: PastCell, block: ReportBlock, options: Options) -> None:
    __tracebackhide__ = True
    with in_short():
        report = block.of_past(await awaited_recording_of(past, options.title))
        await asyncio.to_thread(report.save)  # the loop may be the scheduler's
        _show_past(report, options)


def _show_past(report: Report, options: Options) -> None:
    sys.stdout.write(f"Performance Report Available at: {report.url}\n")
    show(report, options)


def _raise_shown(result: Any) -> None:
    """Raise the error of a cell that has shown it already: it is not shown again."""
    __tracebackhide__ = True
    error = result.error_before_exec or result.error_in_exec
    if error is not None:
        vars(error)["_render_traceback_"] = list
        raise error


async def _nothing() -> None:
    """Is awaited where nothing begins."""


def _quietly(note: Callable[[], T]) -> T | None:
    """Return what is noted of a cell; that it cannot be must not be the cell's trouble."""
    try:
        return note()
    except Exception:
        logger.exception("daskscope: %%perfreport --last will not know the cell that runs")
        return None


def _remember(forgotten: list[_Running]) -> None:
    for cell in forgotten:
        cell.remembered = True


def _check_statement(statement: str) -> None:
    if not statement:
        raise DaskscopeError(
            "no-statement",
            "There is no statement to report on.",
            "Write %perfreport total.compute(), or %%perfreport on top of a cell; "
            "%perfreport --last reports on the cell that has just run.",
        )
    if client_is_awaited():
        raise DaskscopeError(
            "asynchronous-client",
            "This Dask client is asynchronous: a line cannot wait for it.",
            "Write %%perfreport on top of the cell.",
        )


def _no_python(statement: str, why: str) -> DaskscopeError:
    awaits = "await" in why or "async" in why
    return DaskscopeError(
        "no-python",
        f"{cut(statement, LONGEST_STATEMENT)} is no valid Python: {why}.",
        "A line cannot await. Write %%perfreport on top of the cell."
        if awaits
        else "Correct it, and run the line again.",
    )


for _function in (PerfReport._line, PerfReport._cell):
    _function.__doc__ = HELP
    # IPython leaves the line as it was written, and shows nothing where it ends with ";".
    vars(_function)["_ipython_magic_no_var_expand"] = True
    vars(_function)["_ipython_magic_output_can_be_silenced"] = True
vars(PerfReport._line)["needs_local_scope"] = True
