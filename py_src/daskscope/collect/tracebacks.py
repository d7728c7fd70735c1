"""Tracebacks as Python prints them, from the two texts that Dask keeps of an error.

Dask keeps the frames alone and the `repr` of the exception. The exception itself stays
pickled: unpickling it could run anything, and might need what only workers have.
"""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any, Final

HEADER: Final = "Traceback (most recent call last):"

_CALL: Final = re.compile(r"([A-Za-z_][\w.]*)\((.*)\)", re.DOTALL)


def whole_traceback(frames: str, exception: str) -> str:
    r"""Return the traceback with its header and its last line; "" where no frame is known.

    >>> print(whole_traceback('  File "a.py", line 1, in f\n    x / 0\n', "ValueError('no')"))
    Traceback (most recent call last):
      File "a.py", line 1, in f
        x / 0
    ValueError: no
    """
    if not frames.strip():
        return ""
    frames = frames.rstrip("\n")
    head = "" if frames.startswith(HEADER) else HEADER + "\n"
    return f"{head}{frames}\n{last_line(exception)}"


def last_line(exception: str) -> str:
    """Return the `repr` of an exception in the form that ends a traceback.

    >>> last_line("KeyError('x')"), last_line("FileNotFoundError(2, 'No such file')")
    ("KeyError: 'x'", 'FileNotFoundError: [Errno 2] No such file')
    >>> last_line("KeyboardInterrupt()"), last_line("<an error with a repr of its own>")
    ('KeyboardInterrupt', '<an error with a repr of its own>')
    """
    call = _CALL.fullmatch(exception)
    if call is None:
        return exception
    name = call[1]
    try:
        arguments = ast.literal_eval(f"[{call[2]}]")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return f"{name}: {call[2]}"
    message = _message(name, arguments)
    return f"{name}: {message}" if message else name


def _message(name: str, arguments: list[Any]) -> str:
    """Return what `str` of the exception says: of Python's own ones it is known."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            return str(kind(*arguments))
        except (TypeError, ValueError):
            pass
    return str(arguments[0]) if len(arguments) == 1 else str(tuple(arguments) or "")
