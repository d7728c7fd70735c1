"""The focus of a session: one selection for Python and for every panel, set by any of them."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

import traitlets

from daskscope.focus import Focus
from daskscope.listeners import Listeners

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class _FocusTrait(traitlets.Any):
    """A focus that is set, and told to its observers, by one thread at a time."""

    def set(self, obj: Any, value: Any) -> None:
        with obj._focus_lock:
            before = obj.focus
            try:
                super().set(obj, value)
            finally:
                if obj.focus != before:  # also where an observer of the user's failed
                    obj._tell_focus()


class SharedFocus(traitlets.HasTraits):
    """What is selected, and who selected it."""

    focus = _FocusTrait(Focus(), help="what is selected, in every panel of this session")

    def __init__(self) -> None:
        super().__init__()
        self._focus_by = "python"
        self._focus_lock = threading.RLock()
        self._focus_listeners = Listeners[[Focus, str]]("the focus of a daskscope session")

    @traitlets.validate("focus")
    def _checked_focus(self, proposal: Any) -> Focus:
        try:
            return Focus.from_json(proposal["value"])
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(f"focus: {error}") from error

    @property
    def focus_by(self) -> str:
        """Who sets the focus just now: a page's id, or "python". For observers."""
        return self._focus_by

    def set_focus(self, focus: Focus, by: str) -> None:
        """Set the focus in the name of a page, which is not to blame for failing observers."""
        with self._focus_lock:
            self._focus_by = by
            try:
                self.focus = focus
            except Exception:
                logger.exception("an observer of the focus of a daskscope session failed")
            finally:
                self._focus_by = "python"

    def on_focus(self, callback: Callable[[Focus, str], None]) -> Callable[[], None]:
        """Call `callback(focus, by)` after each change; return how to stop.

        Unlike observers of the trait it is called whether or not others fail.
        """
        return self._focus_listeners.add(callback)

    def _tell_focus(self) -> None:
        self._focus_listeners.tell(self.focus, self._focus_by)
