from __future__ import annotations

import zlib

import ipywidgets
import pytest
import traitlets
from clusters import eventually

import daskscope
from daskscope import kernel, session_list, widgets
from daskscope.errors import DaskscopeError
from daskscope.schema import PROTOCOL
from daskscope.widgets import TaskStream


@pytest.fixture(autouse=True)
def bundle(tmp_path, monkeypatch):
    """Stand in for the built browser part, which needs Node."""
    for name in ("build.txt", "loader.js", "widget.js"):
        (tmp_path / name).write_text(f"/* {name} */")
    monkeypatch.setattr(widgets, "STATIC", tmp_path)
    for cached in (widgets._built, widgets._code):
        cached.cache_clear()
    yield tmp_path
    for cached in (widgets._built, widgets._code):
        cached.cache_clear()


@pytest.fixture
def said(monkeypatch):
    """What widgets say to their pages."""
    heard = []
    monkeypatch.setattr(
        TaskStream, "send", lambda _, content, buffers=None: heard.append((content, buffers))
    )
    return heard


def hear(widget, kind, **fields):
    """Let a page speak to a widget, as ipywidgets does."""
    widget._handle_custom_msg({"type": kind, "page": "page-1", **fields}, [])


def test_it_shows_the_session_of_the_client(client, said):
    stream = TaskStream(client)
    shown = session_list.of_client(client.id)
    assert stream.session == shown.id
    hear(stream, "hello", protocol=PROTOCOL, version="0.1.0")
    hear(stream, "watch", session=stream.session, visible=True, tables=["tasks"], have=[])
    client.gather(client.map(lambda i: i + 1, range(200)))
    eventually(lambda: sum(m["rows"] for m, _ in said if m["type"] == "batch") >= 200)
    welcome = next(m for m, _ in said if m["type"] == "welcome")
    assert [entry["id"] for entry in welcome["sessions"]] == [s.id for s in session_list.sessions()]
    assert all(len(buffers) == 1 for m, buffers in said if m["type"] == "batch")
    stream.close()
    shown.close()


def test_a_panel_of_ones_own_says_which_it_is_and_the_base_is_none(client):
    class Chatter(daskscope.Panel):
        kind = "chatter"

    panel = Chatter(client)
    assert panel._kind == "chatter"
    panel.close()
    daskscope.connect(client).close()
    with pytest.raises(TypeError, match="base class"):
        daskscope.Panel(client)


def test_it_takes_a_session_too(client):
    shown = daskscope.connect(client)
    stream = TaskStream(shown)
    assert stream.session == shown.id
    stream.close()
    shown.close()


def test_without_a_client_it_waits_for_one(client, monkeypatch):
    monkeypatch.setattr(session_list, "connect", _no_client)
    stream = TaskStream()
    monkeypatch.undo()
    assert "no Dask client" in repr(stream)
    shown = daskscope.connect(client)
    eventually(lambda: stream.session == shown.id)
    assert "tasks>" in repr(stream)
    stream.close()
    shown.close()


def _no_client(client=None):
    raise DaskscopeError("no-client", "none", "")


def test_without_a_client_of_its_own_it_follows_to_the_next(cluster):
    from distributed import Client

    with Client(cluster) as first:
        stream = TaskStream()
        assert stream.session == session_list.of_client(first.id).id
    eventually(lambda: session_list.find(stream.session).closed)
    with Client(cluster) as second:
        shown = daskscope.connect(second)
        eventually(lambda: stream.session == shown.id)
        shown.close()
    stream.close()


def test_after_the_last_client_it_shows_what_is_left_of_it(cluster):
    from distributed import Client

    with Client(cluster) as client:
        shown = daskscope.connect(client)
    eventually(lambda: shown.closed)
    stream = TaskStream()
    assert stream.session == shown.id
    stream.close()


def test_a_panel_of_a_client_shows_the_recording_that_was_closed(client):
    with daskscope.connect(client) as shown:
        pass
    stream = TaskStream(client)
    assert stream.session == shown.id
    assert session_list.of_client(client.id) is shown, "nothing is recorded anew"
    stream.close()


@pytest.mark.parametrize("wrong", ["tcp://127.0.0.1:8786", 5, object()])
def test_a_wrong_client_is_refused_by_name(wrong):
    with pytest.raises(TypeError, match="client must be"):
        TaskStream(wrong)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"foo": 1}, "unexpected argument 'foo'$"),
        ({"layuot": {"height": "300px"}}, "unexpected argument 'layuot': did you mean 'layout'"),
        ({"Client": None}, "unexpected argument 'Client': did you mean 'client'"),
        (
            {"height": 300},
            r"unexpected argument 'height': it belongs in layout={\"height\": \"300px\"}",
        ),
        ({"_unsubscribe": None}, "unexpected argument '_unsubscribe'"),
    ],
)
def test_an_unknown_argument_is_refused_by_name(options, said):
    with pytest.raises(TypeError, match=said):
        TaskStream(**options)
    assert session_list.sessions() == []


