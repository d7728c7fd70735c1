"""`%%perfreport` and `%perfreport` in one IPython shell.

A report begins with the call in the place of the cell's first line, and ends with the cell.
IPython's events do not come for silent cells, and cannot await: a client that lives in the
kernel's own loop could not move. So IPython's method that runs a cell is wrapped.
"""

from __future__ import annotations

import ast
import asyncio
import logging
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from daskscope.errors import DaskscopeError
from daskscope.magics.last_cell import LastCell, positions, recording_of
from daskscope.magics.options import (
    HELP,
    NAME,
    FirstLine,
    expanded,
    parse_cell,
    parse_line,
    without_first_line,
)

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Coroutine, Iterator

    from daskscope.block.report_block import performance_report

T = TypeVar("T")
logger = logging.getLogger(__name__)

STATEMENT: Final = "<perfreport>"
"""The file name of a line's statement in tracebacks."""


@dataclass(slots=True, eq=False)
class _Running:
    """A cell that runs, with the reports that began in it."""

    code: str
    begun: list[_Begun] = field(default_factory=list)
    remembered: bool = True
    """Whether `--last` may mean it."""


class _Begun(NamedTuple):
    """A report that begins with a cell, and ends with it."""

    block: performance_report
    options: Namespace
    awaited: bool


async def _finish(begun: _Begun, error: BaseException | None) -> Exception | None:
    """End a report with the cell's exception; return why it could not be written, if so.

    Suspends only if the client has to be awaited: other cells run without a loop.
    """
    block, raised = begun.block, (type(error), error, None)
    try:
        if begun.awaited:
            await block.__aexit__(*raised)
        else:
            block.__exit__(*raised)
    except (KeyboardInterrupt, asyncio.CancelledError):
        block.abandon()
        text = "The end of the report was interrupted."
        return DaskscopeError("interrupted", text, "%perfreport --last writes it again.")
    except Exception as failure:  # noqa: BLE001 - the result of the cell stays as it is
        return failure
    return None


class PerfReport:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._local = threading.local()
        self._past: LastCell | None = None
        self._first_line = FirstLine(_client_is_awaited)
        shell.register_magic_function(self._line, "line", NAME)
        shell.register_magic_function(self._cell, "cell", NAME)
        shell.input_transformers_cleanup.append(self._first_line)
        self._run_cell_async = shell.run_cell_async = self._around(shell.run_cell_async)

    @property
    def _cells(self) -> list[_Running]:
        """The cells that run in this thread, outermost first: a subshell runs its own."""
        cells: list[_Running] = vars(self._local).setdefault("cells", [])
        return cells

    def unload(self) -> None:
        """Remove everything."""
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
            cell, cells = _Running(raw_cell), self._cells
            cells.append(cell)
            start = time.time()
            try:
                known = _quietly(positions)
                result = await run_cell_async(raw_cell, *args, **kwargs)
            except BaseException:  # not the cell's, which IPython keeps
                for begun in cell.begun:
                    begun.block.abandon()
                raise
            finally:
                cells.remove(cell)
            error, ran = result.error_in_exec, result.error_before_exec is None
            if cell.remembered and ran and raw_cell.strip() and not result.info.silent:
                self._past = _quietly(lambda: LastCell.of(result, start, known or {}))
            for begun in reversed(cell.begun):
                if ran:
                    self._tell(begun, await _finish(begun, error), result)
                else:  # what follows the first line is no Python
                    begun.block.abandon()
            return result

        return run_cell_and_reports

    def _cell(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None] | None:
        if cell is not None:  # not through our transformer: a notebook exported as a script
            self._shell.run_cell(f"%%{NAME} {line}\n{cell}").raise_error()
            return None
        __tracebackhide__ = True
        running = self._cells[-1]
        self._set_remembered(False)
        awaited = _client_is_awaited()
        with _in_short():
            options = parse_cell(expanded(line, self._shell.user_ns))
            if options.help:
                sys.stdout.write(HELP)
                return asyncio.sleep(0) if awaited else None  # our first line awaits it
            begun = _Begun(_block(options, without_first_line(running.code)), options, awaited)
            if not awaited:
                begun.block.__enter__()
                running.begun.append(begun)
        self._set_remembered(True)
        return self._begin(running, begun) if awaited else None

    async def _begin(self, running: _Running, begun: _Begun) -> None:
        __tracebackhide__ = True
        with _in_short():
            await begun.block.__aenter__()
            running.begun.append(begun)

    def _set_remembered(self, remembered: bool) -> None:
        """Set whether `--last` may mean what runs now: a cell that began no report is skipped."""
        for cell in self._cells:
            cell.remembered = remembered

    def _tell(self, begun: _Begun, failure: Exception | None, result: Any) -> None:
        """Show the card, or what went wrong; the cell then failed, too, if it had not."""
        if not result.info.silent:
            _show(begun.block, begun.options)
        if failure is not None and result.success:
            result.error_in_exec = _shortened(failure)
            self._shell.showtraceback((type(failure), failure, failure.__traceback__))
        elif failure is not None:  # the cell's own error is shown last
            sys.stderr.write(f"{failure}\n")

    # -- a line -------------------------------------------------------------

    def _line(self, line: str, local_ns: dict[str, Any] | None = None) -> Any:
        __tracebackhide__ = True
        names = self._shell.user_ns
        self._set_remembered(False)
        with _in_short():
            seen = {**names, **(local_ns or {})}
            options, statement = parse_line(line, lambda text: expanded(text, seen))
            if options.help:
                sys.stdout.write(HELP)
                return None
            if options.last:
                return self._look_back(options)
            if not statement:
                raise DaskscopeError(
                    "no-statement",
                    "There is no statement to report on.",
                    "Write %perfreport total.compute(), or %%perfreport on top of a cell; "
                    "%perfreport --last reports on the cell that has just run.",
                )
            if _client_is_awaited():
                raise DaskscopeError(
                    "asynchronous-client",
                    "This Dask client is asynchronous: a line cannot wait for it.",
                    "Write %%perfreport on top of the cell.",
                )
            block = _block(options, statement)
            self._set_remembered(True)
            first, last = self._compiled(statement)
            try:
                with block:
                    exec(first, names, local_ns)  # noqa: S102 - what the user wrote
                    return eval(last, names, local_ns) if last is not None else None  # noqa: S307
            finally:
                _show(block, options)

    def _compiled(self, statement: str) -> tuple[Any, Any]:
        """Return code of a statement, and of the expression at its end, whose value is shown."""
        __tracebackhide__ = True
        shell = self._shell
        tree = shell.transform_ast(shell.compile.ast_parse(shell.transform_cell(statement)))
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            expression = ast.Expression(tree.body.pop().value)
            last = shell.compile(expression, STATEMENT, "eval")
        return shell.compile(tree, STATEMENT, "exec"), last

    def _look_back(self, options: Namespace) -> None:
        if self._past is None:
            raise DaskscopeError(
                "no-cell",
                "No cell has run since daskscope was loaded.",
                "Run the cell again, with %%perfreport as its first line.",
            )
        from daskscope.block.report_block import show_card

        block = _block(options, self._past.code)  # checks the options first
        report = block.of_past(recording_of(self._past, options.title))
        sys.stdout.write(f"Performance Report Available at: {report.save()}\n")
        show_card(report, open_it=options.open)


