"""Accounts: they are a matter of hubs, which keep reports for a team."""

from __future__ import annotations

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.urls import without_secrets


def no_hub(account: str, option: str = "account=") -> DaskscopeError:
    """Return what to tell who names an account; `option` is how that was done."""
    without = f"Leave {option} out: then your own library is used."
    hub = config.hub_url()
    if hub is not None:
        return DaskscopeError(
            "no-hub",
            f"The hub at {without_secrets(hub)} is configured, but this version of daskscope does "
            f"not speak to hubs yet, so there is no account {account!r}.",
            without,
        )
    return DaskscopeError(
        "no-hub",
        f"No hub is configured, and only a hub has accounts such as {account!r}. This version of "
        "daskscope does not speak to hubs yet.",
        f"{without} With a later version, name your hub by "
        "dask.config.set({'daskscope.hub.url': 'https://…'}) or in your Dask configuration.",
    )
