"""The documentation names what exists."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import pytest
import yaml

import daskscope

if TYPE_CHECKING:
    from distributed import Client

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{target} does not exist"


def test_the_guide_uses_only_what_is_public() -> None:
    for page in [ROOT / "README.md", *ROOT.glob("docs/guide/*.md")]:
        text = page.read_text(encoding="utf-8")
        used = re.findall(r"(?:from|import) daskscope\.\w+|from daskscope import (\w+)", text)
        assert set(used) <= set(daskscope.__all__), page.name


def test_files_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:py_src|js_src|tests|ui-tests|docs|schema)/[\w./-]+)`", text)
    assert named
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


def test_the_guide_lists_every_setting_with_its_default() -> None:
    defaults = yaml.safe_load((ROOT / "py_src/daskscope/daskscope.yaml").read_text())
    guide = (ROOT / "docs/guide/settings.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(daskscope\.[\w.-]+)` \| `([^`]+)` \|", guide, re.MULTILINE))
    assert listed == dict(flat("daskscope", defaults["daskscope"]))


def described(page: str, heading: str) -> dict[str, set[str] | None]:
    """Return the names in the table below a heading, each with the names of its parts."""
    text = (ROOT / page).read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found: dict[str, set[str] | None] = {}
    for names, words in re.findall(r"^\| (`.+?`) \| (.+) \|$", section, re.MULTILINE):
        parts = re.search(r"`\{([\w, ]+)\}`", words)
        inside = set(parts[1].split(", ")) if parts else None
        found |= dict.fromkeys(re.findall(r"`(\w+)`", names), inside)
    return found


def test_the_format_describes_what_a_file_says_of_itself(client: Client, tmp_path: Path) -> None:
    settings = {"library.enabled": False, "report.price-per-thread-hour": 1.0}
    with dask.config.set({f"daskscope.{name}": value for name, value in settings.items()}):
        report = daskscope.performance_report(
            tmp_path / "run.html", redact=["code"], recording=True, client=client
        )
        with pytest.raises(ZeroDivisionError), report:
            client.submit(divmod, 1, 0, retries=0).result()
    with zipfile.ZipFile(tmp_path / "run.daskscope") as members:
        about = json.loads(members.read("about.json"))
    for heading, said in (
        ("What is known of the whole", about),
        ("The summary", about["summary"]),
    ):
        known = described("docs/recording-format.md", heading)
        assert known.keys() == said.keys()
        for name, parts in known.items():
            one = said[name][0] if said[name] and isinstance(said[name], list) else said[name]
            if parts is not None and one:
                assert one.keys() == parts, name


def flat(key: str, value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return [(key, value if isinstance(value, str) else json.dumps(value))]
    return [pair for name, inner in value.items() for pair in flat(f"{key}.{name}", inner)]
