"""Questions of a page that concern no session: answered beside the loop, which never waits.

Who answers is told by the kernel's shell: reading a library may take as long as a slow disk.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from daskscope.errors import DaskscopeError
from daskscope.wire import BadMessageError

logger = logging.getLogger(__name__)

Answerer = Callable[[str, Mapping[str, Any]], dict[str, Any]]

MAX_AT_ONCE: Final = 8


def nothing_known(what: str, args: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Answer nothing: a hub without a kernel around it."""
    raise BadMessageError("it asks for something unknown")


def error_fields(error: DaskscopeError) -> dict[str, str]:
    """Return an error as it is told."""
    return {"code": error.code, "text": error.text, "next": error.next}


class KernelQuestions:
    """Answers questions in short-lived threads, a few at a time."""

    def __init__(self, answer: Answerer) -> None:
        self._answer = answer
        self._free = threading.Semaphore(MAX_AT_ONCE)

    def put(
        self, what: str, args: Mapping[str, Any], reply: Callable[[dict[str, Any]], None]
    ) -> None:
        """Have a question answered; `reply` is called in another thread."""
        if not self._free.acquire(blocking=False):
            raise DaskscopeError(
                "busy-library",
                "The kernel is still answering earlier questions.",
                "Try again in a moment.",
            )
        threading.Thread(
            target=self._work, args=(what, args, reply), name="daskscope-question", daemon=True
        ).start()

    def _work(
        self, what: str, args: Mapping[str, Any], reply: Callable[[dict[str, Any]], None]
    ) -> None:
        try:
            fields: dict[str, Any] = {"result": self._answer(what, args)}
        except DaskscopeError as error:
            fields = {"error": error_fields(error)}
        except Exception as error:
            logger.exception("daskscope could not answer a question of a page")
            fields = {
                "error": {
                    "code": "no-answer",
                    "text": f"The kernel could not answer: {type(error).__name__}: {error}.",
                    "next": "The kernel's log has the traceback.",
                }
            }
        finally:
            self._free.release()
        reply(fields)
