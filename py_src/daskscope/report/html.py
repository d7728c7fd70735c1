"""Makes a report: one HTML file that holds the page, the figures and the recording.

No request ever leaves it, and its own policy forbids what it does not need: it allows one
style sheet and two scripts, by their hashes. The first script unpacks the second one.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from daskscope.errors import DaskscopeError
from daskscope.file_summary import figures_of, inert_json
from daskscope.files.temporary import in_temporary_file, temporary_folder
from daskscope.recording.file_writer import write_file
from daskscope.recording.recording_store import SUMMARY, about_of
from daskscope.report import base85
from daskscope.report.static_page import body, shown
from daskscope.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from daskscope.recording import RecordingStore

STATIC: Final = Path(__file__).parent.parent / "static"
DEFAULT_TITLE: Final = "Dask performance report"
"""On top of a page of which nothing says where it comes from. It is nowhere else, so that lists
name such a file by its name."""
SCRIPT_BEGIN: Final = b'<script type="application/octet-stream" id="daskscope-script">'
SUMMARY_BEGIN: Final = b'<script type="application/json" id="daskscope-summary">'
RECORDING_BEGIN: Final = b'<script type="application/octet-stream" id="daskscope-recording">'
SCRIPT_END: Final = b"</script>"

SLICE_BYTES: Final = base85.BYTES * 200_000
"""Whole groups, so that the slices make one text."""

_ENDS_ITSELF: Final = re.compile(rb"</(script|style)|<!--", re.IGNORECASE)


def build(
    recording: RecordingStore,
    out: BinaryIO,
    watch: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Write the report of a recording; return its summary.

    `watch(done, of)` is called while tasks are packed, which takes longest.
    """
    recording.make_figures = figures_of
    about = about_of(recording)
    with packed(recording, about, watch) as file:
        return write(about[SUMMARY], file, out)


@contextmanager
def packed(
    recording: RecordingStore,
    about: Mapping[str, Any],
    watch: Callable[[int, int], None] | None = None,
) -> Iterator[BinaryIO]:
    """Give the recording as a file, a temporary one: memory stays bounded."""
    with temporary_folder() as folder:
        with in_temporary_file():
            path = write_file(recording, folder / "report.daskscope", watch, about=about)
        with path.open("rb") as file:
            yield file


def write(figures: dict[str, Any], file: BinaryIO, out: BinaryIO) -> dict[str, Any]:
    """Write the report of a recording that is packed already; return its summary, as given."""
    parts = page()
    title = figures["title"] or DEFAULT_TITLE
    out.write(_head(title, parts))
    # In front of the recording: it is unpacked while a browser still reads that.
    out.write(SCRIPT_BEGIN + parts.packed + SCRIPT_END + b'\n<main id="daskscope-report">\n')
    out.write(body(figures | {"title": title}).encode("utf-8", "replace"))
    out.write(b"\n</main>\n<script>" + parts.loader + SCRIPT_END + b"\n")
    out.write(SUMMARY_BEGIN + inert_json(figures) + SCRIPT_END + b"\n")
    out.write(RECORDING_BEGIN)
    file.seek(0)
    while part := file.read(SLICE_BYTES):
        out.write(base85.encode(part))
    out.write(SCRIPT_END + b"\n</body>\n</html>\n")
    return figures


class Page(NamedTuple):
    """What of a page is the same in each report."""

    style: bytes
    loader: bytes
    packed: bytes
    """The script: deflated, in base 85."""
    policy: str


def page() -> Page:
    """Return the built page; raise an error if it is missing."""
    try:
        style, loader, script = (
            (STATIC / name).read_bytes() for name in ("report.css", "report_loader.js", "report.js")
        )
    except FileNotFoundError as error:
        raise DaskscopeError(
            "no-page",
            f"This installation of daskscope lacks {Path(error.filename).name}, a part of reports.",
            "Reinstall daskscope; in a checkout, run `make build`.",
        ) from error
    return _page(style, loader, script)


@lru_cache(maxsize=1)
def _page(style: bytes, loader: bytes, script: bytes) -> Page:
    for part in (style, loader):
        if _ENDS_ITSELF.search(part) or b"\r" in part or b"\0" in part:
            raise ValueError("the built page holds what would end its own element")
    deflate = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = base85.encode(deflate.compress(script) + deflate.flush())
    policy = (
        f"default-src 'none'; script-src '{_hash(loader)}' '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    )
    return Page(style, loader, packed, policy)


def _head(title: str, parts: Page) -> bytes:
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{parts.policy}">',
        f'<meta name="generator" content="daskscope {installed_version()}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{shown(' '.join(title.split()))}</title>",
        "<style>",
    )
    head = "\n".join(lines).encode("utf-8", "replace")
    return head + parts.style + b"</style>\n</head>\n<body>\n"


def _hash(text: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")
