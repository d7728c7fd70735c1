// A lane of consecutive entries under a time axis. Each entry has a badge, moments,
// hatched ranges and, if there is room, words.

import { effect } from "@preact/signals";
import { toCss } from "../base/colour";
import type { Theme } from "../base/theme";
import { CanvasView } from "../render/canvas_view";
import { hatch } from "./areas";
import { paintCross } from "./marks";
import { type Pointed, PlotGestures, type TimePanel } from "./gestures";
import type { Range } from "./window";

export interface Entry {
  readonly badge: string;
  readonly words: string;
  readonly start: number;
  /** Infinity while the entry is running. */
  readonly stop: number;
  readonly moments: readonly number[];
  readonly hatched: readonly Range[];
  readonly failed: boolean;
}

export interface EntryLaneContent {
  /** Sorted by start. */
  readonly entries: readonly Entry[];
  /** Drawn with a frame. */
  readonly chosen: ReadonlySet<Entry>;
  readonly theme: Theme;
  hover(entry: Entry | null, x_px: number): void;
  click(entry: Entry): void;
  doubleClick(entry: Entry): void;
}

interface Placed {
  readonly entry: Entry;
  readonly left: number;
  right: number;
}

/** A second click within this time makes a double click. */
const DOUBLE_MS = 500;
/** Shorter text is not readable, so it is left out. */
const LEAST_WORDS = 8;
const MARK_PX = 4;

export class EntryLane implements Pointed {
  readonly view: CanvasView;
  private content: EntryLaneContent | null = null;
  private placed: Placed[] = [];
  private hovered: Entry | null = null;
  private brushed: Range | null = null;
  private clicked: { entry: Entry; at: number } | null = null;
  private readonly gestures: PlotGestures;
  private readonly stop: () => void;

  constructor(
    private readonly hit: HTMLElement,
    readonly panel: TimePanel,
  ) {
    this.view = new CanvasView(hit, () => this.draw(), { opaque: true });
    this.view.canvas.style.pointerEvents = "none";
    this.gestures = new PlotGestures(hit, this);
    this.stop = effect(() => {
      void panel.timeline.shown.value;
      panel.timeline.redraw(this.view);
      this.gestures.pictureMoved();
    });
  }

  dispose(): void {
    this.stop();
    this.gestures.dispose();
    this.view.dispose();
  }

  show(content: EntryLaneContent): void {
    this.content = content;
    this.view.request();
  }

  timeAt(x_px: number): number {
    const [start, stop] = this.panel.timeline.shown.peek();
    return start + (x_px / Math.max(1, this.hit.clientWidth)) * (stop - start);
  }

  secondsPerCssPixel(): number {
    const { width } = this.panel.timeline.window;
    return width / Math.max(1, this.hit.clientWidth);
  }

  brush(range: Range | null): void {
    this.brushed = range;
    this.view.request();
  }

  hover(x_px: number): void {
    const entry = this.at(x_px);
    if (entry !== this.hovered) this.view.request();
    this.hovered = entry;
    this.hit.style.cursor = entry ? "pointer" : "";
    this.content?.hover(entry, x_px);
  }

  hovers(): boolean {
    return this.hovered !== null;
  }

  leave(): void {
    if (this.hovered) this.view.request();
    this.hovered = null;
    this.content?.hover(null, 0);
  }

  click(x_px: number): void {
    const entry = this.at(x_px);
    if (!entry) return;
    const now = performance.now();
    const { clicked } = this;
    const isDoubleClick =
      clicked?.entry === entry && now - clicked.at < DOUBLE_MS;
    this.clicked = { entry, at: now };
    if (!isDoubleClick) this.content?.click(entry);
  }

  doubleClick(x_px: number): void {
    const entry = this.at(x_px);
    if (entry) this.content?.doubleClick(entry);
  }

  /** The last entry at this place, if several overlap. */
  private at(x_px: number): Entry | null {
    const x = x_px * this.view.size.pixelRatio;
    const found = this.placed.filter(
      ({ left, right }) => x >= left && x <= right,
    );
    return found.at(-1)?.entry ?? null;
  }

  private draw(): void {
    const { content } = this;
    const { context, size } = this.view;
    if (!content) return;
    const { width, height, pixelRatio } = size;
    const { theme } = content;
    const [start, stop] = this.panel.timeline.shown.peek();
    const x = (time: number): number =>
      ((time - start) / (stop - start)) * width;
    context.fillStyle = toCss(theme.panel);
    context.fillRect(0, 0, width, height);
    const lane = { context, theme, width, height, pixelRatio, x };
    this.placed = paintEntries(lane, content, this.hovered);
    if (!this.brushed) return;
    const [from, to] = this.brushed;
    context.fillStyle = toCss(theme.brand);
    context.globalAlpha = 0.16;
    context.fillRect(x(from), 0, x(to) - x(from), height);
    context.globalAlpha = 1;
  }
}

interface LaneArea {
  readonly context: CanvasRenderingContext2D;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly x: (time: number) => number;
}

