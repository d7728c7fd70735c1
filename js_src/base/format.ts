// Numbers as people read them. Every figure on the screen comes from here, so
// that a second is written the same way in a legend, a card and an export.
// Knows nothing of tasks.

export const NOTHING = "–";
const MINUS = "−";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function fixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  const [whole, fraction] = text.split(".");
  const head = whole.length > 3 ? grouped.format(Number(whole)) : whole;
  const sign = value < 0 && Number(text) !== 0 ? MINUS : "";
  return sign + (fraction === undefined ? head : `${head}.${fraction}`);
}

/** `1,211`; from a million `1.2 M`: show the exact number beside it. */
export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return NOTHING;
  const size = Math.abs(count);
  if (size < 999_950) return fixed(count, 0);
  if (size < 999_950_000) return `${fixed(count / 1e6, 1)} M`;
  return `${fixed(count / 1e9, 1)} G`;
}

/** `1,204,331`, whatever its size. */
export function formatExact(count: number): string {
  return Number.isFinite(count) ? fixed(count, 0) : NOTHING;
}

/** `3.5` of things that are counted; `4` where it is a whole number. */
export function formatMean(count: number): string {
  if (!Number.isFinite(count)) return NOTHING;
  return fixed(count, Number.isInteger(count) ? 0 : 1);
}

/** `1 task`, `1,211 tasks`. */
export function plural(
  count: number,
  one: string,
  many: string = `${one}s`,
): string {
  return `${formatExact(count)} ${count === 1 ? one : many}`;
}

/** From here on, the time of all threads together is in hours. */
const LONGEST_SUM_S = 36_000;

/** A duration on its own: `412 µs`, `9.71 s`, `29.1 s`, `2 m 29 s`, `1.6 h`. */
export function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  if (!Number.isFinite(size) || size < LONGEST_IN_SECONDS - 0.05) {
    return formatSeconds(seconds);
  }
  const sign = seconds < 0 ? MINUS : "";
  const whole = Math.round(size);
  return whole >= 3600
    ? `${sign}${fixed(size / 3600, 1)} h`
    : `${sign}${Math.floor(whole / 60)} m ${whole % 60} s`;
}

/** One unit and as many decimals as the longest of a column has: these are compared. */
export function formatSecondsAmong(seconds: number, longest: number): string {
  if (!Number.isFinite(seconds)) return NOTHING;
  const [scale, unit, decimals] =
    longest >= LONGEST_SUM_S - 0.05
      ? ([1 / 3600, "h", 1] as const)
      : longest >= 9.995
        ? ([1, "s", 1] as const)
        : longest >= 0.9995 || longest === 0
          ? ([1, "s", 2] as const)
          : longest >= 9.95e-3
            ? ([1e3, "ms", 0] as const)
            : longest >= 999.5e-6
              ? ([1e3, "ms", 1] as const)
              : ([1e6, "µs", 0] as const);
  const least = 10 ** -decimals;
  const value = seconds * scale;
  // Next to nothing is not nothing.
  if (value > 0 && value < least / 2) {
    return `< ${least.toFixed(decimals)} ${unit}`;
  }
  return `${fixed(value, decimals)} ${unit}`;
}

/** In seconds, also where they are minutes, `149.2 s`; from ten hours on in hours. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return NOTHING;
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 999.5e-6) {
    const micros = seconds * 1e6;
    return `${fixed(micros, size < 0.95e-6 ? 1 : 0)} µs`;
  }
  if (size < 9.95e-3) return `${fixed(seconds * 1e3, 1)} ms`;
  if (size < 0.9995) return `${fixed(seconds * 1e3, 0)} ms`;
  if (size < 9.995) return `${fixed(seconds, 2)} s`;
  if (size >= LONGEST_SUM_S - 0.05) return `${fixed(seconds / 3600, 1)} h`;
  return `${fixed(seconds, 1)} s`;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function byteUnit(bytes: number): number {
  let unit = 0;
  let size = Math.abs(bytes);
  while (size >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit;
}

function byteDecimals(value: number, unit: number): number {
  const size = Math.abs(value);
  if (unit === 0 || size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
}

/** `912 B`, `48.3 MiB`, `2.62 GiB`. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return NOTHING;
  const unit = byteUnit(bytes);
  const value = bytes / 1024 ** unit;
  return `${fixed(value, byteDecimals(value, unit))} ${BYTE_UNITS[unit]}`;
}

/** `2.62 / 4.00 GiB`: both in the unit of the limit, unless next to nothing. */
export function formatBytesOf(bytes: number, limit: number): string {
  if (!(limit > 0)) return formatBytes(bytes);
  if (bytes < limit / 40) {
    return `${formatBytes(bytes)} / ${formatBytes(limit)}`;
  }
  const unit = byteUnit(limit);
  const scale = 1024 ** unit;
  const decimals = byteDecimals(limit / scale, unit);
  const used = fixed(bytes / scale, decimals);
  return `${used} / ${fixed(limit / scale, decimals)} ${BYTE_UNITS[unit]}`;
}

