"""The options of `%%perfreport` and `%perfreport`: declared once, for parsing, help and hints."""

from __future__ import annotations

import argparse
import difflib
import shlex
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, NoReturn

from daskscope.cli.parser import redactable
from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

USAGE: Final = """
  %%%%perfreport [filename] [options]         first line of a cell: a report about that cell
  %%perfreport [options] statement          a report about one statement
  %%perfreport --last [filename] [options]  a report about the cell that has just run"""

DESCRIPTION: Final = """\
Write a performance report of what a cell does on the Dask cluster: one HTML file.

The cell runs as it would without that line: output, errors, `await`, `%%time` below it. If a
cell fails or is interrupted, the report is still written and names the exception. Without a
Dask client the cell does not run."""

EPILOG: Final = """\
examples:
  %%perfreport
  %%perfreport runs/monday.html --title "Monday, 40 workers" --recording
  %%perfreport run-{number}.html --redact paths,hosts
  %perfreport --filename sum.html total.compute()
  %perfreport --last slow-cell.html

Quote values with spaces. {name} and $name insert variables of the notebook; write {{, }} and
$$name for literal braces and dollar signs. In Python use
`with daskscope.performance_report("dask-report.html"): …`."""


SWITCHES: Final = {
    "--open": "open the report: in JupyterLab in a tab, elsewhere in this computer's browser",
    "--recording": 'also write the recording, for daskscope.load("….daskscope")',
    "--private": "only you can read the copy in the library",
    "--last": "report on the cell that has just run, which was recorded anyway",
    "--help": "show this help",
}
VALUED: Final = {
    "--filename": ("NAME", "the same, if a statement follows"),
    "--title": ("TEXT", "the title of the report"),
    "--redact": ("WHAT,…", "leave out one or more of code, paths, hosts"),
    "--account": ("NAME", "an account of a hub; an error in this version, which has no hub"),
}
FILENAME: Final = """\
where to write, "dask-report.html" by default; also a URL such as s3://bucket/run.html. A name
without an extension gets .html; an existing file is replaced"""


class _Parser(argparse.ArgumentParser):
    """Raises errors; argparse would print them and end the process."""

    def error(self, message: str) -> NoReturn:
        raise _bad(f"{message[:1].upper()}{message[1:]}.")


_PARSER: Final = _Parser(
    usage=USAGE,
    description=DESCRIPTION,
    epilog=EPILOG,
    formatter_class=argparse.RawDescriptionHelpFormatter,
    add_help=False,
    allow_abbrev=False,
)
_PARSER.add_argument("name", nargs="?", metavar="filename", help=FILENAME)
for _option, (_metavar, _text) in VALUED.items():
    _type = redactable if _option == "--redact" else str
    _PARSER.add_argument(_option, metavar=_metavar, type=_type, help=_text)
for _option, _text in SWITCHES.items():
    _PARSER.add_argument(_option, action="store_true", help=_text)

HELP: Final = _PARSER.format_help()


def parse_cell(line: str, names: Mapping[str, Any]) -> argparse.Namespace:
    """Return the options in the first line of a cell, with values of variables.

    >>> parse_cell('runs/{n}.html --title "Two words" --redact code,paths', {"n": 3}).filename
    'runs/3.html'
    """
    options = _parse(_expanded(line, names))
    if options.last:
        raise _bad(
            "--last does not work in %%perfreport: it reports on a cell that has already run.",
            "Run %perfreport --last, with one %, in the next cell.",
        )
    return options


def parse_line(line: str, names: Mapping[str, Any]) -> tuple[argparse.Namespace, str]:
    """Return the options of `%perfreport`, and its statement as it was written.

    >>> options, statement = parse_line('--filename {n}.html print("--open {n}")', {"n": 3})
    >>> options.filename, options.open, statement
    ('3.html', False, 'print("--open {n}")')
    """
    end, is_value = 0, False
    for word, stop in _words(line):
        if not is_value and not word.startswith("--"):
            break
        end = stop
        if word == "--":
            break
        is_value = not is_value and word in VALUED
    options = _parse(_expanded(line[:end], names))
    if options.last or options.help:
        return _parse(_expanded(line, names)), ""
    return options, line[end:].strip()


def _parse(line: str) -> argparse.Namespace:
    words = [word for word, _ in _words(line) if word != "--"]
    options, unknown = _PARSER.parse_known_args(words)
    options.filename = options.filename or options.name or "dask-report.html"
    options.redact = options.redact or ()
    for word in unknown:
        if not word.startswith("-"):
            raise _bad(f"One word too many: {word}.", "Names with spaces need quotes.")
        near = difflib.get_close_matches(word.split("=")[0], (*VALUED, *SWITCHES), 1)
        raise _bad(f"There is no option {word}." + (f" Did you mean {near[0]}?" if near else ""))
    return options


def _expanded(text: str, names: Mapping[str, Any]) -> str:
    """Return options with values of variables for ``{name}`` and ``$name``.

    IPython's own expansion leaves the whole text unchanged if one variable has no value.

    >>> _expanded("run-{n + 1}.html --title {{$n}}", {"n": 1})
    'run-2.html --title {1}'
    """
    from IPython.utils.text import DollarFormatter

    try:
        return str(DollarFormatter().vformat(text, [], dict(names)))
    except Exception as error:
        raise _bad(
            f"A variable in the options has no value: {type(error).__name__}: {error}.",
            "Define it first. Write {{ or }} for a literal brace, and $$name for a literal $name.",
        ) from error


def _words(line: str) -> Iterator[tuple[str, int]]:
    """Yield words as a shell splits them, but keep backslashes, and where each word ends.

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


def _bad(text: str, next: str = "") -> DaskscopeError:  # noqa: A002 - as in messages
    return DaskscopeError("bad-option", text, next or "%perfreport --help lists the options.")
