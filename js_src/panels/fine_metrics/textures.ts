// Textures of idle time for charts; idle time has no hue. The style sheet has the same for
// bars, as `.ds-idle-…`.

import { toCss } from "../../base/colour";
import type { Cause } from "../../derive/accounting";
import type { PlotArea } from "../../timeline/time_plot";

const TILE_PX = 6;

type Draw = (ink: CanvasRenderingContext2D, size: number) => void;

const line =
  (...points: readonly (readonly [number, number])[]): Draw =>
  (ink, size) => {
    ink.beginPath();
    for (let at = 0; at < points.length; at += 2) {
      ink.moveTo(points[at][0] * size, points[at][1] * size);
      ink.lineTo(points[at + 1][0] * size, points[at + 1][1] * size);
    }
    ink.stroke();
  };

const rising: readonly (readonly [number, number])[] = [
  ...([
    [-0.5, 0.5],
    [0.5, -0.5],
  ] as const),
  ...([
    [0, 1],
    [1, 0],
  ] as const),
  ...([
    [0.5, 1.5],
    [1.5, 0.5],
  ] as const),
];

const DRAW: Readonly<Record<Cause, Draw | null>> = {
  none: null,
  tail(ink, size) {
    for (const [x, y] of [
      [0.25, 0.25],
      [0.75, 0.75],
    ]) {
      ink.beginPath();
      ink.arc(x * size, y * size, size / 9, 0, 2 * Math.PI);
      ink.fill();
    }
  },
  reading: line(...rising),
  unknown: line(...rising),
  handing: line(...rising.map(([x, y]) => [1 - x, y] as const)),
  queued: line([0.5, 0], [0.5, 1]),
  data: line([0, 0.5], [1, 0.5]),
  paused: line([0, 0], [1, 1], [0, 1], [1, 0]),
};

/** Patterns by canvas context, since a pattern belongs to one context. */
const made = new WeakMap<object, Map<string, CanvasPattern>>();

export function idleFill(
  { context, theme, pixelRatio }: PlotArea,
  cause: Cause,
): string | CanvasPattern {
  const ink = toCss(theme.text);
  const draw = DRAW[cause];
  const plain = `color-mix(in srgb, ${ink} 14%, transparent)`;
  if (!draw) return plain;
  const known = made.get(context) ?? new Map<string, CanvasPattern>();
  made.set(context, known);
  const id = `${cause} ${ink} ${pixelRatio}`;
  let pattern = known.get(id) ?? null;
  if (pattern) return pattern;
  const size = Math.round(TILE_PX * pixelRatio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const brush = tile.getContext("2d");
  if (!brush) return plain;
  brush.fillStyle = brush.strokeStyle = ink;
  brush.globalAlpha = cause === "unknown" ? 0.25 : 0.55;
  brush.lineWidth = pixelRatio;
  draw(brush, size);
  pattern = context.createPattern(tile, "repeat");
  if (pattern) known.set(id, pattern);
  return pattern ?? plain;
}
