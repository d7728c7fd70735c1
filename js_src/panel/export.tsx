// Saves the tables of a panel as CSV and its charts as PNG.

import type { JSX } from "preact";
import { toCss } from "../base/colour";
import { plural } from "../base/format";
import { csvText, download } from "../base/save";
import type { Theme } from "../base/theme";
import { type RingRows, rowsOf } from "../derive/series";
import { TABLES, type TableName } from "../schema";
import type { PanelHost } from "./host";
import { ExportIcon } from "./icons";
import { Menu, MenuItem } from "./menu";
import type { PanelView } from "./panel_view";

/** A name without extension, such as `memory-2026-11-18-140231`. */
export const fileName = (of: string): string =>
  `${of}-${new Date().toISOString().slice(0, 19).replace("T", "-").replace(/:/g, "")}`;

/** Returns false if the host refused and has shown the reason. */
export function saveFile(
  host: PanelHost,
  file: string,
  content: Blob | string,
): boolean {
  const blob =
    typeof content === "string"
      ? new Blob([content], { type: "text/csv" })
      : content;
  if (host.save) return host.save(file, blob);
  download(file, blob);
  return true;
}

export function ExportMenu(props: {
  view: PanelView;
  kind: { readonly id: string; readonly tables: readonly string[] };
  charts: boolean;
}): JSX.Element | null {
  const { view, kind, charts } = props;
  const tables = kind.tables
    .filter((name): name is TableName => name in TABLES && name !== "tasks")
    .filter((name) => view.table(name).rows > 0);
  if (tables.length === 0) return null;
  return (
    <Menu label="Export" face={<ExportIcon />}>
      {(close) => (
        <>
          {tables.map((name) => (
            <MenuItem
              detail={plural(exported(view, name).rows, "row")}
              onClick={() => {
                close();
                const file = `${fileName(name)}.csv`;
                saveFile(view.host, file, csvOf(view, name));
              }}
            >
              {`CSV of ${name}`}
            </MenuItem>
          ))}
          {charts && (
            <MenuItem
              onClick={(event) => {
                const root = event.currentTarget.closest(".ds-root");
                close();
                const drawn = drawCharts(root!, view.theme.peek());
                if (drawn) void savePng(view.host, kind.id, drawn);
              }}
            >
              PNG of the charts
            </MenuItem>
          )}
        </>
      )}
    </Menu>
  );
}

/** Returns false if the host refused and has shown the reason. */
export async function savePng(
  host: PanelHost,
  name: string,
  canvas: HTMLCanvasElement,
): Promise<boolean> {
  const png = await new Promise<Blob | null>((done) =>
    canvas.toBlob(done, "image/png"),
  );
  if (!png) throw new Error("the browser made no PNG of the picture");
  return saveFile(host, `${fileName(name)}.png`, png);
}

type Declared = Readonly<
  Record<string, { readonly type: string; readonly into?: string }>
>;

interface Exported {
  readonly rows: number;
  readonly columns: Readonly<Record<string, ArrayLike<string | number>>>;
}

/** The rows to export; in a series, each moment once with the finest available step. */
function exported(view: PanelView, name: TableName): Exported {
  const { rows, rings, columns } = view.table(name);
  const shape = TABLES[name];
  if (shape.kind !== "series") {
    return { rows, columns: columns as unknown as Exported["columns"] };
  }
  const series = rowsOf(shape, rings as readonly RingRows[]);
  const { time, step } = series;
  return { rows: time.length, columns: { time, step, ...series.columns } };
}

/** CSV with the declared columns; indexes are replaced by names. */
function csvOf(view: PanelView, name: TableName): string {
  const { rows, columns } = exported(view, name);
  const declared: Declared = TABLES[name].columns;
  const names = Object.keys(columns);
  const cells = names.map((column) => {
    const values = columns[column];
    const { into = "" } = declared[column] ?? {};
    const isName = into in TABLES && into !== "tasks";
    const known = isName ? view.session.peek()?.names(into) : undefined;
    return (row: number): string => {
      const entry = known?.[Number(values[row])] ?? values[row];
      const cell = typeof entry === "object" ? Object.values(entry) : [entry];
      return cell.flat().join(" ");
    };
  });
  function* all() {
    for (let row = 0; row < rows; row++) yield cells.map((cell) => cell(row));
  }
  return csvText(names, all());
}

const PADDING_PX = 12;

/** Draws all charts in one column, with titles and legends; null if there is none. */
function drawCharts(root: Element, theme: Theme): HTMLCanvasElement | null {
  const charts = [
    ...root.querySelectorAll<HTMLCanvasElement>(
      ":is(.ds-time-plot, .ds-flame-canvas) > canvas",
    ),
  ].filter(({ width, height }) => width > 0 && height > 0);
  if (charts.length === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const padding = PADDING_PX * ratio;
  const line = 2 * theme.size_px * ratio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(...charts.map(({ width }) => width)) + 2 * padding;
  canvas.height = charts.reduce(
    (sum, { height }) => sum + line + height + padding,
    padding,
  );
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.fillStyle = toCss(theme.panel);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  let y = padding;
  for (const chart of charts) {
    paintHead(context, theme, chart, [padding, y + line / 2, ratio]);
    context.drawImage(chart, padding, y + line);
    y += line + chart.height + padding;
  }
  return canvas;
}

function paintHead(
  context: CanvasRenderingContext2D,
  theme: Theme,
  chart: HTMLElement,
  [left, y, ratio]: readonly [number, number, number],
): void {
  const head = chart.closest(".ds-part")?.querySelector(".ds-part-head");
  const font = `${theme.size_px * ratio}px ${theme.font}`;
  let x = left;
  const write = (text: string): void => {
    context.fillText(text, x, y);
    x += context.measureText(text).width + PADDING_PX * ratio;
  };
  context.fillStyle = toCss(theme.text);
  context.font = `600 ${font}`;
  write(head?.querySelector("h3")?.textContent ?? "");
  context.font = font;
  const size = 9 * ratio;
  for (const one of head?.querySelectorAll(".ds-line-value, .ds-prefix") ??
    []) {
    const swatch = one.querySelector(".ds-swatch");
    context.fillStyle = swatch ? colourOf(swatch) : "transparent";
    context.fillRect(x, y - size / 2, size, size);
    x += size + 5 * ratio;
    context.fillStyle = toCss(theme.text);
    write(one.textContent ?? "");
  }
}

/** The colour of a swatch; hatched ones have it in a gradient. */
function colourOf(swatch: Element): string {
  const { backgroundColor, backgroundImage } = getComputedStyle(swatch);
  return /rgb\([^)]*\)/.exec(backgroundImage)?.[0] ?? backgroundColor;
}
