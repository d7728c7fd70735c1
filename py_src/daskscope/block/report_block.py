"""`with daskscope.performance_report() as report`: a block of code becomes one HTML file."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
import webbrowser
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from daskscope import config
from daskscope.block import Block
from daskscope.cell_monitor import shell
from daskscope.errors import DaskscopeError
from daskscope.files.target import LocalTarget, page_target
from daskscope.format import count_text, seconds_text
from daskscope.recording import Recording
from daskscope.recording.file_writer import SUFFIX
from daskscope.recording.recording_store import SUMMARY, about_of
from daskscope.report.address import Addresses, Served
from daskscope.report.card import Place, card
from daskscope.report.html import packed, page, write
from daskscope.report.redact import checked, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from distributed import Client

    from daskscope.files.target import RemoteTarget
    from daskscope.recording import RecordingStore

_NOT_LOST: Final = "Nothing is lost: report.recording has it, and report.save({where}) writes it."

MIME_OPEN: Final = "daskscope"
"""Key in the transient part of the card's message: JupyterLab opens the report that it names.

Transient, because a notebook that is opened again must not open its reports again.
"""


class Report:
    """The report returned by `performance_report`, complete when the block has ended."""

    def __init__(
        self,
        core: Callable[[], RecordingStore],
        *,
        place: LocalTarget | RemoteTarget,
        private: bool = False,
        redact: tuple[str, ...] = (),
        recording: bool = False,
        whole: bool = False,
    ) -> None:
        self.url: str | None = None
        """What to open in a browser, once the report is written."""
        self.served: Served | None = None
        """How a Jupyter server shows the report, if one does."""
        self.summary: dict[str, Any] | None = None
        """The figures that the report shows first."""
        self._core = core
        self._place = place
        self._private = private
        self._redact = redact
        self._with_recording = recording
        self._whole = whole

    @property
    def filename(self) -> str:
        """The path or URL of the report, as passed."""
        return self._place.name

    @property
    def recording(self) -> Recording:
        """The recording, not redacted."""
        return Recording(self._core())

    def save(self, filename: str | PathLike[str] | None = None) -> str:
        """Write the report, to another place if a filename is given; return its URL.

        It is written automatically at the end of the block; before that, `save` raises an error.
        """
        from daskscope.library import keep

        if not self._whole:
            raise DaskscopeError(
                "not-ended",
                "This report cannot be written yet: its block has not ended.",
                f"It is written to {self.filename} at the end of the block; after that, "
                'report.save("elsewhere.html") writes another copy.',
            )
        if filename is not None:
            self._place = page_target(filename)
        recording = self._core()
        if self._redact:
            recording = redacted(recording, self._redact)

        place = self._place
        try:
            about = recording.about_facts
            if SUMMARY not in about:  # a block adds it to its own recording only
                about = about_of(recording)
            figures = about[SUMMARY]
            facts = {**figures, "private": self._private}
            with packed(recording, about) as file:
                place.write(
                    partial(write, figures, file),
                    lambda local, _: keep(local, facts, location=place.location),
                )
                self.summary = figures
                if self._with_recording:
                    place = _beside(place)
                    file.seek(0)
                    place.write(
                        partial(shutil.copyfileobj, file),
                        lambda local, _: keep(
                            local, facts, kind="recording", location=place.location
                        ),
                    )
        except DaskscopeError as error:
            todo = {
                "not-written": _NOT_LOST.format(where='"elsewhere.html"'),
                "no-room": f"{error.next} {_NOT_LOST.format(where='')}",
            }
            if error.code not in todo:
                raise
            raise DaskscopeError(error.code, error.text, todo[error.code]) from error
        self.served, self.url = _address(self._place)
        return self.url

    def __repr__(self) -> str:
        if self.summary is None:
            return f"<daskscope report {self.filename}: not yet written>"
        tasks = count_text(self.summary["tasks"]["captured"], "task")
        return f"<daskscope report {self.url}: {tasks}, {seconds_text(self.summary['duration'])}>"


class performance_report(Block[Report]):  # noqa: N801 - used like a function
    """Write a report about a block of code: one HTML file that opens in any browser.

    >>> import daskscope, tempfile
    >>> from distributed import Client
    >>> options = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Client(**options) as client:
    ...     with daskscope.performance_report(f"{folder.name}/run.html") as report:
    ...         sum(client.gather(client.map(pow, range(10), [2] * 10)))
    285
    Performance Report Available at: file:///...run.html
    >>> report.summary["tasks"]["captured"], report.recording.counts.kept
    (10, 10)
    >>> folder.cleanup()

    After the block, ``report.url`` is the address to open, ``report.summary`` has the figures
    and ``report.recording`` the tables. The file contains the page, every task and the recording
    itself, and makes no network requests. If the block raises, the report is still written and
    names the exception. A notebook shows a card with links below the cell. With an asynchronous
    client use ``async with``.

    filename   a path, or a URL that fsspec can write, such as ``s3://…``; an existing file
               is replaced, and a name without an extension gets ``.html``
    private    only you can read the copy in the library
    account    an account of a hub; an error in this version, which has no hub
    title      the title of the report
    redact     any of "code", "paths" and "hosts": what to leave out of the file
    recording  also write the recording next to it, as a ``.daskscope`` file
    client     the current client by default
    code       the code that the report shows; in a notebook the default is the cell
    """

    shows_card: bool | None = None
    """Whether to show the card at the end; None: only in notebooks."""
    opens = False
    """Whether to open the report at the end."""

    def __init__(
        self,
        filename: str | PathLike[str] = "dask-report.html",
        private: bool = False,
        account: str | None = None,
        title: str | None = None,
        redact: Iterable[str] = (),
        recording: bool = False,
        client: Client | None = None,
        code: str = "",
    ) -> None:
        # Wrong arguments are errors before the block runs.
        if account is not None:
            from daskscope.library.library_api import no_hub

            raise no_hub(account)
        page()
        config.check()
        place = page_target(filename)
        if recording:
            _beside(place)
        if not isinstance(private, bool):
            raise TypeError(f"private must be True or False, got {type(private).__name__}")
        own_code = _cell() if code == "" else code
        super().__init__(client, title=title, code=own_code)
        self._new_report = partial(
            Report, place=place, private=private, redact=checked(redact), recording=recording
        )
        self.report = self._new_report(lambda: self.core)

    def report_of(self, core: RecordingStore) -> Report:
        """Return a report about an existing recording, instead of the block's."""
        return self._new_report(lambda: core, whole=True)

    def _enter_result(self) -> Report:
        return self.report

    def _on_end(self, error: BaseException | None) -> None:
        """Write the report, and show its card; the block's exception is not suppressed."""
        self.report._whole = True
        try:
            url = self.report.save()
        except Exception as failure:
            if error is None:
                raise
            warnings.warn(str(failure), stacklevel=4)
            return
        print(f"Performance Report Available at: {url}")  # noqa: T201 - like Coiled's
        in_notebook = getattr(shell(), "kernel", None) is not None
        if in_notebook if self.shows_card is None else self.shows_card:
            show_card(self.report, open_it=self.opens)


