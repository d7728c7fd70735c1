"""Makes a report: one HTML file that holds the page, the figures and the recording.

No request ever leaves it, and its own policy forbids what it does not need: of scripts
and styles only these very ones run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from daskscope import config
from daskscope.derive.summary import summary
from daskscope.derive.words import cut
from daskscope.errors import DaskscopeError
from daskscope.files.temporary import in_temporary_file, temporary_folder
from daskscope.recording.file_writer import write_file
from daskscope.report.static_page import STYLE, body, shown
from daskscope.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daskscope.recording import Counts, RecordingCore

STATIC: Final = Path(__file__).parent.parent / "static"
DEFAULT_TITLE: Final = "Dask performance report"
"""On top of a page of which nothing says where it comes from. It is nowhere else, so that lists
name such a file by its name."""
SUMMARY_BEGIN: Final = b'<script type="application/json" id="daskscope-summary">'
RECORDING_BEGIN: Final = b'<script type="application/octet-stream" id="daskscope-recording">'
SCRIPT_END: Final = b"</script>"
MAX_SUMMARY_BYTES: Final = 12_000_000
"""Readers refuse more than 16,000,000, also of what a recording says of itself: this and more."""

SLICE_BYTES: Final = 3 * 2**18
"""A multiple of three, so that the slices of base64 make one text."""

_ENDS_ITSELF: Final = re.compile(rb"</(script|style)|<!--", re.IGNORECASE)


def build(
    recording: RecordingCore,
    out: BinaryIO,
    watch: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Write the report of a recording; return its summary.

    `watch` is told meanwhile how many tasks of how many are packed, which takes longest.
    """
    with packed(recording, watch=watch) as file:
        return write(recording, file, out)


@contextmanager
def packed(
    recording: RecordingCore,
    *,
    noted: bool = False,
    watch: Callable[[int, int], None] | None = None,
) -> Iterator[BinaryIO]:
    """Give the recording as a file, a temporary one: memory stays bounded.

    `noted`: it says its own figures already, as they are now.
    """
    if not noted:
        note_figures(recording)
    with temporary_folder() as folder:
        with in_temporary_file():
            path = write_file(recording, folder / "report.daskscope", watch)
        with path.open("rb") as file:
            yield file


def note_figures(recording: RecordingCore) -> None:
    """Let a recording say its own figures, for pages that open it without Python."""
    recording.about_facts["summary"] = figures_of(recording)


def figures_of(recording: RecordingCore, counts: Counts | None = None) -> dict[str, Any]:
    """Return the figures of a recording, with the counts of a file if that has more of it."""
    price = config.report_price()
    return _fitting(
        summary(
            recording,
            price_per_thread_hour=price.per_thread_hour,
            currency=price.currency,
            counts=counts,
        )
    )


def _fitting(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures that readers take: where they are too many, texts and lists are cut."""
    most = 2**17
    while len(inert_json(figures)) > MAX_SUMMARY_BYTES and most > 1:
        figures = _with_less(figures, most)
        most //= 2
    return figures


def _with_less(value: Any, most: int) -> Any:
    """Return JSON with at most so many entries a list, and eight times the characters a text."""
    if isinstance(value, str):
        return cut(value, 8 * most)
    if isinstance(value, list | tuple):
        return [_with_less(one, most) for one in value[:most]]
    if isinstance(value, dict):
        return {name: _with_less(one, most) for name, one in value.items()}
    return value


def write(recording: RecordingCore, file: BinaryIO, out: BinaryIO) -> dict[str, Any]:
    """Write the report of a recording that is packed already; return its summary."""
    style, script = page()
    style += STYLE
    figures: dict[str, Any] = recording.about_facts["summary"]
    title = figures["title"] or DEFAULT_TITLE
    out.write(_head(title, style, script))
    out.write(b'<main id="daskscope-report">\n')
    out.write(body(figures | {"title": title}).encode("utf-8", "replace"))
    out.write(b"\n</main>\n" + SUMMARY_BEGIN + inert_json(figures) + SCRIPT_END + b"\n")
    out.write(RECORDING_BEGIN)
    file.seek(0)
    while part := file.read(SLICE_BYTES):
        out.write(base64.b64encode(part))
    out.write(SCRIPT_END + b"\n<script>" + script + SCRIPT_END + b"\n</body>\n</html>\n")
    return figures


def page() -> tuple[bytes, bytes]:
    """Return style and script of the page, as they stand in each report."""
    try:
        style, script = ((STATIC / name).read_bytes() for name in ("report.css", "report.js"))
    except FileNotFoundError as error:
        raise DaskscopeError(
            "no-page",
            f"This installation of daskscope lacks {Path(error.filename).name}, a part of reports.",
            "Install daskscope again; in a checkout, run make build.",
        ) from error
    for part in (style, script):
        if _ENDS_ITSELF.search(part) or b"\r" in part or b"\0" in part:
            raise ValueError("the built page holds what would end its own element")
    return style, script


def inert_json(figures: dict[str, Any]) -> bytes:
    """Return JSON in which nothing is markup.

    >>> inert_json({"a": "</script>"})
    b'{"a": "\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(figures, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("ascii")


def _head(title: str, style: bytes, script: bytes) -> bytes:
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f'<meta name="generator" content="daskscope {installed_version()}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{shown(' '.join(title.split()))}</title>",
        "<style>",
    )
    head = "\n".join(lines).encode("utf-8", "replace")
    return head + style + b"</style>\n</head>\n<body>\n"


def _hash(text: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")
