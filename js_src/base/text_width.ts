// Widths of texts without touching the layout of the page.

let context: CanvasRenderingContext2D | null | undefined;
const known = new Map<string, number>();
/** Keys come from anywhere: forget them all rather than grow. */
const MOST_KNOWN = 4000;

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
