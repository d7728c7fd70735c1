"""The options of the command line, and their help."""

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
"""Each format, and the ending of its files."""

_EXAMPLES: Final[dict[str, str]] = {
    "": """\
examples:
  daskscope demo                                   start a cluster to try the commands on
  daskscope record --scheduler tcp://10.0.0.1:8786 --for 60s --output run.daskscope
  daskscope info run.daskscope                     show what the recording contains
  daskscope report run.daskscope                   write run.html, for any browser
  daskscope export run.daskscope --to chrome       write a file for https://ui.perfetto.dev
  daskscope COMMAND --help                         show the help of a command

exit codes: 0 success, 1 error, 2 wrong usage, 130 interrupted
""",
    "record": """\
The cluster needs no installation. Recording starts when "Recording" is printed. To stop
it early, press Ctrl-C; what was recorded until then is written.

The file grows during the recording. If the program is killed, the file
run.part-….daskscope remains, which opens like any recording.

For TLS, set the certificates in Dask's configuration (distributed.comm.tls).

examples:
  daskscope record --scheduler localhost:8786             until Ctrl-C, into run-DATE-TIME.daskscope
  daskscope record --scheduler tcp://10.0.0.1:8786 --for 5m --output nightly.daskscope
  daskscope record --scheduler tls://10.0.0.1:8786 --for 90 --title "before the change"
""",
    "report": """\
A report is one HTML file that opens offline, without Dask. It contains the recording;
`daskscope extract` extracts it. --redact removes private data from the report and from
the recording in it.

examples:
  daskscope report run.daskscope                          writes run.html next to it
  daskscope report run.daskscope -o reports/monday.html --title "Monday's run"
  daskscope report run.daskscope --redact code,paths,hosts
""",
    "info": """\
examples:
  daskscope info run.daskscope
  daskscope info dask-report.html                         a report contains a recording
  daskscope info run.daskscope --json | python -m json.tool
  daskscope info s3://bucket/run.daskscope                any URL that fsspec can open
""",
    "extract": """\
Writes the recording as NAME.daskscope and the summary as NAME.json. Existing files are
not replaced unless you pass --force: the recording in a report may contain less than
the original one.

examples:
  daskscope extract dask-report.html                      writes next to the report
  daskscope extract dask-report.html --to out/
  daskscope extract dask-report.html --force              replaces existing files
""",
    "export": """\
formats:
  chrome    JSON for https://ui.perfetto.dev and chrome://tracing, with a process for each
            worker and its threads; compressed if the name ends in .gz
  parquet   a directory with one file for each table, for Polars, DuckDB, Spark or pandas
  csv       the same tables as text; times also in seconds from the start of the recording
  speedscope, collapsed
            the profiles of tasks and of the event loops of workers and scheduler: JSON for
            https://www.speedscope.app, or one line for each stack, for flamegraph.pl

examples:
  daskscope export run.daskscope --to chrome              writes run.trace.json.gz next to it
  daskscope export run.daskscope --to parquet -o tables/
  daskscope export dask-report.html --to csv
  daskscope export run.daskscope --to speedscope          writes run.speedscope.json
""",
    "demo": """\
Starts a scheduler and workers on this machine. Their tasks load, clean, join and score
made-up data, sometimes with an error. The address is printed: connect from a notebook
with Client(ADDRESS), or record it.

examples:
  daskscope demo                                          until Ctrl-C
  daskscope demo --seconds 30
""",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="daskscope",
        description="Record what a Dask cluster does, and inspect it afterwards.",
        epilog=_EXAMPLES[""],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"daskscope {installed_version()}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks of errors")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")

    record = _command(commands, "record", "Record a running cluster to a file.")
    record.add_argument(
        "--scheduler",
        required=True,
        metavar="ADDRESS",
        help="address of the scheduler, such as tcp://10.0.0.1:8786",
    )
    record.add_argument(
        "--for",
        dest="seconds",
        type=seconds,
        metavar="TIME",
        help="duration, such as 60s, 5m or 1h; default: until Ctrl-C",
    )
    _add_output(
        record,
        "FILE",
        "the recording; an existing file is replaced. Default: run-DATE-TIME.daskscope",
    )
    record.add_argument("--title", default="", help="title in reports")

    report = _command(commands, "report", "Write a report about a recording: one HTML file.")
    _add_file(report, "a recording: a path, or a URL that fsspec can open")
    _add_output(
        report,
        "FILE",
        "the report: a path or a URL; a name without an extension gets .html. Default: NAME.html "
        "next to the recording",
    )
    report.add_argument("--title", help="title; default: the title of the recording")
    report.add_argument(
        "--redact",
        type=redactable,
        default=(),
        metavar="WHAT,…",
        help="leave out one or more of code, paths, hosts",
    )

    info = _command(commands, "info", "Show what a recording or a report contains.")
    _add_file(info, "a recording or a report: a path, or a URL that fsspec can open")
    info.add_argument("--json", action="store_true", help="write JSON")

    extract = _command(commands, "extract", "Extract the recording and the summary from a report.")
    _add_file(extract, "a report")
    extract.add_argument(
        "--to",
        metavar="DIR",
        type=expanduser,
        help="directory for the files; default: that of the report",
    )
    extract.add_argument("--force", action="store_true", help="replace existing files")

    export = _command(commands, "export", "Convert a recording for another program.")
    _add_file(export, "a recording or a report: a path, or a URL that fsspec can open")
    export.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        metavar="FORMAT",
        help=", ".join(FORMATS),
    )
    _add_output(export, "PATH", "file, or directory for parquet and csv; default: next to FILE")

    demo = _command(commands, "demo", "Run a small cluster with a workload.")
    demo.add_argument(
        "--seconds",
        type=seconds,
        metavar="N",
        help="stop after this time; default: run until Ctrl-C",
    )
    return parser


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Add a command; `text` is a sentence about it."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text[0].lower() + text[1:].rstrip("."),
        description=text,
        epilog=_EXAMPLES[name],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Also after the command, where its default must not override one before the command.
    parser.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks of errors",
    )
    return parser


def _add_file(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument("file", metavar="FILE", type=_file, help=help_text)


def _file(text: str) -> str:
    return path_or_url(expanduser(text))  # noqa: PTH111 - text stays as it was given


def _add_output(parser: argparse.ArgumentParser, metavar: str, help_text: str) -> None:
    # The shell does not expand `~` in --output=~/run.html.
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
    """Return the seconds of a typed duration.

    >>> seconds("60s"), seconds("5m"), seconds("90")
    (60.0, 300.0, 90.0)
    """
    from dask.utils import parse_timedelta

    try:
        value = float(parse_timedelta(text))
    except (ValueError, KeyError, TypeError):
        value = 0.0
    if not isfinite(value) or value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration such as 60s, 5m or 1h")
    return value
