// Ticks of a time axis: steps of 1, 2 and 5 (for minutes and hours, steps of a clock),
// the same decimals for all labels, and the usual format for times.

import { formatMoment } from "../base/format";

export interface Tick {
  /** Seconds since the epoch. */
  time: number;
  label: string;
}

export interface TimeTicks {
  ticks: Tick[];
  step_s: number;
}

/** Seconds, or a smaller unit if all labels are well below 1 s. */
type TimeUnit = "µs" | "ms" | "s";

const UNIT_S: Record<TimeUnit, number> = {
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
};

/** In multiples of the text size: 80 px and 6.5 px for 11 px text. */
const WANTED = 80 / 11;
const CHARACTER = 6.5 / 11;
const LABEL_GAP_PX = 18;
const CLOCK_STEPS_S = [
  10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200,
];
/** The resolution of a float64 of seconds since the epoch. */
const FINEST_STEP_S = 1e-6;

/** Ticks from `start` to `stop` for a width in CSS pixels, labelled relative to `origin`. */
export function timeTicks(
  start: number,
  stop: number,
  width_px: number,
  origin: number,
  font_px: number,
): TimeTicks {
  if (!(stop > start) || !(width_px > 0)) {
    return { ticks: [], step_s: 1 };
  }
  const perPixel = (stop - start) / width_px;
  const largest = Math.max(Math.abs(start - origin), Math.abs(stop - origin));
  let step_s = niceStep(perPixel * WANTED * font_px);
  let unit = unitOf(largest, step_s);
  // Long labels (a deep zoom late in a run) need wider steps.
  for (let i = 0; i < 3; i++) {
    const decimals = decimalsOf(step_s, unit);
    const longest = Math.max(
      ...[start, stop].map(
        (time) => formatTime(time - origin, unit, decimals).length,
      ),
    );
    if (step_s / perPixel >= longest * CHARACTER * font_px + LABEL_GAP_PX)
      break;
    step_s = niceStep(step_s * 1.01);
    unit = unitOf(largest, step_s);
  }
  const decimals = decimalsOf(step_s, unit);
  const ticks: Tick[] = [];
  const first = Math.ceil((start - origin) / step_s - 1e-9);
  const last = Math.floor((stop - origin) / step_s + 1e-9);
  // Above 2⁵³, `i + 1 === i`: the loop would not end.
  if (![first, last].every(Number.isSafeInteger) || last - first > width_px) {
    return { ticks, step_s };
  }
  for (let i = first; i <= last; i++) {
    const seconds = i * step_s;
    ticks.push({
      time: origin + seconds,
      label: formatTime(seconds, unit, decimals),
    });
  }
  return { ticks, step_s };
}

export function niceStep(least: number): number {
  for (const step of CLOCK_STEPS_S) {
    if (least > 5 && step >= least) return step;
  }
  const wanted = Math.max(least, FINEST_STEP_S);
  // Steps of days are multiples of hours.
  const base = wanted > 5 ? 3600 : 1;
  const power = 10 ** Math.floor(Math.log10(wanted / base) + 1e-9);
  for (const factor of [1, 2, 5, 10]) {
    const step = factor * power * base;
    if (step >= wanted * (1 - 1e-9)) return tidy(step);
  }
  return tidy(10 * power * base);
}

/** Removes rounding errors of binary fractions. */
function tidy(step: number): number {
  return Number(step.toPrecision(12));
}

function unitOf(largest_s: number, step_s: number): TimeUnit {
  if (largest_s >= 1 || step_s >= 1) return "s";
  return largest_s >= 1e-3 ? "ms" : "µs";
}

function decimalsOf(step_s: number, unit: TimeUnit): number {
  const step = step_s / UNIT_S[unit];
  let decimals = 0;
  while (decimals < 6 && Math.abs(round(step, decimals) - step) > step * 1e-6) {
    decimals++;
  }
  return decimals;
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

function formatTime(seconds: number, unit: TimeUnit, decimals: number): string {
  if (unit === "s") return formatMoment(seconds, decimals);
  const value = round(seconds / UNIT_S[unit], decimals);
  const sign = value < 0 ? "−" : "";
  return `${sign}${Math.abs(value).toFixed(decimals)} ${unit}`;
}
