"""Checks the import arrows of both languages: data flows one way (docs/architecture.md).

Each list below says what a part may import besides itself. Whatever is missing here is
forbidden, so a new part has to be placed before it can be used.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "py_src" / "daskscope"
JS = ROOT / "js_src"

# Python: the first name below `daskscope`, in the order of the data.
PYTHON: dict[str, set[str]] = {
    "schema": set(),
    "errors": set(),
    "version": set(),
    "provenance": {"version"},
    "forks": set(),
    "urls": {"errors"},
    "format": set(),
    "palette": set(),
    "atomic_files": {"errors", "urls"},
    "config": {"schema", "errors"},
    "agent": {"schema"},  # sent to schedulers where daskscope is not installed
    "recording": {"schema", "errors", "forks", "format", "atomic_files"},
    "derive": {"recording", "focus", "schema", "errors", "format"},
    "file_summary": {"derive", "recording", "config", "format"},
    "export": {"derive", "recording", "schema", "errors", "version", "format", "atomic_files"},
    "files": {"config", "errors", "urls", "atomic_files"},
    "report": {
        "files",
        "file_summary",
        "derive",
        "recording",
        "schema",
        "errors",
        "config",
        "version",
        "urls",
        "atomic_files",
        "format",
    },
    "loading": {"files", "file_summary", "report", "recording", "config", "urls", "atomic_files"},
    "listeners": set(),
    "focus": {"listeners", "forks"},
    "collect": {"agent", "recording", "schema", "errors", "config", "forks", "format"},
    "wire": {"schema", "errors", "version"},
    "stream": {"wire", "derive", "recording", "focus", "schema", "errors", "config", "version"},
    "session": {
        "provenance",
        "collect",
        "cell_monitor",
        "file_summary",
        "recording",
        "derive",
        "stream",
        "focus",
        "listeners",
        "schema",
        "errors",
        "config",
        "format",
    },
    "session_list": {"session", "stream", "collect", "listeners", "errors"},
    "memory_samples": {"session", "focus", "listeners", "recording", "schema"},
    "recorder": {"session", "session_list", "collect", "errors", "config"},
    "cell_monitor": {"collect", "schema"},
    "figures": {"session", "derive", "recording", "focus", "palette", "schema", "format"},
    "picture": {"derive", "palette", "recording", "stream", "format"},
    "library": {"report", "files", "recording", "wire", "errors", "config", "urls", "atomic_files"},
    "block": {
        "session",
        "session_list",
        "collect",
        "cell_monitor",
        "library",
        "provenance",
        "report",
        "files",
        "file_summary",
        "derive",
        "recording",
        "errors",
        "config",
        "atomic_files",
        "format",
        "schema",
    },
}
PYTHON_SHELLS = {
    "__init__",
    "__main__",
    "cli",
    "kernel",
    "magics",
    "memory_sampler",
    "outputs",
    "widgets",
}
"""Thin outer layers: they may import everything, and nothing above may import them."""

PYTHON_CALLED = {
    "recording/recording.py": {"derive"},
    "derive/profile_tree.py": {"export", "report"},
}
"""What methods of users' objects import when they are called, against the arrows."""

PYTHON_PRIVATE: dict[str, set[str]] = {
    # The public `get_events` copies all events of a topic: too much for every poll.
    "agent/events.py": {"_broker", "_topics"},
    # A span's public properties add up all spans below it: too slow for every poll.
    "agent/metrics.py": {"_cumulative_worker_metrics", "_code"},
    # Handlers would wait for the end of the cell (see `answer_where_asked`).
    "kernel.py": {"_reply_subshell_ids", "_reply_subshell_for"},
    # Dask lists neither clients with `set_as_default=False` nor those that are being made.
    "recorder.py": {"_instances", "_current_frames"},
}
"""Private members of other libraries, and why they are used."""

# TypeScript: the first folder or file below js_src.
TYPESCRIPT: dict[str, set[str]] = {
    "schema": set(),
    "version": set(),
    "base": set(),
    "errors": set(),
    "model": {"base", "schema"},
    "derive": {"model", "base", "schema"},
    "render": {"base"},
    "link": {"schema", "version", "model", "errors", "base"},
    "session": {"link", "model", "base", "schema", "errors"},
    "archive": {"link", "model", "base", "schema", "errors"},
    "timeline": {"derive", "render", "base"},
    "panel": {"timeline", "session", "model", "derive", "render", "base", "schema", "errors"},
    "panels": {
        *("panel", "timeline", "session", "model", "derive", "render"),
        *("base", "schema", "errors"),
    },
}
TYPESCRIPT_SHELLS = {"homes"}
HOST_LIBRARIES = ("@jupyterlab/", "@lumino/")
HOST_HOME = "homes/lab"

