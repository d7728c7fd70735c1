// Widths of texts, and what fits of them, without touching the layout of the page.

let context: CanvasRenderingContext2D | null | undefined;
const known = new Map<string, number>();
/** Keys come from anywhere: forget them all rather than grow. */
const MOST_KNOWN = 4000;
/** Of a name that has to be shortened. */
const MOST_KEPT = 60;

/** Width in CSS pixels of `text` in a CSS `font`. */
export function textWidth(text: string, font: string): number {
  const name = `${font}\n${text}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
  }
  let width = text.length * 7;
  if (context) {
    context.font = font;
    width = context.measureText(text).width;
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, width);
  return width;
}

/**
 * `a-rather…-12`: what fits of a name, with its end, since that is what tells
 * numbered names apart. Empty where not even one character fits.
 */
export function shortenMiddle(
  text: string,
  room_px: number,
  widthOf: (text: string) => number,
): string {
  if (widthOf(text) <= room_px) return text;
  const characters = [...text];
  const cut = (kept: number): string => {
    const tail = Math.ceil(kept / 2);
    const head = characters.slice(0, kept - tail).join("");
    return `${head}…${characters.slice(characters.length - tail).join("")}`;
  };
  let kept = Math.min(characters.length - 1, MOST_KEPT);
  while (kept > 0 && widthOf(cut(kept)) > room_px) kept -= 1;
  return kept > 0 ? cut(kept) : "";
}
