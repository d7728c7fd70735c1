"""The command `daskscope`: record a cluster, inspect recordings, convert them.

Results go to standard output, everything else to standard error. An error is one line; with
`--debug` its traceback is shown, too.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from daskscope.cli.console import warn
from daskscope.cli.parser import build_parser
from daskscope.errors import DaskscopeError
from daskscope.format import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
PROGRAM: Final = "daskscope"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    parser = build_parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    try:
        own = given.command in ("record", "demo")  # others need no cluster
        module = importlib.import_module(f"daskscope.cli.{given.command if own else 'recordings'}")
        with _short_warnings():
            return int(getattr(module, given.command)(given))
    except KeyboardInterrupt:
        warn(f"{PROGRAM}: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except DaskscopeError as error:
        return _failed(str(error), debug=given.debug)
    except Exception as error:  # noqa: BLE001 - any failure is one line
        return _failed(
            f"{type(error).__name__}: {error} (unexpected; try --debug)",
            debug=given.debug,
        )


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Show each warning for users as one line, without its line of code."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, UserWarning):
                warn(f"{PROGRAM}: warning: {one_line(message)}")
            else:
                shown(message, category, *where, **more)

        warnings.showwarning = show
        yield


def _failed(text: str, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    warn(f"{PROGRAM}: error: {one_line(text)}")
    return FAILED
