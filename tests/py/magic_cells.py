"""Cells in a real kernel, and what came of each of them, for the tests of the magics."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernels import Kernel
from report_blocks import extract

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER = """
import dask
dask.config.set({"distributed.scheduler.worker-saturation": "inf"})
from distributed import Client, LocalCluster
client = Client(LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                             dashboard_address=None))
def tasks(n):
    import uuid
    return client.gather(client.map(lambda i: i, range(n), key="of-test-" + uuid.uuid4().hex))
"""
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Ran:
    """What came of one cell: the reply, and its messages in order."""

    reply: dict[str, Any]
    messages: list[dict[str, Any]]

    def _contents(self, kind: str) -> list[dict[str, Any]]:
        return [m["content"] for m in self.messages if m["msg_type"] == kind]

    def printed(self, stream: str = "stdout") -> str:
        return "".join(c["text"] for c in self._contents("stream") if c["name"] == stream)

    @property
    def results(self) -> list[str]:
        """What was shown as Out[…]."""
        return [c["data"]["text/plain"] for c in self._contents("execute_result")]

    @property
    def cards(self) -> list[dict[str, str]]:
        return [c["data"] for c in self._contents("display_data")]

    @property
    def errors(self) -> list[str]:
        """Tracebacks as they are shown, without colours."""
        return [ANSI.sub("", "\n".join(c["traceback"])) for c in self._contents("error")]

    @property
    def urls(self) -> list[str]:
        return re.findall(r"^Performance Report Available at: (.+)$", self.printed(), re.MULTILINE)


class Cells:
    """A kernel in a folder of its own, where cells are run."""

    def __init__(self, folder: Path, *first: str) -> None:
        self.folder = folder
        self.kernel = Kernel()
        self.ok(f"import os; os.chdir({str(folder)!r})")
        for code in first:
            self.ok(code)

    def start(self, code: str, **options: Any) -> str:
        return self.kernel.start(code, **options)

    def of(self, request: str) -> Ran:
        """Wait for the end of a cell."""
        reply = self.kernel.reply(request)
        self.kernel.wait(lambda: self.kernel.finished(request))
        messages = [m for m in self.kernel.messages if m["parent_header"].get("msg_id") == request]
        return Ran(reply, messages)

    def run(self, code: str, **options: Any) -> Ran:
        return self.of(self.start(code, **options))

    def ok(self, code: str) -> Ran:
        ran = self.run(code)
        assert ran.reply["status"] == "ok", ran.errors or ran.reply
        return ran

    def value(self, expression: str) -> Any:
        """Return what an expression is there, by its repr."""
        return ast.literal_eval(self.kernel.evaluate(expression)["data"]["text/plain"])

    def error_code(self) -> Any:
        """Return the code of the error that was shown last."""
        return self.value("__import__('sys').last_value.code")

    def has(self, filename: str = "dask-report.html") -> bool:
        return (self.folder / filename).exists()

    def summary(self, filename: str = "dask-report.html") -> dict[str, Any]:
        """Take the report of a cell out of the folder; return its figures."""
        figures, _ = extract(self.folder / filename)
        (self.folder / filename).unlink()
        return figures

    def stop(self) -> None:
        self.kernel.stop()