/** Returns the positions of the visible entries. */
function paintEntries(
  lane: LaneArea,
  { entries, chosen }: EntryLaneContent,
  hovered: Entry | null,
): Placed[] {
  const { context, theme, width, height, pixelRatio, x } = lane;
  const line = Math.max(1, Math.round(pixelRatio));
  context.fillStyle = toCss(theme.rule);
  context.fillRect(0, height - line, width, line);
  const placed: Placed[] = [];
  const stripes = hatch(lane, toCss(theme.text2));
  let painted = -Infinity;
  for (const entry of entries) {
    const left = Math.round(x(entry.start));
    if (left > width) break;
    const right = Math.max(left + 2 * line, Math.round(x(entry.stop)));
    // An entry inside a painted pixel would not be visible.
    if (right < 0 || right <= painted) {
      paintWaits(lane, entry, stripes);
      continue;
    }
    painted = right;
    placed.push({ entry, left, right });
    const end = Math.min(right, width + 2 * line);
    context.fillStyle = toCss(theme.text);
    context.globalAlpha = 0.08;
    context.fillRect(left, 0, end - left, height - line);
    context.globalAlpha = 1;
    paintWaits(lane, entry, stripes);
    context.fillStyle = toCss(theme.text);
    context.fillRect(left, 0, 2 * line, height - line);
    context.globalAlpha = 0.4;
    if (Number.isFinite(entry.stop)) {
      context.fillRect(end - line, 0, line, height - line);
    }
    context.globalAlpha = 1;
  }
  placed.forEach((one, at) => nameEntry(lane, one, placed[at + 1]));
  for (const { entry, left, right } of placed) {
    if (!chosen.has(entry) && entry !== hovered) continue;
    context.strokeStyle = toCss(chosen.has(entry) ? theme.brand : theme.text);
    context.lineWidth = 2 * line;
    context.strokeRect(
      left + line,
      line,
      Math.min(right, width + 4 * line) - left - 2 * line,
      height - 3 * line,
    );
  }
  return placed;
}

/** Paints hatched ranges, and a mark at each moment. */
function paintWaits(
  lane: LaneArea,
  { moments, hatched }: Entry,
  stripes: string | CanvasPattern,
): void {
  const { context, theme, width, height, pixelRatio, x } = lane;
  const line = Math.max(1, Math.round(pixelRatio));
  context.fillStyle = stripes;
  context.globalAlpha = 0.5;
  for (const [from, to] of hatched) {
    const [left, right] = [x(from), Math.min(x(to), width)];
    if (right < 0 || left > width) continue;
    context.fillRect(left, 0, Math.max(right - left, line), height - line);
  }
  context.globalAlpha = 1;
  context.fillStyle = toCss(theme.text);
  const size = MARK_PX * pixelRatio;
  let last = -Infinity;
  for (const moment of moments) {
    const at = x(moment);
    if (at < -size || at > width + size || at - last < size) continue;
    last = at;
    context.beginPath();
    context.moveTo(at - size, 0);
    context.lineTo(at + size, 0);
    context.lineTo(at, 1.5 * size);
    context.fill();
  }
}

/** Draws the badge and words inside the entry, or after it if they do not fit. */
function nameEntry(
  { context, theme, width, height, pixelRatio, x }: LaneArea,
  one: Placed,
  next: Placed | undefined,
): void {
  const { entry, left, right } = one;
  const gap = 5 * pixelRatio;
  const middle = height / 2;
  const size = theme.small_px * pixelRatio;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const free = (next?.left ?? width) - gap;
  let behind = right + gap;
  const bold = `600 ${size}px ${CODE_FONT}`;
  context.font = bold;
  const badge = context.measureText(entry.badge).width;
  // Avoid the hatched ranges if there is room.
  const waits = entry.hatched.map(([from, to]) => [x(from), x(to)]);
  const end = Math.min(right, width);
  const first = Math.max(left, 0) + 2 * gap;
  let inside = first;
  for (const [from, to] of waits) {
    if (from < inside + badge && to > inside) inside = to + gap;
  }
  if (inside + badge + gap > end) inside = first;
  const later = waits.map(([from]) => from).filter((at) => at > inside + badge);
  context.fillStyle = toCss(theme.text);
  if (inside + badge + gap <= end) {
    context.fillText(entry.badge, inside, middle);
    context.font = `${size}px ${CODE_FONT}`;
    const from = inside + badge + 1.5 * gap;
    const character = context.measureText("0").width;
    const room = Math.floor((Math.min(end, ...later) - gap - from) / character);
    if (room >= Math.min(LEAST_WORDS, entry.words.length) && room > 0) {
      context.fillStyle = toCss(theme.text2);
      const { words } = entry;
      const cut = words.length > room ? `${words.slice(0, room - 1)}…` : words;
      context.fillText(cut, from, middle);
    }
  } else if (behind + badge <= free && right < width) {
    context.fillText(entry.badge, behind, middle);
    behind += badge + gap;
    one.right = behind;
  }
  const cross = 3.5 * pixelRatio;
  if (!entry.failed || behind + 2 * cross > free + gap) return;
  context.strokeStyle = toCss(theme.error);
  context.lineWidth = 2 * pixelRatio;
  const at = behind + cross;
  paintCross(context, at, middle, cross);
  one.right = at + cross;
}

const CODE_FONT = "monospace";
