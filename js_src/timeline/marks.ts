// What happened, as marks in a row of a plot over time: moments, and ranges behind them.
// What would overlap is one mark, with words where there is room for some.

import { formatExact } from "../base/format";
import type { PlotArea } from "./time_plot";

export interface Item {
  readonly start: number;
  stop: number;
  readonly text: string;
  /** The same without what it is about: several may have it in common. */
  readonly what: string;
  readonly trouble: boolean;
}

export interface Mark {
  readonly left: number;
  right: number;
  readonly items: Item[];
}

const NEAR_PX = 12;

/** Also what is not in sight: else marks would merge otherwise as they come into it. */
export function marksOf(area: PlotArea, items: readonly Item[]): Mark[] {
  const near = NEAR_PX * area.pixelRatio;
  const marks: Mark[] = [];
  for (const item of items) {
    const [left, right] = [area.x(item.start), area.x(item.stop)];
    const last = marks[marks.length - 1];
    if (last && left - last.right < near) {
      last.right = Math.max(last.right, right);
      last.items.push(item);
    } else {
      marks.push({ left, right, items: [item] });
    }
  }
  return marks;
}

/** `paint` sets the colour of a mark, which its words have, too, and paints its sign. */
export function paintMarks(
  area: PlotArea,
  marks: readonly Mark[],
  y: number,
  paint: (mark: Mark) => void,
  /** Where the words of a mark begin. */
  wordsAt: (mark: Mark) => number = ({ right }) => right + 8 * area.pixelRatio,
): void {
  const { context, theme, pixelRatio } = area;
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  marks.forEach((mark, at) => {
    if (!(mark.right >= area.left && mark.left <= area.left + area.width)) {
      return;
    }
    paint(mark);
    const from = Math.max(wordsAt(mark), area.left);
    const next = marks[at + 1]?.left ?? area.left + area.width;
    const room = next - from - 6 * pixelRatio;
    // Words are made where there is room for some.
    if (room < 40 * pixelRatio) return;
    const words = wordsOf(mark.items);
    if (context.measureText(words).width <= room) {
      context.fillText(words, from, y);
    }
  });
}

/** With more kinds of items than these a mark says how many there are. */
const MOST_KINDS = 2;

function wordsOf(items: readonly Item[]): string {
  if (items.length === 1) return items[0].text;
  const counts = new Map<string, number>();
  for (const { what } of items) counts.set(what, (counts.get(what) ?? 0) + 1);
  if (counts.size > MOST_KINDS) return formatExact(items.length);
  return [...counts]
    .map(([what, count]) =>
      count === 1 ? what : `${what} × ${formatExact(count)}`,
    )
    .join(", ");
}
