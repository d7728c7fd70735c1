"""What a user gave to a block, checked before anything runs: silently it would be nothing."""

from __future__ import annotations

import numpy as np


def checked_text(value: object, argument: str) -> str:
    """Return text, or say which argument is none.

    >>> checked_text("Squares", "title")
    'Squares'
    """
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be text, got {type(value).__name__}")
    return value


def checked_flag(value: object, argument: str) -> bool:
    """Return whether it is true, or say which argument cannot be.

    >>> checked_flag(np.True_, "private")
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{argument} must be True or False, got {type(value).__name__}")
    return bool(value)
