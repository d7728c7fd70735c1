"""What the commands that make something of a recording say and leave behind."""

from __future__ import annotations

import pytest
from test_cli import run_path

from daskscope.cli import main

__all__ = ["run_path"]

RESULTS = (
    ("report",),
    ("export", "--to", "chrome"),
    ("export", "--to", "parquet"),
    ("export", "--to", "csv"),
)


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_what_is_made_of_a_file_that_was_cut_off_says_so(command, run_path, capsys):
    run_path.write_bytes(run_path.read_bytes()[:-900])
    assert main([*command, str(run_path)]) == 0
    said = capsys.readouterr()
    assert f"{run_path} was cut off: this is made of what is whole of it" in said.err
    assert "320" in said.out or "slices" in said.out or "rows of tasks" in said.out