def test_it_is_an_ordinary_widget(client):
    stream = TaskStream(client, layout=ipywidgets.Layout(height="300px"))
    seen = []
    stream.observe(lambda change: seen.append(change["new"]), "session")
    tab = ipywidgets.Tab([ipywidgets.HTML(), stream])
    box = ipywidgets.VBox([stream, tab])  # what pages make of it: ui-tests/widgets.spec.ts
    label = ipywidgets.Text()
    link = ipywidgets.jslink((stream, "session"), (label, "value"))  # refuses what is not synced
    both = traitlets.link((stream, "session"), (label, "value"))
    assert label.value == stream.session
    assert stream.layout.height == "300px"
    both.unlink()
    stream.session = "other"
    assert seen == ["other"]
    bundle = stream._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"].startswith("<daskscope.TaskStream")
    link.unlink()
    assert box.children[0] is tab.children[1] is stream
    ipywidgets.Widget.close_all()
    session_list.of_client(client.id).close()


@pytest.mark.parametrize(
    "name", ["TaskStream", "Summary", "Memory", "FineMetrics", "Spans", "Events", "Logs", "System"]
)
def test_every_panel_is_one_class_that_names_its_kind(name):
    panel = getattr(daskscope, name)
    assert issubclass(panel, daskscope.Panel)
    assert f"daskscope.{name}()" in panel.__doc__
    shown = panel()
    assert shown.get_state()["_kind"] == panel.kind
    assert repr(shown).startswith(f"<daskscope.{name}")
    with pytest.raises(TypeError, match=f"^{name}"):
        panel(nothing=1)
    shown.close()


def test_a_missing_bundle_says_how_to_build_it(bundle, client):
    (bundle / "loader.js").unlink()
    with pytest.raises(DaskscopeError, match="make build"):
        TaskStream(client)
    session_list.of_client(client.id).close()


def test_its_state_has_the_loader_alone_and_a_page_gets_the_code_on_request(client, said):
    stream = TaskStream(client)
    assert stream.get_state()["_esm"] == "/* loader.js */"
    assert "_css" not in stream.get_state()
    stream._handle_custom_msg({"type": "code"}, [])
    eventually(lambda: said)
    message, (packed,) = said[0]
    assert message["type"] == "code"
    assert zlib.decompress(packed) == b"/* widget.js */"
    stream.close()
    session_list.of_client(client.id).close()


def test_closing_lets_go_of_everything(client):
    stream = TaskStream(client)
    shown = session_list.of_client(client.id)
    hub = kernel.the_hub()
    assert hub._channels
    stream.close()
    eventually(lambda: not hub._channels)
    stream.close()
    assert hub._loop is None
    shown.close()


def test_nonsense_from_a_page_does_not_raise(client, said):
    stream = TaskStream(client)
    for content in ({}, {"type": 5}, "text", None, [1]):
        stream._handle_custom_msg(content, [])
    eventually(lambda: [m for m, _ in said if m["type"] == "error"])
    stream.close()
    session_list.of_client(client.id).close()


def test_focus_is_linked_between_page_and_session(client, said):
    stream = TaskStream(client)
    shown = session_list.of_client(client.id)
    hear(stream, "hello", protocol=PROTOCOL, version="0.1.0")
    hear(stream, "watch", session=shown.id, visible=True, tables=["tasks"], have=[])
    seen = []
    shown.observe(lambda change: seen.append(change["new"]), "focus")
    focus = {"time": None, "prefixes": ["inc"], "workers": [], "spans": [], "cells": []}
    hear(stream, "focus", session=shown.id, focus=focus)
    eventually(lambda: seen)
    assert shown.focus.prefixes == ("inc",)
    shown.focus = daskscope.Focus(prefixes=["sum"])
    told = eventually(
        lambda: [m for m, _ in said if m["type"] == "focus" and m["focus"]["prefixes"] == ["sum"]]
    )
    assert told[-1]["by"] == "python"
    stream.close()
    shown.close()


def test_its_help_has_an_example_and_the_layout_of_the_example_works(client):
    stream = TaskStream(client, layout={"height": "300px"})
    assert stream.layout.height == "300px"
    assert 'TaskStream(client, layout={"height": "300px"})' in TaskStream.__doc__
    assert "TaskStream()" in TaskStream.__init__.__doc__
    stream.close()
    session_list.of_client(client.id).close()
