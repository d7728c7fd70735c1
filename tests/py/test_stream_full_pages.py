"""Pages that hold as many rows as they may."""

from __future__ import annotations

from recording_rows import START, append

from daskscope.schema import LIMITS
from daskscope.stream import feed


def test_a_full_page_gets_no_more_history_but_what_happens_now(scene, monkeypatch):
    monkeypatch.setattr(feed, "PAGE_ROWS", 60_000)
    for i in range(10):
        scene.append(20_000, start=START + 50 * i)
    page = scene.page()
    scene.run(5)
    held = len(page.covered)
    assert 60_000 <= held <= 60_000 + LIMITS["batch_rows"]
    assert min(page.covered) == 200_000 - held
    scene.append(100)
    scene.run(1)
    assert len(page.covered) == held + 100
    (notice,) = page.of("status")[-1]["notices"]
    assert notice["code"] == "page-full"
    assert f"{200_000 - held:,} " in notice["text"]
    page.watch(have=[(200_000 - held, 200_100)])
    scene.run(2)
    assert len(page.covered) == held + 100
    page.watch(have=[])  # reloaded
    scene.run(5)
    assert page.covered[200_099] == 2


def test_what_a_full_page_skips_is_in_its_coarse_picture(scene, monkeypatch):
    monkeypatch.setattr(feed, "PAGE_ROWS", 10_000)
    page = scene.page()
    for _ in range(5):
        scene.append(10_000)
        scene.run(0.5)
    scene.hub._pages["page-1"].watched["session-1"].feed._live = 0
    append(scene.recording, 70_000)
    scene.run(15)
    coarse = [m for m in page.of("batch") if m["kind"] == "coarse"]
    assert len(coarse) == 1
    assert (coarse[0]["first"], coarse[0]["tasks"]) == (0, 120_000)
