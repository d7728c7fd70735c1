"""What the hub has to say when something does not fit together, or does not work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from packaging.version import InvalidVersion, Version

from daskscope.errors import DaskscopeError, Notice
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


def unsendable(error: Exception) -> Notice:
    """Return the notice of a part of a session that could not be made into a message."""
    return Notice(
        "not-sent",
        "error",
        f"The kernel could not send a part of this session ({type(error).__name__}: "
        f"{str(error)[:200]}); it tries again every second.",
        "If this stays, look at the kernel's log and report it.",
    )


IN_KERNEL: Final = "in the kernel's environment, then restart the kernel"
IN_JUPYTERLAB: Final = "in the environment that runs JupyterLab, then reload this page"


def _both(page_version: str) -> str:
    return f"The kernel has daskscope {installed_version()}, this page {page_version}"


def _upgrade(place: str) -> str:
    return f"Run `pip install -U daskscope` {place}."


def version_differs(page_version: str) -> Notice | None:
    """Return the notice for a page of another version that speaks the same protocol."""
    here = installed_version()
    if page_version in ("", here):  # a page need not say it
        return None
    try:
        kernel, page = Version(here), Version(page_version)
    except InvalidVersion:
        text = f"{_both(page_version)}: not the same, but they work together."
        return Notice("version-differs", "info", text, _upgrade(f"{IN_KERNEL}; {IN_JUPYTERLAB}"))
    if kernel == page:  # written in another way
        return None
    if kernel < page:  # which one is older comes first: a status line is short
        text = f"The kernel's daskscope {here} is older than this page's {page_version}"
    else:
        text = f"This page's daskscope {page_version} is older than the kernel's {here}"
    place = IN_KERNEL if kernel < page else IN_JUPYTERLAB
    return Notice("version-differs", "info", f"{text}; they work together.", _upgrade(place))


def mismatch(hello: Hello) -> dict[str, Any]:
    """Return the fields of the error for a page that speaks another protocol."""
    here = installed_version()
    place = IN_KERNEL if hello.protocol > PROTOCOL else IN_JUPYTERLAB
    return {
        "page": hello.page,
        "session": None,
        "code": "version-mismatch",
        "text": f"{_both(hello.version)}, and they speak different protocols.",
        "next": _upgrade(place),
        "protocol": PROTOCOL,
        "version": here,
    }
