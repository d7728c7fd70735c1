"""How fast pages are told, and how much without an answer."""

from __future__ import annotations

import pytest
from recording_rows import START

from daskscope.schema import LIMITS


def test_no_page_gets_more_than_its_credits(scene):
    page = scene.page()
    page.acks = False
    scene.append(400_000)
    scene.run(10)
    sent = sum(t.nbytes for t in page.rows)
    assert 4_000_000 < sent <= LIMITS["window_bytes"] + 1_000_000
    page.acks = True
    scene.run(10)
    scene.assert_complete(page)


def test_a_stalled_page_does_not_starve_another_one(scene):
    stalled, other = scene.page("stalled"), scene.page("other")
    stalled.acks = False
    scene.append(400_000)
    scene.run(10)
    scene.assert_complete(other)


@pytest.mark.parametrize("pages", [1, 9, 16])
def test_the_window_is_shared_by_all_pages(scene, pages):
    every = [scene.page(f"page-{i}") for i in range(pages)]
    for page in every:
        page.acks = False
    for i in range(40):
        scene.append(10_000, start=START + 30 * i)
        scene.run(0.1)
    scene.run(4)
    in_flight = [page.in_flight_bytes for page in scene.hub._pages.values()]
    assert len(in_flight) == pages
    assert 0.4 * LIMITS["window_bytes"] < sum(in_flight) <= LIMITS["window_bytes"]
    assert max(in_flight) <= 2.5 * min(in_flight)
    every[0].acks = True
    scene.run(20)
    assert len(every[0].covered) == 400_000


def test_messages_per_second_are_bounded(scene):
    page = scene.page()
    for _ in range(1_000):
        scene.append(20)
        scene.run(0.002, step=0.002)
    assert len(page.messages) <= 2 * LIMITS["messages_per_s"] + 50
    scene.run(2)
    scene.assert_complete(page)


@pytest.mark.all
def test_bytes_per_second_are_bounded_over_all_pages(scene):
    every = [scene.page("page-1"), scene.page("page-2")]
    scene.append(125_000, rows_each=16)  # 2,000,000 rows
    scene.run(0.5)  # the coarse picture may overdraw what a second allows
    before = sum(page.received_bytes for page in every)
    scene.run(1)
    received = sum(page.received_bytes for page in every) - before
    assert 0.8 * LIMITS["bytes_per_s"] < received
    assert received <= 1.05 * LIMITS["bytes_per_s"] + LIMITS["batch_bytes"]
    scene.run(4)
    for page in every:
        scene.assert_complete(page)


def test_a_slow_page_costs_the_kernel_no_queue(scene):
    page = scene.page()
    page.acks = False
    for i in range(50):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.1)
    feed = scene.hub._pages["page-1"].watched["session-1"].feed
    assert len(feed._sent) < 100
    assert feed.in_flight_bytes <= LIMITS["window_bytes"] + 1_000_000
    assert len(feed._held) < 100


@pytest.mark.all
def test_a_busy_kernel_without_acks_goes_on_blindly_up_to_a_bound(scene):
    page = scene.page()
    page.acks = False
    scene.cell = 1
    for i in range(200):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.5)
    sent = sum(t.nbytes for t in page.rows)
    assert LIMITS["blind_bytes"] * 0.9 < sent <= LIMITS["blind_bytes"] + 1_000_000
    rate = sent / 100
    assert rate < LIMITS["blind_bytes_per_s"] * 1.2
    assert page.of("status")[-1]["counts"]["kept"] > 3_900_000 - 20_000 * 2
    scene.cell = 0
    page.acks = True
    scene.run(30)
    scene.assert_complete(page)


@pytest.mark.all
def test_what_is_sent_blindly_is_bounded_over_all_tabs(scene):
    pages = [scene.page(f"page-{i}") for i in range(4)]
    for page in pages:
        page.acks = False
    scene.cell = 1
    for i in range(100):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.5)
    sent = [sum(table.nbytes for table in page.rows) for page in pages]
    assert sum(sent) <= LIMITS["blind_bytes"] + 4_000_000
    assert sum(sent) / 50 < LIMITS["blind_bytes_per_s"] * 1.3
    assert min(sent) > LIMITS["blind_bytes"] / 4 * 0.8, "each has its part"


@pytest.mark.parametrize("cell", [2, None])
def test_a_page_that_cannot_be_heard_for_long_is_not_given_up(scene, cell):
    page = scene.page()
    scene.cell = 1 if cell else None
    scene.append(10)
    scene.run(1)
    scene.cell = cell
    page.acks = False
    for _ in range(10):
        scene.append(10)
        scene.run(60)
    assert page.of("status")[-1]["counts"]["kept"] == 110
    assert len(page.covered) == 110
    scene.cell = 0
    scene.run(30)
    assert "page-1" in scene.hub._pages
    scene.run(60)
    assert scene.hub._pages == {}
