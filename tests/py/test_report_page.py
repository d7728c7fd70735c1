"""The file that a report is: inert, readable without scripts, and allowed nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zlib
from html.parser import HTMLParser

import numpy as np
from hostile import hostile_recording
from recording_rows import append_cluster, make_rows, new_recording
from test_files import full_recording

from daskscope.derive.summary import summary
from daskscope.recording import RecordingStore, pack_keys
from daskscope.report import base85
from daskscope.report.html import build
from daskscope.report.static_page import body


class Elements(HTMLParser):
    """The elements of a page, and the text outside of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def built(recording: RecordingStore) -> bytes:
    out = io.BytesIO()
    build(recording, out)
    return out.getvalue()


def test_no_text_of_users_is_markup():
    page = Elements()
    page.feed(built(hostile_recording()).decode())
    assert page.names.count("script") == 4
    assert "img" not in page.names
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "alert(1)" in page.text


def test_what_it_says_can_be_read_without_scripts():
    page = Elements()
    page.feed(built(full_recording()).decode())
    assert "Scripts are off" in page.text
    assert "Tasks325" in page.text
    assert "320 kept, 1 erred" in page.text
    assert "ValueError in sum" in page.text


def test_without_scripts_it_says_in_words_what_did_not_happen():
    recording = RecordingStore()
    recording.about_facts = {"title": "nothing", "start": 1.0, "stop": 2.0}
    append_cluster(recording, (1.5, 1, 1, 1000, 500, 100, 50))
    page = Elements()
    page.feed(built(recording).decode())
    assert "Tasks0none finished or failed" in page.text
    assert "Errors0" in page.text
    assert "1 Jan 1970, 00:00:01 UTC" in page.text


def test_without_scripts_threads_that_were_hardly_busy_were_not_idle():
    figures = summary(full_recording())
    busy = {"percent": 0.3, "thread_seconds": 96_120.0, "threads": 16}
    page = Elements()
    page.feed(body({**figures, "busy": busy}))
    assert "Threads busy< 1%of 16 ×" in page.text


def test_nothing_but_its_own_scripts_and_styles_may_run():
    html = built(full_recording()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (loader,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (packed,) = re.findall(r'id="daskscope-script">(.*?)</script>', html)
    script = zlib.decompress(base85.decode(packed.encode()), wbits=-zlib.MAX_WBITS)
    assert policy[1].split("; ") == [
        "default-src 'none'",
        f"script-src {hashed(loader.encode())} {hashed(script)}",
        f"style-src {hashed(style.encode())}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", html)


def hashed(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"


def test_an_empty_report_is_small():
    assert len(built(RecordingStore())) <= 320_000


def test_a_large_recording_is_written_and_taken_out_in_pieces(tmp_path):
    recording = new_large()
    out = _Largest()
    build(recording, out)  # type: ignore[arg-type]
    assert out.total > 2_000_000
    assert out.largest < 1_200_000


def new_large() -> RecordingStore:
    recording = new_recording()
    noise = np.random.default_rng(7)
    for _ in range(30):
        keys = [noise.bytes(32).hex() for _ in range(2_000)]
        recording.append_tasks(2_000, make_rows(2_000), pack_keys(0, keys).data)
    return recording


class _Largest:
    """A file that only counts."""

    def __init__(self) -> None:
        self.total = self.largest = 0

    def write(self, part: bytes) -> int:
        self.total += len(part)
        self.largest = max(self.largest, len(part))
        return len(part)
