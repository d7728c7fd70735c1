"""A report that a magic began: its end, and how what goes wrong is told in a notebook."""

from __future__ import annotations

import asyncio
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope.block.report_block import Report, ReportBlock
    from daskscope.magics.options import Options

KEPT_AS: Final = "_perfreport"
"""Name in the notebook of a report that could not be written."""


def report_block(options: Options, code: str) -> ReportBlock:
    """Return what is to be entered; an error says what is wrong with the options."""
    from daskscope.block.report_block import ReportBlock

    if options.account is not None:
        from daskscope.library.accounts import no_hub

        raise no_hub(options.account, "--account")
    return ReportBlock(
        options.filename,
        private=options.private,
        title=options.title,
        redact=options.redact,
        recording=options.recording,
        code=code,
    )


def client_is_awaited() -> bool:
    """Return whether the current client is asynchronous, and its loop is the one that runs here."""
    if "distributed" not in sys.modules:
        return False
    from daskscope.session_list import current_client

    try:
        return bool(current_client().asynchronous)
    except DaskscopeError:
        return False  # there is none


class Begun:
    """A report that begins with a cell, or a statement, and ends with it."""

    def __init__(self, options: Options, block: ReportBlock) -> None:
        self.report: Report
        self._options = options
        self._block = block
        self._awaited = False

    def begin(self) -> None:
        """Begin."""
        __tracebackhide__ = True
        try:
            self.report = self._block.__enter__()
        except DaskscopeError as error:
            if error.code != "no-client":
                raise
            todo = "Run Client() first, then the cell again."
            raise DaskscopeError(error.code, error.text, todo) from None

    async def begin_awaited(self) -> None:
        """Begin in the loop of an asynchronous client, and end there."""
        self.report = await self._block.__aenter__()
        self._awaited = True

    async def finish(self, error: BaseException | None) -> Exception | None:
        """End with what the cell raised; return why there is no report, if so.

        Suspends only where the client has to be awaited: other cells run without a loop.
        """
        if not self._awaited:
            return self.finish_now(error)
        try:
            await self._block.__aexit__(type(error) if error else None, error, _traceback(error))
        except (KeyboardInterrupt, asyncio.CancelledError):
            return self._interrupted()
        except Exception as failure:  # noqa: BLE001 - what the cell did stays as it is
            return failure
        return None

    def finish_now(self, error: BaseException | None) -> Exception | None:
        """End at once."""
        try:
            self._block.__exit__(type(error) if error else None, error, _traceback(error))
        except KeyboardInterrupt:
            return self._interrupted()
        except Exception as failure:  # noqa: BLE001 - what the cell did stays as it is
            return failure
        return None

    def abandon(self) -> None:
        """Record no more, and write nothing; what has ended is left alone."""
        self._block.abandon()

    def _interrupted(self) -> DaskscopeError:
        """Return what to tell of an end that was interrupted."""
        self.abandon()
        if self.report.url is not None:
            return DaskscopeError(
                "interrupted",
                "The end of the report was interrupted: it has what was there by then.",
                "%perfreport --last writes it again.",
            )
        return DaskscopeError(
            "interrupted",
            "The report was not written: its end was interrupted.",
            "%perfreport --last writes it.",
        )

    def show(self) -> None:
        """Show the card, if the report is written."""
        show(self.report, self._options)


def show(report: Report, options: Options) -> None:
    """Show the card of a report that was written."""
    from daskscope.magics.opening import open_card

    if report.summary is not None and report.url is not None:
        open_card(report, at_once=options.open)


def failed(failure: Exception, report: Report, names: dict[str, Any]) -> Exception:
    """Return what to tell of a report that could not be written, which is kept by a name."""
    if isinstance(failure, DaskscopeError) and failure.code == "not-written":
        names[KEPT_AS] = report
        failure = DaskscopeError(
            failure.code,
            failure.text,
            f"Nothing is lost: {KEPT_AS}.recording has it, and "
            f'{KEPT_AS}.save("elsewhere.html") writes it.',
        )
    return shortened(failure)


def shortened(error: Exception) -> Exception:
    """Return an error of ours that IPython shows without our frames."""
    if isinstance(error, DaskscopeError):
        lines = [f"{type(error).__name__}: {error.text}", *([error.next] if error.next else [])]
        vars(error)["_render_traceback_"] = lambda: lines
    return error


@contextmanager
def in_short() -> Iterator[None]:
    """Raise errors of ours so that IPython shows them without our frames."""
    __tracebackhide__ = True
    try:
        yield
    except DaskscopeError as error:
        shortened(error)
        raise


def _traceback(error: BaseException | None) -> Any:
    return error.__traceback__ if error is not None else None
