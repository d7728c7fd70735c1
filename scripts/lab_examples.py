"""Copies the examples to where `make lab` opens them: one that runs is saved with its outputs.

A copy that somebody has changed is never replaced.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
EXAMPLES: Final = ROOT / "examples"
PLACE: Final = ROOT / ".lab"
STAMP: Final = ".daskscope-copied"
"""Of which contents an example was, and its copy, when it was copied last."""


def copy_examples(examples: Path, place: Path) -> list[str]:
    """Copy what is new; return which copies stay as somebody changed them."""
    place.mkdir(exist_ok=True)
    stamp = place / STAMP
    known: dict[str, list[str]] = json.loads(stamp.read_text()) if stamp.exists() else {}
    stay = []
    for example in sorted(examples.glob("*.ipynb")):
        copy, content = place / example.name, example.read_bytes()
        of_example, of_copy = known.get(example.name, ("", ""))
        if copy.exists():
            if of_example == _hash(content):
                continue
            if of_copy != _hash(copy.read_bytes()):
                stay.append(example.name)
                continue
        written = _of_this_python(content)
        copy.write_bytes(written)
        known[example.name] = [_hash(content), _hash(written)]
    stamp.write_text(json.dumps(known))
    return stay


def _of_this_python(content: bytes) -> bytes:
    """Return a notebook as its kernel would have it; else it were unsaved when it is opened."""
    notebook = json.loads(content)
    notebook["metadata"]["language_info"]["version"] = platform.python_version()
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    for name in copy_examples(EXAMPLES, PLACE):
        print(
            f"\ndaskscope: examples/{name} has changed since it was copied to .lab/{name}, "
            "which you changed, too: yours is opened. For the new one, rename or delete yours.",
            file=sys.stderr,
        )
