"""The documentation names what exists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{target} does not exist"


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


def flat(key: str, value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return [(key, value if isinstance(value, str) else json.dumps(value))]
    return [pair for name, inner in value.items() for pair in flat(f"{key}.{name}", inner)]
