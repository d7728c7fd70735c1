"""The first line of `%%perfreport`, the options behind it and `%perfreport`, and their help."""

from __future__ import annotations

import argparse
import difflib
import re
import shlex
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from daskscope.cli.parser import redactable
from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

NAME: Final = "perfreport"
_FIRST_LINE: Final = re.compile(rf"%%{NAME}(?:[ \t]+(.*?))?[ \t]*\r?\n?$")

HELP: Final = """Write a performance report of what a cell does on the Dask cluster: one HTML file.

    %%perfreport [filename] [options]    first line of a cell: a report about that cell
    %perfreport [options] statement      a report about one statement
    %perfreport --last [filename]        a report about the cell that has just run

The cell runs as it would without that line: output, errors, `await`, `%%time` below it. If
a cell fails or is interrupted, the report is still written and names the exception. Without
a Dask client the cell does not run.

  filename             where to write, "dask-report.html" by default; also a URL such as
                       s3://bucket/run.html. A name without an extension gets .html; an
                       existing file is replaced.
  --filename NAME      the same, for %perfreport with a statement
  --title TEXT         title of the report
  --open               open it when it is written: in JupyterLab in a tab, elsewhere in
                       this computer's browser
  --recording          also write the recording, for daskscope.load("….daskscope")
  --redact WHAT,…      leave out: code, paths, hosts
  --private            only you can read the copy in the library
  --account NAME       an account of a hub; an error in this version, which has no hub
  --last               report on the last cell, from the flight recorder
  --help               show this help

    %%perfreport
    %%perfreport runs/monday.html --title "Monday, 40 workers" --recording
    %%perfreport run-{number}.html --redact paths,hosts
    %perfreport --filename sum.html total.compute()
    %perfreport --last slow-cell.html

Quote values with spaces. {name} and $name insert variables of the notebook; write {{, }} and
$$name for literal braces and dollar signs. In Python use
`with daskscope.performance_report("dask-report.html"): …`.
"""

VALUED: Final = ("--filename", "--title", "--redact", "--account")
SWITCHES: Final = ("--open", "--recording", "--private", "--last", "--help")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--redact", type=redactable, default=())
    for option in {*VALUED} - {"--redact"}:
        parser.add_argument(option)
    for option in SWITCHES:
        parser.add_argument(option, action="store_true")
    return parser


def parse_cell(line: str) -> argparse.Namespace:
    """Return the options in the first line of a cell.

    >>> parse_cell('runs/a.html --title "Two words" --redact code,paths').title
    'Two words'
    """
    options = _parse(line)
    if options.last:
        raise _bad(
            "--last is for a line of its own, after the cell has run.",
            "Write %perfreport --last, with one %.",
        )
    return options


def parse_line(
    line: str, expand: Callable[[str], str] = lambda text: text
) -> tuple[argparse.Namespace, str]:
    """Return the options of `%perfreport` and its statement, which stays as it is.

    `expand` puts values of variables into the options.

    >>> options, statement = parse_line('--filename a.html print("--open {x}")')
    >>> options.filename, options.open, statement
    ('a.html', False, 'print("--open {x}")')
    """
    end, is_value = 0, False
    for word, stop in _words(line):
        if not is_value and not word.startswith("--"):
            break
        end = stop
        if word == "--":
            break
        is_value = word in VALUED and not is_value
    options = _parse(expand(line[:end]))
    if options.last or options.help:
        return _parse(expand(line)), ""
    return options, line[end:].strip()


def expanded(text: str, names: Mapping[str, Any]) -> str:
    """Return options with values of variables for ``{name}`` and ``$name``.

    IPython's own expansion leaves all as it is if one of them has none.

    >>> expanded("run-{n + 1}.html --title {{$n}}", {"n": 1})
    'run-2.html --title {1}'
    """
    from IPython.utils.text import DollarFormatter

    try:
        return str(DollarFormatter().vformat(text, [], dict(names)))
    except Exception as error:
        raise _bad(
            f"A variable in the options has no value: {type(error).__name__}: {error}.",
            "Define it first; for a real brace write {{ or }}, for a real $name $$name.",
        ) from error


def _words(line: str) -> Iterator[tuple[str, int]]:
    """Yield words as a shell reads them, but with backslashes left alone, and where each stops.

    >>> [word for word, _ in _words(r'C:\\runs\\a.html --title "Two words" --account=""')]
    ['C:\\\\runs\\\\a.html', '--title', 'Two words', '--account=']
    """
    stream = StringIO(line)
    words = shlex.shlex(stream, posix=True)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    try:
        for word in words:
            yield word, stream.tell()
    except ValueError:
        raise _bad(
            f"A quote is not closed: {line.strip()}",
            'Put texts with an apostrophe in double quotes: --title "Bob\'s run".',
        ) from None


def _parse(line: str) -> argparse.Namespace:
    words = [word for word, _ in _words(line) if word != "--"]
    try:
        options, unknown = _parser().parse_known_args(words)
    except argparse.ArgumentError as error:
        text = str(error)
        raise _bad(f"{text[:1].upper()}{text[1:]}.") from None
    options.filename = options.filename or options.name or "dask-report.html"
    for word in unknown:
        if not word.startswith("-"):
            raise _bad(f"One word too many: {word}.", "Names with spaces need quotes.")
        near = difflib.get_close_matches(word.split("=")[0], (*VALUED, *SWITCHES), 1)
        raise _bad(f"There is no option {word}." + (f" Did you mean {near[0]}?" if near else ""))
    return options


def _bad(text: str, next: str = "") -> DaskscopeError:  # noqa: A002 - as in messages
    return DaskscopeError("bad-option", text, next or "%perfreport --help lists the options.")


class FirstLine:
    """One of IPython's input transformers: takes `%%perfreport` off a cell.

    An ordinary cell magic gets the cell as text and has to run it itself: `_`, a top-level await
    and a traceback that is shown once would be lost. So only this line becomes a call, which
    begins the report when the cell runs. IPython also transforms cells that it does not run.
    """

    has_side_effects = True
    """It has none, but a terminal then waits for the end of the cell, as after any `%%`."""

    def __init__(self, awaits: Callable[[], bool]) -> None:
        """`awaits` returns whether the current client has to be awaited."""
        self._awaits = awaits

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines with a call in the place of the first one, if that is ours."""
        found = _FIRST_LINE.match(lines[0]) if lines else None
        if found is None:
            return lines
        from IPython.core.inputtransformer2 import cell_magic, leading_indent

        options, rest = found[1] or "", leading_indent(lines[1:])
        prefix = "await " if self._awaits() else ""
        call = f"{prefix}get_ipython().run_cell_magic({NAME!r}, {options!r}, None)\n"
        if "--help" in options.split():
            return [call]
        body = next((i for i, line in enumerate(rest) if line.strip()), None)
        if body is None:
            return lines  # IPython says that the cell is empty
        if rest[body].startswith("%%"):  # it counts its own lines
            rest = cell_magic(self(rest[body:]))
        return [call, *rest]


def without_first_line(cell: str) -> str:
    r"""Return what a user wrote below `%%perfreport`.

    >>> without_first_line("%%perfreport a.html\nx = 1\n")
    'x = 1\n'
    >>> without_first_line("x = 1")
    'x = 1'
    """
    first, end, rest = cell.lstrip().partition("\n")
    return rest if end and _FIRST_LINE.match(first) else cell
