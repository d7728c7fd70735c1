// Colours as numbers: mixing, contrast, and the form that ImageData wants.

export type Rgb = readonly [red: number, green: number, blue: number];

/** `#rgb`, `#rrggbb`, `rgb(…)`; null for what only a browser can resolve. */
export function parseColour(text: string): Rgb | null {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim());
  if (hex?.[1] !== undefined) {
    const digits =
      hex[1].length === 3
        ? hex[1].replace(/./g, (digit) => digit + digit)
        : hex[1];
    const value = Number.parseInt(digits, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const rgb = /^rgba?\(\s*([\d.]+)[ ,]+([\d.]+)[ ,]+([\d.]+)\s*\)$/.exec(
    text.trim(),
  );
  return rgb ? [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])] : null;
}

/** `share` of `top` over `bottom`. */
export function mix(top: Rgb, bottom: Rgb, share: number): Rgb {
  return [
    top[0] * share + bottom[0] * (1 - share),
    top[1] * share + bottom[1] * (1 - share),
    top[2] * share + bottom[2] * (1 - share),
  ];
}

const written = new WeakMap<Rgb, string>();

/** Kept per colour: painters ask for the same few in every frame. */
export function toCss(colour: Rgb): string {
  let css = written.get(colour);
  if (css === undefined) {
    css = `rgb(${colour.map(Math.round).join(" ")})`;
    written.set(colour, css);
  }
  return css;
}

/** Opaque pixel in the byte order of ImageData on little-endian machines. */
export function toPixel(colour: Rgb): number {
  const [red, green, blue] = colour.map(Math.round) as [number, number, number];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours as WCAG counts it, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

export function isDark(background: Rgb): boolean {
  return luminance(background) < 0.2;
}

/** White where it is readable on `fill`, else black. */
export function textOn(fill: Rgb): "#ffffff" | "#000000" {
  return contrast(fill, [255, 255, 255]) >= 4.5 ? "#ffffff" : "#000000";
}
