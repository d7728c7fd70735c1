"""Prints ``docs/guide/tables.md``: the columns of each table, as pandas has them."""

from __future__ import annotations

import sys

from daskscope import schema
from daskscope.recording import RecordingStore

HEAD = """\
# Tables

The columns of each table of a [recording](recordings.md), in `rec.table(name)`, SQL, Parquet and
CSV.

- Times are seconds since the epoch, by the scheduler's clock unless a column says otherwise.
  Durations are seconds.
- A column marked ± also exists as `…_least` and `…_most`: the lowest and the highest value in a
  step.
- Series have a column `step`: 0 means as measured; old rows are merged into steps of 10, 60 and
  600 s. A merged value is the sum (metrics, profiles) or the last value (all others).

<!-- Generated from py_src/daskscope/schema.py by `make schema`. Do not edit. -->
"""

KINDS = {
    schema.Tasks: "The task stream",
    schema.Log: "Logs: entries in order of arrival",
    schema.Series: "Series: measurements over time",
    schema.Dictionary: "Dictionaries: names and stacks that other tables use",
}

TABLES_OF_TASKS = (schema.TASKS, schema.LANES, schema.COMPUTATIONS, schema.ERRORS)
"""These describe the columns of tasks in a DataFrame: also thread, cell and key."""


def declared(table: schema.Table) -> dict[str, schema.Column]:
    """Return what a DataFrame's columns may be, by name."""
    tables = TABLES_OF_TASKS if table is schema.TASKS else (table,)
    columns = [column for one in reversed(tables) for column in schema.columns_of(one)]
    return {column.name: column for column in (schema.STEP, *columns)}


def described(table: schema.Table, columns: list[str]) -> list[str]:
    """Return the lines of one table."""
    known = declared(table)
    out = [f"### `{table.name}`", "", table.doc.replace("``", "`"), ""]
    out += ["| Column | Unit | |", "|---|---|---|"]
    for column in (known[name] for name in columns):
        if column.of:  # the lowest or highest value, which ± stands for
            continue
        mark = " ±" if column.combine == "extremes" else ""
        doc = column.doc.replace("``", "`").replace("|", "\\|")
        out.append(f"| `{column.name}`{mark} | {column.unit} | {doc} |")
    return [*out, ""]


def page() -> str:
    """Return the text of the page."""
    recording = RecordingStore()
    out = [HEAD]
    for kind, title in KINDS.items():
        out += [f"## {title}", ""]
        for name, table in schema.tables().items():
            if isinstance(table, kind):
                out += described(table, list(recording.table(name).columns))
    recording.close()
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
