"""What the hub has to say when something does not fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError
from daskscope.schema import PROTOCOL
from daskscope.version import installed_version
from daskscope.wire import outgoing

if TYPE_CHECKING:
    from daskscope.wire import Hello, Outgoing


KEPT_NO_LONGER: Final = "The kernel keeps this recording no longer; what the page has stays."
"""Of a stopped session that later ones have displaced: nothing is wrong."""


def unknown_session() -> DaskscopeError:
    """Return the error for a question about a session that is not known (any more)."""
    return DaskscopeError("unknown-session", KEPT_NO_LONGER, "Choose another session.")


def good_bye(page: str, session: str) -> Outgoing:
    """Return the last message of a session to a page."""
    return outgoing("bye", {"page": page, "session": session, "text": KEPT_NO_LONGER})


def unsendable(error: Exception) -> DaskscopeError:
    """Return the error for a part of a session that could not be made into a message."""
    return DaskscopeError(
        "not-sent",
        f"The kernel could not send a part of this session ({type(error).__name__}: "
        f"{str(error)[:200]}); it tries again every second.",
        "If something stays missing, look at the kernel's log and report it.",
    )


def mismatch(hello: Hello) -> dict[str, Any]:
    """Return the fields of the error for a page that speaks another protocol."""
    here = installed_version()
    if hello.protocol > PROTOCOL:
        place = "in the kernel's environment, then restart the kernel"
    else:
        place = "in the environment that runs JupyterLab, then reload this page"
    return {
        "page": hello.page,
        "session": None,
        "code": "version-mismatch",
        "text": f"The kernel has daskscope {here}, this page {hello.version}, "
        "and they speak different protocols.",
        "next": f"Run `pip install -U daskscope` {place}.",
        "protocol": PROTOCOL,
        "version": here,
    }
