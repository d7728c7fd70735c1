"""One selection for Python and for every panel."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
import traitlets
from clusters import eventually

import daskscope
from daskscope.focus import on_focus, requested_focus, set_focus_soon

if TYPE_CHECKING:
    from distributed import Client


def test_the_focus_is_a_checked_trait(client: Client) -> None:
    with daskscope.connect(client) as s:
        seen = []
        s.observe(lambda change: seen.append((change["new"], s._focus_by)), "focus")
        s.focus = {"time": [1, 2], "prefixes": ["inc"]}
        assert s.focus == daskscope.Focus(time=(1, 2), prefixes=("inc",))
        s._set_focus(daskscope.Focus(workers=["w"]), by="page-1")
        assert [by for _, by in seen] == ["python", "page-1"]
        with pytest.raises(traitlets.TraitError, match="time must not stop before it starts"):
            s.focus = {"time": [2, 1]}
        s.focus = None
        assert not s.focus


def test_a_focus_of_python_is_never_taken_for_one_of_a_page(client: Client) -> None:
    with daskscope.connect(client) as s:
        seen: list[tuple[tuple[str, ...], str]] = []
        page_sets, python_set = threading.Event(), threading.Event()

        def observe(change: Any) -> None:
            seen.append((change["new"].prefixes, s._focus_by))
            if change["new"].prefixes == ("page",):
                page_sets.set()
                python_set.wait(0.2)  # give the other one time to come between

        def from_python() -> None:
            page_sets.wait(5)
            s.focus = daskscope.Focus(prefixes=["python"])
            python_set.set()

        s.observe(observe, "focus")
        thread = threading.Thread(target=from_python)
        thread.start()
        s._set_focus(daskscope.Focus(prefixes=["page"]), by="page-1")
        thread.join()
        assert seen == [(("page",), "page-1"), (("python",), "python")]


def test_an_observer_of_the_focus_that_fails_keeps_nobody_else_from_hearing(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with daskscope.connect(client) as s:
        s.observe(lambda _: 1 / 0, "focus")
        heard: list[tuple[tuple[str, ...], str]] = []
        on_focus(s, lambda *_: 1 / 0)  # type: ignore[arg-type, return-value]
        stop = on_focus(s, lambda focus, by: heard.append((focus.prefixes, by)))
        with pytest.raises(ZeroDivisionError):  # as with any trait: whoever sets it is told
            s.focus = daskscope.Focus(prefixes=["python"])
        s._set_focus(daskscope.Focus(prefixes=["page"]), by="page-1")
        assert heard == [(("python",), "python"), (("page",), "page-1")]
        stop()
        s._set_focus(daskscope.Focus(), by="page-1")
        assert len(heard) == 2
    assert "an observer of the focus of a daskscope session failed" in caplog.text
    assert "a listener for the focus of a daskscope session failed" in caplog.text


def test_an_observer_of_the_focus_may_take_its_time(client: Client) -> None:
    with daskscope.connect(client) as s:
        go_on = threading.Event()
        heard: list[tuple[str, ...]] = []
        seen: list[tuple[str, ...]] = []

        def slow(change: Any) -> None:
            seen.append(change["new"].prefixes)
            assert go_on.wait(10)

        s.observe(slow, "focus")
        on_focus(s, lambda focus, _: heard.append(focus.prefixes))
        set_focus_soon(s, daskscope.Focus(prefixes=["a"]), by="page-1")
        eventually(lambda: seen == [("a",)])
        for prefix in "bc":
            set_focus_soon(s, daskscope.Focus(prefixes=[prefix]), by="page-1")
        assert heard == [("a",)], "other pages do not wait for it"
        assert requested_focus(s).prefixes == ("c",), "the page itself is not told to go back to a"
        go_on.set()
        eventually(lambda: seen[-1] == ("c",))
        assert len(seen) <= 3
        eventually(lambda: s._focus_thread is None)
        s.focus = daskscope.Focus(prefixes=["d"])
        assert requested_focus(s).prefixes == ("d",)


def test_no_focus_is_an_empty_focus(client: Client) -> None:
    with daskscope.connect(client) as s:
        s.focus = daskscope.Focus(prefixes=["a"])
        s.focus = None
        assert s.focus == daskscope.Focus()
