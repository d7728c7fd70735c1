"""What can be said on the command line, and the help that teaches it."""

from __future__ import annotations

import argparse
from math import isfinite
from os.path import expanduser
from typing import Any, Final

from daskscope.urls import path_or_url
from daskscope.version import installed_version

FORMATS: Final = {
    "chrome": ".trace.json.gz",
    "parquet": "-parquet",
    "csv": "-csv",
    "speedscope": ".speedscope.json",
    "collapsed": ".collapsed.txt",
}
"""And how the names of results end."""

_EXAMPLES: Final[dict[str, str]] = {
    "": """\
examples:
  daskscope demo                                   a cluster to try all this on
  daskscope record --scheduler tcp://10.0.0.1:8786 --for 60s --output run.daskscope
  daskscope info run.daskscope                     what is in it
  daskscope report run.daskscope                   run.html, opens in any browser
  daskscope export run.daskscope --to chrome       for https://ui.perfetto.dev
  daskscope COMMAND --help                         more on each

exit codes: 0 done, 1 an error, 2 wrong usage, 130 interrupted
""",
    "record": """\
Nothing has to be installed on the cluster. Tasks are recorded from the moment in which
"Recording" is printed. Ctrl-C ends it early, and what there is is written.

The file grows while it is recorded. Where the program is killed, what is left, named
run.part-….daskscope, opens like any recording.

Connections over TLS take their certificates from Dask's configuration
(distributed.comm.tls), as every client does.

examples:
  daskscope record --scheduler localhost:8786             until Ctrl-C, into run-DATE-TIME.daskscope
  daskscope record --scheduler tcp://10.0.0.1:8786 --for 5m --output nightly.daskscope
  daskscope record --scheduler tls://10.0.0.1:8786 --for 90 --title "before the change"
""",
    "report": """\
One HTML file with everything in it: it opens from a disk, without a network, and can be
sent to people without Dask. The recording can be taken out again with extract.
--redact leaves out what is private, from the recording in it as well.

examples:
  daskscope report run.daskscope                          run.html beside it
  daskscope report run.daskscope -o reports/monday.html --title "Monday's run"
  daskscope report run.daskscope --redact code,paths,hosts
""",
    "info": """\
examples:
  daskscope info run.daskscope
  daskscope info dask-report.html                         a report has a recording, too
  daskscope info run.daskscope --json | python -m json.tool
  daskscope info s3://bucket/run.daskscope                whatever fsspec can open
""",
    "extract": """\
Writes NAME.daskscope, which every other command takes, and the summary of the
report as NAME.json. Files of these names that are there already stay, and nothing is
written, unless --force is given: the recording in a report may be less than the one
that it was made of.

examples:
  daskscope extract dask-report.html                      beside the report
  daskscope extract dask-report.html --to out/
  daskscope extract dask-report.html --force              in place of those that are there
""",
    "export": """\
formats:
  chrome    JSON for https://ui.perfetto.dev and chrome://tracing: workers as processes,
            their threads as threads; compressed where the name ends with .gz
  parquet   a directory with one file a table, for Polars, DuckDB, Spark, pandas
  csv       the same as text; times also in seconds from the start of the recording
  speedscope, collapsed
            the profile of tasks, and of the event loops of workers and scheduler: JSON for
            https://www.speedscope.app, or a line for each stack, as flamegraph.pl reads it

examples:
  daskscope export run.daskscope --to chrome              run.trace.json.gz beside it
  daskscope export run.daskscope --to parquet -o tables/
  daskscope export dask-report.html --to csv
  daskscope export run.daskscope --to speedscope          run.speedscope.json beside it
""",
    "demo": """\
A scheduler and some workers on this machine, that load, clean, join and score what is
not there, now and then with an error. The address is printed: watch it from a
notebook with Client(ADDRESS), or record it.

examples:
  daskscope demo                                          until Ctrl-C
  daskscope demo --seconds 30
""",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="daskscope",
        description="Record what a Dask cluster does, and look at it afterwards.",
        epilog=_EXAMPLES[""],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"daskscope {installed_version()}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks of errors")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")

    record = _command(commands, "record", "Record a running cluster into a file.")
    record.add_argument(
        "--scheduler",
        required=True,
        metavar="ADDRESS",
        help="of the scheduler, such as tcp://10.0.0.1:8786",
    )
    record.add_argument(
        "--for",
        dest="seconds",
        type=seconds,
        metavar="TIME",
        help="how long, such as 60s, 5m or 1h; until Ctrl-C if it is left out",
    )
    _add_output(
        record,
        "FILE",
        "the recording, in place of one that is there; run-DATE-TIME.daskscope if left out",
    )
    record.add_argument("--title", default="", help="what reports call it")

    report = _command(commands, "report", "Make a report, one HTML file, of a recording.")
    _add_file(report, "a recording: a path, or a URL that fsspec can open")
    _add_output(
        report,
        "FILE",
        "the report, a path or a URL, .html where it has no ending; NAME.html beside the recording",
    )
    report.add_argument("--title", help="instead of the one that the recording has")
    report.add_argument(
        "--redact",
        type=redactable,
        default=(),
        metavar="WHAT,…",
        help="leave out: code, paths, hosts",
    )

    info = _command(commands, "info", "Say what is in a recording or a report.")
    _add_file(info, "a recording or a report: a path, or a URL that fsspec can open")
    info.add_argument("--json", action="store_true", help="for programs")

    extract = _command(commands, "extract", "Take the recording and the summary out of a report.")
    _add_file(extract, "a report")
    extract.add_argument(
        "--to",
        metavar="DIR",
        type=expanduser,
        help="where the files go; beside the report if it is left out",
    )
    extract.add_argument("--force", action="store_true", help="replace files that are there")

    export = _command(commands, "export", "Write a recording in the format of another program.")
    _add_file(export, "a recording or a report: a path, or a URL that fsspec can open")
    export.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        metavar="FORMAT",
        help=", ".join(FORMATS),
    )
    _add_output(export, "PATH", "file, or directory (parquet, csv); beside FILE if it is left out")

    demo = _command(commands, "demo", "Run a small cluster with a lively workload.")
    demo.add_argument(
        "--seconds",
        type=seconds,
        metavar="N",
        help="stop after so long; at Ctrl-C if it is left out",
    )
    return parser


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Begin a command; `text` is what it does, in a sentence."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text[0].lower() + text[1:].rstrip("."),
        description=text,
        epilog=_EXAMPLES[name],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # After the command as well; what was said before it must stay.
    parser.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks of errors"
    )
    return parser


def _add_file(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument("file", metavar="FILE", type=_file, help=help_text)


def _file(text: str) -> str:
    return path_or_url(expanduser(text))  # noqa: PTH111 - text stays as it was given


def _add_output(parser: argparse.ArgumentParser, metavar: str, help_text: str) -> None:
    # The shell leaves `~` alone in --output=~/run.html.
    parser.add_argument("-o", "--output", metavar=metavar, type=expanduser, help=help_text)


def redactable(text: str) -> tuple[str, ...]:
    """Return what to leave out of a report.

    >>> redactable("hosts, code")
    ('code', 'hosts')
    """
    from daskscope.report.redact import checked

    try:
        return checked(word.strip() for word in text.split(",") if word.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seconds(text: str) -> float:
    """Return a length of time that was typed.

    >>> seconds("60s"), seconds("5m"), seconds("90")
    (60.0, 300.0, 90.0)
    """
    from dask.utils import parse_timedelta

    try:
        value = float(parse_timedelta(text))
    except (ValueError, KeyError, TypeError):
        value = 0.0
    if not isfinite(value) or value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no length of time such as 60s, 5m or 1h")
    return value