/** `88 %` of a share between 0 and 1; what is not nothing is never `0 %`. */
export function formatShare(share: number, decimals = 0): string {
  if (!Number.isFinite(share)) return NOTHING;
  const least = 10 ** -decimals;
  return share > 0 && share * 100 < least / 2
    ? `< ${least.toFixed(decimals)} %`
    : `${fixed(share * 100, decimals)} %`;
}

/** Decimals of a second that distinguish two neighbouring pixels. */
export function decimalsFor(seconds_per_px: number): number {
  if (!(seconds_per_px > 0)) return 3;
  return Math.min(9, Math.max(0, Math.ceil(-Math.log10(seconds_per_px))));
}

/** From here on there are minutes: `2 m 0 s`, or for a moment, as on a clock, `2:00`. */
const LONGEST_IN_SECONDS = 120;

/** A moment of the run: `18.455 s`, `2:29.0`, `1:02:03.284`; beside `latest_s` in its format. */
export function formatMoment(
  seconds: number,
  decimals: number,
  latest_s = seconds,
): string {
  if (!Number.isFinite(seconds)) return NOTHING;
  const rounded = Number(Math.abs(seconds).toFixed(decimals));
  const latest = Number(Math.abs(latest_s).toFixed(decimals));
  if (Math.max(rounded, latest) < LONGEST_IN_SECONDS) {
    return `${fixed(seconds, decimals)} s`;
  }
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor((rounded - hours * 3600) / 60);
  const rest = (rounded - hours * 3600 - minutes * 60).toFixed(decimals);
  const padded = rest.padStart(decimals > 0 ? decimals + 3 : 2, "0");
  const head =
    hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : `${minutes}`;
  return `${seconds < 0 ? MINUS : ""}${head}:${padded}`;
}

/** `14.3 – 21.3 s`: the two ends of a time range. Ranges of one list, within `among`, have one format. */
export function formatRange(
  start_s: number,
  stop_s: number,
  among: readonly [start_s: number, stop_s: number] = [start_s, stop_s],
): string {
  const width = Math.abs(among[1] - among[0]);
  const decimals = Math.min(9, Math.max(1, decimalsFor(width / 50)));
  const stop = formatMoment(stop_s, decimals, among[1]);
  const start = formatMoment(start_s, decimals, among[1]);
  return `${stop.endsWith(" s") ? start.slice(0, -2) : start} – ${stop}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** `2026-11-18` in the calendar of the reader. */
export function formatDate(epoch_s: number): string {
  const date = new Date(epoch_s * 1000);
  if (Number.isNaN(date.getTime())) return NOTHING;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `18 Nov 2026` in the calendar of the reader. */
export function formatDay(epoch_s: number): string {
  const date = new Date(epoch_s * 1000);
  if (Number.isNaN(date.getTime())) return NOTHING;
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

/** `14:02:50.617` on the clock of the reader. */
export function formatClock(epoch_s: number, decimals = 3): string {
  const date = new Date(epoch_s * 1000);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (decimals === 0) return clock;
  const millis = String(date.getMilliseconds()).padStart(3, "0");
  return `${clock}.${millis.slice(0, decimals)}`;
}

/** `UTC`, `UTC+1`, `UTC−3:30`: the zone of that clock at a time. */
export function formatZone(epoch_s: number): string {
  const minutes = -new Date(epoch_s * 1000).getTimezoneOffset();
  if (!minutes) return "UTC";
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? "" : `:${two(size % 60)}`;
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(size / 60)}${rest}`;
}
