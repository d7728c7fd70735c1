"""A hub, a session and pages for tests of the stream, on a clock that the test turns."""

from __future__ import annotations

from recording_rows import append, new_recording
from stream_pages import FakeLoop, PageStub, PlainSession

from daskscope.stream import Channel, Hub


class Scene:
    """A hub with one session, and as many pages as a test opens."""

    def __init__(self, **limits):
        self.loop = FakeLoop()
        self.cell = 0
        self.recorder_on = True
        self.hub = Hub(
            self.loop,
            cell=lambda: self.cell,
            recorder_on=lambda: self.recorder_on,
            clock=self.loop.clock,
        )
        self.recording = new_recording(**limits)
        self.session = PlainSession(self.recording)
        self.hub.set_sessions(lambda: [self.session])
        self.pages: list[PageStub] = []

    def page(self, page_id="page-1", *, watch=True, **options):
        page = PageStub(self.hub, None, page_id)
        page.channel = Channel(page.take)
        self.hub.open(page.channel)
        page.hello()
        if watch:
            page.watch(**options)
        self.pages.append(page)
        return page

    def append(self, tasks, **options):
        append(self.recording, tasks, **options)
        self.session.changed()

    def run(self, seconds, step=0.05):
        """Let time pass; pages confirm what they got every 50 ms, if they do."""
        for _ in range(max(1, round(seconds / step))):
            self.loop.run(step)
            for page in self.pages:
                page.ack()

    def assert_complete(self, page):
        low = self.recording.chunks()[0].first
        kept = range(low, self.recording.next_task)
        assert set(page.covered) >= set(kept)
        assert set(page.covered.values()) == {1}
        rows = sum(table.num_rows for table in page.rows)
        assert rows >= self.recording.counts.rows
