"""`with daskscope.performance_report() as report`: a block of code becomes one HTML file."""

from __future__ import annotations

import asyncio
import shutil
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from daskscope import config
from daskscope.block import Block
from daskscope.block.arguments import checked_flag
from daskscope.block.block import to_its_end
from daskscope.cells import shell
from daskscope.errors import DaskscopeError
from daskscope.files.target import PAGES, LocalTarget, page_target
from daskscope.recording import Recording
from daskscope.recording.about import SUMMARY, about_of
from daskscope.recording.file_writer import SUFFIX
from daskscope.report.address import Addresses, Served
from daskscope.report.card import Place, card
from daskscope.report.html import packed, page, write
from daskscope.report.redact import checked, redacted
from daskscope.words import count_text, seconds_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO

    from distributed import Client

    from daskscope.files.target import RemoteTarget
    from daskscope.recording import RecordingStore

_NOT_LOST: Final = "Nothing is lost: report.recording has it, and report.save({where}) writes it."


def performance_report(
    filename: str | PathLike[str] = "dask-report.html",
    private: bool = False,
    account: str | None = None,
    title: str | None = None,
    redact: Iterable[str] = (),
    recording: bool = False,
    client: Client | None = None,
    code: str = "",
) -> ReportBlock:
    """Write a report of what happens in a block of code: one HTML file that opens anywhere.

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

    After the block ``report.url`` is what to open in a browser, ``report.summary`` has the
    figures and ``report.recording`` the tables. The file holds the page, every task and the
    recording itself, and asks nobody for anything when it is opened. It is written also
    when the block raises, and names the exception. A notebook shows a card with links
    below the cell. Of an asynchronous client: ``async with``.

    filename   a path, or a URL that fsspec can write, such as ``s3://…``; a file that is
               there is replaced, and a name without an ending gets ``.html``
    private    in the library, and on a hub, only for yourself
    account    of a hub; no hub yet in this version
    title      what the report is called
    redact     any of "code", "paths" and "hosts": what the file must not tell
    recording  also write the recording beside it, as a ``.daskscope`` file
    client     the current one by default
    code       what is shown as the code of the block; in a notebook that of the cell
    """
    return ReportBlock(
        filename,
        private=private,
        account=account,
        title=title,
        redact=redact,
        recording=recording,
        client=client,
        code=code,
        shows_card=True,
    )


class Report:
    """What became of a block: given by `performance_report`, whole when the block has ended."""

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
        self.in_library: str | None = None
        """What the copy in the library is called, if there is one."""
        self._core = core
        self._place = place
        self._private = private
        self._redact = redact
        self._with_recording = recording
        self._whole = whole

    @property
    def filename(self) -> str:
        """Where the report is, as it was asked for."""
        return self._place.name

    @property
    def recording(self) -> Recording:
        """What was recorded, with nothing left out."""
        return Recording(self._core())

    def save(self, filename: str | PathLike[str] | None = None) -> str:
        """Write the report, elsewhere if a filename is given; return its URL.

        It is written by itself when the block ends; before that there is nothing to write.
        """
        if not self._whole:
            raise DaskscopeError(
                "not-ended",
                "The block of this report has not ended: nothing of it can be written yet.",
                f"It is written to {self.filename} at the end; afterwards "
                'report.save("elsewhere.html") writes it elsewhere, too.',
            )
        if filename is not None:
            self._place = page_target(filename)
        recording = self._core()
        if self._redact:
            recording = redacted(recording, self._redact)

        place = self._place
        try:
            about = recording.about_facts
            if SUMMARY not in about:  # which the block notes, for its recording
                about = about_of(recording)
            with packed(recording, about) as file:

                def fill(out: BinaryIO) -> None:
                    self.summary = write(about[SUMMARY], file, out)

                place.write(fill, partial(self._keep, "report", place.location))
                if self._with_recording:
                    place = _beside(place)
                    file.seek(0)
                    place.write(
                        lambda out: shutil.copyfileobj(file, out),
                        partial(self._keep, "recording", place.location),
                    )
        except OSError as error:
            raise _not_written(place, error) from error
        except DaskscopeError as error:
            if error.code != "no-room":
                raise
            todo = f"{error.next} {_NOT_LOST.format(where='')}"
            raise DaskscopeError(error.code, error.text, todo) from error
        self.served, self.url = _address(self._place)
        return self.url

    def _keep(self, kind: Literal["report", "recording"], location: str, local: Path) -> None:
        """Put a copy into the library, which warns where it cannot."""
        from daskscope import library

        assert self.summary is not None
        facts = {**self.summary, "private": self._private}
        kept = library.keep(local, facts, kind=kind, location=location)
        if kind == "report":
            self.in_library = None if kept is None else kept["filename"]

    def __repr__(self) -> str:
        if self.summary is None:
            return f"<daskscope report {self.filename}: not yet written>"
        tasks = count_text(self.summary["tasks"]["captured"], "task")
        return f"<daskscope report {self.url}: {tasks}, {seconds_text(self.summary['duration'])}>"


