// Text on a canvas: widths measured once per font and string.

/** Bounds the cache: it is cleared when it holds more texts than this. */
const MOST_KNOWN = 20_000;
/** Texts are cut to this length: no space is wide enough for more. */
const LONGEST_CUT = 200;

export class TextMeasure {
  private widths = new Map<string, number>();
  /** Shortened texts with an ellipsis, by number of characters. */
  private cuts = new Map<string, string[]>();
  private font = "";

  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** Clears the cache when the font changes. */
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
      if (this.widths.size >= MOST_KNOWN) {
        this.widths.clear();
        this.cuts.clear();
      }
      this.widths.set(text, width);
    }
    return width;
  }

  /** The first characters and an ellipsis; cached, since each frame needs it. */
  cut(text: string, characters: number): string {
    let cuts = this.cuts.get(text);
    if (cuts === undefined) this.cuts.set(text, (cuts = []));
    return (cuts[characters] ??=
      [...text.slice(0, 2 * characters)].slice(0, characters).join("") + "…");
  }
}

/** The longest start of a text that fits, with an ellipsis; empty if nothing fits. */
export function shorten(
  text: string,
  room: number,
  measure: TextMeasure,
): string {
  if (measure.width(text) <= room) return text;
  let from = 0;
  let to = Math.min(text.length, LONGEST_CUT);
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (measure.width(measure.cut(text, middle)) <= room) from = middle;
    else to = middle - 1;
  }
  return from > 0 ? measure.cut(text, from) : "";
}
