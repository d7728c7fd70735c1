"""Prints ``js_src/schema.ts``: what pages know of the tables, units and limits of `schema.py`."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from daskscope import schema

_MAX_TS_LINE: Final = 110


def _ts_value(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


_TYPES: Final = {
    "State": "STATES",
    "KernelMessageType": "KERNEL_MESSAGES",
    "PageMessageType": "PAGE_MESSAGES",
}

_TS_COLUMNS: Final = """
interface Arrays {
  float64: Float64Array;
  float32: Float32Array;
  /** Exact up to 2^53. */
  int64: Float64Array;
  uint32: Uint32Array;
  uint16: Uint16Array;
  uint8: Uint8Array;
  utf8: string[];
  texts: string[][];
}
type ColumnsOf<S extends Record<string, { type: keyof Arrays }>> = {
  -readonly [C in keyof S]: Arrays[S[C]["type"]];
};
export type TableName = keyof typeof TABLES;
/** The columns of each table, by its name; schema.py has the meaning of each. */
export type TableColumns = {
  [N in TableName]: ColumnsOf<(typeof TABLES)[N]["columns"]>;
};
export type TasksColumns = TableColumns["tasks"];
/** A row is one stretch of the preview of tasks. */
export type CoarseColumns = ColumnsOf<typeof COARSE_COLUMNS>;
"""


def described(table: schema.Table) -> dict[str, Any]:
    """Return what a page knows of a table, as JSON."""
    facts: dict[str, Any] = {"kind": type(table).__name__.lower()}
    if isinstance(table, schema.Log):
        facts["rows"] = table.rows
        # With a key the newest row of each is kept: a group of one.
        group, group_rows = (table.key, 1) if table.key else (table.group, table.group_rows)
        facts |= {"group": group, "group_rows": group_rows} if group else {}
    elif isinstance(table, schema.Dictionary):
        facts |= {"limit": table.limit, "first": table.first}
    elif isinstance(table, schema.Series):
        facts["bytes"] = table.page_bytes
    return facts | {"columns": {c.name: _described(c) for c in schema.columns_of(table)}}


def _described(column: schema.Column) -> dict[str, str]:
    about = {
        "type": column.type,
        "into": column.into,
        "of": column.of,
        "combine": column.combine,
    }
    return {name: value for name, value in about.items() if value}


def _ts_object(name: str, facts: dict[str, Any]) -> list[str]:
    """Return the lines of an object, which is one line if it is short."""
    values = {key: _ts_value(value) for key, value in facts.items()}
    line = f"{name}: {{ {', '.join(f'{key}: {value}' for key, value in values.items())} }},"
    if len(line) <= _MAX_TS_LINE:
        return [line]
    out = [f"{name}: {{"]
    for key, value in facts.items():
        lines = _ts_object(key, value) if key == "columns" else [f"{key}: {values[key]},"]
        out += [f"  {line}" for line in lines]
    return [*out, "},"]


def typescript() -> str:
    """Return the text of ``js_src/schema.ts``."""
    out = ["// Generated from py_src/daskscope/schema.py by `make schema`. Do not edit.", ""]
    for name, value in vars(schema).items():
        values = value if isinstance(value, tuple) else (value,)
        if name.isupper() and name[0] != "_" and all(isinstance(one, int | str) for one in values):
            out.append(f"export const {name} = {_ts_value(value)} as const;")
    out += ["", *(f"export type {one} = (typeof {of})[number];" for one, of in _TYPES.items())]
    coarse = {column.name: _described(column) for column in schema.COARSE}
    out += [""]
    for name, facts in ("LIMITS", schema.LIMITS), ("COARSE_COLUMNS", coarse):
        lines = [f"  {key}: {_ts_value(value)}," for key, value in facts.items()]
        out += [f"export const {name} = {{", *lines, "} as const;", ""]
    out += ["/** How each table is made; what arrives is checked against this. */"]
    out += ["export const TABLES = {"]
    for table in schema.tables().values():
        out += [f"  {line}" for line in _ts_object(table.name, described(table))]
    return "\n".join([*out, "} as const;", _TS_COLUMNS])


if __name__ == "__main__":
    sys.stdout.write(typescript())