def _block(options: Namespace, code: str) -> performance_report:
    """Return the block of a report; raise an error if the options are wrong."""
    from daskscope.block.report_block import performance_report

    names = "filename", "private", "account", "title", "redact", "recording"
    block = performance_report(**{name: getattr(options, name) for name in names}, code=code)
    block.shows_card = False
    return block


def _show(block: performance_report, options: Namespace) -> None:
    from daskscope.block.report_block import show_card

    show_card(block.report, open_it=options.open)


def _client_is_awaited() -> bool:
    """Return whether the current client is asynchronous, and its loop is the one that runs here."""
    if "distributed" not in sys.modules:
        return False
    from daskscope.session_list import current_client

    try:
        return bool(current_client().asynchronous)
    except DaskscopeError:
        return False  # there is none


def _shortened(error: Exception) -> Exception:
    """Return an error of ours that IPython shows without our frames."""
    if isinstance(error, DaskscopeError):
        text, todo = error.text, error.next
        if error.code == "not-written":
            todo = "Nothing is lost: %perfreport --last elsewhere.html writes it."
        lines = [f"{type(error).__name__}: {text}", *([todo] if todo else [])]
        vars(error)["_render_traceback_"] = lambda: lines
    return error


@contextmanager
def _in_short() -> Iterator[None]:
    """Raise errors of ours so that IPython shows them without our frames."""
    __tracebackhide__ = True
    try:
        yield
    except DaskscopeError as error:
        _shortened(error)
        raise


def _quietly(note: Callable[[], T]) -> T | None:
    """Return what is noted of a cell; a failure must not become the cell's."""
    try:
        return note()
    except Exception:
        logger.exception("daskscope: %%perfreport --last will not know the cell that runs")
        return None


for _function in (PerfReport._line, PerfReport._cell):
    _function.__doc__ = HELP
    # IPython leaves the line as it was written, and shows nothing if it ends with ";".
    vars(_function)["_ipython_magic_no_var_expand"] = True
    vars(_function)["_ipython_magic_output_can_be_silenced"] = True
vars(PerfReport._line)["needs_local_scope"] = True

_loaded: dict[Any, PerfReport] = {}


def load(shell: Any) -> None:
    """Register the magics in a shell of IPython, once."""
    if shell not in _loaded:
        _loaded[shell] = PerfReport(shell)


def unload(shell: Any) -> None:
    """Remove the magics."""
    if shell in _loaded:
        _loaded.pop(shell).unload()
