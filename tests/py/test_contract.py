"""The golden messages are what the code says now. `python tests/contract/generate.py`."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from daskscope.schema import KERNEL_MESSAGES, PAGE_MESSAGES
from daskscope.wire import parse

FOLDER = Path(__file__).parents[1] / "contract"
STALE = "golden messages are stale: run `python tests/contract/generate.py` and look at the diff"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("contract_generate", FOLDER / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_disk():
    return {path.stem: json.loads(path.read_text()) for path in FOLDER.glob("*_*.json")}


def without_packing(entry):
    """What may differ between versions of zlib and Arrow: how many bytes they need."""
    entry = json.loads(json.dumps(entry))
    for block in entry["message"].get("blocks", []):
        block.pop("bytes")
    return entry


def test_golden_messages_are_not_stale(generator):
    made = {name: without_packing(entry) for name, (entry, _) in generator.golden().items()}
    assert made == {name: without_packing(entry) for name, entry in on_disk().items()}, STALE


def test_stored_buffers_decode_to_what_is_written_beside_them(generator):
    binary = 0
    for entry in on_disk().values():
        buffers = [(FOLDER / name).read_bytes() for name in entry["buffers"]]
        found = generator.decoded(entry["message"], buffers)
        assert {key: entry[key] for key in found} == found, STALE
        binary += len(buffers)
    assert binary == len(list(FOLDER.glob("*.bin")))


def test_every_type_of_message_has_a_golden_one():
    entries = on_disk().values()
    for side, types in (("kernel", KERNEL_MESSAGES), ("page", PAGE_MESSAGES)):
        found = {entry["message"]["type"] for entry in entries if entry["from"] == side}
        assert found == set(types)


def test_the_kernel_understands_every_golden_message_of_a_page():
    for entry in on_disk().values():
        if entry["from"] == "page":
            message = parse(entry["message"])
            assert message is not None
            assert getattr(message, "page", "page-1") == "page-1"
