"""The card, and the words behind `%%perfreport`: nothing that a user wrote is markup."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daskscope.errors import DaskscopeError
from daskscope.magics.options import parse_cell, parse_line
from daskscope.report.address import Served
from daskscope.report.card import Place, card

HOSTILE = [
    "</div><script>alert(1)</script>",
    "<!--",
    "\"' onmouseover='alert(1)",
    "&lt;b&gt; &amp;",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe\u2066",
    "a\x00b",
    "\ud800 alone",
    "javascript:alert(1)",
]
ALLOWED = {
    "div": {"class", "style"},
    "bdi": {"style"},
    "a": {
        "href",
        "target",
        "rel",
        "style",
        "data-daskscope-open",
        "data-commandlinker-command",
        "data-commandlinker-args",
    },
}


class Page(HTMLParser):
    """What a browser makes of the card."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def links(self) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == "a"]


def summary(title: str = "A run", raised: str = "", **more: Any) -> dict[str, Any]:
    tasks = {"captured": 1204, "kept": 1204, "erred": 0, "rows": 2000}
    exception = {"type": raised, "text": raised, "traceback": raised} if raised else None
    return {
        "title": title,
        "duration": 12.34,
        "tasks": tasks,
        "errors": {"count": 0, "types": []},
        "exception": exception,
        **more,
    }


def check(bundle: dict[str, str]) -> Page:
    page = Page(bundle["text/html"])
    assert not page.other
    for tag, attributes in page.tags:
        assert set(attributes) <= ALLOWED[tag]
    for text in bundle.values():
        text.encode()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    for link in page.links():
        assert not (link["href"] or "").lower().startswith("javascript:")
    return page


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_words_are_text(hostile: str) -> None:
    plain = check(card(summary(), Place("", "a.html", served=Served("/", "a.html"))))
    for place in (
        Place("", f"{hostile}.html", served=Served("/user/a/", f"{hostile}.html")),
        Place(f"file:///tmp/{hostile}.html", f"{hostile}.html"),
        Place(f"https://host/{hostile}.html", f"{hostile}.html"),
    ):
        page = check(card(summary(hostile, hostile), place))
        tags = [tag for tag, _ in page.tags if tag != "bdi"]
        assert tags.count("div") == len([t for t, _ in plain.tags if t == "div"]) + 1
        assert set(tags) <= {"div", "a", "button"}


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_words_are_markup(title: str, raised: str) -> None:
    check(card(summary(title, raised), Place("file:///a.html", title)))


def test_it_says_how_long_how_much_and_what_failed() -> None:
    figures = summary(errors={"count": 3, "types": []}, raised="ValueError")
    text = card(figures, Place("file:///tmp/a.html", "a.html"))["text/plain"]
    assert text.split("\n") == [
        "A run",
        "12.3 s · 1,204 tasks · 3 errors",
        "ValueError: ValueError",
        "a.html",
    ]
    nothing_said = {"type": "KeyboardInterrupt", "text": "", "traceback": ""}
    text = card(summary(exception=nothing_said), Place("file:///tmp/a.html", "a.html"))
    assert text["text/plain"].split("\n")[2] == "KeyboardInterrupt"
    some = {"captured": 1204, "kept": 1000, "erred": 0, "rows": 2000}
    text = card(summary(tasks=some), Place("file:///tmp/a.html", "a.html"))["text/plain"]
    assert "1,000 of 1,204 tasks" in text


def test_below_a_server_it_opens_in_jupyterlab_and_in_the_browser() -> None:
    served = Served("/user/ada/", "runs/a b#.html")
    place = Place(served.url, "runs/a b#.html", served=served)
    lab, browser = check(card(summary(), place)).links()
    assert lab["href"] == "/user/ada/lab?daskscope-report=runs/a%20b%23.html"
    assert lab["data-daskscope-open"] == "runs/a b#.html"
    assert json.loads(lab["data-commandlinker-args"] or "") == {"path": "runs/a b#.html"}
    assert browser["href"] == "/user/ada/files/runs/a%20b%23.html"


def test_a_name_that_jupyterlab_does_not_open_as_a_report_has_no_link_to_it() -> None:
    served = Served("/", "report")
    place = Place(served.url, "report", served)
    assert place.in_lab is None
    assert check(card(summary(), place)).links() == []


def test_elsewhere_it_says_where_the_file_is_and_has_no_link_that_browsers_refuse() -> None:
    place = Place("file:///home/files/a.html", "/home/files/a.html")
    page = check(card(summary(), place))
    assert page.links() == []
    assert "/home/files/a.html" in page.text
    assert place.in_lab is None
    page = check(card(summary(), Place("s3://bucket/files/a.html", "s3://bucket/files/a.html")))
    assert page.links() == []
    assert "s3://bucket/files/a.html" in page.text
    (link,) = check(card(summary(), Place("https://host/a.html", "https://host/a.html"))).links()
    assert link["href"] == "https://host/a.html"


def test_options_are_read_as_in_a_shell() -> None:
    options = parse_cell("", {})
    assert (options.filename, options.title, options.redact) == ("dask-report.html", None, ())
    options = parse_cell("a.html --open --private --recording", {})
    assert (options.filename, options.title) == ("a.html", None)
    assert options.open
    assert options.private
    assert options.recording
    options = parse_cell("""--title "Bob's run" 'a b.html'""", {})
    assert (options.filename, options.title) == ("a b.html", "Bob's run")
    assert parse_cell('--title="Two words"', {}).title == "Two words"
    assert parse_cell("--title=x=y --redact=code,hosts", {}).redact == ("code", "hosts")
    assert parse_cell(r"C:\runs\new.html", {}).filename == r"C:\runs\new.html"
    assert parse_cell("--filename a.html", {}).filename == "a.html"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--opne", "--open?"),
        ("-o", "-o"),
        ("--title", "--title"),
        ("--open=yes", "--open"),
        ("a.html b.html", "b.html"),
        ("--title Bob's", "--title Bob's"),
        ("--redact code,keys", "'keys'"),
        ("--last", "%perfreport --last"),
    ],
)
def test_a_wrong_option_says_what_would_be_right(line: str, said: str) -> None:
    with pytest.raises(DaskscopeError, match=re.escape(said)) as caught:
        parse_cell(line, {})
    assert caught.value.next


def test_the_statement_of_a_line_is_left_as_it_is() -> None:
    line = " --filename a{n}.html  f('--open', {n})  --x ;"
    options, statement = parse_line(line, {"n": 3})
    assert options.filename == "a3.html"
    assert statement == "f('--open', {n})  --x ;"
    assert parse_line("-x", {})[1] == "-x"
    assert parse_line("-- --x", {})[1] == "--x"
    assert parse_line("""'a' if b else "c\"""", {})[1] == """'a' if b else "c\""""
    options, statement = parse_line("--last b.html", {})
    assert (options.filename, options.last, statement) == ("b.html", True, "")


@settings(deadline=None)
@given(st.text())
def test_whatever_is_typed_has_an_answer(line: str) -> None:
    for parse in (parse_cell, parse_line):
        with suppress(DaskscopeError):
            assert parse(line, {})