def show_card(report: Report, *, open_it: bool = False) -> None:
    """Display the card of a report in the output of the cell, if it is written; open the report."""
    if report.summary is None or report.url is None:
        return
    from IPython.display import display

    place = Place(report.url, report.filename, report.served)
    in_server = "JPY_SESSION_NAME" in os.environ and getattr(shell(), "kernel", None) is not None
    in_lab = place.in_lab if open_it and in_server else None
    opened = {} if in_lab is None else {MIME_OPEN: {"open": in_lab}}
    display(card(report.summary, place), raw=True, transient=opened)
    if not open_it or in_lab is not None:
        return
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    has_screen = sys.platform in ("darwin", "win32") or any(map(os.environ.get, screens))
    if in_server or not has_screen or not webbrowser.open(report.url):
        sys.stderr.write(
            "--open: the report was not opened. JupyterLab does not serve its folder, and this "
            "computer has no browser. If the library has a copy, open it from the sidebar, under "
            "Reports.\n"
        )


def _cell() -> str:
    """Return the source of the running cell; empty outside of IPython."""
    ip = shell()
    if ip is None:
        return ""
    history = getattr(ip, "history_manager", None)
    return str((getattr(history, "input_hist_raw", None) or [""])[-1])


def _beside(place: LocalTarget | RemoteTarget) -> LocalTarget | RemoteTarget:
    """Return where the recording goes: the same name with another ending."""
    return place.beside(re.sub(r"\.html?$", "", place.filename, flags=re.IGNORECASE) + SUFFIX)


def _address(place: LocalTarget | RemoteTarget) -> tuple[Served | None, str]:
    """Return how a server shows what was written, and what to open in a browser."""
    if not isinstance(place, LocalTarget):
        return None, place.location
    addresses = Addresses()
    return addresses.served(place.path), addresses.url_of(place.path)
