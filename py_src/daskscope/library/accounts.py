"""Accounts: they are a matter of hubs, which keep reports for a team."""

from __future__ import annotations

import dask.config

from daskscope.errors import DaskscopeError


def no_hub(account: str) -> DaskscopeError:
    """Return what to tell who names an account."""
    hub = dask.config.get("daskscope.hub.url", None)
    if hub is None:
        return DaskscopeError(
            "no-hub",
            f"No hub is configured, and only a hub has accounts such as {account!r}.",
            "Name your hub by dask.config.set({'daskscope.hub.url': 'https://…'}) or in your Dask "
            "configuration; without account= your own library is used.",
        )
    return DaskscopeError(
        "no-hub",
        f"The hub {hub!r} is configured, but this version of daskscope does not speak to hubs.",
        "Upgrade daskscope, or leave account= out: then your own library is used.",
    )
