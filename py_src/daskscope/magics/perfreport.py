"""`%%perfreport` and `%perfreport` in one IPython shell.

An ordinary cell magic gets the cell as text and has to run it itself, without `_` and top-level
await, and with tracebacks that are shown twice. So an input transformer replaces only the first
line of the cell by a call, which begins the report when the cell runs.

The report ends with the cell. IPython's events are not sent for silent cells and cannot await,
which would block a client in the kernel's own loop. So IPython's method that runs a cell is
wrapped.
"""

from __future__ import annotations

import ast
import asyncio
import logging
import re
import sys
import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError
from daskscope.magics.options import HELP, parse_cell, parse_line

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Coroutine, Iterator

    from daskscope.block.last_cell import LastCell
    from daskscope.block.report_block import performance_report

logger = logging.getLogger(__name__)

NAME: Final = "perfreport"
STATEMENT: Final = f"<{NAME}>"
"""The file name of a line's statement in tracebacks."""
_FIRST_LINE: Final = re.compile(rf"\A\s*%%{NAME}(?:[ \t]+(.*?))?[ \t]*(?:\r?\n|\Z)")


@dataclass(slots=True, eq=False)
class _Cell:
    """A running cell."""

    code: str = ""
    reports: list[tuple[performance_report, bool]] = field(default_factory=list)
    """Reports that began in the cell, each with whether its client must be awaited."""
    remembered: bool = True
    """Whether `--last` may report on it; not if one of our magics in it began no report."""


_running: ContextVar[_Cell | None] = ContextVar("daskscope_perfreport", default=None)
"""The innermost running cell of this context; each subshell has its own."""


class PerfReport:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._last: LastCell | None = None
        shell.register_magic_function(self._line, "line", NAME)
        shell.register_magic_function(self._cell, "cell", NAME)
        shell.input_transformers_cleanup.append(self._first_line)
        self._run_cell_async = shell.run_cell_async = self._around(shell.run_cell_async)

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

    def _first_line(self, lines: list[str]) -> list[str]:
        """Return the lines of a cell; if the first one is our magic, a call replaces it.

        The report begins in the call, because IPython also transforms cells that it does not run.
        """
        found = _FIRST_LINE.match(lines[0]) if lines else None
        if found is None:
            return lines
        from IPython.core.inputtransformer2 import cell_magic, leading_indent

        options, rest = found[1] or "", leading_indent(lines[1:])
        prefix = "await " if _client_is_awaited() else ""
        call = f"{prefix}get_ipython().run_cell_magic({NAME!r}, {options!r}, None)\n"
        if "--help" in options.split():
            return [call]
        body = next((i for i, line in enumerate(rest) if line.strip()), None)
        if body is None:
            return lines  # IPython reports that the cell is empty
        if rest[body].startswith("%%"):  # another magic, which counts its own lines
            rest = cell_magic(self._first_line(rest[body:]))
        return [call, *rest]

    def _around(self, run_cell_async: Any) -> Any:
        """Return IPython's method that runs a cell, extended to end the cell's reports."""

        @wraps(run_cell_async)
        async def run_cell_and_reports(raw_cell: str, *args: Any, **kwargs: Any) -> Any:
            outer, cell, start = _running.get(), _Cell(raw_cell), time.time()
            before = _ask_last_cell(lambda past: past.positions())
            _running.set(cell)
            try:
                result = await run_cell_async(raw_cell, *args, **kwargs)
            except BaseException:  # not from the cell, whose errors are in the result
                for block, _ in cell.reports:
                    block.abandon()
                raise
            finally:
                _running.set(outer)
            number, error = result.execution_count, result.error_in_exec
            ran, code = result.error_before_exec is None, _FIRST_LINE.sub("", raw_cell)
            if cell.remembered and ran and raw_cell.strip() and not result.info.silent:
                self._last = _ask_last_cell(
                    lambda past: past.LastCell(number, code, start, before or {}, error)
                )
            for block, awaited in reversed(cell.reports):
                if ran:
                    await self._end(block, awaited, error, result)
                else:  # the rest of the cell is not valid Python
                    block.abandon()
            return result

        return run_cell_and_reports

    def _cell(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None] | None:
        if cell is not None:  # not transformed: a notebook exported as a script
            self._shell.run_cell(f"%%{NAME} {line}\n{cell}").raise_error()
            return None
        __tracebackhide__ = True
        awaited = _client_is_awaited()
        begin = self._begin(line, awaited)
        if awaited:
            return begin  # the transformed first line awaits it
        with suppress(StopIteration):
            begin.send(None)  # runs to its end, because it does not suspend
        return None

    async def _begin(self, line: str, awaited: bool) -> None:
        __tracebackhide__ = True
        cell = _magic_begins()
        with _without_traceback():
            options = parse_cell(line, self._shell.user_ns)
            if options.help:
                sys.stdout.write(HELP)
                return
            block = _block(options, _FIRST_LINE.sub("", cell.code))
            if awaited:
                await block.__aenter__()
            else:
                block.__enter__()
        cell.reports.append((block, awaited))
        cell.remembered = True

    async def _end(
        self, block: performance_report, awaited: bool, error: BaseException | None, result: Any
    ) -> None:
        """End a report with the cell's exception; if it cannot be written, the cell fails too.

        Suspends only if the client must be awaited, because other cells run without a loop.
        """
        raised = type(error), error, None
        block.shows_card = not result.info.silent
        try:
            with _without_traceback():
                try:
                    if awaited:
                        await block.__aexit__(*raised)
                    else:
                        block.__exit__(*raised)
                except (KeyboardInterrupt, asyncio.CancelledError):
                    block.abandon()
                    text = "The report was interrupted before it was complete."
                    todo = "%perfreport --last writes it again."
                    raise DaskscopeError("interrupted", text, todo) from None
        except Exception as failure:  # noqa: BLE001 - keep the result of the cell
            if result.success:
                result.error_in_exec = failure
                self._shell.showtraceback((type(failure), failure, failure.__traceback__))
            else:  # the cell's own error is shown last
                sys.stderr.write(f"{failure}\n")

    # -- a line -------------------------------------------------------------

    def _line(self, line: str, local_ns: dict[str, Any] | None = None) -> Any:
        __tracebackhide__ = True
        shell, names = self._shell, self._shell.user_ns
        cell = _magic_begins()
        with _without_traceback():
            options, statement = parse_line(line, {**names, **(local_ns or {})})
            if options.help:
                sys.stdout.write(HELP)
                return None
            if options.last:
                return self._report_last_cell(options)
            if not statement:
                raise DaskscopeError(
                    "no-statement",
                    "%perfreport needs a statement.",
                    "Write %perfreport total.compute(), or %%perfreport as the first line of a "
                    "cell; %perfreport --last reports on the cell that has just run.",
                )
            if _client_is_awaited():
                raise DaskscopeError(
                    "asynchronous-client",
                    "This Dask client is asynchronous, and a line magic cannot wait for it.",
                    "Write %%perfreport as the first line of the cell.",
                )
            block = _block(options, statement)
            tree = shell.transform_ast(shell.compile.ast_parse(shell.transform_cell(statement)))
            ends = tree.body[-1:]  # none if the statement is a comment
            last = tree.body.pop() if ends and isinstance(ends[0], ast.Expr) else None
            body = shell.compile(tree, STATEMENT, "exec")
            value = last and shell.compile(ast.Expression(last.value), STATEMENT, "eval")
            cell.remembered = True
            with block:
                exec(body, names, local_ns)  # noqa: S102 - what the user wrote
                return eval(value, names, local_ns) if value else None  # noqa: S307

    def _report_last_cell(self, options: Namespace) -> None:
        if self._last is None:
            raise DaskscopeError(
                "no-cell",
                "No cell has run while a Dask client was recorded.",
                "Run the cell again with %%perfreport as its first line.",
            )
        from daskscope.block.report_block import show_card

        report = _block(options, "").report_of(self._last.recording(options.title))
        sys.stdout.write(f"Performance Report Available at: {report.save()}\n")
        show_card(report, open_it=options.open)