IMPORT = re.compile(
    r"""^\s*(?:import|export)\b[^"';]*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']""",
    re.MULTILINE,
)


def python_imports(path: Path) -> list[tuple[int, str]]:
    """Return line and dotted name below `daskscope` of each import of ours."""
    package = ("daskscope", *path.relative_to(PACKAGE).parent.parts)
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *(node.module.split(".") if node.module else ())))
            if module == "daskscope":
                found += [(node.lineno, f"daskscope.{alias.name}") for alias in node.names]
            else:
                found.append((node.lineno, module))
    return [
        (line, name.removeprefix("daskscope.") if "." in name else "__init__")
        for line, name in found
        if name.split(".")[0] == "daskscope"
    ]


def check_python() -> list[str]:
    """Return a sentence for each import that points the wrong way."""
    problems = []
    for path in sorted(PACKAGE.rglob("*.py")):
        here = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        place = path.relative_to(ROOT)
        if here not in PYTHON and here not in PYTHON_SHELLS:
            problems.append(f"{place}: part `{here}` has no place in scripts/check_imports.py")
            continue
        for line, name in python_imports(path):
            there = name.split(".")[0]
            if there == here or here in PYTHON_SHELLS:
                continue
            if there in PYTHON_CALLED.get(path.relative_to(PACKAGE).as_posix(), ()):
                continue
            if there not in PYTHON[here]:
                problems.append(f"{place}:{line}: `{here}` may not import `{there}`")
    return problems


OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}


def private_members(tree: ast.AST) -> set[str]:
    """Return the underscore names that a module defines: in classes, as attributes, as slots."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of_self(node):
            found.add(node.attr)
    return {name for name in found if is_private(name)}


def is_private(name: str) -> bool:
    """Return whether a name begins with one underscore, and is not a documented one."""
    return bool(re.match("_[^_]", name)) and not name.endswith("_") and name not in OF_NAMED_TUPLES


def of_self(node: ast.Attribute) -> bool:
    """Return whether an attribute is one of the object whose method this is."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def check_private() -> list[str]:
    """Return a sentence for each underscore member that is used outside of its package.

    A module at the top is a package of its own.
    """
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))
    }
    package = {path: path.relative_to(PACKAGE).parts[0] for path in trees}
    defined: dict[str, set[str]] = {}
    for path, tree in trees.items():
        defined.setdefault(package[path], set()).update(private_members(tree))
    problems = []
    for path, tree in trees.items():
        allowed = defined[package[path]] | PYTHON_PRIVATE.get(
            path.relative_to(PACKAGE).as_posix(), set()
        )
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not is_private(node.attr):
                continue
            if not of_self(node) and node.attr not in allowed:
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                problems.append(f"{place}: `{node.attr}` is private to another package")
    return problems


def check_typescript() -> list[str]:
    """Return a sentence for each import that points the wrong way."""
    problems = []
    for path in sorted([*JS.rglob("*.ts"), *JS.rglob("*.tsx")]):
        inside = path.relative_to(JS)
        here = part_of(inside)
        place = path.relative_to(ROOT)
        if here not in TYPESCRIPT and here not in TYPESCRIPT_SHELLS:
            problems.append(f"{place}: part `{here}` has no place in scripts/check_imports.py")
            continue
        text = path.read_text(encoding="utf-8")
        for match in IMPORT.finditer(text):
            target = match[1] or match[2]
            line = text.count("\n", 0, match.start(match.lastindex or 0)) + 1
            if target.startswith("."):
                there = part_of((path.parent / target).resolve().relative_to(JS))
                if (
                    there != here
                    and here not in TYPESCRIPT_SHELLS
                    and there not in TYPESCRIPT[here]
                ):
                    problems.append(f"{place}:{line}: `{here}` may not import `{there}`")
                elif here == there == "panels":
                    of, to = (path.relative_to(JS).parts[1], target_part(path, target))
                    if of not in (to, "index.ts"):
                        problems.append(f"{place}:{line}: panel `{of}` may not import `{to}`")
            elif target.startswith(HOST_LIBRARIES) and not inside.as_posix().startswith(HOST_HOME):
                problems.append(f"{place}:{line}: only {HOST_HOME} may import {target}")
    return problems


def target_part(path: Path, target: str) -> str:
    """Return the folder below `panels/` that an import of a panel points into."""
    return (path.parent / target).resolve().relative_to(JS).parts[1]


def part_of(inside: Path) -> str:
    """Return the part that a path below js_src belongs to: its first folder, or its file."""
    return re.sub(r"\.tsx?$", "", inside.parts[0])


def main() -> int:
    """Print every wrong arrow."""
    problems = check_python() + check_private() + check_typescript()
    for problem in problems:
        print(problem)
    if not problems:
        print("Import arrows and private members: all as they should be.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
