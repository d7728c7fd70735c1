// Results in memory by task prefix: bars, and stacked over time.

import type { JSX } from "preact";
import { formatBytes, formatShare } from "../../base/format";
import { stackOf, type KeyedRows, peakOf } from "../../derive/keyed";
import { Bars } from "../../panel/bars";
import type { Line } from "../../panel/line_chart";
import type { PanelView } from "../../panel/panel_view";
import { Part } from "../../panel/parts";
import { PrefixButton, prefixCss } from "../../panel/prefix_button";
import type { Range } from "../../timeline/window";
import { barsPointed, barsShown, heldRows, systemLine } from "./data";
import { useOrder } from "../../panel/order";

const SHOWN = 10;
/** Prefixes in the stack; all others share one more layer. */
const STACKED = 8;

const nameOf = (view: PanelView, key: string | number): string =>
  view.session.value?.prefixes[Number(key)] ?? "";

/** Bytes by prefix, largest first. */
function heldOf(
  view: PanelView,
  rows: KeyedRows,
  [start, stop]: Range,
): { key: string | number; name: string; bytes: number }[] {
  return rows.keys
    .map((key) => ({
      key,
      name: nameOf(view, key),
      bytes: rows.peak(key, "bytes", start, stop)?.value ?? 0,
    }))
    .sort((one, other) => other.bytes - one.bytes);
}

/** Highest first; the prefix with the most bytes is at the bottom. */
export function heldAreas(view: PanelView): Line[] {
  const rows = heldRows(view);
  const only = view.focus.value.prefixes;
  const shown = heldOf(view, rows, view.whole.value).filter(
    ({ name }) => only.length === 0 || only.includes(name),
  );
  const keys = shown.map(({ key }) => key);
  const layerOf = (key: string | number): number =>
    Math.min(keys.indexOf(key), STACKED);
  const others = (key: string | number): number =>
    layerOf(key) < STACKED ? -1 : 0;
  return stackOf(rows, "bytes", layerOf, Math.min(keys.length, STACKED + 1))
    .map((series, at): Line => {
      if (at === STACKED) {
        const [own] = stackOf(rows, "bytes", others, 1);
        const look = { colour: "#999999", stair: true, hatched: true };
        return { name: "(other)", series, own, look };
      }
      const { key, name } = shown[at];
      const look = { colour: prefixCss(view, name), stair: true };
      return { name, series, own: rows.line(key, "bytes"), look };
    })
    .reverse();
}

export function HeldBars(props: { view: PanelView }): JSX.Element | null {
  const { view } = props;
  const rows = heldRows(view);
  const shown = barsPointed(view);
  const { time } = barsShown(view);
  const usual = heldOf(view, rows, time).filter(({ bytes }) => bytes > 0);
  const { ids, handlers } = useOrder(
    view,
    usual.map(({ name }) => name),
  );
  const now = new Map(
    heldOf(view, rows, shown.time).map(({ name, bytes }) => [name, bytes]),
  );
  if (rows.keys.length === 0) return null;
  const most = usual[0]?.bytes ?? 1;
  const total = [...now.values()].reduce((sum, bytes) => sum + bytes, 0);
  return (
    <Part title="Managed, by task prefix" detail={shown.words}>
      {ids.length === 0 && <p class="ds-sentence">No results in memory.</p>}
      <Bars
        {...{ view, handlers }}
        label="Managed memory by task prefix"
        first={SHOWN}
        bars={ids}
        make={(name) => {
          const bytes = now.get(name) ?? 0;
          return {
            id: name,
            name: <PrefixButton view={view} name={name} />,
            parts: [{ width: bytes / most, background: prefixCss(view, name) }],
            value: formatBytes(bytes),
            share: total > 0 ? formatShare(bytes / total) : "",
          };
        }}
      />
      <WithoutPrefix view={view} time={shown.time} />
    </Part>
  );
}

/** Memory that belongs to no prefix: replicas, and data that clients scattered. */
function WithoutPrefix(props: {
  view: PanelView;
  time: Range;
}): JSX.Element | null {
  const { view, time } = props;
  const [copies, scattered] = (["replicas", "scattered"] as const).map(
    (name) => peakOf(systemLine(view, name), time[0], time[1])?.value ?? 0,
  );
  const words = [
    copies > 0 && `${formatBytes(copies)} in replicas`,
    scattered > 0 && `${formatBytes(scattered)} scattered by clients`,
  ].filter(Boolean);
  if (words.length === 0) return null;
  return <p class="ds-part-note">{`Not included: ${words.join(", ")}`}</p>;
}
