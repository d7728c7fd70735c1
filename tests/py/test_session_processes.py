"""Sessions in a process that forks, and in one that ends."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.all
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_leaves_the_parents_session_alone(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(
        textwrap.dedent(
            """
            import faulthandler, os, sys, threading, time, daskscope
            from daskscope.focus import set_focus_soon
            from distributed import Client

            def wait(condition):
                end = time.monotonic() + 20
                while not condition():
                    assert time.monotonic() < end
                    time.sleep(0.01)

            if __name__ == "__main__":
                client = Client(processes=False, n_workers=1, dashboard_address=":0")
                session = daskscope.connect(client)
                wait(lambda: session.state == "live")
                client.submit(int, 0).result()
                wait(lambda: session.counts.captured == 1)
                recording = session._recording
                locks = [
                    recording._lock, recording._writer, session._focus_lock,
                    session._request_lock, recording.log("errors")._lock,
                ]
                held, over = threading.Event(), threading.Event()

                def hold():  # as the background thread does while it appends
                    for lock in locks:
                        lock.acquire()
                    held.set()
                    over.wait()
                    for lock in reversed(locks):
                        lock.release()

                holder = threading.Thread(target=hold)
                holder.start()
                held.wait()
                child = os.fork()
                if child == 0:
                    faulthandler.dump_traceback_later(40, exit=True)
                    assert session.state == "stopped"
                    assert daskscope.sessions() == []
                    assert session.recording.counts.kept == 1
                    assert session.recording.tasks["key"].str.startswith("int").all()
                    assert session.recording.errors.empty
                    session.focus = {"prefixes": ["int"]}
                    set_focus_soon(session, daskscope.Focus(), "page")
                    wait(lambda: not session.focus)
                    session.close()
                    recording.close()
                    sys.stdout.flush()
                    os._exit(0)
                over.set()
                holder.join()
                assert os.waitpid(child, 0)[1] == 0
                client.submit(int, 1).result()
                wait(lambda: session.counts.captured == 2)
                assert session.state == "live"
                session.close()
                client.close()
                print("parent fine")
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "parent fine" in done.stdout, done.stderr


def test_in_a_forked_child_what_fails_keeps_nothing_else_from_being_left_to_the_parent() -> None:
    script = textwrap.dedent(
        """
        import os
        from daskscope import collect

        collect.after_fork(lambda: 1 / 0)
        collect.after_fork(lambda: print("heard", flush=True))
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "heard\n"
    assert "ZeroDivisionError" in done.stderr


def test_leaving_python_without_closing_anything_is_quick_and_quiet(tmp_path: Path) -> None:
    script = tmp_path / "leaves.py"
    script.write_text(
        textwrap.dedent(
            """
            import daskscope
            from distributed import Client

            if __name__ == "__main__":
                client = Client(processes=False, n_workers=1, dashboard_address=":0")
                session = daskscope.connect(client)
                client.submit(int, 1).result()
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""
