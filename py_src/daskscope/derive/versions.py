"""Versions of packages at client, scheduler and workers, and which of them differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MISSING: Final = "missing"
FIRST: Final = ("python", "dask", "distributed")


@dataclass(frozen=True, slots=True)
class PackageVersions:
    """One package; texts are empty where nobody answered."""

    package: str
    client: str
    scheduler: str
    by_worker: Mapping[str, str]
    differs: bool

    @property
    def workers(self) -> list[str]:
        """The different versions that workers have."""
        return sorted(set(self.by_worker.values()))

    def to_json(self) -> dict[str, Any]:
        """Return the form in a summary."""
        figures = asdict(self) | {"workers": self.workers}
        del figures["by_worker"]
        return figures


def package_versions(facts: Any) -> list[PackageVersions]:
    """Return packages of a recording's ``about["versions"]``, in the order people look for.

    They differ as Dask sees it: of the scheduler only those count that it uses itself.

    >>> found = package_versions({
    ...     "client": {"packages": {"python": "3.13.7.final.0", "pandas": "2.3.3"}},
    ...     "scheduler": {"packages": {"python": "3.13.7.final.0", "pandas": None}},
    ...     "workers": {"tcp://w:1": {"packages": {"python": "3.13.7.final.0", "pandas": "2.3.1"}}},
    ... })
    >>> [(one.package, one.client, one.scheduler, one.workers, one.differs) for one in found]
    [('python', '3.13.7', '3.13.7', ['3.13.7'], False), \
('pandas', '2.3.3', 'missing', ['2.3.1'], True)]
    """
    facts = facts if isinstance(facts, dict) else {}
    client, scheduler = _packages(facts.get("client")), _packages(facts.get("scheduler"))
    answers = facts.get("workers")
    workers = {
        str(address): packages
        for address, answer in (answers if isinstance(answers, dict) else {}).items()
        if (packages := _packages(answer))
    }
    every = [client, scheduler, *workers.values()]
    names = {name for packages in every for name, text in packages.items() if text is not None}
    return [
        _package(name, client, scheduler, workers)
        for name in sorted(names, key=lambda name: (_place(name), name))
    ]


def _package(
    name: str,
    client: Mapping[str, str | None],
    scheduler: Mapping[str, str | None],
    workers: Mapping[str, Mapping[str, str | None]],
) -> PackageVersions:
    from distributed.versions import scheduler_relevant_packages

    at_client, at_scheduler = _text(client, name), _text(scheduler, name)
    by_worker = {address: _text(packages, name) for address, packages in workers.items()}
    compared = {at_client, *by_worker.values()}
    if name in scheduler_relevant_packages:
        compared.add(at_scheduler)
    differs = len(compared - {""}) > 1
    return PackageVersions(name, at_client, at_scheduler, by_worker, differs)


def _packages(answer: Any) -> dict[str, str | None]:
    packages = answer.get("packages") if isinstance(answer, dict) else None
    if not isinstance(packages, dict):
        return {}
    return {str(name): None if text is None else str(text) for name, text in packages.items()}


def _text(packages: Mapping[str, str | None], name: str) -> str:
    if not packages:
        return ""
    return (packages.get(name) or MISSING).removesuffix(".final.0")


def _place(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)
