"""The focus of a session: one selection for Python and for every panel, set by any of them."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

import traitlets

from daskscope.focus import Focus
from daskscope.forks import renew_in_children
from daskscope.listeners import Listeners

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class _FocusTrait(traitlets.Any):
    """A focus that is set, and told to its observers, by one thread at a time."""

    def set(self, obj: Any, value: Any) -> None:
        with obj._focus_lock:
            # traitlets checks no None: here it means that nothing is selected.
            super().set(obj, Focus() if value is None else value)


class SharedFocus(traitlets.HasTraits):
    """What is selected, and who selected it.

    Observers of the trait run in the thread that sets it. When that is a panel, it is one
    of our own (`daskscope-focus`), in which an observer may take its time.
    """

    focus = _FocusTrait(Focus(), help="what is selected, in every panel of this session")

    def __init__(self) -> None:
        super().__init__()
        self._focus_by = "python"  # or the id of the page that sets it just now
        self._renew_locks()
        self._focus_listeners = Listeners[[Focus, str]]("the focus of a daskscope session")
        renew_in_children(self)

    def _renew_locks(self) -> None:
        """Take locks that nobody holds: at first, and in a forked child."""
        self._focus_lock = threading.RLock()
        self._wanted_lock = threading.Lock()  # of the next two
        self._focus_wanted: tuple[Focus, str] | None = None
        self._focus_thread: threading.Thread | None = None

    @traitlets.validate("focus")
    def _checked_focus(self, proposal: Any) -> Focus:
        try:
            return Focus.from_json(proposal["value"])
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(f"focus: {error}") from None

    @traitlets.observe("focus")
    def _tell_focus(self, _: Any) -> None:
        """Hear, as the first observer, of each change, whatever a later one does."""
        self._focus_listeners.tell(self.focus, self._focus_by)

    @property
    def _focus_to_come(self) -> Focus:
        """The focus, or what a page wants it to be: so it is told of no earlier one."""
        wanted = self._focus_wanted
        return self.focus if wanted is None else wanted[0]

    def _set_focus(self, focus: Focus, by: str) -> None:
        """Set the focus in the name of a page, which is not to blame for failing observers."""
        with self._focus_lock:
            self._focus_by = by
            try:
                self.focus = focus
            except Exception:
                logger.exception("an observer of the focus of a daskscope session failed")
            finally:
                self._focus_by = "python"

    def _set_focus_soon(self, focus: Focus, by: str) -> None:
        """Set it without waiting for observers; of many settings the last one counts."""
        with self._wanted_lock:
            self._focus_wanted = (focus, by)
            if self._focus_thread is None:
                self._focus_thread = threading.Thread(
                    target=self._set_wanted_focus, name="daskscope-focus", daemon=True
                )
                self._focus_thread.start()

    def _set_wanted_focus(self) -> None:
        done = None
        while True:
            with self._wanted_lock:
                wanted = self._focus_wanted
                if wanted is None or wanted is done:
                    self._focus_wanted = self._focus_thread = None
                    return
            self._set_focus(*wanted)
            done = wanted

    def _on_focus(self, callback: Callable[[Focus, str], None]) -> Callable[[], None]:
        """Call `callback(focus, by)` after each change; return how to stop.

        Unlike observers of the trait it is called whether or not others fail.
        """
        return self._focus_listeners.add(callback)
