"""Errors for users, by their code: sentences may change."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def refused(code: str, *named: object) -> Iterator[pytest.ExceptionInfo[DaskscopeError]]:
    """Expect an error with a code, whose words name things of the user."""
    with pytest.raises(DaskscopeError) as caught:
        yield caught
    assert caught.value.code == code
    for one in named:
        assert str(one) in str(caught.value)
