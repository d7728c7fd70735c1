// The vertical axis of a chart: one unit, and ticks at 1, 2 or 5 of it.

import { formatExact } from "../base/format";

export interface ValueTick {
  readonly value: number;
  readonly label: string;
  /** Distance of the label below the line. */
  readonly below?: number;
}

export interface ValueAxis {
  readonly bottom: number;
  readonly top: number;
  readonly ticks: readonly ValueTick[];
}

export type ValueKind = "count" | "percent" | "bytes" | "seconds";

/** An axis from `least` (0 or negative) to the first tick at or above `most`. */
export function valueAxis(
  kind: ValueKind,
  most: number,
  least = 0,
  wanted = 3,
): ValueAxis {
  const reach = Math.max(finite(most), -finite(least));
  const unit = unitOf(kind, reach);
  const floor = kind === "count" || (kind === "bytes" && unit === 1) ? 1 : 0;
  const span = (finite(most) - finite(least)) / unit || 1;
  const step = Math.max(floor, niceStep(span / wanted)) * unit;
  const bottom = Math.floor(finite(least) / step + 1e-9) * step;
  const top = Math.max(step, Math.ceil(finite(most) / step - 1e-9) * step);
  const ticks: ValueTick[] = [];
  const count = Math.round((top - bottom) / step);
  for (let at = 0; at <= count; at++) {
    const value = bottom + at * step;
    ticks.push({ value, label: labelOf(kind, Math.abs(value), step, unit) });
  }
  return { bottom, top, ticks };
}

/** Sums of filtered rows may differ from whole numbers by rounding errors. */
const ROUNDING = 1e-3;

/** An axis from 0 to `full` threads; with 0 it has only the tick at 0. */
export function threadAxis(full: number): ValueAxis {
  const isWhole = (value: number): boolean =>
    value > 0.5 && Math.abs(value - Math.round(value)) < ROUNDING;
  const ticks = [full / 2, full]
    .filter((value) => isWhole(value) || (value === full && full > 0))
    .map((value) => ({ value, label: threadLabel(value, isWhole(value)) }));
  return {
    bottom: 0,
    top: full > 0 ? full : 1,
    ticks: [{ value: 0, label: "0" }, ...ticks],
  };
}

function threadLabel(threads: number, whole: boolean): string {
  if (whole) return formatExact(threads);
  return threads < 0.005 ? "< 0.01" : threads.toFixed(2);
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

/** Larger values would need the tick label 1,000, which is too wide for the margin. */
const MOST_OF_A_UNIT = 600;

/** The unit of the tick labels, such as MiB or ms. */
function unitOf(kind: ValueKind, reach: number): number {
  if (kind === "bytes") {
    let unit = 1;
    while (reach / unit > MOST_OF_A_UNIT && unit < 2 ** 50) unit *= 1024;
    return unit;
  }
  if (kind === "seconds") return reach >= 1 ? 1 : 1e-3;
  return 1;
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)) + 1e-9);
  for (const factor of [1, 2, 5]) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

const BYTE_NAMES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function labelOf(
  kind: ValueKind,
  value: number,
  step: number,
  unit: number,
): string {
  if (kind === "count") return formatExact(value);
  const number = trimmed(value / unit, step / unit);
  if (kind === "percent") return `${number} %`;
  if (value === 0) return "0";
  if (kind === "seconds") return `${number} ${unit === 1 ? "s" : "ms"}`;
  return `${number} ${BYTE_NAMES[Math.round(Math.log2(unit) / 10)]}`;
}

function trimmed(value: number, step: number): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (decimals === 0) return formatExact(value);
  return value.toFixed(Math.min(decimals, 6));
}
