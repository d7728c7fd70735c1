"""How the agent gets to a scheduler: as source text, under a name that follows it."""

from __future__ import annotations

import ast
import pickletools
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from daskscope import agent

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("source", [agent.source, agent.worker_source])
def test_the_agent_is_python_3_9_without_imports_of_daskscope(source: Callable[[], str]) -> None:
    tree = ast.parse(source(), feature_version=(3, 9))
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert not [name for name in imported if str(name).startswith("daskscope")]


@pytest.mark.parametrize("sent", [agent.pickled(memory_limit=1_000_000), agent.for_workers()])
def test_the_agent_is_unpickled_where_daskscope_is_not_installed(sent: bytes) -> None:
    code = (
        "import sys, pickle; sys.modules['daskscope'] = None; "
        "print(pickle.loads(sys.stdin.buffer.read()).name)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True)
    assert done.stdout.decode().strip() == agent.name(), done.stderr.decode()


def test_the_agent_travels_as_text_and_one_call_of_eval() -> None:
    operations = list(pickletools.genops(agent.pickled(memory_limit=1)))
    texts = [argument for _, argument, _ in operations if isinstance(argument, str)]
    called = [operation.name for operation, _, _ in operations if operation.name == "STACK_GLOBAL"]
    assert len(called) == 1
    assert texts[:2] == ["builtins", "eval"]


def test_the_agents_name_follows_its_text() -> None:
    assert agent.name().startswith("daskscope_")
    assert len(agent.name()) == len("daskscope_") + 12
