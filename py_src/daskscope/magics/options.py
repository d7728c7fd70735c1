"""What may stand behind `%%perfreport` and `%perfreport`: its words, and what they mean."""

from __future__ import annotations

import argparse
import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

from daskscope.errors import DaskscopeError
from daskscope.words import raised_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP: Final = """Write a performance report of what a cell does on the Dask cluster: one HTML file.

    %%perfreport [filename] [options]    on top of a cell: the report of that cell
    %perfreport [options] statement      the report of one statement
    %perfreport --last [filename]        the report of the cell that ran just now

The cell does all that it does without that line: output, errors, `await`, `%%time` below
it. A cell that fails, or is interrupted, has its report too, which names the exception.
Without a Dask client it does not run.

  filename             where to write, "dask-report.html" if nothing is said; also a URL
                       such as s3://bucket/run.html. A name without an ending gets .html;
                       an older file is replaced.
  --filename NAME      the same, for %perfreport with a statement
  --title TEXT         what stands on top of the report
  --open               open it when it is written: in JupyterLab in a tab of it, elsewhere in
                       the browser of this computer
  --recording          write the recording beside it, for daskscope.load("….daskscope")
  --redact WHAT,…      leave out: code, paths, hosts
  --private            list it as one that is not for others
  --account NAME       give it to an account of a hub; no hub yet in this version
  --last               report on the last cell; the flight recorder has it
  --help               show this

    %%perfreport
    %%perfreport runs/monday.html --title "Monday, 40 workers" --recording
    %%perfreport run-{number}.html --redact paths,hosts
    %perfreport --filename sum.html total.compute()
    %perfreport --last slow-cell.html

Words with spaces need quotes. {name} and $name stand for variables of the notebook; write
{{, }} and $$name for a real brace and a real $name. In Python it is
`with daskscope.performance_report("dask-report.html"): …`.
"""

DEFAULT_FILENAME: Final = "dask-report.html"
REDACTABLE: Final = ("code", "paths", "hosts")
VALUED: Final = ("--filename", "--title", "--redact", "--account")
SWITCHES: Final = ("--open", "--recording", "--private", "--last", "--help")
_WORD: Final = re.compile(r"""\s*((?:[^\s"']|"[^"]*"|'[^']*')+)""")
_QUOTED: Final = re.compile(r""""([^"]*)"|'([^']*)'""")


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    filename: str = DEFAULT_FILENAME
    title: str | None = None
    account: str | None = None
    redact: tuple[str, ...] = ()
    private: bool = False
    recording: bool = False
    open: bool = False
    last: bool = False
    help: bool = False


def parse_cell(line: str) -> Options:
    """Return what the first line of a cell asks for.

    >>> parse_cell('runs/a.html --title "Two words" --redact code,paths').title
    'Two words'
    """
    options = _parse(_words(line), statement_follows=False)
    if options.last:
        raise _bad(
            "--last is for a line of its own, after the cell has run.",
            "Write %perfreport --last, with one %.",
        )
    return options


def parse_line(line: str, expand: Callable[[str], str] = lambda text: text) -> tuple[Options, str]:
    """Return the options of `%perfreport` and its statement, which stays as it is.

    `expand` puts values of variables into the options.

    >>> options, statement = parse_line('--filename a.html print("--open {x}")')
    >>> options.filename, options.open, statement
    ('a.html', False, 'print("--open {x}")')
    """
    end = _end_of_options(line)
    head, statement = line[:end], line[end:].strip()
    options = _parse(_words(expand(head)), statement_follows=True)
    if options.last or options.help:
        return _parse(_words(expand(line)), statement_follows=False), ""
    return options, statement


def expanded(text: str, names: Mapping[str, Any]) -> str:
    """Return options with values of variables for ``{name}`` and ``$name``.

    IPython's own way to do this leaves all as it is where one of them has none.

    >>> expanded("run-{n + 1}.html --title {{$n}}", {"n": 1})
    'run-2.html --title {1}'
    """
    from IPython.utils.text import DollarFormatter

    try:
        return str(DollarFormatter().vformat(text, [], dict(names)))
    except Exception as error:
        if isinstance(error, NameError) and error.name:
            why = f"There is no variable {error.name}, which the options name."
        else:
            said = raised_text({"type": type(error).__name__, "text": str(error)})
            why = f"What stands in braces or behind $ in the options has no value: {said}."
        raise _bad(
            why, "Define it first; for a real brace write {{ or }}, for a real $name $$name."
        ) from error


def _end_of_options(line: str) -> int:
    end = 0
    while (word := _WORD.match(line, end)) is not None and word[1].startswith("--"):
        end = word.end()
        if word[1] == "--":
            break
        if word[1] in VALUED and (value := _WORD.match(line, end)) is not None:
            end = value.end()
    return end


def _words(line: str) -> list[str]:
    """Return the words of a line as a shell has them, with backslashes left alone.

    >>> _words(r'C:\\runs\\a.html --title "Two words" --account=""')
    ['C:\\\\runs\\\\a.html', '--title', 'Two words', '--account=']
    """
    words = []
    at = 0
    while line[at:].strip():
        found = _WORD.match(line, at)
        if found is None or line[found.end() : found.end() + 1].strip():
            raise _bad(
                f"A quote is not closed: {line[at:].strip()}",
                'Texts with an apostrophe stand in double quotes: --title "Bob\'s run".',
            )
        words.append(_QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", found[1]))
        at = found.end()
    return words


class _Parser(argparse.ArgumentParser):
    """Raises what the user can read, where argparse would end the program."""

    def error(self, message: str) -> NoReturn:
        raise _bad(f"{message[:1].upper()}{message[1:]}.")


def _parse(words: list[str], *, statement_follows: bool) -> Options:
    parser = _Parser(add_help=False, allow_abbrev=False)
    if not statement_follows:
        parser.add_argument("filename", nargs="?")
    for option in VALUED:
        parser.add_argument(option, dest="named" if option == "--filename" else None)
    for option in SWITCHES:
        parser.add_argument(option, action="store_true")
    found, unknown = parser.parse_known_args([word for word in words if word != "--"])
    if unknown:
        raise _unknown(unknown[0])
    given = vars(found)
    names = [name for name in (given.pop("filename", None), given.pop("named")) if name]
    if len(names) > 1:
        raise _bad(f"Two filenames: {' and '.join(names)}.")
    given["filename"] = names[0] if names else DEFAULT_FILENAME
    given["redact"] = _redact(given["redact"])
    return Options(**given)


def _redact(given: str | None) -> tuple[str, ...]:
    what = tuple(word.strip() for word in (given or "").split(",") if word.strip())
    for word in what:
        if word not in REDACTABLE:
            raise _bad(
                f"--redact {word}: there is no such thing to leave out.",
                f"Name one or more of {', '.join(REDACTABLE)}, with commas.",
            )
    return what


def _unknown(word: str) -> DaskscopeError:
    if not word.startswith("-"):
        return _bad(f"One word too many: {word}.", "Names with spaces need quotes.")
    near = difflib.get_close_matches(word.split("=")[0], (*VALUED, *SWITCHES), 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return _bad(f"There is no option {word}.{meant}")


def _bad(text: str, next: str = "") -> DaskscopeError:  # noqa: A002 - as in messages
    return DaskscopeError("bad-option", text, next or "%perfreport --help lists the options.")