class ReportBlock:
    """One block of code of which a report is written. Made by `performance_report`."""

    def __init__(
        self,
        filename: str | PathLike[str] = "dask-report.html",
        *,
        private: bool = False,
        account: str | None = None,
        title: str | None = None,
        redact: Iterable[str] = (),
        recording: bool = False,
        client: Client | None = None,
        code: str = "",
        shows_card: bool = False,
    ) -> None:
        """`shows_card` is whether this shows the report where a notebook can: magics do it."""
        # All that can be wrong should be so before the block runs, not after it.
        if account is not None:
            from daskscope.library.accounts import no_hub

            raise no_hub(account)
        page()
        config.report_price()
        place = page_target(filename)
        if recording:
            _beside(place)
        self._block = Block(client, title=title, code=_cell() if code == "" else code)
        self._new_report = partial(
            Report,
            place=place,
            private=checked_flag(private, "private"),
            redact=checked(redact),
            recording=recording,
        )
        self._report = self._new_report(lambda: self._block.core)
        self._shows_card = shows_card

    def of_past(self, core: RecordingStore) -> Report:
        """Return the report of what is recorded already, instead of the block's."""
        return self._new_report(lambda: core, whole=True)

    def abandon(self) -> None:
        """Record no more, and write nothing; what has ended is left alone."""
        self._block.abandon()

    def __enter__(self) -> Report:
        self._block.__enter__()
        return self._report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._block.__exit__(kind, error, traceback)
        except BaseException as interrupt:  # what there is, is written
            self._write(error or interrupt)
            self._show()
            raise
        self._write(error)
        self._show()

    async def __aenter__(self) -> Report:
        await self._block.__aenter__()
        return self._report

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # In a thread: the loop may be that of the scheduler.
        try:
            await self._block.__aexit__(kind, error, traceback)
        except BaseException as interrupt:
            await to_its_end(asyncio.to_thread(self._write, error or interrupt))
            self._show()
            raise
        await to_its_end(asyncio.to_thread(self._write, error))
        self._show()

    def _write(self, error: BaseException | None) -> None:
        """Write the report; where an exception is on its way, it goes on whatever happens."""
        self._report._whole = True
        try:
            url = self._report.save()
        except Exception as failure:
            if error is None:
                raise
            warnings.warn(str(failure), stacklevel=3)
        else:
            print(f"Performance Report Available at: {url}")  # noqa: T201 - as Coiled's does

    def _show(self) -> None:
        """Show the card in a notebook, if the report is written; elsewhere its address is told."""
        in_kernel = getattr(shell(), "kernel", None) is not None
        if self._shows_card and in_kernel and self._report.url is not None:
            show_card(self._report)


def place_of(report: Report) -> Place:
    """Return where a report that is written is opened."""
    assert report.url is not None
    return Place(report.url, report.filename, report.in_library, report.served)


def show_card(report: Report, transient: Mapping[str, Any] | None = None) -> None:
    """Display the card of a report that is written; `transient` goes with it, and is not kept."""
    from IPython.display import display

    assert report.summary is not None
    display(card(report.summary, place_of(report)), raw=True, transient=dict(transient or {}))


def _cell() -> str:
    """Return the code of the cell that runs, as it was written; nothing outside of IPython."""
    ip = shell()
    if ip is None:
        return ""
    history = getattr(ip, "history_manager", None)
    return str((getattr(history, "input_hist_raw", None) or [""])[-1])


def _beside(place: LocalTarget | RemoteTarget) -> LocalTarget | RemoteTarget:
    """Return where the recording goes: the same name with another ending."""
    stem = place.filename
    for suffix in PAGES:
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
            break
    return place.beside(stem + SUFFIX)


def _address(place: LocalTarget | RemoteTarget) -> tuple[Served | None, str]:
    """Return how a server shows what was written, and what to open in a browser."""
    if not isinstance(place, LocalTarget):
        return None, place.location
    addresses = Addresses()
    return addresses.served(place.path), addresses.url_of(place.path)


def _not_written(place: LocalTarget | RemoteTarget, error: OSError) -> DaskscopeError:
    return DaskscopeError(
        "not-written",
        f"The report could not be written to {place.location}: {error.strerror or error}.",
        _NOT_LOST.format(where='"elsewhere.html"'),
    )