def _magic_begins() -> _Cell:
    """Return the running cell; `--last` ignores it unless a report begins."""
    cell = _running.get() or _Cell()  # there is none in another thread
    cell.remembered = False
    return cell


def _block(options: Namespace, code: str) -> performance_report:
    """Return the block of a report; raise an error if the options are wrong."""
    from daskscope.block.report_block import performance_report

    names = "filename", "private", "account", "title", "redact", "recording"
    block = performance_report(**{name: getattr(options, name) for name in names}, code=code)
    block.shows_card, block.opens = True, options.open
    return block


def _client_is_awaited() -> bool:
    """Return whether the current client is asynchronous and its loop is the one of this thread."""
    if "distributed" not in sys.modules:
        return False
    from daskscope.session_list import current_client

    try:
        return bool(current_client().asynchronous)
    except DaskscopeError:
        return False  # no current client


@contextmanager
def _without_traceback() -> Iterator[None]:
    """Make IPython show our errors without a traceback."""
    __tracebackhide__ = True
    try:
        yield
    except DaskscopeError as error:
        todo = error.next
        if error.code == "not-written":
            todo = "Nothing is lost: %perfreport --last elsewhere.html writes it."
        lines = [f"{type(error).__name__}: {error.text}", *([todo] if todo else [])]
        vars(error)["_render_traceback_"] = lambda: lines
        raise


def _ask_last_cell(note: Callable[[Any], Any]) -> Any:
    """Return what `note` finds for `--last`; a failure must not become the cell's."""
    if not hasattr(sys.modules.get("daskscope.session_list"), "sessions"):
        return None  # no session yet, so import nothing more
    try:
        from daskscope.block import last_cell

        return note(last_cell)
    except Exception:
        logger.exception("daskscope: %perfreport --last cannot report on the running cell")
        return None


for _function in (PerfReport._line, PerfReport._cell):
    _function.__doc__ = HELP
    # IPython must not expand the line, and hides the result if it ends with ";".
    vars(_function)["_ipython_magic_no_var_expand"] = True
    vars(_function)["_ipython_magic_output_can_be_silenced"] = True
vars(PerfReport._line)["needs_local_scope"] = True
# Not true, but it makes a terminal wait for the end of the cell, as after any `%%`.
vars(PerfReport._first_line)["has_side_effects"] = True

_loaded: dict[Any, PerfReport] = {}


def load(shell: Any) -> None:
    """Register the magics in a shell of IPython, once."""
    if shell not in _loaded:
        _loaded[shell] = PerfReport(shell)


def unload(shell: Any) -> None:
    """Remove the magics."""
    if shell in _loaded:
        _loaded.pop(shell).unload()
