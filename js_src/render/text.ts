// Text on a canvas: widths measured once per font and string.

export class TextMeasure {
  private widths = new Map<string, number>();
  private font = "";

  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** Forgets what it knows when the font is another. */
  setFont(font: string): void {
    this.context.font = font;
    if (font === this.font) return;
    this.font = font;
    this.widths.clear();
  }

  width(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      this.context.font = this.font;
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
}

/** The start of a text that fits, with an ellipsis; empty when not even that does. */
export function shorten(
  text: string,
  room: number,
  measure: TextMeasure,
): string {
  if (measure.width(text) <= room) return text;
  const characters = [...text];
  let from = 0;
  let to = characters.length;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    const cut = characters.slice(0, middle).join("") + "…";
    if (measure.width(cut) <= room) from = middle;
    else to = middle - 1;
  }
  return from > 0 ? characters.slice(0, from).join("") + "…" : "";
}
