"""A real kernel process and what a front end does with it."""

from __future__ import annotations

import os
import queue
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusters import free_port
from jupyter_client import KernelManager

from daskscope.schema import COMM_TARGET, PROTOCOL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SOURCES = Path(__file__).parents[2] / "py_src"
ENSURE = '__import__("daskscope.kernel", fromlist=["ensure"]).ensure() and None'


def own_ports() -> dict[str, Any]:
    """Return options of a kernel for ports that no other process gets until the kernel listens."""
    names = ("shell", "iopub", "stdin", "hb", "control")
    return {"cache_ports": False} | {f"{name}_port": free_port() for name in names}


class Kernel:
    """A kernel with one client connected. `messages` is everything from iopub, in order."""

    def __init__(self) -> None:
        paths = [str(SOURCES), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        self.manager = KernelManager(kernel_name="python3", **own_ports())
        self.manager.start_kernel(env=env)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.messages: list[dict[str, Any]] = []
        reply = self.request("kernel_info_request", {})
        self.features = reply.get("supported_features", [])

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    @property
    def subshells(self) -> bool:
        return "kernel subshells" in self.features

    def pump(self) -> None:
        """Take what has come from iopub."""
        while True:
            try:
                self.messages.append(self.client.get_iopub_msg(timeout=0.02))
            except queue.Empty:
                return

    def wait(self, condition: Callable[[], Any], timeout_s: float = 30.0) -> Any:
        """Wait until the condition is true; the value it then has."""
        end = time.monotonic() + timeout_s
        while True:
            self.pump()
            value = condition()
            if value:
                return value
            assert time.monotonic() < end, f"not within {timeout_s} s"

    def send(self, kind: str, content: Any, channel: str = "shell", subshell: str | None = None):
        message = self.client.session.msg(kind, content)
        if subshell:
            message["header"]["subshell_id"] = subshell
        getattr(self.client, f"{channel}_channel").send(message)
        return message["header"]["msg_id"]

    def reply(self, message_id: str, channel: str = "shell", timeout_s: float = 60.0) -> Any:
        """Return the content of the answer; others are thrown away."""
        end = time.monotonic() + timeout_s
        get = getattr(self.client, f"get_{channel}_msg")
        while True:
            message = get(timeout=max(0.1, end - time.monotonic()))
            if message["parent_header"].get("msg_id") == message_id:
                return message["content"]

    def request(self, kind: str, content: Any, channel: str = "shell") -> Any:
        return self.reply(self.send(kind, content, channel), channel)

    def start(self, code: str, **options: Any) -> str:
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        return self.send("execute_request", content | options)

    def run(self, code: str) -> Any:
        reply = self.reply(self.start(code))
        assert reply["status"] == "ok", "\n".join(reply.get("traceback", []))
        return reply

    def evaluate(self, expression: str) -> Any:
        """Evaluate as JupyterLab's panels do: silently, as a user expression."""
        options = {"silent": True, "store_history": False, "user_expressions": {"x": expression}}
        return self.reply(self.start("", **options))["user_expressions"]["x"]

    def subshell(self) -> str:
        return self.request("create_subshell_request", {}, "control")["subshell_id"]

    def finished(self, message_id: str) -> bool:
        """Return whether iopub said that this request is done."""
        return any(
            m["msg_type"] == "status"
            and m["content"]["execution_state"] == "idle"
            and m["parent_header"].get("msg_id") == message_id
            for m in self.messages
        )


class CommPage:
    """A page that talks to a kernel over a comm: its own, or a widget's."""

    def __init__(self, kernel: Kernel, comm: str | None = None, subshell: str | None = None):
        self.kernel, self.subshell = kernel, subshell
        self.id = uuid.uuid4().hex
        self.is_widget = comm is not None
        self.comm = comm or uuid.uuid4().hex
        if comm is None:
            content = {"comm_id": self.comm, "target_name": COMM_TARGET, "data": {}}
            kernel.send("comm_open", content, subshell=subshell)

    def say(self, kind: str, **fields: Any) -> None:
        data: dict[str, Any] = {"type": kind, "page": self.id, **fields}
        if self.is_widget:
            data = {"method": "custom", "content": data}
        content = {"comm_id": self.comm, "data": data}
        self.kernel.send("comm_msg", content, subshell=self.subshell)

    def hello(self) -> None:
        self.say("hello", protocol=PROTOCOL, version="0.1.0")

    def watch(self, session: str) -> None:
        self.say("watch", session=session, visible=True, tables=["tasks"], have=[])

    def ack(self, session: str, missing: Sequence[int] = ()) -> None:
        numbers = [m["seq"] for m in self.got() if "seq" in m]
        if numbers:
            self.say("ack", session=session, seq=max(numbers), missing=list(missing))

    def close(self) -> None:
        self.kernel.send("comm_close", {"comm_id": self.comm, "data": {}}, subshell=self.subshell)

    def got(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Return the messages so far, each with its buffers."""
        found = []
        for message in self.kernel.messages:
            content = message["content"]
            if message["msg_type"] != "comm_msg" or content["comm_id"] != self.comm:
                continue
            data = content["data"]
            if self.is_widget:
                data = data.get("content", {})
            if kind in (None, data.get("type")):
                found.append(data | {"buffers": message["buffers"]})
        return found

    def wait(self, kind: str, count: int = 1, timeout_s: float = 30.0) -> dict[str, Any]:
        """Return the last of at least `count` messages of a type."""

        def arrived() -> list[dict[str, Any]]:
            found = self.got(kind)
            return found if len(found) >= count else []

        return self.kernel.wait(arrived, timeout_s)[-1]
