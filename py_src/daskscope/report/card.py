"""The small card below a cell that has its report: what it says, and where to open it.

What is from users (titles, exceptions, names of files) is text here and never markup.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from daskscope.format import count_text, cut, one_line, raised_text, seconds_text, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daskscope.report.address import Served

IN_LAB: Final = "Open in a JupyterLab tab"
IN_BROWSER: Final = "Open in the browser"

LONGEST_TEXT: Final = 200
"""Characters of a title or an exception; the report has the whole text."""

_TEXT: Final = "var(--jp-ui-font-color1, inherit)"
_RULE: Final = "var(--jp-border-color2, rgba(128, 128, 128, 0.4))"
_LINK: Final = "var(--jp-content-link-color, #1976d2)"
_ERROR: Final = "var(--jp-error-color1, #d32f2f)"
_BOX: Final = (
    f"box-sizing: border-box; max-width: 560px; margin: 4px 0; padding: 8px 12px; color: {_TEXT}; "
    f"border: 1px solid {_RULE}; border-radius: 4px; font-family: var(--jp-ui-font-family, "
    "system-ui, sans-serif); font-size: 13px; line-height: 20px; overflow-wrap: anywhere"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a report is."""

    url: str
    filename: str
    served: Served | None = None
    """How a Jupyter server shows it, if it is below its root."""

    @property
    def in_lab(self) -> str | None:
        """The path by which the labextension opens it, if it can."""
        served = self.served
        return None if served is None or served.lab_url is None else visible(served.path)


def card(summary: Mapping[str, Any], place: Place) -> dict[str, str]:
    """Return the card as HTML, and as plain text for terminals."""
    title = cut(one_line(summary["title"] or place.filename), LONGEST_TEXT)
    figures = _figures(summary)
    exception = summary.get("exception")
    raised = cut(one_line(raised_text(exception)), LONGEST_TEXT) if exception else ""
    plain = [title, figures, *([raised] if raised else []), visible(place.filename)]
    return {
        "text/html": _html(title, figures, raised, place),
        "text/plain": "\n".join(plain),
    }


def _figures(summary: Mapping[str, Any]) -> str:
    tasks, errors = summary["tasks"], summary["errors"]["count"]
    kept, captured = tasks["kept"], tasks["captured"]
    counted = count_text(captured, "task")
    return " · ".join(
        [
            seconds_text(summary["duration"]),
            counted if kept == captured else f"{kept:,} of {counted}",
            *([count_text(errors, "error")] if errors else []),
        ]
    )


def _html(title: str, figures: str, raised: str, place: Place) -> str:
    lines = [
        f'<div style="font-weight: 600"><bdi>{escape(title)}</bdi></div>',
        f'<div style="font-variant-numeric: tabular-nums">{escape(figures)}</div>',
    ]
    if raised:
        lines.append(f'<div style="color: {_ERROR}"><bdi>{escape(raised)}</bdi></div>')
    lines.append(f"<div>{_links(place)}</div>")
    return f'<div class="daskscope-report-card" style="{_BOX}">{"".join(lines)}</div>'


def _links(place: Place) -> str:
    served = place.served
    if served is not None and served.lab_url is not None:
        path = visible(served.path)
        # JupyterLab runs the command; elsewhere the link leads to it.
        command = {
            "data-daskscope-open": path,
            "data-commandlinker-command": "docmanager:open",
            "data-commandlinker-args": json.dumps({"path": path}),
        }
        return _link(served.lab_url, IN_LAB, command) + _link(served.files_url, IN_BROWSER)
    # Browsers open no `file:` link of a page: the path is there to be copied.
    where = (
        f'<bdi style="font-size: 12px; user-select: all">{escape(visible(place.filename))}</bdi>'
    )
    if place.url.startswith(("http:", "https:")):
        return _link(place.url, IN_BROWSER) + where
    return where


def _link(url: str, text: str, data: Mapping[str, str] | None = None) -> str:
    more = "".join(f' {name}="{escape(value)}"' for name, value in (data or {}).items())
    return (
        f'<a href="{escape(visible(url))}" target="_blank" rel="noopener noreferrer" '
        f'style="color: {_LINK}; margin-right: 16px"{more}>{text}</a>'
    )
